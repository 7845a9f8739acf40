"""Constrained mechanisms that several scripts measure, each with a start, and steps of them in machine code."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from measure import ROUND

import latchwork as lw
from latchwork.hybrid.mode_dynamics import Written
from latchwork.integrate.methods import integrate
from latchwork.integrate.stepper import steps as stepper
from latchwork.program.native import invoke

G = 9.81
STEP = 1e-3


@dataclass(frozen=True)
class Mechanism:
    """A model, where it starts, and a model of the same motion in one coordinate, where it is known."""

    name: str
    make: Callable[[], lw.Model]
    q: dict[str, float]
    u: dict[str, float]
    exact: Callable[[], lw.Model] | None = None  # its first coordinate is that of the mechanism


def rod(model: lw.Model, link: lw.Link, length: float, direction: lw.Vector | None = None) -> lw.Point:
    """A uniform rod of 1 kg/m from the origin of a link along its x axis; gives its end."""
    along = link.frame.x if direction is None else direction
    center = link.origin.at(f"{link.name}_c", 0.5 * length * along)
    across = length**3 / 12
    model.body(f"{link.name} rod", link, center, length, lw.inertia(link.frame, *[across] * 3))
    return link.origin.at(f"{link.name}_end", length * along)


def slider_crank(a: float, b: float) -> lw.Model:
    """Two massless rods with a particle of 1 kg at each end; the second end stays on the x axis."""
    model = lw.Model("slider-crank")
    N, O = model.frame, model.origin
    crank = model.revolute("crank", axis=N.z, q=["q1"], u=["u1"])
    P = crank.origin.at("P", a * crank.frame.x)
    coupler = model.revolute("coupler", crank, at=P, axis=N.z, q=["q2"], u=["u2"])
    Q = P.at("Q", b * coupler.frame.x)
    model.particle("p1", P, 1.0)
    model.particle("p2", Q, 1.0)
    model.gravity(-G * N.y)
    model.constraint("slot", Q.position(O).dot(N.y))
    return model


def straight_crank() -> lw.Model:
    """The motion of a slider-crank of equal lengths along its straight branch, in the angle of the crank."""
    model = lw.Model("one degree of freedom")
    q = model.coordinate("q1")
    N, O = model.frame, model.origin
    model.particle("p1", O.at("P", lw.cos(q) * N.x + lw.sin(q) * N.y), 1.0)
    model.particle("p2", O.at("Q", 2.0 * lw.cos(q) * N.x), 1.0)
    model.gravity(-G * N.y)
    return model


def closed(model: lw.Model, name: str, P: lw.Point, Q: lw.Point) -> None:
    """Two points of a planar mechanism that stay together."""
    gap = P.position(Q)
    model.constraint(name, [gap.dot(model.frame.x), gap.dot(model.frame.y)])


def four_bar() -> lw.Model:
    """A crank that turns all the way round, a coupler and a rocker."""
    model = lw.Model("four-bar")
    N = model.frame
    crank = model.revolute("crank", axis=N.z)
    A = rod(model, crank, 0.6)
    rocker = model.revolute("rocker", at=model.origin.at("G", 2.0 * N.x), axis=N.z)
    C = rod(model, rocker, 1.1)
    coupler = model.revolute("coupler", crank, at=A, axis=N.z)
    closed(model, "loop", rod(model, coupler, 1.7), C)
    model.gravity(-G * N.y)
    return model


def many_four_bars(count: int) -> lw.Model:
    """Parallelograms side by side, rods of 1 m and 1 kg: all flat at once, where they may fold.  [IFToMM A02]"""
    model = lw.Model(f"{count} four-bars")
    N, O = model.frame, model.origin
    cranks = [model.revolute(f"k{i}", at=O.at(f"G{i}", float(i) * N.x), axis=N.z) for i in range(count + 1)]
    ends = [rod(model, crank, 1.0) for crank in cranks]
    for i in range(count):
        coupler = model.revolute(f"c{i}", cranks[i], at=ends[i], axis=N.z)
        closed(model, f"loop{i}", rod(model, coupler, 1.0), ends[i + 1])
    model.gravity(-G * N.y)
    return model


def one_four_bar(count: int) -> lw.Model:
    """The motion of parallelograms that stay parallelograms, in the angle of a crank."""
    model = lw.Model("one degree of freedom")
    N, O = model.frame, model.origin
    crank = model.revolute("k0", axis=N.z)
    rods = crank.origin.at("c", 0.5 * crank.frame.x)
    model.body("rods", crank, rods, count + 1.0, lw.inertia(crank.frame, zz=(count + 1.0) / 12))
    model.particle("couplers", O.at("e", crank.frame.x), float(count))
    model.gravity(-G * N.y)
    return model


def six_bar() -> lw.Model:
    """Watt's second chain: a four-bar whose rocker drives a second one; two loops, one degree of freedom."""
    model = lw.Model("six-bar")
    N, O = model.frame, model.origin
    crank = model.revolute("crank", axis=N.z)
    rocker = model.revolute("rocker", at=O.at("G", 2.0 * N.x), axis=N.z)
    coupler = model.revolute("coupler", crank, at=rod(model, crank, 0.6), axis=N.z)
    closed(model, "loop", rod(model, coupler, 1.7), rod(model, rocker, 1.1))
    second = model.revolute("second", rocker, at=rocker.origin.at("E", 0.7 * rocker.frame.x), axis=N.z)
    last = model.revolute("last", at=O.at("H", 3.5 * N.x), axis=N.z)
    closed(model, "second loop", rod(model, second, 1.4), rod(model, last, 0.9))
    model.gravity(-G * N.y)
    return model


