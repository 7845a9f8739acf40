"""Regressors, base parameters and fits: against inverse dynamics, Pinocchio's rank, textbooks, and error bars."""

from __future__ import annotations

import re

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.errors import EvaluationError, ModelError
from latchwork.kane.regressor import regressor
from random_trees import build, random_mechanism
from robots.robot_data import installed

NOISE = 0.05


def two_links(damped: bool = False) -> lw.Model:
    """A planar arm of two links, with letters for all that it is made of."""
    model = lw.Model("two links")
    l1, c1, c2, m1, m2, I1, I2, g = model.parameters(l1=1.0, c1=0.5, c2=0.4, m1=2.0, m2=1.0, I1=0.1, I2=0.2, g=9.81)
    q1, q2 = model.coordinates("q1", "q2")
    u1, u2 = model.speeds(u1=lw.dt(q1), u2=lw.dt(q2))
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    elbow = O.at("elbow", l1 * A.x)
    model.body("1", A, O.at("C1", c1 * A.x), m1, lw.inertia(A, zz=I1))
    model.body("2", B, elbow.at("C2", c2 * B.x), m2, lw.inertia(B, zz=I2))
    model.gravity(-g * N.y)
    if damped:
        b1, b2, k2 = model.parameters(b1=0.3, b2=0.2, k2=1.5)
        T1, T2 = model.input("T1"), model.input("T2")
        model.torque(A, (T1 - b1 * u1) * N.z)
        model.torque(B, (T2 - b2 * u2 - k2 * q2) * N.z, A)
    return model


def test_the_two_link_arm_has_the_parameters_of_the_textbook():
    """I1 + m1 c1² + m2 l1², m1 c1 + m2 l1, I2 + m2 c2², m2 c2, and what lies beside the links.  [Siciliano et al.,
    Robotics: Modelling, Planning and Control, §7.2.2]"""
    assert str(lw.base_parameters(two_links())) == "\n".join([
        "mx_1 + l1*m_2     = c1*m1 + l1*m2",
        "my_1              = 0",
        "Izz_1 + l1**2*m_2 = c1**2*m1 + l1**2*m2 + I1",
        "mx_2              = c2*m2",
        "my_2              = 0",
        "Izz_2             = c2**2*m2 + I2",
    ])  # fmt: skip


@pytest.mark.parametrize("seed", seeds(range(4), range(60)))
def test_forces_are_linear_in_the_parameters(seed):
    """Y π, of all parameters and of the base, is what inverse dynamics gives, without other loads; random trees."""
    model = build(random_mechanism(seed, bodies=3)).model if seed else two_links()
    equations = model.equations()
    base = lw.base_parameters(model)
    rng = np.random.default_rng(seed)
    n_q, n = len(equations.q), len(equations.u)
    q, u, udot = rng.uniform(-1, 1, n_q), rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
    for four in equations.system.quaternions:
        at = [equations.q_names.index(e.name) for e in four]
        q[at] /= np.linalg.norm(q[at])
    r = {symbol.name: 0.0 for symbol in equations.r}
    needed = equations.inverse(q, u, udot, r=r)
    at_rest = equations.inverse(q, u, np.zeros(n), r=r)
    found = base.matrix(q, u, udot) @ base.numbers()
    still = base.matrix(q, u, np.zeros(n)) @ base.numbers()
    assert found - still == pytest.approx(needed - at_rest, rel=1e-9, abs=1e-9)  # loads do not depend on u̇


def test_the_base_is_a_base():
    """At other random states the columns of the base have full rank, and as many as all columns together."""
    base = lw.base_parameters(two_links())
    rng = np.random.default_rng(3)
    q, u, udot = rng.normal(size=(3, 40, 2))
    assert np.linalg.matrix_rank(base.matrix(q, u, udot)) == len(base) == 6
    assert len(regressor(two_links().equations()).parameters) == 20


