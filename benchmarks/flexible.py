"""A flexible bar that is spun up, against Exudyn: time of a run to 8 s, and how far the largest lag is off.

    python benchmarks/flexible.py [--out FOLDER]

Latchwork: three modes of bending and one of stretch, adaptive steps. Exudyn: absolute nodal coordinates (Cable2D),
generalized-alpha, the clamp turned by user functions in Python. The reference is Exudyn's with 16 elements and fine
steps, 0.57375 m, which chains of rigid links extrapolated agree with; errors stand in the remarks.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from measure import Row, alternate, attempted, few, installed, run

import latchwork as lw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import spin_up

LAG, UNTIL = 0.57375, 8.0
ELEMENTS = ((4, 1000),)


def ours(model: lw.Model, found: dict[str, float]) -> Callable[[], float]:
    """A round of Latchwork."""
    tip = model.beams["bar"].deflection.position(1.0)[1]

    def seconds() -> float:
        start = time.process_time()
        moved = lw.simulate(model, UNTIL, method=lw.DormandPrince(rtol=1e-6))
        spent = time.process_time() - start
        found["latchwork_error"] = abs(-moved[tip].min() / LAG - 1.0)
        return spent

    return seconds


def exudyn_round(exu: Any, elements: int, steps: int, found: dict[str, float]) -> Callable[[], float]:
    """A round of Exudyn."""
    import exudyn.itemInterface as item
    import numpy as np

    def angle(t: float) -> float:
        k = 2 * math.pi / spin_up.RAMP
        return spin_up.SPIN / spin_up.RAMP * (t * t / 2 + (math.cos(k * t) - 1.0) / k**2)

    def seconds() -> float:
        system = exu.SystemContainer().AddSystem()
        h = spin_up.L / elements
        places = [[i * h, 0, 1, 0] for i in range(elements + 1)]
        nodes = [system.AddNode(item.NodePoint2DSlope1(referenceCoordinates=place)) for place in places]
        for pair in pairwise(nodes):
            system.AddObject(item.Cable2D(physicsLength=h, physicsMassPerLength=spin_up.RHO_A, nodeNumbers=list(pair),
                                          physicsBendingStiffness=spin_up.EI,
                                          physicsAxialStiffness=spin_up.EA))  # fmt: skip
        still = system.AddNode(item.NodePointGround())
        ground = system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=still, coordinate=0))
        moves: dict[int, Any] = {0: 0, 1: 0, 2: lambda _, t, i, offset: math.cos(angle(t)) - 1.0,
                                 3: lambda _, t, i, offset: math.sin(angle(t))}  # fmt: skip
        for k, move in moves.items():
            held = [ground, system.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))]
            system.AddObject(item.CoordinateConstraint(markerNumbers=held, offsetUserFunction=move))
        sensor = system.AddSensor(item.SensorNode(nodeNumber=nodes[-1], storeInternal=True,
                                                  outputVariableType=exu.OutputVariableType.Position))  # fmt: skip
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, UNTIL
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = UNTIL / steps
        start = time.process_time()
        system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
        spent = time.process_time() - start
        t, x, y = system.GetSensorStoredData(sensor)[:, :3].T
        turned = np.array([angle(each) for each in t])
        found["rival_error"] = abs(-(np.cos(turned) * y - np.sin(turned) * x).min() / LAG - 1.0)
        return spent

    return seconds


def rows(rounds: int, quick: bool) -> Iterable[Row]:
    exu = installed("exudyn")
    for elements, steps in few(ELEMENTS, quick):
        work = f"spin-up to {UNTIL:g} s, 3 modes and stretch"
        with attempted(work), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            remarks: dict[str, float] = {}
            rival = exudyn_round(exu, elements, steps, remarks) if exu else None
            times = alternate(ours(spin_up.build(), remarks), rival, rounds)
            yield Row(work, f"Exudyn, {elements} elements, {steps} steps", 10.0, *times, remarks)


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=3)