def crank_slider() -> lw.Model:
    """A slider-crank of three bodies, as other programs describe it: crank, rod and slider, two rows."""
    model = lw.Model("crank and slider")
    N = model.frame
    crank = model.revolute("crank", axis=N.z)
    coupler = model.revolute("rod", crank, at=rod(model, crank, 0.3), axis=N.z)
    slider = model.prismatic("slider", axis=N.x)
    model.body("slider", slider, slider.origin, 1.5, lw.inertia(slider.frame, 0.01, 0.01, 0.01))
    closed(model, "loop", rod(model, coupler, 0.9), slider.origin)
    model.gravity(-G * N.y)
    return model


def bricard() -> lw.Model:
    """Six rods along the edges of a cube on six hinges: five rows close the loop, one of them is redundant."""
    model = lw.Model("Bricard")
    N, O = model.frame, model.origin
    link, at = None, None
    for i, (axis, way) in enumerate((("y", (1, 0, 0)), ("z", (0, -1, 0)), ("x", (0, 0, 1)), ("y", (-1, 0, 0)),
                                     ("z", (0, 1, 0)))):  # fmt: skip
        frame = N if link is None else link.frame
        link = model.revolute(f"h{i}", link, at=at, axis=getattr(frame, axis))
        at = rod(model, link, 1.0, link.frame.vector(*map(float, way)))
    assert link is not None
    assert at is not None
    model.close("revolute", "loop", link, N, at=at, to=O.at("home", N.z), axis=[link.frame.x, N.x])
    model.gravity(-G * N.y)
    return model


def rolling_disk() -> lw.Model:
    """A thin disk of 1 kg that rolls on a plane: three rows, two of them on motion."""
    model = lw.Model("rolling disk")
    r = 0.5
    x, y, z, yaw, lean, spin = model.coordinates("x", "y", "z", "yaw", "lean", "spin")
    N = model.frame
    leaning = N.rotated("A", yaw, N.z)
    leaning = leaning.rotated("L", lean, leaning.x)
    disk = leaning.rotated("D", spin, leaning.y)
    center = model.origin.at("C", N.vector(x, y, z))
    body = model.body("disk", disk, center, 1.0, lw.inertia(disk, r**2 / 4, r**2 / 2, r**2 / 4))
    model.gravity(-G * N.z)
    model.roll("rolling", body, -r * leaning.z, along=[N.x, N.y], normal=N.z)
    return model


