"""Gaps along a run: of its contacts while it has them, and of shapes that have no contact."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from hybrid_runs import bounced, grasped

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def thrown(floor=True):
    """Two disks of radius 0.1 and 0.2: one flies over a floor and a step, the other hangs in the air."""
    model = lw.Model("two")
    x, y, a, z = model.coordinates("x", "y", "a", "z")
    model.speeds()
    N, O = model.frame, model.origin
    B = N.rotated("B", a, N.z)
    P, Q = O.at("P", x * N.x + y * N.y), O.at("Q", (0.6 + z) * N.x + 0.6 * N.y)
    disk = model.body("disk", frame=B, center=P, mass=1.0, inertia=lw.inertia(B, zz=0.01))
    other = model.body("other", frame=N.rotated("C", 0.0, N.z), center=Q, mass=1.0)
    model.force(P, -9.81 * N.y)
    if floor:
        wall = lw.Segment(O.at("S", 1.4 * N.x), O.at("T", 3.0 * N.x), normal=N.y)
        model.contact("floor", disk.circle(0.1, P), lw.Line(O, N.x, N.y), restitution=0.5)
        model.contact("step", disk.circle(0.1, P), wall, restitution=0.5)
    return model, disk.circle(0.1, P), other.circle(0.2, Q)


START = {"q": [0.0, 1.0, 0.0, 0.0], "u": [1.5, 1.0, 0.0, 0.0], "method": TIGHT}


def test_gaps_are_those_of_the_shapes():
    """y − r over a floor all along; over a step only where it is; the audit names the least."""
    model, _, _ = thrown()
    run = lw.simulate(model, 1.5, **START)
    gaps = run.gaps()
    x, y = run["x"], run["y"]
    assert gaps["floor"] == pytest.approx(y - 0.1, abs=1e-14)
    over = (x >= 1.4) & (x <= 3.0)
    step = next(gap for name, gap in gaps.items() if name.startswith("step") and np.isfinite(gap[over]).any())
    assert step[over] == pytest.approx(y[over] - 0.1, abs=1e-14)
    assert np.isnan(step[~over]).all()
    audit = run.audit
    assert -1e-10 < audit.least_gap <= 1e-12
    assert audit.least_gap_of in gaps
    assert audit.events == len(run.events) > 0
    assert f"never below {audit.least_gap:.3g} ('{audit.least_gap_of}')" in str(audit)


def test_nothing_is_said_where_nothing_touches():
    """A run without contacts has no gaps, and its audit says nothing of them."""
    run = grasped().run
    assert run.gaps() == {}
    assert run.audit.least_gap is None
    assert "gaps" not in str(run.audit)


def test_bounces_do_not_sink_in():
    """A ball that comes to rest after many bounces is never inside of the floor by more than a touch."""
    assert bounced().audit.least_gap > -1e-10


def test_gaps_of_what_comes_and_goes():
    """nan before a contact comes and after it goes; of a reshaped one, each shape while it is there; tracked or not."""
    model, disk, _ = thrown(floor=False)
    N, O = model.frame, model.origin
    sim = lw.Simulation(model, **START)
    sim.advance(0.2)
    sim.contact("ground", disk, lw.Line(O, N.x, N.y))
    sim.contact("hill", disk, lw.Curve(O, lambda s: s * N.x + (0.2 * lw.sin(s) - 1.0) * N.y, (-1.0, 3.0)))
    sim.advance(0.3)
    sim.reshape("ground", lw.Line(O.at("low", -0.5 * N.y), N.x, N.y))
    sim.advance(0.4)
    sim.remove("ground")
    sim.advance(0.5)
    run = sim.run
    t, y, gaps = run.t, run["y"], run.gaps()
    assert np.array_equal(np.isnan(gaps["ground"]), (t < 0.2) | (t > 0.4))
    assert np.array_equal(np.isnan(gaps["hill"]), np.isnan(run[sim.equations.q[-1]]))
    first, second = (t > 0.2) & (t < 0.3), (t > 0.3) & (t < 0.4)
    assert gaps["ground"][first] == pytest.approx(y[first] - 0.1, abs=1e-14)
    assert gaps["ground"][second] == pytest.approx(y[second] + 0.4, abs=1e-14)
    s = np.linspace(-1.0, 3.0, 400001)
    for i in np.flatnonzero(t > 0.25)[:3]:
        far = np.hypot(run["x"][i] - s, y[i] - 0.2 * np.sin(s) + 1.0).min() - 0.1
        assert gaps["hill"][i] == pytest.approx(far, abs=1e-9)


def test_interference_of_shapes_without_a_contact():
    """|PQ| − r1 − r2 of two disks, also where they overlap; and of a disk and a curve, by looking at all of it."""
    model, disk, other = thrown()
    N, O = model.frame, model.origin
    run = lw.simulate(model, 1.2, every=0.05, **START)
    exact = np.hypot(run["x"] - 0.6, run["y"] - 0.6) - 0.3
    assert run.interference(disk, other) == pytest.approx(exact, abs=1e-14)
    assert exact.min() < 0.0  # nobody said that they touch
    s = np.linspace(-2.0, 4.0, 600001)
    curve = lw.Curve(O, lambda s: s * N.x + (0.1 * s**2 - 0.6) * N.y, (-2.0, 4.0))
    brute = [np.hypot(x - s, y - 0.1 * s**2 + 0.6).min() - 0.1 for x, y in zip(run["x"], run["y"], strict=True)]
    for _ in range(2):  # as often as one likes
        assert run.interference(disk, curve) == pytest.approx(brute, abs=1e-9)


def test_interference_refuses_what_is_no_shape():
    """A body has no shape of its own."""
    model, disk, _ = thrown()
    run = lw.simulate(model, 0.1, **START)
    with pytest.raises(lw.ModelError, match="A body has no shape of its own"):
        run.interference(disk, model.bodies["other"])


def test_what_is_met_from_behind_is_no_penetration():
    """A disk that comes up through a platform from below is not inside of it; it lands on it from above."""
    model, disk, _ = thrown(floor=False)
    N, O = model.frame, model.origin
    shelf = lw.Segment(O.at("S", -1.0 * N.x + 1.3 * N.y), O.at("T", 3.0 * N.x + 1.3 * N.y), normal=N.y, depth=0.05)
    model.contact("shelf", disk, shelf)
    run = lw.simulate(model, 2.0, q=[0.0, 1.0, 0.0, 0.0], u=[0.1, 5.0, 0.0, 0.0], method=TIGHT)
    assert run.audit.least_gap > -1e-9
    assert [event.kind for event in run.events] == ["impact"]
