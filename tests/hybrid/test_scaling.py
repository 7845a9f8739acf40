"""Units: lengths, times and masses may be measured in any, and the same thing happens.

Powers of four scale every number of a run, square roots of products included, without rounding: the same bits. Decimal
units round: the same events to 1e-9. Steps are fixed, or chosen by the default tolerances.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import campaign
import latchwork as lw
from scaled_scenes import CONTACTS, MECHANISMS, Scaled, Units

ONE = Units()
SCENES = {**CONTACTS, **MECHANISMS}
POWERS = {f"{what}*4^{k}": Units(**{what: 4.0**k}) for what in ("length", "time", "mass") for k in (-15, 10)}
POWERS["all"] = Units(4.0**-8, 4.0**5, 4.0**-12)
DECIMAL = {
    "nm": Units(length=1e9), "um": Units(length=1e6), "mm": Units(length=1e3), "km": Units(length=1e-3),
    "size of um": Units(length=1e-6), "size of nm": Units(length=1e-9),
    "us": Units(time=1e6), "ms": Units(time=1e3), "h": Units(time=1.0 / 3600.0),
    "mg": Units(mass=1e6), "g": Units(mass=1e3), "t": Units(mass=1e-3),
}  # fmt: skip
METHODS = ("fixed steps", "default")
EXACT = 1e-9


def method(name: str, one: Units) -> lw.RK4 | lw.DormandPrince:
    """Fixed steps of 1/512 s, or those of the default tolerances, bounded so that nothing hangs."""
    return lw.RK4(one.time / 512.0) if name == "fixed steps" else lw.DormandPrince(max_steps=5_000)


def run_in(scene: str, one: Units, how: str) -> tuple[Scaled, lw.Trajectory]:
    """A scene in some units."""
    s = SCENES[scene](one)
    return s, lw.simulate(s.model, s.until, q=s.q, u=s.u, method=method(how, one))


@cache
def run_in_metres(scene: str, how: str) -> lw.Trajectory:
    return run_in(scene, ONE, how)[1]


def told(run: lw.Trajectory) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """Events without their times."""
    return [(event.kind, event.name, event.before, event.after) for event in run.events]


def must_be_the_same_bits(scene: str, one: Units, how: str) -> None:
    """Times, states, and losses of impacts, scaled."""
    base = run_in_metres(scene, how)
    s, run = run_in(scene, one, how)
    assert told(run) == told(base)
    assert [event.t / one.time for event in run.events] == [event.t for event in base.events]
    assert [event.energy / one.energy for event in run.events] == [event.energy for event in base.events]
    assert np.array_equal(run.t / one.time, base.t)
    assert np.array_equal(run.x / s.scales(one), base.x)


def must_be_the_same_motion(scene: str, one: Units, how: str) -> None:
    """Events, and the state at the end, to 1e-9."""
    base = run_in_metres(scene, how)
    s, run = run_in(scene, one, how)
    assert told(run) == told(base)
    scaled = [event.t / one.time for event in run.events]
    assert scaled == pytest.approx([event.t for event in base.events], rel=EXACT, abs=EXACT)
    most = np.abs(base.x).max(axis=0)
    assert (run.x[-1] / s.scales(one) - base.x[-1]).tolist() == pytest.approx(0.0 * most, abs=EXACT * most.max())


def cells(units: dict[str, Units], suite: str) -> list[Any]:
    """Every scene in all these units, by both methods; in every run those of one unit, with fixed steps."""
    found = []
    for how, scene, name in product(METHODS, SCENES, units):
        marks = []
        if how != METHODS[0] or name != suite:
            marks.append(pytest.mark.campaign)
        if campaign.asked or pytest.mark.campaign not in marks:
            found.append(pytest.param(how, scene, units[name], id=f"{how}-{scene}-{name}", marks=marks))
    return found


@pytest.mark.parametrize(("how", "scene", "one"), cells(POWERS, "all"))
def test_powers_of_four_give_the_same_bits(how, scene, one):
    """Times, states and losses are those of the run in metres, seconds and kilograms, times their units."""
    must_be_the_same_bits(scene, one, how)


@pytest.mark.parametrize(("how", "scene", "one"), cells(DECIMAL, "um"))
def test_decimal_units_give_the_same_motion(how, scene, one):
    """The same happens at the same times, and ends in the same state."""
    must_be_the_same_motion(scene, one, how)


@pytest.mark.parametrize("name", campaign.seeds(["all"], POWERS))
@pytest.mark.parametrize("scene", ["block on spring", "box on a step", "rolling ball", "arm with friction"])
def test_time_steps_have_the_same_bits(scene, name):
    """Time stepping decides by the same tolerances: in other units its steps are those of metres and seconds."""
    one = POWERS[name]

    def stepped(one: Units) -> tuple[Scaled, lw.Trajectory]:
        s, thick = SCENES[scene](one), lw.TimeStepping(one.time / 256.0, always=True)
        return s, lw.simulate(s.model, 0.5 * s.until, q=s.q, u=s.u, thick=thick)

    (s, run), (_, base) = stepped(one), stepped(ONE)
    assert np.array_equal(run.t / one.time, base.t)
    assert np.array_equal(run.x / s.scales(one), base.x)


def test_rules_of_a_small_model():
    """A condition below zero at the start must rise first, also where all lengths are nanometres."""
    must_be_the_same_bits("cart with rules", POWERS["length*4^-15"], "fixed steps")


@pytest.mark.parametrize("one", [ONE, *POWERS.values()])
def test_what_is_described_is_refused_in_any_units(one):
    """Ends of a capsule that are apart are apart, and planes that are parallel and apart are never one, however small
    the model is; what is off by rounding is neither."""
    model = lw.Model("small")
    link = model.planar("B")
    A, E = (link.origin.at(name, side * 0.2 * one.length * link.frame.x) for name, side in (("A", -1.0), ("E", 1.0)))
    lw.Capsule(A, E, 0.05 * one.length, body=link)
    with pytest.raises(lw.ModelError, match="which are one place"):
        lw.Capsule(A, A.at("same", 1e-12 * one.length * link.frame.x), 0.05 * one.length, body=link)
    for off, refused in ((1e-3, True), (1e-14, False)):
        other = model.origin.at(f"O{off}", off * one.length * model.frame.z)
        if refused:
            with pytest.raises(lw.ConstraintError, match="no coordinate moves it"):
                model.close("ball", f"pin {off}", link, model.frame, at=A, to=other)
        else:
            model.close("ball", f"pin {off}", link, model.frame, at=A, to=other)
