"""A Geneva drive whose motor needs the least torque: how its crank turns while the wheel moves on is left free.

A crank with a pin turns a wheel with four slots by a quarter while it turns by a quarter itself; the pin enters and
leaves along a slot, so that the wheel begins and ends at rest. With a = c sin(π/4),

    tan β = a sin α / (c − a cos α)

and at a constant speed ω of the crank the wheel is accelerated by up to 5.41 ω², and the motor has to give J β″ β′ ω².
Here the crank has the same time for its quarter turn, and a speed that follows two cosines; the pin may press no harder
than at a constant speed.
"""

import math

import numpy as np

import latchwork as lw
from latchwork.study.minimum import Minimum
from published import near

SLOTS, DISTANCE, TIME = 4, 0.1, 0.25  # m, s
HALF = math.pi / 2 - math.pi / SLOTS  # of the angle in which the pin is in the slot
WHEEL, CRANK = 2e-3, 1e-4  # kg m²


def build() -> lw.Model:
    """The crank at O, the wheel beside it, the pin in a slot; the motor turns the crank as c1 and c2 say."""
    model = lw.Model("Geneva drive")
    c, J, Jm, T, c1, c2 = model.parameters(c=DISTANCE, J=WHEEL, Jm=CRANK, T=TIME, c1=0.0, c2=0.0)
    N, O = model.frame, model.origin
    crank = model.revolute("crank", at=O, q=["alpha"], u=["crank_speed"])
    wheel = model.revolute("wheel", at=O.at("W", c * N.x), q=["beta"], u=["wheel_speed"])
    pin = O.at("pin", c * math.sin(math.pi / SLOTS) * crank.frame.x)
    model.body("crank", crank, O, 0.1, lw.inertia(crank.frame, zz=Jm))
    model.body("wheel", wheel, wheel.origin, 0.5, lw.inertia(wheel.frame, zz=J))
    model.constraint("slot", pin.position(wheel.origin).dot(wheel.frame.y))
    turn = 2.0 * math.pi * model.time / T
    speed = 2.0 * HALF / T * (1.0 + c1 * lw.cos(turn) + c2 * lw.cos(2.0 * turn))
    model.constraint("motor", lw.dt(model.symbols["alpha"]) - speed)
    wheel.origin.at("rim", -c * math.cos(math.pi / SLOTS) * wheel.frame.x)
    model.describe(c="distance of the axes [m]", J="inertia of the wheel [kg m^2]", T="time of a quarter turn [s]",
                   Jm="inertia of crank and motor [kg m^2]", c1="first cosine of the crank's speed",
                   c2="second cosine of the crank's speed", alpha="angle of the crank [rad]",
                   beta="angle of the wheel [rad]")  # fmt: skip
    return model


SHOW = ("alpha", "beta")
DRAW = ("O", "pin", "W", "rim")
START = {"alpha": -HALF, "beta": math.pi / SLOTS}


def run(model: lw.Model, until: float = TIME) -> lw.Trajectory:
    """While the pin is in the slot."""
    return lw.simulate(model, until, q=START)


def motor(moved: lw.Trajectory) -> np.ndarray:
    """The torque of the motor, at a hundred times."""
    return np.asarray(moved.smooth(100)["force(motor)"])


def peak(moved: lw.Trajectory) -> float:
    """The largest torque of the motor."""
    return float(np.abs(motor(moved)).max())


def press(moved: lw.Trajectory) -> float:
    """The largest force of the pin on the slot."""
    return float(np.abs(moved.smooth(100)["force(slot)"]).max())


def exact(alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """β′ and β″ of tan β = a sin α / (c − a cos α), with a = c sin(π/n)."""
    r = math.sin(math.pi / SLOTS)
    under = 1.0 + r * r - 2.0 * r * np.cos(alpha)
    return (r * np.cos(alpha) - r * r) / under, -r * (1.0 - r * r) * np.sin(alpha) / under**2


def steepest() -> float:
    """The largest |β″|, where cos α = −G + √(G² + 2), G = (1 + r²) / 4 r."""
    r = math.sin(math.pi / SLOTS)
    G = (1.0 + r * r) / (4.0 * r)
    return float(np.abs(exact(np.array([math.acos(-G + math.sqrt(G * G + 2.0))]))[1][0]))


def found(limit: float) -> Minimum:
    """The cosines with the least torque, for a pin that presses no harder than a limit."""
    return lw.minimize(build(), "torque", {"c1": (-0.2, 0.8), "c2": (-0.4, 0.4)}, until=TIME, q=START,
                       outputs={"torque": peak, "press": press}, constraints={"press": (None, limit)},
                       method=lw.DifferentialEvolution(generations=3, population=8, polish=80))  # fmt: skip


def main() -> None:
    even = run(build())
    best = found(press(even))
    print(f"at a constant speed {peak(even):.4f} N m; found: {best}")
    omega = 2.0 * HALF / TIME
    first, second = exact(even.smooth(100)["alpha"])
    near("torque at a constant speed", motor(even), WHEEL * first * second * omega**2, 1e-7, "closed form")
    fastest = np.abs(even.smooth(4000)["dt(wheel_speed)"]).max() / omega**2
    near("largest acceleration of the wheel", fastest, steepest(), 1e-5, "where its derivative is zero")
    near("less than two thirds of that torque", float(best.value < peak(even) / 1.5), 1.0, 0.0, "found")


def picture(path: str) -> None:
    """The torque of the motor over the quarter turn, at a constant speed and as it was found."""
    import matplotlib.pyplot as plt

    even = run(build())
    best = found(press(even))
    figure, axes = plt.subplots(figsize=(7.0, 3.4))
    for moved, label in ((even, "constant speed"), (best.run(), "found")):
        axes.plot(moved.smooth(100).t, motor(moved), label=label)
    axes.set(xlabel="time in s", ylabel="torque of the motor in N m")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main()
