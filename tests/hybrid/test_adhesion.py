"""Adhesion: a closed contact pulls up to a limit before it opens, against closed forms."""

import math

import numpy as np
import pytest

import latchwork as lw

G, M, R = 9.81, 2.0, 0.5
BY_STEPS = {"thick": lw.TimeStepping(step=1e-3, always=True)}


def disk(adhesion, pull=None, ceiling=False, **laws):
    """A disk on a floor, or below a ceiling, that a force pulls."""
    model = lw.Model("disk")
    link, N = model.planar("A"), model.frame
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, zz=0.5 * M * R * R))
    model.gravity(-G * N.y)
    if pull is not None:
        model.force(link.origin, pull(model.time, N))
    wall = lw.Line(model.origin, N.x, -N.y if ceiling else N.y)
    limit = adhesion(link.q[0]) if callable(adhesion) else adhesion
    contact = model.contact("wall", body.circle(R), wall, adhesion=limit, **laws)
    return model, contact


@pytest.mark.parametrize("design", [lw.Embedded(), lw.Automaton()], ids=["embedded", "automaton"])
def test_a_disk_is_torn_off_at_its_limit(design):
    """A force k t lifts it where k t = m g + α; then m ÿ = k t − m g, without any attraction."""
    model, contact = disk(7.0, lambda t, N: 10.0 * t * N.y)
    run = lw.simulate(model, until=5.0, q=[0.0, R, 0.0], u=[0.0] * 3, design=design)
    off, until = (M * G + 7.0) / 10.0, 5.0
    rise = 10.0 * ((until**3 - off**3) / 6.0 - off**2 / 2.0 * (until - off)) / M - G * (until - off) ** 2 / 2.0
    (event,) = run.events
    assert (event.kind, event.name) == ("release", "wall")
    assert event.t == pytest.approx(off, rel=1e-11)
    assert run.x[-1, 1] == pytest.approx(R + rise, rel=1e-10)
    assert run.at(off - 1e-6)[contact.force] == pytest.approx(-7.0, abs=1e-4)
    assert run.at(0.0)[contact.force] == pytest.approx(M * G)


@pytest.mark.parametrize(("adhesion", "holds"), [(M * G * 1.001, True), (M * G * 0.999, False)])
def test_a_disk_hangs_from_the_ceiling_by_its_adhesion(adhesion, holds):
    """It hangs while α ≥ m g, and falls freely otherwise: nothing pulls on the way."""
    model, _ = disk(adhesion, ceiling=True)
    run = lw.simulate(model, until=1.0, q=[0.0, -R, 0.0], u=[0.0] * 3)
    assert run.x[-1, 1] == pytest.approx(-R if holds else -R - G / 2.0, abs=1e-12)


def test_friction_goes_with_what_presses_and_what_attracts():
    """|λ_t| ≤ μ (N + α): pushed by k t it begins to slide where k t = μ (m g + α), and slows by as much."""
    model, _ = disk(30.0, lambda t, N: 5.0 * t * N.x, friction=lw.Coulomb(0.5, rolling=100.0))
    run = lw.simulate(model, until=6.0, q=[0.0, R, 0.0], u=[0.0] * 3)
    begins = 0.5 * (M * G + 30.0) / 5.0
    assert run.events[0].t == pytest.approx(begins, rel=1e-10)
    assert run.x[-1, 3] == pytest.approx(5.0 * (6.0 - begins) ** 2 / (2.0 * M), rel=1e-8)


@pytest.mark.parametrize("how", [{}, BY_STEPS], ids=["events", "steps"])
def test_a_disk_leaves_the_ceiling_where_it_holds_no_more(how):
    """It glides to where α falls below m g, and flies on from there."""
    model, _ = disk(lambda x: lw.zones(x, [1.0], [25.0, 10.0]), ceiling=True)
    run = lw.simulate(model, until=1.0, q=[0.0, -R, 0.0], u=[2.0, 0.0, 0.0], **how)
    assert run.x[-1, :2] == pytest.approx([2.0, -R - G * 0.5**2 / 2.0], abs=1e-10 if not how else 6e-3)
    assert run.audit.energy_error < 1e-9


