"""Laws of every maker of constraints, at states of two bodies in space."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from constraint.made import MADE, embedded

STEP = 1e-5


def split(held, x):
    n_q, n = len(held.unconstrained.q), len(held.unconstrained.u)
    return x[1 : 1 + n_q], x[1 + n_q : 1 + n_q + n]


def moved(held, x, h):
    """The state after a time h with speeds held: q + h q̇, t + h."""
    q, _ = split(held, x)
    later = x.copy()
    later[0] += h
    later[1 : 1 + len(q)] += h * held.terms.motion(x).q_rates
    return later


def psi(held, x):
    _, u = split(held, x)
    place = held.terms.place(x)
    return place.B @ u + place.C


@pytest.mark.parametrize("name", MADE)
def test_rows_hold_where_assembled(name):
    """Φ = 0 at the state of these tests, so that what follows is judged on the constraint."""
    _, held, x = embedded(name)
    assert np.abs(held.terms.place(x).Phi).max() < 1e-9


@pytest.mark.parametrize("name", MADE)
def test_rows_are_rates(name):
    """B u + C = Φ̇ along a motion, by central differences; for motion rows it is what was given."""
    _, held, x = embedded(name)
    q, u = split(held, x)
    given = held.unconstrained.evaluate(list(held.constraints[0].zero), q, u, t=x[0])
    slopes = (held.terms.place(moved(held, x, STEP)).Phi - held.terms.place(moved(held, x, -STEP)).Phi) / (2 * STEP)
    expected = np.where([node is None for node in held.rows.phi], np.ravel(given), slopes)
    assert psi(held, x) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", MADE)
def test_c_is_the_rate_of_the_row(name):
    """c = Ḃ u + Ċ by central differences with the speeds held."""
    _, held, x = embedded(name)
    expected = (psi(held, moved(held, x, STEP)) - psi(held, moved(held, x, -STEP))) / (2 * STEP)
    assert held.terms.motion(x).c == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", MADE)
def test_pulls_are_the_rows(name):
    """Bᵀ λ is the generalized force of the loads that the pulls exert, for any λ, at every speed but a curve's own."""
    model, held, x = embedded(name)
    equations, (constraint,) = held.unconstrained, held.constraints
    q, u = split(held, x)
    lam = np.random.default_rng(5).uniform(-1.0, 1.0, len(constraint.zero))
    loads = [pull.load(0.0 * model.time + float(each)) for pull, each in zip(constraint.pulls, lam, strict=True)]
    added = equations.with_loads(*loads)
    change = added.evaluate(added.f, q, u, t=x[0]) - equations.evaluate(equations.f, q, u, t=x[0])
    physical = [i for i, name in enumerate(equations.u_names) if name != "u_s"]
    assert (held.terms.place(x).B.T @ lam)[physical] == pytest.approx(np.ravel(change)[physical], abs=1e-10)


@pytest.mark.parametrize("name", MADE)
def test_pulls_are_of_unit_size(name):
    """A multiplier is a force or torque in its own units: the directions of pulls are unit vectors."""
    _, held, x = embedded(name)
    q, u = split(held, x)
    sizes = [pull.direction.magnitude() for pull in held.constraints[0].pulls]
    assert np.ravel(held.unconstrained.evaluate(sizes, q, u, t=x[0])) == pytest.approx(1.0, abs=1e-9)


def test_the_force_on_a_curve_is_normal_to_it():
    """c'(s) · R = 0: the equation of the parameter, which has no mass."""
    model, held, x = embedded("curve")
    q, u = split(held, x)
    force = held.multipliers(q, u, t=x[0])["made"]
    s = q[held.unconstrained.q_names.index("s")]
    assert np.array([0.7, np.cos(s), 2 * s]) @ force == pytest.approx(0.0, abs=1e-9)
    assert isinstance(model, lw.Model)


def random_pair(seed: int) -> lw.Model:
    """A free body and a chain of three joints of any type, closed by a joint of any type at random places."""
    random = np.random.default_rng(seed)
    model = lw.Model(f"pair {seed}")
    a = model.free("a")
    links = [a, *chain(model, random)]
    for i, link in enumerate(links):
        center = link.origin.at(f"c{i}", link.frame.vector(*random.uniform(-1, 1, 3).tolist()))
        moments = lw.inertia(link.frame, *random.uniform(1, 2, 3).tolist())
        model.body(f"b{i}", link, center, float(random.uniform(1, 2)), moments)
    b = links[-1]
    P = a.origin.at("P", a.frame.vector(*random.uniform(-1, 1, 3).tolist()))
    Q = b.origin.at("Q", b.frame.vector(*random.uniform(-1, 1, 3).tolist()))
    kind = KINDS[seed % len(KINDS)]
    axis = a.frame.vector(*random.uniform(-1, 1, 3).tolist()) if kind in ONE_AXIS else None
    model.close(kind, "loop", a, b, at=P, to=Q, axis=axis)
    return model


KINDS = [kind for kind in lw.JOINTS if kind != "free"]
ONE_AXIS = ("revolute", "prismatic", "cylindrical", "planar")


def chain(model: lw.Model, random: np.random.Generator) -> list[lw.Link]:
    links: list[lw.Link] = []
    for i in range(3):
        kind = str(random.choice([kind for kind in lw.JOINTS if kind != "weld"]))
        base = links[-1].frame if links else model.frame
        axis = base.vector(*random.uniform(-1, 1, 3).tolist()) if lw.JOINTS[kind].has_axis else None
        links.append(model.joint(kind, f"j{i}", links[-1] if links else None, axis=axis))
    return links


@pytest.mark.parametrize("seed", seeds(range(10), range(200)))
def test_random_closures(seed):
    """On random pairs: B u + C = Φ̇, c is its rate, and the pulls are the rows."""
    model = random_pair(seed)
    held = model.constrained()
    (constraint,) = held.constraints
    x = held.x
    q, u = split(held, x)
    random = np.random.default_rng(seed)
    u[:] = random.uniform(-1, 1, len(u))
    slopes = (held.terms.place(moved(held, x, STEP)).Phi - held.terms.place(moved(held, x, -STEP)).Phi) / (2 * STEP)
    assert psi(held, x) == pytest.approx(slopes, abs=1e-7)
    rate = (psi(held, moved(held, x, STEP)) - psi(held, moved(held, x, -STEP))) / (2 * STEP)
    assert held.terms.motion(x).c == pytest.approx(rate, abs=1e-7)
    lam = random.uniform(-1, 1, len(constraint.zero))
    loads = [pull.load(0.0 * model.time + float(each)) for pull, each in zip(constraint.pulls, lam, strict=True)]
    added = held.unconstrained.with_loads(*loads)
    change = added.evaluate(added.f, q, u) - held.unconstrained.evaluate(held.unconstrained.f, q, u)
    assert held.terms.place(x).B.T @ lam == pytest.approx(np.ravel(change), abs=1e-9)


def test_what_a_row_exerts_is_a_load_to_read():
    """Loads of pulls show in the information report like any other."""
    model, held, _ = embedded("gear")
    (pull,) = held.constraints[0].pulls
    text = str(held.unconstrained.with_loads(pull.load(0.0 * model.time + 2.0)).report())
    assert "wrench" in text
    assert "crank" in text
