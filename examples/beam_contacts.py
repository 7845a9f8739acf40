"""Beams that are touched anywhere: one falls on a corner, and a ball rolls along another while it bends.

A contact takes the curve of a beam as its shape. Where a beam of n modes strikes, ever less of it is stopped at once:
one over the first blow grows by the same with every mode. What the corner gives in all, by blows and by the force
between them, comes to a limit, and whether blows are elastic matters less and less.
"""

import numpy as np

import latchwork as lw

EI, RHO_A, DAMPING = 200.0, 1.0, 1e-4
LIMIT = 1.844  # N m s: what the corner gives about the pin, by seven modes; with six 1.847 and 1.849


def striking(modes: int, restitution: float) -> lw.Model:
    """A beam of 1 m on a pin falls onto a corner half a metre away, 0.2 m below it."""
    model = lw.Model("beam on a corner")
    N, pin = model.frame, model.revolute("pin")
    beam = model.beam("beam", pin, pin.origin, 1.0, EI=EI, rho_A=RHO_A, modes=modes, shapes="pinned-free",
                      damping=DAMPING)  # fmt: skip
    model.contact("corner", model.origin.at("corner", 0.5 * N.x - 0.2 * N.y), beam.curve(side=-1),
                  restitution=restitution)  # fmt: skip
    model.gravity(-9.81 * N.y)
    return model


def strike(modes: int, restitution: float) -> tuple[float, float]:
    """The first blow, and the angular impulse of the corner about the pin until the two have parted."""
    model = striking(modes, restitution)
    moved = lw.simulate(model, 0.27, method=lw.DormandPrince(rtol=1e-8))
    eq = model.equations()
    H = moved[eq.angular_momentum(model.origin).dot(model.frame.z)]
    weight = -9.81 * RHO_A * moved[eq.center_of_mass().dot(model.frame.x)]
    blow = next(event for event in moved.events if event.kind == "impact")
    return float(np.sum(blow.impulses["corner"])), float(H[-1] - H[0] - np.trapezoid(weight, moved.t))


def build(stiffness: float = 6.0) -> lw.Model:
    """A ball on a soft cantilever: it lies on its face, 5 mm above the axis, and friction has it roll."""
    model = lw.Model("ball on a beam")
    N, radius = model.frame, 0.03
    beam = model.beam("beam", N, model.origin, 1.0, EI=stiffness, rho_A=0.5, modes=3, damping=5e-4)
    at = model.planar("ball")
    ball = model.body("ball body", at, at.origin, 0.05, lw.inertia(at.frame, zz=0.4 * 0.05 * radius**2))
    model.contact("roll", ball.circle(radius), beam.curve(height=0.005), friction=0.6)
    model.gravity(-9.81 * N.y)
    return model


SHOW = ("q_ball_px", "q_beam_y1")
DRAW = ("O", "beam_tip")


def run(model: lw.Model, until: float = 0.9) -> lw.Trajectory:
    """From rest, the beam straight."""
    return lw.simulate(model, until, q={"q_ball_px": 0.3, "q_ball_py": 0.035})


def main() -> None:
    for n in (1, 2, 4):
        (blow, rough), (same, bouncing) = strike(n, 0.0), strike(n, 1.0)
        print(f"{n} modes: first blow {blow:.3f} N s; in all {rough:.3f} N m s without bounce, {bouncing:.3f} with")
        assert abs(same - 2.0 * blow) < 1e-3 * same
        assert abs(rough / LIMIT - 1.0) < 0.03
    moved = run(build())
    rolled = moved["q_ball_px"][-1] - 0.3
    print(f"the ball has rolled {rolled:.3f} m, and turned by {-moved['q_ball_rz'][-1]:.2f} rad")
    print(moved.audit)
    assert rolled > 0.05
    assert abs(moved["q_ball_rz"][-1] * 0.03 + rolled) < 0.02 * rolled
    assert moved.audit.energy_error < 1e-6


def picture(path: str) -> None:
    """First blows and what the corner gives in all, by the number of modes; the ball on its way."""
    from latchwork.view.plots import COLORS, figure, save

    made = figure(9.0, 3.2)
    blows, pushes, rolling = made.subplots(1, 3)
    modes = np.arange(1, 8)
    rough, bouncing = (np.array([strike(int(n), e) for n in modes]) for e in (0.0, 1.0))
    blows.plot(modes, 1.0 / rough[:, 0], "o-", color=COLORS[0])
    blows.set_ylabel("1 / first blow [1/(N s)]")
    for k, (given, label) in enumerate(((rough, "without bounce"), (bouncing, "elastic"))):
        pushes.plot(modes, given[:, 1], "o-", color=COLORS[k], label=label)
    pushes.legend(frameon=False)
    pushes.set_ylabel("impulse in all, about the pin [N m s]")
    for panel in (blows, pushes):
        panel.set_xlabel("modes n")
        panel.set_xticks(modes, [str(n) for n in modes])
    model = build()
    moved = run(model)
    x = np.linspace(0.0, 1.0, 41)
    deflection = [model.beams["beam"].deflection.position(float(each))[1] for each in x]
    for k, t in enumerate((0.0, 0.3, 0.6, 0.9)):
        state = moved.at(t)
        rolling.plot(x, [0.0, *(float(state[each]) for each in deflection[1:])], color=COLORS[k])
        angle = np.linspace(0.0, 2.0 * np.pi, 49)
        rolling.plot(state["q_ball_px"] + 0.03 * np.cos(angle), state["q_ball_py"] + 0.03 * np.sin(angle),
                     color=COLORS[k], label=f"t = {t:g} s")  # fmt: skip
    rolling.set_aspect("equal")
    rolling.set_ylim(-0.3, 0.4)
    rolling.set_xlabel("x [m]")
    rolling.set_ylabel("y [m]")
    rolling.legend(frameon=False, fontsize="small")
    for panel in (blows, pushes, rolling):
        panel.grid(alpha=0.15)
        panel.spines[["top", "right"]].set_visible(False)
    save(made, path)


if __name__ == "__main__":
    main()