def parallel(count: int) -> dict[str, float]:
    """Cranks up, couplers flat."""
    up = {f"q_k{i}": 0.5 * math.pi for i in range(count + 1)}
    return up | {f"q_c{i}": -0.5 * math.pi for i in range(count)}


FOUR_BARS = 4
MECHANISMS = (
    Mechanism("slider-crank", lambda: slider_crank(0.8, 1.3), {"q1": 0.4}, {"u1": 1.5}),
    Mechanism("equal slider-crank", lambda: slider_crank(1.0, 1.0), {"q1": 0.4, "q2": -0.8}, {"u1": 6.0},
              straight_crank),
    Mechanism("four-bar", four_bar, {"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2}, {"u_crank": 6.0}),
    Mechanism(f"{FOUR_BARS} four-bars", lambda: many_four_bars(FOUR_BARS), parallel(FOUR_BARS), {"u_k0": -1.0},
              lambda: one_four_bar(FOUR_BARS)),
    Mechanism("Bricard", bricard, {}, {}),
    Mechanism("rolling disk", rolling_disk, {"lean": 0.3, "z": 0.5}, {"u_spin": 8.0, "u_yaw": 0.4}),
)  # fmt: skip
SIX_BAR = Mechanism("six-bar", six_bar, {"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2, "q_second": -1.4,
                                         "q_last": 1.7}, {"u_crank": 6.0})  # fmt: skip
CRANK_SLIDER = Mechanism("slider-crank", crank_slider, {"q_crank": 0.7, "q_rod": -0.9, "q_slider": 1.1},
                         {"u_crank": 6.0})  # fmt: skip


@dataclass(frozen=True)
class Stepping:
    """Steps of RK4 of a constrained mechanism from its start, compiled, recorded only at the end."""

    dynamics: Any
    x: np.ndarray
    rest: np.ndarray
    overhead: float = 0.0  # seconds of calling a stepper

    def seconds(self, steps: int = 500) -> float:
        """Seconds for one step, in one round of several runs; what it costs to call the stepper is taken off."""
        spent, taken = 0.0, 0
        while spent < ROUND:
            run = self.steps(steps)
            spent, taken = spent + run[0] - self.overhead, taken + max(run[1] - 1, 1)
        return spent / taken

    def steps(self, steps: int) -> tuple[float, int]:
        """Seconds inside the stepper, and how many steps it took: fewer where other speeds are asked for."""
        spent = 0.0

        def call(kernel: Any, *arguments: Any) -> Any:
            nonlocal spent
            start = time.perf_counter()
            found = invoke(kernel, *arguments)
            spent += time.perf_counter() - start if kernel is stepper else 0.0
            return found

        solution = integrate(self.dynamics.function, self.dynamics.reduced(self.x), 0.0, steps * STEP, self.rest,
                             lw.RK4(STEP, every=steps), settle=self.dynamics.settle, call=call)  # fmt: skip
        return spent, solution.stats.steps


def stepping(mechanism: Mechanism, design: Any) -> Stepping:
    """Compiled steps of a mechanism by a design."""
    run = lw.simulate(mechanism.make(), STEP, mechanism.q, mechanism.u, design=design, method=lw.RK4(STEP))
    dynamics: Any = run.path.segments[0].dynamics
    program = [dynamics.program] if isinstance(dynamics, Written) else []
    for function in (*program, *dynamics.mode.terms.functions):
        function.compiled(wait=True)
    runs = Stepping(dynamics, run.path.x[0], run.rest)
    return replace(runs, overhead=min(runs.steps(1)[0] for _ in range(300)))
