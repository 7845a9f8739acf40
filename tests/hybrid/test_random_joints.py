"""Random chains with friction, stops, ratchets, a rope and a floor: every law of what holds and rubs, along a run."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds

WIDEST = 6e-8  # of a limit: half of `cone` times `wider`², where friction chatters at its edge
LOCATED = 1e-8  # of the rates: what the tolerance of the run leaves of them where they come to zero


def chain(seed):
    """A chain in the plane, of hinges and rails, from a random start; none where its rope is too short there."""
    rng = np.random.default_rng(seed)
    model, count = lw.Model(f"chain {seed}"), int(rng.integers(2, 7))
    N, link, tip = model.frame, None, model.origin
    for i in range(count):
        inboard = link
        kind, axis = ("revolute", N.z) if i == 0 or rng.random() < 0.75 else ("prismatic", inboard.frame.x)
        link = model.joint(kind, f"j{i}", inboard, at=tip, axis=axis, q=[f"q{i}"], u=[f"u{i}"])
        long, mass = float(rng.choice([0.5, 1.0])), float(rng.choice([0.5, 1.0, 2.0]))
        center = link.origin.at(f"C{i}", 0.5 * long * link.frame.x)
        model.body(f"rod {i}", link, center, mass, lw.inertia(link.frame, zz=0.05))
        tip = link.origin.at(f"T{i}", long * link.frame.x)
        limit = float(10.0 ** rng.uniform(-1.5, 1.2))
        if rng.random() < 0.8:
            model.friction(f"f{i}", link, limit, None if rng.random() < 0.5 else limit * float(rng.uniform(0.4, 1.0)))
        how = rng.random()
        if how < 0.3:
            model.limit(f"l{i}", link, (-1.2, 1.2), restitution=float(rng.choice([0.0, 0.5])))
        elif how < 0.6:
            model.one_way(f"w{i}", link)
        if kind == "prismatic":
            model.resist(link, stiffness=50.0)
    model.gravity(-9.81 * N.y)
    q, u = rng.uniform(-0.3, 0.3, count), np.where(rng.random(count) < 0.5, 0.0, rng.uniform(0.0, 2.0, count))
    if rng.random() < 0.7:
        far, eq = model.origin.at("X", 0.5 * N.x + N.y), model.equations()
        apart = float(np.linalg.norm(eq.evaluate(tip.position(far), q, u)))
        model.rope("rope", tip, far, apart + float(rng.uniform(0.05, 0.5)), restitution=float(rng.choice([0.0, 0.4])))
    if rng.random() < 0.7:
        floor = lw.Plane(model.origin.at("F", -2.5 * N.y), N.y)
        model.contact("floor", lw.Sphere(tip, 0.05, body=link), floor, friction=float(rng.choice([0.0, 0.4])),
                      restitution=float(rng.choice([0.0, 0.5])))  # fmt: skip
    return model, q, u


@pytest.mark.parametrize("seed", seeds(range(8), range(8, 400)))
def test_every_law_of_joints_and_ropes(seed):
    """Friction is within its limit and does no work, ropes are not longer than they are and only pull, clutches never
    run back and never pull; the energy is kept book of, or the run would be refused."""
    model, q, u = chain(seed)
    run = lw.simulate(model, until=2.0, q=q, u=u)
    for contact in model.contacts:
        if not contact.recipe:
            continue
        ((word, _),), (feature,), force = contact.recipe.items(), contact.features, run[contact.force]
        if word == "friction":
            rate = run[feature.rate]
            assert np.abs(force).max() <= contact.friction.mu * (1.0 + WIDEST)
            assert (force * rate).max() <= LOCATED * max(1.0, np.abs(rate).max()) * np.abs(force).max()
        else:
            assert force.min() >= -1e-8
            assert run[feature.gap].min() >= -1e-9
