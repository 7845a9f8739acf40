"""What rests on flush supports, beside flush neighbours, has no event, and stays where it is."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw

ROW = [(float(i), 0.5) for i in range(4)]
FLAT = {"two abreast": ROW[:2], "four abreast": ROW, "tower": [(0.0, 0.5 + i) for i in range(3)],
        "pyramid": [(0.0, 0.5), (1.0, 0.5), (0.5, 1.5)],
        "wall": [(0.0, 0.5), (1.0, 0.5), (0.0, 1.5), (1.0, 1.5)]}  # fmt: skip
SOLID = {"two abreast": [(0.0, 0.5), (1.0, 0.5)], "half on each other": [(0.0, 0.5), (0.5, 1.5)]}


def boxes(places, space, friction):
    """Unit boxes at (x, height) over level ground, each against each, and where they begin."""
    model, made, q = lw.Model("flush"), [], []
    N, O = model.frame, model.origin
    up = N.z if space else N.y
    model.gravity(-9.81 * up)
    for name, (x, height) in zip("ABCD", places, strict=False):
        link = model.free(name) if space else model.planar(name)
        body = model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, xx=1 / 6, yy=1 / 6, zz=1 / 6))
        box = body.box((1.0, 1.0, 1.0) if space else (1.0, 1.0))
        ground = lw.Plane(O, N.z) if space else lw.Line(O, N.x, N.y)
        model.contact(f"{name} on ground", box, ground, friction=friction)
        for other, before in made:
            model.contact(f"{name} on {other}", box, before, friction=friction)
        made.append((name, box))
        q += [x, 0.0, height, 1.0, 0.0, 0.0, 0.0] if space else [x, height, 0.0]
    return model, q


@pytest.mark.parametrize("friction", [None, 0.5])
@pytest.mark.parametrize(("space", "name"), [*((False, name) for name in FLAT), *((True, name) for name in SOLID)])
def test_flush_boxes_at_rest_have_no_event(space, name, friction):
    """At t = 0 nothing is let go that only touches: it carries nothing and is no contact that closes and opens."""
    model, q = boxes((SOLID if space else FLAT)[name], space, friction)
    run = lw.simulate(model, until=0.3, q=q)
    assert run.events == ()
    assert np.abs(run.x[-1, : len(q)] - q).max() < 1e-12
