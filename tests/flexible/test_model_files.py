"""Beams in model files: written and read again they give the same equations; what cannot be written is said."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw


def in_space():
    model = lw.Model("boom")
    L, EI = model.parameters(L=2.0, EI=40.0)
    hub = model.revolute("hub")
    model.body("hub body", hub, hub.origin, 1.0, lw.inertia(hub.frame, zz=0.2))
    beam = model.beam("long boom", hub, hub.origin, L, EI={"y": EI, "z": 2 * EI}, GJ=7.0, rho_J=0.01, EA=1e5, rho_A=1.5,
                      modes={"y": 2, "z": 1, "twist": 1, "stretch": 1}, damping=1e-3)  # fmt: skip
    middle = beam.at(0.5 * L, "middle")
    model.spring(middle, model.origin, stiffness=3.0)
    model.body("payload", beam.tip_frame, beam.tip.at("payload_o", 0.1 * beam.tip_frame.x), 0.4,
               lw.inertia(beam.tip_frame, 0.1, 0.1, 0.1))  # fmt: skip
    model.gravity(-9.81 * model.frame.z)
    return model


def in_a_row():
    model = lw.Model("rope")
    beam = model.beam("rope", model.frame, model.origin, 1.0, EI=0.1, rho_A=0.3, segments=3)
    model.particle("bob", beam.tip, 0.2)
    model.particle("rider", beam.at(0.5), 0.1)
    return model


def under_a_point():
    model = lw.Model("touched")
    x, y = model.coordinates("x", "y")
    beam = model.beam("long boom", model.frame, model.origin, 2.0, EI=50.0, rho_A=1.0, modes=2)
    model.particle("P", model.origin.at("p", x * model.frame.x + y * model.frame.y), 0.3)
    height = model.parameter("h", 0.01)
    model.contact("above", model.points["p"], beam.curve(height=height), restitution=0.5)
    model.contact("below", model.points["p"], beam.curve(side=-1, ends=False))
    return model


def over_supports():
    model = lw.Model("slides")
    (z,) = model.coordinates("z")
    beam = model.beam("B", model.frame, model.origin.at("R", z * model.frame.x), 2.0, EI=50.0, rho_A=1.0, modes=2,
                      shapes="free-free", stiffening=False)  # fmt: skip
    P = model.support("P", beam, model.origin)
    model.drive(P, model.input("F"), "motor")
    return model


@pytest.mark.parametrize("make", [in_space, in_a_row, under_a_point, over_supports])
def test_round_trip(make):
    """A model with beams that is written and read again: the same names, counts and numbers."""
    model = make()
    again = lw.loads(lw.dump(model))
    assert lw.dump(again) == lw.dump(model)
    a, b = model.equations(), again.equations()
    assert (a.q_names, a.u_names) == (b.q_names, b.u_names)
    rng = np.random.default_rng(1)
    q, u = 0.1 * rng.normal(size=len(a.q)), rng.normal(size=len(a.u))
    if not model.constraints:
        assert a.operations == b.operations
        assert a.udot(q, u).tolist() == b.udot(q, u).tolist()
    else:
        assert [c.name for c in model.constraints] == [c.name for c in again.constraints]
        assert [r.name for r in model.rules] == [r.name for r in again.rules]
        assert np.array(a.evaluate(a.f, q=q, u=u)).tolist() == np.array(b.evaluate(b.f, q=q, u=u)).tolist()


def test_a_beam_by_hand():
    """A file as one writes it, and what is wrong in others, with the place."""
    text = ("latchwork: 1\nname: shelf\nbeams:\n  shelf: {length: 2, EI: 500, rho_A: 3, points: {end: 2}}\n"
            "loads:\n- force: {at: end, vector: -10*N.y}\n")  # fmt: skip
    model = lw.loads(text)
    eq = model.equations()
    (w,) = eq.evaluate([model.points["end"].position().dot(model.frame.y)], **eq.equilibrium().arguments)
    assert w == pytest.approx(-10 * 8 / (3 * 500), rel=2e-3)
    with pytest.raises(lw.FileError, match=r"beams.shelf has no key 'EJ'"):
        lw.loads(text.replace("EI: 500", "EJ: 500"))
    with pytest.raises(lw.FileError, match="EI in y of beam 'shelf' is 0"):
        lw.loads(text.replace("EI: 500", "EI: 0"))
    for much in ("segments: 999999999", "modes: 999999999", "modes: {y: 999999999}"):
        with pytest.raises(lw.FileError, match="beam 'shelf' is to have 999999999"):
            lw.loads(text.replace("EI: 500", f"EI: 500, {much}"))
    with pytest.raises(lw.FileError, match=r"there is no beam 'shelve'\. Did you mean 'shelf'"):
        lw.loads(text + "supports:\n  P: {beam: shelve, point: O}\n")
    touched = lw.dump(under_a_point())
    with pytest.raises(lw.FileError, match=r"there is no beam 'lung boom'\. Did you mean 'long boom'"):
        lw.loads(touched.replace("face: {beam: long boom", "face: {beam: lung boom"))
    with pytest.raises(lw.FileError, match="side of the curve of beam 'long boom' is 3"):
        lw.loads(touched.replace("side: -1", "side: 3"))


def test_functions_have_no_place_in_a_file():
    """Sections and shapes that are Python functions are refused by name."""
    model = lw.Model("m")
    model.beam("b", model.frame, model.origin, 1.0, EI=lambda s: 1.0 + s, rho_A=1.0)
    with pytest.raises(lw.FileError, match="EI of beam 'b' is a Python function"):
        lw.dump(model)
    model = lw.Model("m")
    model.beam("b", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, shapes=[lambda x: x**2])
    with pytest.raises(lw.FileError, match="shapes of beam 'b' are Python functions"):
        lw.dump(model)
