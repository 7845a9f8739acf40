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
]


@pytest.mark.parametrize(("given", "words"), BAD)
def test_what_cannot_be_a_beam_is_refused_by_name(given, words):
    """The thing, the values seen, and what to do."""
    model = lw.Model("m")
    with pytest.raises(lw.ModelError, match=words):
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
