"""The virtual coupler: its force, and the limits that sampling sets on both of its sides."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from campaign import seeds
from latchwork.errors import CouplerError
from latchwork.realtime.coupler import Coupler, fitted
from latchwork.realtime.devices.device import Reading
from latchwork.realtime.handle import Masses
from latchwork.realtime.triples import matrix, quaternion, rotation_vector, turned
from realtime_mechanisms import still

STEP = 1e-3


def radius(K, B, M, step=STEP):
    """The spectral radius of a mechanism under a held spring and damper, from the matrix exponential's own terms."""
    n, inverse = len(M), np.linalg.inv(M)
    free = np.block([[np.eye(n), step * np.eye(n)], [np.zeros((n, n)), np.eye(n)]])
    pushed = np.vstack([0.5 * step**2 * inverse, step * inverse])
    return max(abs(np.linalg.eigvals(free - pushed @ np.hstack([K, B]))))


# --- force ------------------------------------------------------------------------------------------------------------


def test_force_is_that_of_a_spring_and_a_damper():
    """F = K (p_d − p_h) + B (v_d − v_h) on the handle; no torque where the device has no orientation."""
    coupler = Coupler(100.0, 5.0, 7.0, 1.0)
    reading = Reading("b", place=(0.1, 0.0, 0.3), velocity=(0.0, 2.0, 0.0))
    force, torque = coupler.wrench(reading, still((0.0, 0.0, 0.1), (0.0, 1.0, 0.0)))
    assert force == pytest.approx((10.0, 5.0, 20.0))
    assert torque == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_torque_is_along_the_rotation_vector(seed):
    """T = K θ with θ the rotation vector of R_d R_hᵀ, as SciPy has it."""
    device, handle = Rotation.random(2, random_state=seed)
    pose = still()._replace(rotation=tuple(handle.as_matrix().ravel().tolist()), omega=(0.0, 0.2, 0.0))
    turn = tuple(device.as_quat(scalar_first=True).tolist())
    _, torque = Coupler(1.0, 1.0, 3.0, 0.5).wrench(Reading("b", turn=turn, spin=(0.1, 0.0, 0.0)), pose)
    expected = 3.0 * (device * handle.inv()).as_rotvec() + 0.5 * np.array([0.1, -0.2, 0.0])
    assert torque == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_rotations_go_there_and_back(seed):
    """Quaternion, matrix and rotation vector of one rotation are each found from the others, half turns included."""
    rotation = Rotation.from_rotvec(math.pi * np.eye(3)[seed % 3]) if seed < 3 else Rotation.random(random_state=seed)
    R = tuple(rotation.as_matrix().ravel().tolist())
    assert matrix(quaternion(R)) == pytest.approx(R, abs=1e-15)
    assert matrix(turned(rotation_vector(quaternion(R)))) == pytest.approx(R, abs=1e-14)


def test_force_is_capped():
    """The largest force keeps its direction; the energy in the spring is then linear in its length."""
    coupler = Coupler(100.0, 5.0, most=30.0)
    reading = Reading("b", place=(3.0, 4.0, 0.0))
    assert coupler.wrench(reading, still())[0] == pytest.approx((18.0, 24.0, 0.0))
    assert coupler.stored(reading, still()) == pytest.approx(0.5 * 100 * 0.3**2 + 30.0 * 4.7)


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [0.01, 0.3, 1.0, 2.5, 3.9])
@pytest.mark.parametrize("beta", [0.001, 0.2, 0.6, 1.3, 1.96, 2.1])
def test_the_limits_are_where_a_held_force_on_a_mass_becomes_unstable(kappa, beta):
    """K T/2 < B < 2 m/T exactly where the eigenvalues of the sampled mass lie inside the unit circle."""
    mass = 0.7
    coupler = Coupler(kappa * mass / STEP**2, beta * mass / STEP)
    stable = radius(coupler.stiffness * np.eye(1), coupler.damping * np.eye(1), mass * np.eye(1)) < 1.0
    assert (coupler.scaled(STEP, mass=mass)[1] == "") == stable


