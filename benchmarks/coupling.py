"""Coupled stability: energy that a sampled coupler generates, against the limits that are predicted for it.

    python benchmarks/coupling.py [--out FOLDER]

A device of one degree of freedom (0.2 kg, damping b = 2 N s/m; between samples it moves continuously, by its exact
solution) is coupled at 1 kHz to a virtual wall, or to a virtual mass of 0.5 kg, with stiffnesses around the bound:

- thrown: the device is thrown against the wall and left alone; b > K T/2 (without a damper B)
- worst hand: a hand moves the device to and fro with every sample; b > K T/2 + B (Colgate's condition)
- held: the device is held still, and the mass pulled by the coupler; B > K T/2
- together: the device, thrown, and the mass; both conditions

What the passivity observer reports is energy that came out of nothing. Inside the bound it must report none. Beside it
stands where the poles of the sampled system leave the unit circle. No poles tell of the worst hand, which is no system;
in its place there is a hand that is a spring, tuned to half the sampling rate: its motion is a sine, which wastes π²/8
times the least that the same samples can, and the poles leave at K T/2 + B = (π²/8) b.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, few, finish, table
from scipy.linalg import expm

from latchwork.realtime.coupler import Coupler
from latchwork.realtime.devices.device import NULL, Reading
from latchwork.realtime.handle import Pose
from latchwork.realtime.observer import Observer

STEP = 1e-3
DEVICE, DAMPING = 0.2, 2.0  # kg, N s/m
MASS = 0.5  # kg, virtual
DAMPER = 0.5  # N s/m of the coupler, where it has one
THROWN = 0.1  # m/s
STRETCH = 0.01  # m
TICKS = 1500
FAR = 1e3  # m: what has gone so far has no more to tell
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
FACTORS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0)
NOISE = 1e-12  # of the energy that went in: rounding


@dataclass(frozen=True)
class Side:
    """A mass m with damping b that moves along one axis, exactly, under a force that is held: m v̇ = F − b v."""

    mass: float
    damping: float = 0.0

    def after(self, x: float, v: float, force: float) -> tuple[float, float]:
        """Place and velocity one step later."""
        if math.isinf(self.mass):
            return x, v
        if self.damping == 0.0:
            a = force / self.mass
            return x + STEP * v + 0.5 * STEP**2 * a, v + STEP * a
        rate = self.damping / self.mass
        faded = -math.expm1(-rate * STEP)
        end = force / self.damping  # the velocity that it tends to
        return x + STEP * end + (v - end) * faded / rate, v + (end - v) * faded


WALL, HELD = Side(math.inf), Side(math.inf)


def coupled(coupler: Coupler, device: Side, handle: Side, start: tuple[float, float, float],
            damping: float) -> Observer:  # fmt: skip
    """A run of device and handle from (place, velocity of the device, place of the handle), watched.

    The coupler knows the device's velocity by differences of its place, the handle's from the simulation.
    """
    observer = Observer(STEP, damping)
    x, v, y = start
    before, w = x - STEP * v, 0.0
    for _ in range(TICKS):
        force = watched(observer, coupler, x, (x - before) / STEP, y, w)
        before = x
        x, v = device.after(x, v, -force)
        y, w = handle.after(y, w, force)
        if abs(x) + abs(y) > FAR:
            break
    return observer


def watched(observer: Observer, coupler: Coupler, x: float, v: float, y: float, w: float) -> float:
    """The force of one tick along the axis, seen by the observer."""
    reading = Reading("handle", NULL, (x, 0.0, 0.0), (v, 0.0, 0.0))
    pose = Pose((y, 0.0, 0.0), (w, 0.0, 0.0), UPRIGHT, NULL, NULL)
    force, torque = coupler.wrench(reading, pose)
    observer.see(reading, pose, force, torque, coupler.stored(reading, pose))
    return force[0]


# --- the cases ----------------------------------------------------------------------------------------------------


def thrown(coupler: Coupler) -> Observer:
    """The device against the wall, left alone."""
    return coupled(coupler, Side(DEVICE, DAMPING), WALL, (0.0, THROWN, 0.0), DAMPING)


def worst_hand(coupler: Coupler) -> Observer:
    """The device at the wall, to and fro with every sample."""
    observer, before = Observer(STEP, DAMPING), 0.0
    for k in range(TICKS):
        x = STRETCH * (k % 2)
        watched(observer, coupler, x, (x - before) / STEP, 0.0, 0.0)
        before = x
    return observer


def held(coupler: Coupler) -> Observer:
    """The device held still, the mass pulled."""
    return coupled(coupler, HELD, Side(MASS), (0.0, 0.0, STRETCH), 0.0)


def together(coupler: Coupler) -> Observer:
    """The device, thrown, and the mass."""
    return coupled(coupler, Side(DEVICE, DAMPING), Side(MASS), (0.0, THROWN, 0.0), DAMPING)


@dataclass(frozen=True)
class Case:
    """A case: its run, the coupler's damping, and the stiffness that is predicted as its limit."""

    name: str
    run: Callable[[Coupler], Observer]
    damping: float
    bound: float
    law: str
    radius: Callable[[Coupler], float]

    def generated(self, factor: float) -> float:
        """Energy that the observer reports at a multiple of the predicted stiffness."""
        return self.run(Coupler(factor * self.bound, self.damping)).generated


    def unstable_from(self) -> float:
        """The multiple of the predicted stiffness at which a pole leaves the unit circle, by halving."""
        low, high = 0.5, 3.0
        while high - low > 1e-4:
            middle = 0.5 * (low + high)
            if self.radius(Coupler(middle * self.bound, self.damping)) > 1.0:
                high = middle
            else:
                low = middle
        return high


