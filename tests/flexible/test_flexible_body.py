"""Bodies with modes from arrays: a beam given by its nodes is the beam; Craig and Bampton's modes; bad arrays."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.flexible.end_conditions import gram
from latchwork.flexible.quadrature import gauss_points

L, EI, RHO = 1.3, 2.0, 0.8


def arrays(modes):
    """Nodes, masses, shapes and stiffnesses of a beam at Gauss points, with what spinning and thrust stiffen."""
    model = lw.Model("m")
    field = model.beam("b", model.frame, model.origin, L, EI=EI, rho_A=RHO, modes=modes).deflection.fields["y"]
    x, w = gauss_points()
    shapes = np.zeros((len(x), 3, modes))
    shapes[:, 1] = np.array([shape(x) for shape in field.shapes]).T
    K = EI / L**3 * gram("b", [shape.derivative.derivative for shape in field.shapes], None)
    e = [[field.foreshortening[min(i, j), max(i, j)](x) for j in range(modes)] for i in range(modes)]
    E, X = RHO * np.array(e) @ w, RHO * L * np.array(e) @ (w * x)
    places = np.column_stack([L * x, 0 * x, 0 * x])
    geometric = {"x": -E, "yy": X, "zz": X}
    return {"places": places, "masses": RHO * L * w, "shapes": shapes, "stiffness": K, "geometric": geometric}


def thrown(by_arrays, modes=2):
    model = lw.Model("thrown")
    hub = model.free("hub")
    model.body("block", hub, hub.origin, 0.7, lw.inertia(hub.frame, 0.3, 0.4, 0.5))
    model.gravity(-9.81 * model.frame.z)
    if by_arrays:
        model.flexible_body("b", hub, hub.origin, **arrays(modes))
    else:
        model.beam("b", hub, hub.origin, L, EI=EI, rho_A=RHO, modes=modes)
    return model


def test_a_beam_by_arrays_is_the_beam():
    """Nodes, modal stiffness and geometric stiffness give the equations of model.beam, in any motion."""
    ours, theirs = thrown(True).equations(), thrown(False).equations()
    rng = np.random.default_rng(3)
    q, u = rng.normal(size=len(ours.q)), rng.normal(size=len(ours.u))
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] *= 0.1
    assert ours.udot(q, u) == pytest.approx(theirs.udot(q, u), rel=1e-10, abs=1e-10)


def test_energy_is_kept():
    """A body by arrays, thrown: K + V stays."""
    model = thrown(True)
    u = {"u_hub_wx": 1.0, "u_hub_wy": 2.0, "u_hub_wz": -1.5}
    run = lw.simulate(model, 0.5, u=u, method=lw.DormandPrince(rtol=1e-10))
    assert run.audit.energy_error < 1e-8


def test_craig_and_bampton():
    """Springs and masses in a row: interface modes are straight lines, fixed modes those of a clamped chain."""
    n = 7
    K = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    K[0, 0] = K[-1, -1] = 1.0
    modes = lw.craig_bampton(np.eye(n), K, [0, n - 1], 2)
    assert modes[:, 0] == pytest.approx(np.linspace(1.0, 0.0, n), abs=1e-12)
    assert modes[:, 1] == pytest.approx(np.linspace(0.0, 1.0, n), abs=1e-12)
    reduced = modes.T @ K @ modes
    masses = modes.T @ modes
    assert reduced[2, 2] / masses[2, 2] == pytest.approx(4 * np.sin(np.pi / 12) ** 2, rel=1e-12)
    assert np.abs(reduced[:2, 2:]).max() < 1e-12


def test_points_of_nodes_and_bad_arrays():
    """A node is a point like all others; arrays that do not fit are refused by name."""
    model = lw.Model("m")
    given = arrays(1)
    body = model.flexible_body("b", model.frame, model.origin, **given)
    node = body.at(5)
    assert body.at(5) is node
    model.particle("rider", node, 0.1)
    assert model.equations().operations.total > 0
    with pytest.raises(lw.ModelError, match="has nodes 0 to 39; got 40"):
        body.at(40)
    with pytest.raises(lw.ModelError, match="have no rotations"):
        body.frame_at(0)
    with pytest.raises(lw.FileError, match="'b' is made of arrays"):
        lw.dump(model)
    bad = [({"masses": given["masses"][:3]}, "40 nodes and 3 masses"), ({"stiffness": np.eye(2)}, "shape .2, 2."),
           ({"shapes": np.zeros((40, 3, 1))}, "not independent"), ({"places": "here"}, "no array of numbers"),
           ({"geometric": {"w": np.eye(1)}}, "goes with an acceleration")]  # fmt: skip
    for change, words in bad:
        with pytest.raises(lw.ModelError, match=words):
            model.flexible_body("c", model.frame, model.origin, **(given | change))
