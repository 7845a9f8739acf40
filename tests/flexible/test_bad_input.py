"""Words, names and values for what cannot be a beam; counts of operations by the number of modes."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw

GOOD = {"EI": 1.0, "rho_A": 1.0}
BAD = [
    ({"EI": 0.0}, "EI in y of beam 'b' is 0"),
    ({"EI": -2.0}, "EI in y of beam 'b' is -2"),
    ({"EI": {"x": 1.0}}, "bends along y, along z, or both"),
    ({"EI": lambda s: 1.0 - 2.0 * s}, "EI in y of beam 'b' at s = .* is -"),
    ({"EI": lambda s: 1.0 if s < 0.3 else 2.0}, "section of 'b' cannot be integrated along the beam"),
    ({"EI": lambda s: "much"}, "EI in y of beam 'b' at s = .* is no number"),
    ({"rho_A": 0.0}, "rho_A of beam 'b' is 0"),
    ({"GJ": 1.0}, "needs rho_J"),
    ({"shapes": "glued-free"}, "ends of beam 'b' are 'glued-free'"),
    ({"shapes": [lambda x: x**2, lambda x: 3 * x**2]}, r"not independent: \+1 φ1 -0.333 φ2 vanishes"),
    ({"shapes": [lambda x: abs(x - 0.5)]}, "shape 1 of beam 'b' is not smooth"),
    ({"shapes": [lambda x: 0.0]}, "shape 1 of beam 'b' is zero everywhere"),
    ({"shapes": 3}, "shapes of beam 'b' are 3"),
    ({"modes": 0}, "modes of beam 'b' are 0"),
    ({"modes": 40}, "beam 'b' is to have 40 modes"),
    ({"modes": {"twist": 1}}, "has modes along 'twist', but no stiffness there. Give GJ"),
    ({"modes": "three"}, "modes of beam 'b' are 'three'"),
    ({"modes": {"y": True}}, "has True modes along 'y'"),
    ({"EI": float("nan")}, "EI in y of beam 'b' is nan"),
    ({"EI": float("inf")}, "EI in y of beam 'b' is inf"),
    ({"EI": True}, "EI in y of beam 'b' is True"),
    ({"EA": -1.0}, "EA of beam 'b' is -1"),
    ({"GJ": 1.0, "rho_J": 0.0}, "rho_J of beam 'b' is 0"),
    ({"damping": -0.1}, "damping of beam 'b' is -0.1"),
    ({"damping": "much"}, "damping of beam 'b' is 'much'"),
    ({"stiffening": 2}, "stiffening of beam 'b' is 2"),
    ({"segments": 2.5}, "beam 'b' is to have 2.5 segments"),
    ({"segments": "two"}, "beam 'b' is to have 'two' segments"),
    ({"segments": True}, "beam 'b' is to have True segments"),
    ({"shapes": [lambda x: "a"]}, "shape 1 of beam 'b' is not smooth"),
    ({"stifening": False}, "'stifening'.*Did you mean 'stiffening'"),
]


@pytest.mark.parametrize(("given", "words"), BAD)
def test_what_cannot_be_a_beam_is_refused_by_name(given, words):
    """The thing, the values seen, and what to do."""
    model = lw.Model("m")
    with pytest.raises((lw.ModelError, lw.ArgumentError), match=words):
        model.beam("b", model.frame, model.origin, 1.0, **(GOOD | given))


def test_places_and_forces_that_a_beam_does_not_have():
    """Beyond the end, and in directions in which it does not move."""
    model = lw.Model("m")
    L = model.parameter("L", 2.0)
    beam = model.beam("b", model.frame, model.origin, L, **GOOD)
    with pytest.raises(lw.ModelError, match=r"s = .* is 1.5 lengths from the root of beam 'b', beyond its end"):
        beam.at(1.5 * L)
    with pytest.raises(lw.ModelError, match="no modes along 'twist'"):
        beam.twisting_moment(0.0)
    with pytest.raises(lw.ModelError, match="length of beam 'c' is -1"):
        model.beam("c", model.frame, model.origin, -1.0, **GOOD)
    with pytest.raises(lw.ModelError, match="body or beam named 'b' already"):
        model.beam("b", model.frame, model.origin, 1.0, **GOOD)


def test_what_changes_in_a_run_is_no_section_and_no_length():
    """Energy and inertia of a beam are worked out for lengths, masses and stiffnesses that stay."""
    model = lw.Model("m")
    (z,) = model.coordinates("z")
    model.speeds()
    for change in ({"length": z}, {"EI": 1.0 + z * z}, {"rho_A": model.time}):
        given = {"length": 1.0} | GOOD | change
        with pytest.raises(lw.ModelError, match=r"of beam 'b' is .*, which changes with (z|t)\. Give a number"):
            model.beam("b", model.frame, model.origin, **given)
    negative = model.parameter("k", -2.0)
    with pytest.raises(lw.ModelError, match="EI in y of beam 'b' is -4"):
        model.beam("b", model.frame, model.origin, 1.0, EI=2.0 * negative, rho_A=1.0)


@pytest.mark.parametrize("length", [0, -1.0, float("nan"), float("inf"), True])
def test_lengths(length):
    """A length is a positive number."""
    model = lw.Model("m")
    with pytest.raises(lw.ModelError, match="the length of beam 'b' is"):
        model.beam("b", model.frame, model.origin, length, **GOOD)


def test_a_varying_section_of_segments_with_a_length_by_name():
    """A function of s runs along the whole beam, also where its length is a parameter: ∫ (1 + s) ds = 4 for L = 2."""
    model = lw.Model("m")
    L = model.parameter("L", 2.0)
    model.beam("b", model.frame, model.origin, L, EI=1.0, rho_A=lambda s: 1.0 + s, segments=4)
    eq = model.equations()
    still = {"q": dict.fromkeys(eq.q_names, 0.0), "u": dict.fromkeys(eq.u_names, 0.0)}
    assert sum(eq.evaluate([body.mass for body in eq.system.elastic_bodies], **still)) == pytest.approx(4.0, rel=1e-12)


def test_what_slides_off_a_beam_is_told_once():
    """A bead that runs past the end: by name, with the place; a rule with stop=True ends the run there."""
    for stops in (False, True):
        model = lw.Model("bead")
        (s,) = model.coordinates("s")
        model.speeds()
        beam = model.beam("rail", model.frame, model.origin, 1.0, EI=1e3, rho_A=1.0, modes=1)
        model.particle("bead", beam.at(s), 0.1)
        if stops:
            model.rule("leaves", 1.0 - s, stop=True)
            run = lw.simulate(model, 1.0, q={"s": 0.9}, u={"u_s": 1.0})
            assert run.t[-1] == pytest.approx(0.1, rel=1e-3)
            continue
        sim = lw.Simulation(model, q={"s": 0.9}, u={"u_s": 1.0})
        with pytest.warns(lw.AuditWarning, match=r"what slides along 'rail' is 1\.\d+ lengths from its root, beyond"):
            sim.advance(0.3)
        sim.advance(0.4)


def test_matrices_that_are_no_model():
    """Sizes, symmetry, what moves freely and the interface, by name."""
    one = np.eye(3)
    bad = [((one, np.eye(2), [0], 1), r"are \(3, 3\) and \(2, 2\)"), ((one, one, [7], 1), r"interface .* is \[7\]"),
           ((one, one, [0, 0], 1), r"interface .* is \[0, 0\]"), ((one, one, 3, 1), "interface .* is 3"),
           ((one, 0 * one, [0], 1), "K of craig_bampton is not positive"), ((one, one, [0], 1.5), "1.5 modes"),
           ((-one, one, [0], 1), "M of craig_bampton is not positive"),
           ((one, one + np.eye(3, k=1), [0], 1), "K of flexible body 'craig_bampton' is not symmetric")]  # fmt: skip
    for given, words in bad:
        with pytest.raises(lw.ModelError, match=words):
            lw.craig_bampton(*given)


def test_internal_forces_of_a_cantilever():
    """Under a force F at its tip: M = F (L - s), V = F, strain -y M/EI; N and T of their loads."""
    model = lw.Model("m")
    N = model.frame
    cubic = lw.polynomial_shapes("clamped-free", 2)
    beam = model.beam("b", N, model.origin, 2.0, EI=500.0, rho_A=1.0, EA=900.0, GJ=30.0, rho_J=0.1, shapes=cubic,
                      modes={"y": 2, "stretch": 1, "twist": 1})  # fmt: skip
    model.force(beam.tip, 3.0 * N.y + 5.0 * N.x)
    model.torque(beam.tip_frame, 0.2 * N.x)
    eq = model.equations()
    wanted = [beam.bending_moment(0.5), beam.shear_force(0.5), beam.strain(0.5, y=0.01), beam.axial_force(0.5),
              beam.twisting_moment(0.5)]  # fmt: skip
    M, V, strain, axial, T = eq.evaluate(wanted, **eq.equilibrium().arguments)
    assert pytest.approx(3.0 * 1.5, rel=0.02) == M  # the pull of 5 N straightens the beam a little
    assert pytest.approx(3.0, rel=0.03) == V
    assert strain == pytest.approx(5.0 / 900.0 - 0.01 * M / 500.0, rel=1e-9)
    assert axial == pytest.approx(5.0, rel=1e-9)
    assert pytest.approx(0.2, rel=1e-3) == T


def test_modes_of_a_beam_by_itself():
    """Frequencies of the handbook, slowest first; the shape is 1 where it is largest."""
    model = lw.Model("m")
    beam = model.beam("b", model.frame, model.origin, 2.0, EI={"y": 1.0, "z": 4.0}, rho_A=1.0, modes=2)
    modes = beam.modes()
    unit = 1.0 / 4.0
    assert [m.frequency / unit for m in modes[:2]] == pytest.approx([3.516015, 7.032030], rel=1e-6)
    assert [m.direction for m in modes[:2]] == ["y", "z"]
    assert np.abs(modes[0](np.linspace(0, 1, 9))).max() == pytest.approx(1.0)
    assert "rad/s" in str(modes[0])


def test_counts_by_the_number_of_modes():
    """Operations of u̇ of a flexible pendulum with 1 to 8 modes: M is an arrow, so they grow with the square."""
    counts = []
    for n in range(1, 9):
        model = lw.Model("pendulum")
        pin = model.revolute("pin")
        model.beam("b", pin, pin.origin, 1.0, EI=50.0, rho_A=1.0, modes=n)
        model.gravity(-9.81 * model.frame.y)
        counts.append(model.equations().operations.total)
    assert counts == COUNTS


COUNTS = [38, 80, 213, 331, 474, 642, 930, 1289]
