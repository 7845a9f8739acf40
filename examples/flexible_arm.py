"""An arm that bends is turned by one motor: a law of the hub leaves it swinging, one that knows its shapes does not.

Computed torque tracks the hub, exactly, and the arm rings behind it. A linear-quadratic regulator about the place where
it is to stand, with the elastic coordinates among its states, brings the payload there and damps what rings.
"""

import numpy as np

import latchwork as lw

LENGTH, EI, RHO_A, PAYLOAD, HUB = 1.2, 100.0, 0.4, 0.3, 0.05
TURN, MOVE, END = 1.0, 1.0, 3.0


def build(modes: int = 2) -> lw.Model:
    """A hub with a motor, a beam, and a payload at its end; it turns in a level plane."""
    model = lw.Model("flexible arm")
    torque = model.input("T")
    hub = model.revolute("hub", q=["theta"], u=["omega"])
    model.body("hub", hub, hub.origin, 1.0, lw.inertia(hub.frame, zz=HUB))
    arm = model.beam("arm", hub, hub.origin, LENGTH, EI=EI, rho_A=RHO_A, modes=modes, damping=1e-4)
    model.particle("payload", arm.tip, PAYLOAD)
    model.actuate(hub, torque)
    return model


def reference(model: lw.Model) -> lw.Expr:
    """From 0 to TURN in the time MOVE."""
    return lw.control.minimum_jerk(model.time, 0.0, MOVE, 0.0, TURN)


def of_the_hub(model: lw.Model) -> lw.control.Projected:
    """Computed torque: the hub goes along the reference, whatever the arm does."""
    return lw.control.Projected(tracks={"theta": reference(model)}, gains=(400.0, 40.0), name="hub")


def of_the_arm(model: lw.Model) -> lw.control.Law:
    """A regulator about the reference: gains of Riccati's equation about the place where the arm stands."""
    rest = dict.fromkeys(model.equations().q_names, 0.0)
    found = lw.control.lqr(model, rest | {"theta": TURN}, r={"T": 0.0}, efforts=1e-3,
                           states={"theta": 10.0, "q_arm_y1": 1000.0, "u_arm_y1": 1.0})  # fmt: skip
    moving = reference(model)
    i, j = (found.linear.states.index(name) for name in ("theta", "omega"))
    K = found.K[0]
    follows = found.expressions["T"] + float(K[i]) * (moving - TURN) + float(K[j]) * lw.dt(moving)
    return lw.control.Law({"T": follows}, name="arm")


SHOW = ("theta", "q_arm_y1", "T")
DRAW = ("O", "arm_tip")


def run(model: lw.Model, law: object | None = None) -> lw.Trajectory:
    """From rest."""
    return lw.simulate(model, END, controllers=[law if law is not None else of_the_arm(model)])


def ringing(model: lw.Model, moved: lw.Trajectory) -> float:
    """How far the payload swings across the arm, from a second after it has arrived on."""
    tip = moved[model.beams["arm"].deflection.position(1.0)[1]]
    return float(np.abs(tip[moved.t > MOVE + 1.0]).max())


def main() -> None:
    model = build()
    swings = {law.name: run(model, law) for law in (of_the_hub(model), of_the_arm(model))}
    for name, moved in swings.items():
        print(f"law of the {name}: the payload still swings by {1e3 * ringing(model, moved):.4f} mm")
    hub, arm = (ringing(model, moved) for moved in swings.values())
    assert arm < 0.02 * hub
    assert abs(swings["arm"]["theta"][-1] - TURN) < 1e-3


def picture(path: str) -> None:
    """The payload under both laws."""
    from latchwork.view.plots import COLORS, figure, save

    made, model = figure(6.4, 3.4), build()
    panel = made.add_subplot()
    for k, law in enumerate((of_the_hub(model), of_the_arm(model))):
        moved = run(model, law)
        tip = moved[model.beams["arm"].deflection.position(1.0)[1]]
        panel.plot(moved.t, 1e3 * tip, color=COLORS[k], linewidth=1.2, label=f"law of the {law.name}")
    panel.set_xlabel("t [s]")
    panel.set_ylabel("payload across the arm [mm]")
    panel.legend(frameon=False)
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    save(made, path)


if __name__ == "__main__":
    main()