def poles(mass: float, damping: float, spring: float, coupler: Coupler, differenced: bool) -> float:
    """The largest pole of a mass with damper and spring under a held coupler, by the exponential of its equations.

    The state is (x, v, x a step before); velocity is measured, or differenced from the places.
    """
    rates = np.array([[0.0, 1.0, 0.0], [-spring / mass, -damping / mass, 1.0 / mass], [0.0, 0.0, 0.0]])
    exact = expm(rates * STEP)
    K, B = coupler.stiffness, coupler.damping
    law = np.array([-K - B / STEP, 0.0, B / STEP]) if differenced else np.array([-K, -B, 0.0])
    system = np.zeros((3, 3))
    system[:2, :2], system[2, 0] = exact[:2, :2], 1.0
    system[:2] += np.outer(exact[:2, 2], law)
    return float(np.abs(np.linalg.eigvals(system)).max())


def poles_alone(coupler: Coupler) -> float:
    """Of the device at the wall."""
    return poles(DEVICE, DAMPING, 0.0, coupler, differenced=True)


def poles_of_a_spring(coupler: Coupler) -> float:
    """Of the device at the wall, held by a hand that is a spring tuned to half the sampling rate."""
    return poles(DEVICE, DAMPING, DEVICE * (math.pi / STEP) ** 2, coupler, differenced=True)


def poles_of_the_mass(coupler: Coupler) -> float:
    """Of the virtual mass."""
    return poles(MASS, 0.0, 0.0, coupler, differenced=False)


CASES = (
    Case("thrown", thrown, 0.0, 2.0 * DAMPING / STEP, "K < 2 b/T", poles_alone),
    Case("worst hand", worst_hand, 0.0, 2.0 * DAMPING / STEP, "K < 2 b/T", poles_of_a_spring),
    Case("worst hand, damper", worst_hand, DAMPER, 2.0 * (DAMPING - DAMPER) / STEP, "K < 2 (b − B)/T",
         poles_of_a_spring),
    Case("held", held, DAMPER, 2.0 * DAMPER / STEP, "K < 2 B/T", poles_of_the_mass),
)  # fmt: skip


# --- the table and the picture ------------------------------------------------------------------------------------


def swept(case: Case) -> list[dict[str, Any]]:
    """A case at every multiple of its bound."""
    return [
        {"case": case.name, "law": case.law, "bound": case.bound, "damping": case.damping, "factor": factor,
         "stiffness": factor * case.bound, "generated": case.generated(factor)}
        for factor in FACTORS
    ]  # fmt: skip


