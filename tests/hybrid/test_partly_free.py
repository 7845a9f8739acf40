"""Runs in which constraints and contacts act for a part of the time."""

from __future__ import annotations

import numpy as np
import pytest

from hybrid_runs import bounced, grasped


@pytest.mark.parametrize("run", [bounced, lambda: grasped().run], ids=["contact", "constraint"])
def test_accelerations_are_those_of_their_own_mode(run):
    """u̇ of all samples at once is u̇ of each alone, whatever holds at the others."""
    moved = run()
    times = np.linspace(moved.t[0], moved.t[-1], 37)
    for rate in moved.equations.system.u_rates:
        assert moved.at(times)[rate] == pytest.approx([moved.at(t)[rate] for t in times], abs=1e-12)


def test_a_ball_falls_and_then_lies():
    """The acceleration of a ball that comes to rest is −g while it flies and none when it lies, along the whole run."""
    run = bounced()
    rate = run.equations.system.u_rates[1]
    flies = run.mode == 1
    assert run[rate][flies] == pytest.approx(-9.81)
    assert run[rate][~flies] == pytest.approx(0.0, abs=1e-12)


def test_reactions_know_what_else_acts():
    """The plane of a ball that lies on the floor has nothing to carry: the floor does."""
    run = bounced()
    reactions = run.reactions()
    lies = run.mode == 2
    assert reactions["ball on floor"].force[lies] == pytest.approx(np.tile([0.0, 9.81, 0.0], (lies.sum(), 1)), abs=1e-9)
    assert reactions["ball"].force == pytest.approx(0.0 * reactions["ball"].force, abs=1e-9)
