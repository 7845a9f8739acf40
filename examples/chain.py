"""A hanging chain of n links: how the equations grow, and how it swings."""

import latchwork as lw


def build(links: int = 10) -> lw.Model:
    """A row of revolute joints, a particle at the end of each link; angles from link to link, horizontal at 0."""
    model = lw.Model(f"chain of {links} links")
    m, L, g = model.parameters(m=0.1, L=0.2, g=9.81)
    link, tip = None, model.origin
    for k in range(1, links + 1):
        link = model.revolute(f"link{k}", link, at=tip, q=[f"q{k}"], u=[f"u{k}"])
        tip = link.origin.at(f"P{k}", L * link.frame.x)
        model.particle(f"P{k}", tip, m)
    model.gravity(-g * model.frame.y)
    model.describe(m="mass of a link [kg]", L="its length [m]", g="acceleration of gravity [m/s^2]")
    return model


SHOW = ("P10",)
DRAW = ("O", *(f"P{k}" for k in range(1, 11)))


def run(model: lw.Model) -> lw.Trajectory:
    """Held out straight, and let go."""
    return lw.simulate(model, until=3.0, q={name: 0.0 for name in model.equations().q_names})


def live() -> lw.Exhibit:
    """To be swung and shaken by its end; its middle can be locked."""
    model = build()
    for link in model.links.values():
        model.resist(link, damping=0.004)
    q = {f"q{k}": -0.9 if k == 1 else 0.0 for k in range(1, 11)}
    return lw.Exhibit(model, q=q, u={}, draw=DRAW, hold="P10", sliders={"g": (0.0, 20.0), "m": (0.02, 0.5)},
                      constraints=(lw.Latch("middle is locked", model.symbols["q5"]),))  # fmt: skip


def main() -> None:
    print("links  multiply, divide  add, subtract  sin, cos")
    for links in (1, 2, 3, 5, 10, 20):
        count = build(links).equations().operations
        print(f"{links:5}  {count.multiplies:16}  {count.adds:13}  {count.trig:8}")
    audit = run(build()).audit
    print("", audit, sep="\n")
    assert audit.energy_error < 1e-6


if __name__ == "__main__":
    main()
