"""A study in a process of its own, to be killed: ``python killed_study.py STORE POINTS [SCHEDULER]``."""

from __future__ import annotations

import sys

import numpy as np

import latchwork as lw


def model() -> lw.Model:
    """A ball that bounces on a floor."""
    made = lw.Model("ball")
    (e,) = made.parameters(e=0.5)
    y = made.coordinate("y")
    made.speeds(v=lw.dt(y))
    P = made.origin.at("P", y * made.frame.y)
    made.particle("ball", P, 1.0)
    made.gravity(-9.81 * made.frame.y)
    made.contact("floor", P, lw.Line(made.origin, made.frame.x, made.frame.y), restitution=e)
    return made


def study(store: str | None, points: int) -> lw.Study:
    """The ball from many heights, with many restitutions."""
    axes = {"y": np.linspace(0.5, 2.5, points // 20), "e": np.linspace(0.1, 0.9, 20)}
    return lw.Study(model(), axes, {"height": "y", "speed": "v"}, store, until=0.8, events=True)


if __name__ == "__main__":
    made = study(sys.argv[1], int(sys.argv[2]))
    if len(sys.argv) > 3:
        from distributed import Client

        with Client(sys.argv[3], timeout="20s") as client:
            made.run(client=client)
    else:
        made.run(workers=2)