def robot(name, tmp_path):
    """The file of a robot of example-robot-data, its fingers fixed."""
    found = [path for key, path in installed("example-robot-data", ".urdf").items() if key.endswith(f"/{name}")]
    if not found:
        pytest.skip("example-robot-data is not installed")
    text = re.sub(r'(<joint name="panda_finger_joint\d" type=)"prismatic"', r'\1"fixed"', found[0].read_text())
    path = tmp_path / f"{name}.urdf"
    path.write_text(re.sub(r"<mimic[^>]*/>", "", text))
    return path


@pytest.mark.parametrize(("name", "count"), [("ur5_robot", 36), ("panda", 43)])
def test_robots_have_as_many_base_parameters_as_published(name, count, tmp_path):
    """36 of UR5 and 43 of Panda [Gaz et al., IEEE RA-L 4 (2019) 4147], 7 n − 6 of n revolutes on a vertical axis
    [Gautier & Khalil 1990]; the rank of Pinocchio's regressor is the same."""
    pin = pytest.importorskip("pinocchio")
    path = robot(name, tmp_path)
    assert len(lw.base_parameters(lw.load(path, losses=False))) == count
    theirs = pin.buildModelFromUrdf(str(path))
    data, rng = theirs.createData(), np.random.default_rng(0)
    states = rng.uniform(-2.0, 2.0, (60, 3, theirs.nv))
    W = np.vstack([pin.computeJointTorqueRegressor(theirs, data, *state) for state in states])
    assert np.linalg.matrix_rank(W, tol=1e-8 * np.abs(W).max()) == count


def recorded(model, samples=300, seed=1, noise=NOISE):
    """A motion that excites an arm, and torques with noise."""
    motion = lw.exciting(model, 5.0, tries=10)
    q, u, udot = motion.at(np.linspace(0.0, 5.0, samples, endpoint=False))
    rng = np.random.default_rng(seed)
    return motion, q, u, udot, rng.normal(scale=noise, size=u.shape)


def test_estimates_lie_within_their_error_bars():
    """A simulated, noisy motion: the sum of squares of (estimate − truth) / deviation is that of as many numbers."""
    equations = two_links().equations()
    _, q, u, udot, noise = recorded(equations)
    tau = np.array([equations.inverse(*row) for row in zip(q, u, udot, strict=True)])
    fit = lw.identify(equations, q, u, udot, tau + noise)
    off = (fit.values - fit.base.numbers()) / fit.deviations
    assert (np.abs(off) < 3.5).all()
    assert fit.noise == pytest.approx([NOISE, NOISE], rel=0.15)
    assert fit["mx_2"] == pytest.approx(0.4, abs=4 * fit.deviations[3])
    assert "±" in str(fit)


@pytest.mark.parametrize(("name", "count"), [("ur5_robot", 36), ("panda", 43)])
def test_base_parameters_of_robots_from_a_noisy_motion(name, count, tmp_path):
    """Torques of the motors, recorded with noise along an exciting motion: every estimate within its error bars, and
    all together as χ² of their number."""
    model = lw.load(robot(name, tmp_path), losses=False)
    equations = model.equations()
    q, u, udot = lw.exciting(equations, 10.0, tries=1).at(np.linspace(0.0, 10.0, 300, endpoint=False))
    motors, rng = [symbol.name for symbol in equations.r], np.random.default_rng(1)
    idle = dict.fromkeys(motors, 0.0)
    needed = np.array([equations.inverse(*row, r=idle) for row in zip(q, u, udot, strict=True)])
    noisy = needed + rng.normal(scale=NOISE, size=needed.shape)
    fit = lw.identify(equations, q, u, udot, inputs=dict(zip(motors, noisy.T, strict=True)))
    off = fit.values - fit.base.numbers()
    assert len(off) == count
    assert (np.abs(off) < 4.0 * fit.deviations).all()
    assert off @ np.linalg.solve(fit.covariance, off) == pytest.approx(count, abs=3.5 * np.sqrt(2.0 * count))
    assert fit.noise == pytest.approx(np.full(len(motors), NOISE), rel=0.2)


