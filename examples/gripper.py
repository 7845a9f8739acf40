"""A gripper that lets go: two pads hold a ball by friction alone, and squeeze it less and less.

The ball hangs between the pads as long as the two forces of friction can carry it, 2 μ F ≥ m g. Where F falls below
m g / (2 μ) it slides, and falls out.
"""

import latchwork as lw
from published import near, times

M, R, G, MU = 1.0, 0.05, 9.81, 0.5
SQUEEZE, RATE = 20.0, 4.0  # N, N/s


def build(timed: bool = True) -> lw.Model:
    """Pads on two slides, each pushed inwards by F, and a ball between them; ``timed`` lets F fall with time."""
    model = lw.Model("gripper")
    F = SQUEEZE - RATE * model.time if timed else model.inputs(F=lw.quantity(SQUEEZE, "N", "push at a pad"))[0]
    N, O = model.frame, model.origin
    pads = {}
    for side, name in ((-1, "left"), (1, "right")):
        rail = O.at(f"{name} rail", side * R * N.x)
        slide = model.prismatic(name, at=rail, axis=N.x, q=[f"x_{name}"], u=[f"v_{name}"])
        model.body(f"{name} finger", slide, slide.origin, 0.3, lw.inertia(slide.frame, 1e-3, 1e-3, 1e-3))
        model.force(slide.origin, -side * F * N.x, name=f"{name} squeeze")
        pads[name] = lw.Line(slide.origin, N.y, -side * N.x, body=slide.frame)
    link = model.planar("ball", q=["x", "y", "a"], u=["v_x", "v_y", "w"])
    ball = model.body("ball", link.frame, link.origin, M, lw.inertia(link.frame, zz=0.4 * M * R**2))
    model.gravity(-G * N.y)
    for name, pad in pads.items():
        model.contact(f"{name} pad", ball.circle(R, link.origin), pad, friction=lw.Coulomb(MU))
    return model


SHOW = ("y", "v_y", "mode")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 2.8) -> lw.Trajectory:
    """From rest, held."""
    return lw.simulate(model, until)


def live() -> lw.Exhibit:
    """To be squeezed less, until the ball slips; a tray catches it, and it can be put back by hand."""
    model = build(timed=False)
    N, O, ball = model.frame, model.origin, model.bodies["ball"]
    fingers = []
    for side, name in ((-1, "left"), (1, "right")):
        middle = model.links[name].origin.at(f"{name} middle", side * 0.015 * N.x)
        fingers.append(model.bodies[f"{name} finger"].box((0.03, 0.16), middle))
    for name in ("left", "right"):
        model.resist(model.links[name], damping=5.0)
    tray = lw.Line(O.at("tray", -0.35 * N.y), N.x, N.y)
    model.contact("tray", ball.circle(R, ball.center), tray, friction=lw.Coulomb(MU), restitution=0.2)
    return lw.Exhibit(model, {}, {}, shapes=tuple(fingers), hold="ball", sliders={"F": (0.0, 40.0)}, plots=("y", "v_y"))


def main() -> None:
    moved = run(build())
    slips = M * G / (2 * MU)
    near("the ball slips", times(moved, "slide")[:1], [(SQUEEZE - slips) / RATE], 1e-9, "F = m g / (2 μ)")
    assert moved.audit.energy_error < 1e-6


if __name__ == "__main__":
    main()