@pytest.mark.parametrize("seed", seeds(range(50), range(2000)))
def test_a_coupler_within_its_limits_is_stable_on_many_degrees_of_freedom(seed):
    """Translation and rotation coupled at once to random mass matrices: stable with masses 1/λ_max(J M⁻¹ Jᵀ)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    root, J, W = rng.normal(size=(n, n)), rng.normal(size=(3, n)), rng.normal(size=(3, n))
    M = root @ root.T + 0.1 * np.eye(n)
    mass, inertia = (1.0 / np.linalg.eigvalsh(X @ np.linalg.solve(M, X.T)).max() for X in (J, W))
    wild = Coupler(*10.0 ** rng.uniform(-1, 7, size=4))
    coupler, _ = wild.scaled(STEP, mass=mass, inertia=inertia)
    K, B = (k * J.T @ J + w * W.T @ W for k, w in ((coupler.stiffness, coupler.stiffness_turn),
                                                   (coupler.damping, coupler.damping_turn)))  # fmt: skip
    assert radius(K, B, M) < 1.0 + 1e-7  # directions that nothing holds stay at one


@pytest.mark.parametrize("seed", range(20))
def test_scaled_couplers_pass_their_own_check(seed):
    """Whatever is asked for, what comes out of ``scaled`` is accepted by ``checked``, and is no stiffer."""
    rng = np.random.default_rng(seed)
    wild = Coupler(*10.0 ** rng.uniform(0, 7, size=4))
    limits = dict(zip(("damping", "mass", "inertia", "damping_turn"), 10.0 ** rng.uniform(-2, 2, size=4), strict=True))
    coupler, why = wild.scaled(STEP, **limits)
    assert coupler.checked(STEP, **limits) is coupler
    assert coupler.stiffness <= wild.stiffness
    assert coupler == wild or why.startswith(f"Scaled to {coupler}, since ")


def test_stiffness_is_kept_where_less_damping_is_enough():
    """A device of 2 N s/m takes 740 N/m with hardly any damper: K stays, B becomes 0.9 b − K T/2."""
    coupler, why = Coupler(740.0, 59.0).scaled(STEP, damping=2.0, mass=1.0)
    assert (coupler.stiffness, coupler.damping) == pytest.approx((740.0, 1.8 - 0.37))
    assert "it has 2 N s/m" in why


def test_colgates_condition_is_told_in_words():
    """A device with b = 3.2 N s/m renders 3000 N/m and 1.6 N s/m at 1 kHz, one with 3.1 no more: all values told."""
    coupler = Coupler(3000.0, 1.6)
    assert coupler.checked(STEP, damping=3.2) is coupler
    words = (r"translation needs a device that damps by more than K T/2 \+ B = 3.1 N s/m \(Colgate's condition with "
             r"K = 3000 N/m, B = 1.6 N s/m, T = 0.001 s\); it has 3.1 N s/m. Use 2880 N/m and 1.6 N s/m, or a ")
    with pytest.raises(CouplerError, match=words):
        coupler.checked(STEP, damping=3.1)


@pytest.mark.parametrize(
    ("coupler", "words"),
    [
        (Coupler(3000.0, 1.4), "damping of only 1.4 N s/m; held over 0.001 s it needs more than K T/2 = 1.5"),
        (Coupler(10.0, 900.0), "900 N s/m on 0.4 kg give B T/m = 2.25, and a force that is held over"),
        (Coupler(1.0, 1.0, 1e5, 1.0), "rotation has a stiffness of 1e[+]05 N m/rad but a damping of only 1 N m s/rad"),
    ],
)
def test_what_the_mechanism_cannot_take_is_told_in_words(coupler, words):
    """Too little damping for the stiffness, too much for the mass."""
    with pytest.raises(CouplerError, match=words):
        coupler.checked(STEP, mass=0.4)


@pytest.mark.parametrize("field", ["stiffness", "damping_turn", "most"])
@pytest.mark.parametrize("value", [-1.0, math.nan])
def test_a_coupler_has_no_negative_numbers(field, value):
    """Nothing that would push the wrong way, and nothing that is no number."""
    with pytest.raises(CouplerError, match=f"{field} of a coupler is {value}"):
        replace(Coupler(1.0, 1.0), **{field: value})


def test_the_fitted_coupler_pulls_like_a_hand():
    """K/m = ω² at 10 Hz, critically damped, far inside the limits at 1 kHz; an immovable body is taken as 1 kg."""
    coupler = fitted(Masses(0.5, math.inf))
    assert math.sqrt(coupler.stiffness / 0.5) / (2 * math.pi) == pytest.approx(10.0)
    assert coupler.damping == pytest.approx(2.0 * math.sqrt(coupler.stiffness * 0.5))
    assert coupler.checked(STEP, mass=0.5, inertia=math.inf) is coupler
    assert fitted(Masses(math.inf, 1.0)).stiffness == pytest.approx((20 * math.pi) ** 2)
    with pytest.raises(CouplerError, match="mass of 0"):
        fitted(Masses(0.0, 1.0))