def mapped(count: int = 25) -> list[tuple[float, float, bool, bool]]:
    """Couplers (K, B) on a grid: whether the limits allow them, and whether the observer reports in any case."""
    rows = []
    for i in range(count):
        for j in range(count):
            K, B = 4000.0 * (i + 0.5) / count, 2.5 * (j + 0.5) / count
            coupler = Coupler(K, B)
            allowed = coupler.scaled(STEP, DAMPING, MASS)[1] == ""
            rows.append((K, B, allowed, any(run(coupler).generated > NOISE for run in (worst_hand, held, together))))
    return rows


def draw(path: Path) -> None:
    """Energy generated against stiffness, and the map of couplers."""
    from matplotlib import rc_context

    from latchwork.view.plots import figure
    from latchwork.view.svg import INSIDE, compact

    with rc_context(INSIDE | {"figure.facecolor": "white"}):
        made = figure(9.0, 3.8)
        left, right = made.subplots(1, 2)
        _curves(left)
        _map(right)
        for axes in (left, right):
            axes.spines[["top", "right"]].set_visible(False)
        made.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


def _curves(axes: Any) -> None:
    from latchwork.view.plots import COLORS

    factors = [0.9 + 0.01 * k for k in range(10)] + [1.001] + [1.01 + 0.02 * k for k in range(50)]
    for case, color in zip(CASES, COLORS, strict=False):
        energy = [case.generated(factor) for factor in factors]
        axes.plot(factors, [max(e, 1e-16) for e in energy], color=color, label=f"{case.name}: {case.law}")
    axes.axvline(1.0, color="gray", linestyle="--", linewidth=1.0)
    axes.set(yscale="log", ylim=(1e-9, 1e3), xlim=(0.9, 2.0))
    axes.set(xlabel="stiffness over its bound", ylabel="energy generated, J")
    axes.legend(fontsize="small", loc="lower right", frameon=False)


def _map(axes: Any) -> None:
    from latchwork.view.plots import COLORS

    rows = mapped()
    for reported, mark, color, label in ((False, "o", COLORS[0], "nothing generated"), (True, "x", COLORS[1], "some")):
        chosen = [row for row in rows if row[3] == reported]
        x, y = ([row[k] for row in chosen] for k in (0, 1))
        axes.plot(x, y, mark, color=color, markersize=2.5, label=label)
    stiffness = [0.0, 4000.0]
    axes.plot(stiffness, [0.5 * STEP * k for k in stiffness], "--", color="gray", linewidth=1.0)
    axes.plot(stiffness, [DAMPING - 0.5 * STEP * k for k in stiffness], "--", color="gray", linewidth=1.0)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 2.0}
    axes.text(3000.0, 1.57, "B = K T/2", fontsize="small", ha="right", bbox=box)
    axes.text(3000.0, 0.35, "b = K T/2 + B", fontsize="small", ha="right", bbox=box)
    axes.set(xlim=(0.0, 4000.0), ylim=(0.0, 2.5), xlabel="stiffness K, N/m", ylabel="damping B of the coupler, N s/m")
    axes.legend(fontsize="small", loc="upper right", facecolor="white", framealpha=1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    lines, leave = [], {}
    for case in few(CASES, options.quick):
        with attempted(case.name):
            mine = swept(case)
            leave[case.name] = case.unstable_from()
            inside = max(row["generated"] for row in mine if row["factor"] < 1.0)
            first = min(row["factor"] for row in mine if row["generated"] > NOISE)
            found = (f"{case.bound:.6g}", f"{inside:.2g}", f"{first:g}", f"{leave[case.name]:.3f}")
            lines.append([case.name, case.law, *found])
            rows += mine
    heads = ("case", "predicted", "N/m", "generated inside, J", "first reported at", "poles leave at, of the bound")
    text = table(heads, lines)
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"rows": rows, "poles": leave}
    (options.out / "coupling.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / "coupling.md").write_text(text + "\n", encoding="utf-8")
    if not options.quick:
        draw(options.out / "coupling.svg")
    print(text)
    finish()


if __name__ == "__main__":
    main()
