"""Bodies that bend, against Exudyn: time of a run, and how far each is off an independent reference; ticks of a loop.

    python benchmarks/flexible.py [--out FOLDER]

Latchwork: a beam of a few modes, adaptive steps. Exudyn: absolute nodal coordinates (Cable2D), generalized-alpha. Times
are processor times of a run, of equations that are derived and a system that is assembled. Errors stand in the remarks,
relative to the length or the largest deflection:

    spin-up          the largest lag of the tip; chains of rigid links, extrapolated, and 16 elements of Exudyn agree
    pendulum         the path of its tip, root of mean square; a chain of eight beams, each small in its own frame
    slider-crank     the middle of its rod off the line between its ends, likewise; such a chain

The rival of the four-bar is the clock: how much faster than real time a loop at 1 kHz is, by ticks of a fixed step.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from measure import Row, alternate, attempted, few, installed, run

import latchwork as lw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import flexible_four_bar
import flexible_slider_crank as crank
import spin_up

Remarks = dict[str, float]
Round = Callable[[], float]
LAG = 0.57375  # m
PENDULUM = {"length": 1.0, "EI": 4.0, "rho_A": 0.5}
ROD = {"length": crank.ROD, "EI": crank.E * crank.AREA * crank.WIDTH**2 / 12.0, "rho_A": crank.RHO * crank.AREA}
PLACES = 100  # along a run, at which paths are compared


def clocked_run(remarks: Remarks, model: lw.Model, until: float, rtol: float, off: Callable[[lw.Trajectory], float],
                **start: Any) -> Round:  # fmt: skip
    """A round of Latchwork."""
    method = lw.DormandPrince(rtol=rtol, atol=1e-5 * rtol)
    system = model if model.constraints else model.equations()

    def seconds() -> float:
        begin = time.process_time()
        moved = lw.simulate(system, until, method=method, **start)
        spent = time.process_time() - begin
        remarks["latchwork_error"] = off(moved)
        return spent

    return seconds


class Cable:
    """A beam of Exudyn in the plane, from (x, 0) along x, with what holds its nodes."""

    def __init__(self, exu: Any, x: float, elements: int, properties: dict[str, float], EA: float,
                 velocity: Callable[[float], float] = lambda s: 0.0, turning: float = 0.0) -> None:  # fmt: skip
        import exudyn.itemInterface as item

        self.exu, self.item, self.system = exu, item, exu.SystemContainer().AddSystem()
        self.properties, h = properties, properties["length"] / elements
        self.nodes = [self.system.AddNode(item.NodePoint2DSlope1(
            referenceCoordinates=[x + i * h, 0, 1, 0], initialVelocities=[0, velocity(i * h), 0, turning]))
            for i in range(elements + 1)]  # fmt: skip
        self.cells = [self.system.AddObject(item.Cable2D(
            physicsLength=h, physicsMassPerLength=properties["rho_A"], nodeNumbers=list(pair),
            physicsBendingStiffness=properties["EI"], physicsAxialStiffness=EA))
            for pair in pairwise(self.nodes)]  # fmt: skip
        still = self.system.AddNode(item.NodePointGround())
        self.ground = self.system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=still, coordinate=0))
        self.sensors = [self.system.AddSensor(item.SensorNode(
            nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position))
            for node in (self.nodes[0], self.nodes[elements // 2], self.nodes[-1])]  # fmt: skip

    def marker(self, node: int, coordinate: int) -> int:
        return int(self.system.AddMarker(self.item.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)))

    def hold(self, node: int, coordinate: int, moves: Any = 0, by: int | None = None) -> None:
        """A coordinate of a node is as it was, or moved by a function of t, or that of another."""
        pair = [self.ground if by is None else by, self.marker(node, coordinate)]
        self.system.AddObject(self.item.CoordinateConstraint(markerNumbers=pair, offsetUserFunction=moves))

    def weigh(self) -> None:
        for cell in self.cells:
            marker = self.system.AddMarker(self.item.MarkerBodyMass(bodyNumber=cell))
            self.system.AddLoad(self.item.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))

    def solved(self, until: float, steps: int) -> tuple[float, list[np.ndarray]]:
        """Processor time, and t, x, y of root, middle and tip."""
        self.system.Assemble()
        settings = self.exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, until
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = until / steps
        begin = time.process_time()
        self.system.SolveDynamic(settings, solverType=self.exu.DynamicSolverType.GeneralizedAlpha)
        spent = time.process_time() - begin
        return spent, [self.system.GetSensorStoredData(sensor)[:, :3].T for sensor in self.sensors]


def off_path(found: np.ndarray, reference: np.ndarray) -> float:
    """Root of the mean square, over the largest value."""
    size = np.linalg.norm(np.atleast_2d(reference.T), axis=0).max()
    return float(np.sqrt(np.mean(np.sum(np.atleast_2d((found - reference).T) ** 2, axis=0))) / size)


def times(until: float) -> np.ndarray:
    return np.linspace(until / PLACES, until, PLACES)


# --- a bar that is spun up ----------------------------------------------------------------------------------------


def spin(remarks: Remarks) -> Round:
    model = spin_up.build()
    tip = model.beams["bar"].deflection.position(1.0)[1]
    return clocked_run(remarks, model, 8.0, 1e-6, lambda moved: abs(-moved[tip].min() / LAG - 1.0))


def spin_exudyn(exu: Any, elements: int, steps: int, remarks: Remarks) -> Round:
    def angle(t: float) -> float:
        k = 2 * math.pi / spin_up.RAMP
        return spin_up.SPIN / spin_up.RAMP * (t * t / 2 + (math.cos(k * t) - 1.0) / k**2)

    def seconds() -> float:
        properties = {"length": spin_up.L, "EI": spin_up.EI, "rho_A": spin_up.RHO_A}
        bar = Cable(exu, 0.0, elements, properties, spin_up.EA)
        moves = (0, 0, lambda _, t, i, offset: math.cos(angle(t)) - 1.0, lambda _, t, i, offset: math.sin(angle(t)))
        for coordinate, move in enumerate(moves):
            bar.hold(bar.nodes[0], coordinate, move)
        spent, (_, _, (t, x, y)) = bar.solved(8.0, steps)
        turned = np.array([angle(each) for each in t])
        remarks["rival_error"] = abs(-(np.cos(turned) * y - np.sin(turned) * x).min() / LAG - 1.0)
        return spent

    return seconds


# --- a pendulum that bends ----------------------------------------------------------------------------------------


def pendulum(**options: Any) -> tuple[lw.Model, lw.Point]:
    model = lw.Model("flexible pendulum")
    pin = model.revolute("pin")
    bar = model.beam("bar", pin, pin.origin, **PENDULUM, **options)
    model.gravity(-9.81 * model.frame.y)
    return model, bar.tip


def path(moved: lw.Trajectory, tip: lw.Point) -> np.ndarray:
    return np.array([moved.at(float(t))[tip] for t in times(1.0)])[:, :2]


def swing(remarks: Remarks) -> Round:
    model, tip = pendulum(modes=2, shapes="pinned-free")
    return clocked_run(remarks, model, 1.0, 1e-4, lambda moved: off_path(path(moved, tip), swung()))


def swing_exudyn(exu: Any, elements: int, steps: int, remarks: Remarks) -> Round:
    def seconds() -> float:
        bar = Cable(exu, 0.0, elements, PENDULUM, EA=4e6)
        bar.weigh()
        for coordinate in (0, 1):
            bar.hold(bar.nodes[0], coordinate)
        spent, (_, _, (t, x, y)) = bar.solved(1.0, steps)
        found = np.array([np.interp(times(1.0), t, each) for each in (x, y)]).T
        remarks["rival_error"] = off_path(found, swung())
        return spent

    return seconds


# --- the slider-crank of the IVP test set ---------------------------------------------------------------------------


def slider_crank(**options: Any) -> tuple[lw.Model, lw.Expr]:
    """The mechanism, its rod without stretch, and the deflection of its middle off the line between its ends."""
    model, frame, pin, slider = crank.mechanism("flexible slider-crank")
    rod = model.beam("rod", frame, pin, **ROD, **options)
    crank.close(model, rod.tip, slider)
    x, y, ends, middle = model.frame.x, model.frame.y, slider.position(pin), rod.at(0.5 * crank.ROD).position(pin)
    return model, (ends.dot(x) * middle.dot(y) - ends.dot(y) * middle.dot(x)) / crank.ROD


def deflection(moved: lw.Trajectory, bent: lw.Expr) -> np.ndarray:
    return np.array([float(moved.at(float(t))[bent]) for t in times(0.1)])


STRAIGHT = {"q": {"phi2": 0.0, "x3": 0.45}, "u": {"u_phi2": -75.0}}


def slide(remarks: Remarks) -> Round:
    sines = [lambda x, k=k: lw.sin(k * math.pi * x) for k in (1, 2, 3)]
    model, bent = slider_crank(shapes=sines)
    return clocked_run(remarks, model, 0.1, 1e-3, lambda moved: off_path(deflection(moved, bent), slid()), **STRAIGHT)


def slide_exudyn(exu: Any, elements: int, steps: int, remarks: Remarks) -> Round:
    r, w = crank.CRANK, crank.OMEGA

    def seconds() -> float:
        rod = Cable(exu, r, elements, ROD, crank.E * crank.AREA, lambda s: w * r - 75.0 * s, -75.0)
        rod.hold(rod.nodes[0], 0, lambda _, t, i, offset: r * (math.cos(w * t) - 1.0))
        rod.hold(rod.nodes[0], 1, lambda _, t, i, offset: r * math.sin(w * t))
        rod.hold(rod.nodes[-1], 1)
        slider = rod.system.AddNode(rod.item.NodePoint2D(referenceCoordinates=[r + crank.ROD, 0]))
        rod.system.AddObject(rod.item.MassPoint2D(physicsMass=crank.SLIDER, nodeNumber=slider))
        rod.hold(slider, 0, by=rod.marker(rod.nodes[-1], 0))
        rod.hold(slider, 1)
        spent, (a, m, c) = rod.solved(0.1, steps)
        ends, middle = c[1:] - a[1:], m[1:] - a[1:]
        bent = (ends[0] * middle[1] - ends[1] * middle[0]) / crank.ROD
        remarks["rival_error"] = off_path(np.interp(times(0.1), a[0], bent), slid())
        return spent

    return seconds


# --- a four-bar in real time ----------------------------------------------------------------------------------------


def four_bar(modes: int, ticks: int, remarks: Remarks) -> Round:
    """A millisecond of the four-bar: so many ticks of a fixed step, as a loop at 1 kHz makes them."""
    model, count = flexible_four_bar.build(modes), 600

    def seconds() -> float:
        sim = lw.Simulation(model, q=flexible_four_bar.START, u={"u_crank": flexible_four_bar.SPEED})
        spent = np.zeros(count)
        for k in range(count):
            begin = time.process_time_ns()
            for _ in range(ticks):
                sim.tick(1e-3 / ticks)
            spent[k] = 1e-9 * (time.process_time_ns() - begin)
        settled = spent[20:]
        remarks["99_percent_us"] = 1e6 * float(np.quantile(settled, 0.99))
        return float(np.median(settled))

    return seconds


def derived(segments: int, remarks: Remarks) -> Round:
    """A model of many segments, from its description to operation counts of u̇."""

    def seconds() -> float:
        begin = time.process_time()
        model = lw.Model("rope")
        model.beam("rope", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=segments)
        model.gravity(-9.81 * model.frame.y)
        remarks["operations"] = float(model.equations().operations.total)
        return time.process_time() - begin

    return seconds


@cache
def swung() -> np.ndarray:
    """The reference of the pendulum."""
    model, tip = pendulum(segments=8)
    return path(lw.simulate(model, 1.0, method=lw.DormandPrince(rtol=1e-6)), tip)


@cache
def slid() -> np.ndarray:
    """The reference of the slider-crank."""
    model, bent = slider_crank(segments=8)
    return deflection(lw.simulate(model, 0.1, method=lw.DormandPrince(rtol=1e-6), **STRAIGHT), bent)


Rival = Callable[[Any, int, int, Remarks], Round]
CASES: list[tuple[str, int, int, Callable[[Remarks], Round], Rival]] = [
    ("spin-up to 8 s, 3 modes and stretch", 4, 1000, spin, spin_exudyn),
    ("pendulum, 1 s, 2 modes", 6, 1000, swing, swing_exudyn),
    ("slider-crank, 0.1 s, 3 sines", 4, 4000, slide, slide_exudyn),
]


def rows(rounds: int, quick: bool) -> Iterable[Row]:
    exu = installed("exudyn")
    warnings.simplefilter("ignore", DeprecationWarning)
    for work, elements, steps, ours, theirs in few(CASES, quick):
        with attempted(work):
            remarks: Remarks = {}
            rival = theirs(exu, elements, steps, remarks) if exu else None
            measured = alternate(ours(remarks), rival, rounds)
            yield Row(work, f"Exudyn, {elements} elements, {steps} steps", 10.0, *measured, remarks)
    for modes, ticks in few(((2, 2), (3, 4), (4, 16)), quick):
        work = f"four-bar, 1 ms in {ticks} ticks, {modes} modes"
        with attempted(work):
            remarks = {}
            measured = alternate(four_bar(modes, ticks, remarks), lambda: 1e-3, rounds)
            yield Row(work, "real time", 1.0, *measured, remarks)
    with attempted("30 segments, derived"):
        remarks = {}
        measured = alternate(derived(30, remarks), lambda: 1.0, rounds)
        yield Row("30 segments, derived", "a second", 1.0, *measured, remarks)


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=3)