def test_error_bars_are_as_wide_as_errors():
    """Over many records, errors have the covariance that each fit says."""
    equations = two_links().equations()
    _, q, u, udot, _ = recorded(equations, samples=60)
    tau = np.array([equations.inverse(*row) for row in zip(q, u, udot, strict=True)])
    rng, squares = np.random.default_rng(0), []
    for _ in range(60):
        fit = lw.identify(equations, q, u, udot, tau + rng.normal(scale=NOISE, size=tau.shape))
        off = fit.values - fit.base.numbers()
        squares.append(off @ np.linalg.solve(fit.covariance, off))
    assert np.mean(squares) == pytest.approx(6.0, abs=1.5)  # χ² of 6


def test_friction_and_stiffness_are_fitted_with_masses():
    """Torques of motors are inputs of the model, recorded; loads are linear in damping and stiffness."""
    model = two_links(damped=True)
    equations = model.equations()
    _, q, u, udot, noise = recorded(two_links().equations())
    needed = np.array([equations.inverse(*row, r={"T1": 0.0, "T2": 0.0}) for row in zip(q, u, udot, strict=True)])
    torques = {"T1": needed[:, 0] + noise[:, 0], "T2": needed[:, 1] + noise[:, 1]}
    fit = lw.identify(model, q, u, udot, inputs=torques, loads=("b1", "b2", "k2"))
    truth = {"b1": 0.3, "b2": 0.2, "k2": 1.5}
    for name, value in truth.items():
        assert abs(fit[name] - value) < 4 * fit.deviations[fit.names.index(name)]


def test_exciting_motions_keep_their_limits_and_improve():
    """Within reach and speed, periodic, with derivatives that are those of q, and a small condition."""
    motion = lw.exciting(two_links(), 4.0, reach={"q1": 1.0, "q2": 2.0}, speed=1.5, tries=10)
    t = np.linspace(0.0, 4.0, 400)
    q, u, udot = motion.at(t)
    assert (np.abs(q).max(axis=0) <= np.array([1.0, 2.0]) * 1.02).all()
    assert np.abs(u).max() <= 1.5 * 1.02
    assert q[0] == pytest.approx(q[-1], abs=1e-9)
    assert np.gradient(q[:, 0], t)[5:-5] == pytest.approx(u[5:-5, 0], abs=2e-3)
    assert np.gradient(u[:, 1], t)[5:-5] == pytest.approx(udot[5:-5, 1], abs=2e-2)
    assert motion.condition < 20.0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: lw.base_parameters(lw.Model("none")), ModelError, "has no bodies"),
        (lambda: lw.base_parameters(3), ModelError, "those of a model or its equations"),
        (lambda: lw.identify(two_links(), [[0.0]], [[0.0]], [[0.0]]), EvaluationError, r"q has the shape \(1, 1\)"),
        (lambda: lw.identify(two_links(), np.zeros((2, 2)), np.zeros((3, 2)), np.zeros((3, 2))), EvaluationError,
         "q, u and udot have 2, 3 and 3 rows"),
        (lambda: lw.identify(two_links(), *np.zeros((3, 2, 2))), EvaluationError, "2 samples of 2 speeds cannot"),
        (lambda: lw.identify(two_links(), *np.zeros((3, 9, 2))), EvaluationError, "has no effect in this motion"),
        (lambda: lw.identify(two_links(), *np.zeros((3, 9, 2)), loads=["b9"]), ModelError, "'b9' is no parameter"),
        (lambda: lw.identify(two_links(True), *np.zeros((3, 9, 2))), EvaluationError, "was driven by T1, T2"),
        (lambda: lw.identify(two_links(True), *np.zeros((3, 9, 2)), inputs={"T3": 0.0}), EvaluationError, "no input"),
        (lambda: lw.exciting(two_links(), -1.0), EvaluationError, "period of an exciting motion is -1"),
        (lambda: lw.exciting(two_links(), 1.0, reach={"q1": 1.0}), EvaluationError, "Give a positive number, or one"),
    ],
)  # fmt: skip
def test_what_cannot_be_identified_is_told(make, error, message):
    """Shapes, names, motions that excite nothing."""
    with pytest.raises(error, match=message):
        make()