def test_a_bounce_is_no_contact():
    """Adhesion has no range: what bounces does so as without it, and comes to rest as without it."""
    models = [disk(each, restitution=0.5)[0] for each in (0.0, 5.0)]
    runs = [lw.simulate(each, until=2.0, q=[0.0, 1.0, 0.0], u=[0.0] * 3) for each in models]
    one, other = ([event.t for event in run.events] for run in runs)
    assert one == pytest.approx(other, abs=1e-9)
    assert runs[1].x[-1, 1] == pytest.approx(R, abs=1e-9)


def test_a_block_is_torn_off_foot_by_foot():
    """Pulled up at one side, its far foot turns about the near one, which then has nothing left to hold it."""
    model = lw.Model("block")
    link, N = model.planar("A"), model.frame
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, zz=M / 6.0))
    model.gravity(-G * N.y)
    model.force(link.origin.at("P", 0.5 * link.frame.x), 10.0 * model.time * N.y)
    model.contact("floor", body.box((1.0, 1.0)), lw.Line(model.origin, N.x, N.y), adhesion=6.0, friction=0.5)
    run = lw.simulate(model, until=2.0, q=[0.0, 0.5, 0.0], u=[0.0] * 3)
    first = run.events[0]
    # moments about the left foot: 10 t · 1 = m g / 2 + α · 1
    assert first.kind == "release"
    assert "+x" in first.name
    assert first.t == pytest.approx((0.5 * M * G + 6.0) / 10.0, rel=1e-9)
    assert run.audit.energy_error < 1e-6


def test_a_ball_in_space_adheres_and_rolls():
    """On a vertical wall it rolls down: (J + m R²) ω̇ = m g R − ρ α; the wall holds it as long as it is pressed."""
    model = lw.Model("ball")
    link, N, J = model.free("A"), model.frame, 0.4 * M * R * R
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, xx=J, yy=J, zz=J))
    model.gravity(-G * N.z)
    friction = lw.Coulomb(2.0, rolling=0.1)
    model.contact("wall", body.sphere(R), lw.Plane(model.origin, N.x), friction=friction, adhesion=20.0)
    run = lw.simulate(model, until=1.0, q=[R, 0, 0, 1, 0, 0, 0], u=[0.0] * 6)
    a = (M * G * R - 0.1 * 20.0) * R / (J + M * R * R)
    assert run.x[-1, 2] == pytest.approx(-0.5 * a, rel=1e-8)
    assert run.x[-1, 0] == pytest.approx(R, abs=1e-12)


def test_reactions_tell_the_attraction_by_its_name():
    """What presses and what attracts, together the force on the body."""
    model, contact = disk(30.0, ceiling=True)
    run = lw.simulate(model, until=0.5, q=[0.0, -R, 0.0], u=[0.0] * 3)
    found = run.reactions()
    assert found["wall: adhesion"].force[-1] == pytest.approx([0.0, 30.0, 0.0])
    assert found["wall"].force[-1] == pytest.approx([0.0, M * G - 30.0, 0.0])
    assert run[contact.force][-1] == pytest.approx(-M * G)


def test_files_and_materials_keep_adhesion():
    """Written and read again, by a contact and by a table of materials."""
    model, _ = disk(30.0, ceiling=True)
    again = lw.loads(lw.dump(model))
    assert again.contacts[0].adhesion == 30.0
    model = lw.Model("pile")
    link, N = model.planar("A"), model.frame
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, zz=1.0))
    body.circle(R)
    floor = lw.Line(model.origin, N.x, N.y)
    model.material("glue", adhesion=4.0, on=[body, floor])
    collision = model.collide(model.bodies, {"floor": floor})
    assert collision.contact("A", "floor").adhesion == 4.0
    written = lw.loads(lw.dump(model))
    assert written.materials.row("glue", "glue").adhesion == 4.0


@pytest.mark.parametrize("given", [-1.0, math.inf, np.nan, "glue"])
def test_an_adhesion_that_is_no_force_is_refused(given):
    """Numbers out of bounds are refused with what they are."""
    with pytest.raises(lw.ModelError, match="adhesion of 'wall'"):
        disk(given)
