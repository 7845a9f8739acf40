"""Kane's equations of random mechanisms against Lagrange's, from a kinetic energy written in NumPy.

Tolerances: both sides are exact but for rounding, which the condition of M (up to some thousands) makes larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.kane import energy
from latchwork.kane.articulated import swept_udot
from latchwork.kane.composite import composite_mass_matrix, is_nested
from latchwork.kane.derive import _forces_apart, _forces_together
from latchwork.kane.forces import mass_matrix
from latchwork.kane.motion import Local, Motion, mixed, newtonian
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import solve_speeds
from random_trees import (
    Built,
    H,
    Lagrange,
    Mechanism,
    Solved,
    State,
    axial,
    build,
    build_by_hand,
    floating_mechanism,
    random_mechanism,
    random_state,
    relative_error,
)  # fmt: skip

TREES = seeds(range(28), range(400))
SMALL = seeds(range(10), range(100))
FLOATING = seeds(range(4), range(40))


@dataclass(eq=False)
class Case:
    """A mechanism, its equations, and the same dynamics from the kinetic energy, at one state."""

    mechanism: Mechanism
    state: State

    @cached_property
    def built(self) -> Built:
        return build(self.mechanism)

    @cached_property
    def equations(self) -> lw.Equations:
        return self.built.model.equations()

    @cached_property
    def lagrange(self) -> Lagrange:
        return Lagrange(self.mechanism, self.state)

    @cached_property
    def solved(self) -> Solved:
        return self.lagrange.solve()

    def numbers(self, what):
        """Values of what the equations say, at the state."""
        return self.equations.evaluate(what, **self.state.arguments)


@pytest.fixture(scope="module", params=TREES)
def tree(request) -> Case:
    """1 to 12 bodies, every joint type, every load; every second one with motion prescribed in time."""
    mechanism = random_mechanism(request.param)
    return Case(mechanism, random_state(mechanism, request.param))


@pytest.fixture(scope="module", params=SMALL)
def small(request) -> Case:
    """1 to 4 bodies, vectors across frames as often as not."""
    mechanism = random_mechanism(request.param, bodies=1 + request.param % 4, aside=0.4)
    return Case(mechanism, random_state(mechanism, request.param))


@pytest.fixture(scope="module", params=FLOATING)
def floating(request) -> Case:
    """A tree in free flight with internal loads only."""
    mechanism = floating_mechanism(request.param, bodies=2 + request.param % 4)
    return Case(mechanism, random_state(mechanism, request.param))


# --- trees ------------------------------------------------------------------------------------------------------------


def test_accelerations_are_those_of_lagrange(tree):
    """u̇ of M u̇ = f satisfies d/dt ∂K/∂ξ̇ − ∂K/∂ξ = Q."""
    assert relative_error(tree.equations.udot(**tree.state.arguments), tree.solved.udot) < 1e-11


def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(tree):
    """M = ∂²K/∂u∂u, symmetric entry by entry whatever the numbers."""
    M = tree.equations.M
    assert relative_error(tree.numbers(M), tree.solved.M) < 1e-12
    assert M == M.T


def test_mass_matrix_is_positive(tree):
    """u · M u > 0: every joint moves a body."""
    assert np.linalg.eigvalsh(tree.numbers(tree.equations.M)).min() > 0.01


def test_energies_are_those_of_positions_and_rates(tree):
    """K = Σ ½ m v² + ½ ω·I·ω and V = Σ m g z + Σ ½ k s²."""
    lagrange, still = tree.lagrange, np.zeros((1, tree.lagrange.n))
    poses = lagrange.poses(still, lagrange.u)
    true = [lagrange.kinetic(poses)[0].real, lagrange.potential(poses, still, rams=True)[0].real]
    assert relative_error(tree.numbers([tree.equations.kinetic_energy, tree.equations.potential_energy]), true) < 1e-12


def test_energy_rate_equals_power(tree):
    """dK/dt is the power of the loads and of what drives the motion prescribed in time."""
    power = tree.equations.power + energy.drive_power(tree.equations)
    assert relative_error(tree.numbers(power), tree.lagrange.energy_rate(tree.solved.udot)) < 1e-11


def test_velocities_are_rates_of_positions(tree):
    """v and ω of the last body."""
    poses = tree.lagrange.poses([np.zeros(tree.lagrange.n)], [tree.lagrange.u])
    v, w = tree.lagrange.centers(poses)[-1].rate[0].real, tree.lagrange.spin(poses, len(poses) - 1)[0]
    assert relative_error(tree.numbers(tree.equations.velocity(tree.built.centers[-1])), v) < 1e-13
    assert relative_error(tree.numbers(tree.equations.angular_velocity(tree.built.frames[-1])), w) < 1e-13


# --- small trees, and more laws ---------------------------------------------------------------------------------------


def test_active_forces_are_virtual_work_and_gradients(small):
    """F_r = Q_r − ∂V/∂ξ_r, and f = Fr − h."""
    lagrange, n = small.lagrange, small.lagrange.n
    steps = 1j * H * np.eye(n)
    gradient = lagrange.potential(lagrange.poses(steps, lagrange.u), steps).imag / H
    Fr, h, f = (small.numbers(what).ravel() for what in (small.equations.Fr, small.equations.h, small.equations.f))
    assert relative_error(Fr, small.solved.forces - gradient) < 1e-12
    assert relative_error(Fr - h, f) < 1e-12


def test_accelerations_are_rates_of_velocities(small):
    """a and α of every body, with u̇ put in."""
    moving = small.lagrange.moving(small.solved.udot)
    a = [x.rate[0].imag / H for x in small.lagrange.centers(moving)]
    alpha = [axial((R.rate @ np.swapaxes(R.value, -1, -2))[0]).imag / H for R, _ in moving]
    assert relative_error([small.numbers(small.equations.acceleration(c)) for c in small.built.centers], a) < 1e-11
    found = [small.numbers(small.equations.angular_acceleration(frame)) for frame in small.built.frames]
    assert relative_error(found, alpha) < 1e-11


def test_partial_velocities_sum_to_velocities(small):
    """v = Σ v_r u_r + v_t and ω = Σ ω_r u_r + ω_t, row by row of the table."""
    rows = small.equations.partial_velocities().rows
    weights = [*small.equations.u, 1.0]
    poses = small.lagrange.poses([np.zeros(small.lagrange.n)], [small.lagrange.u])
    for i, x in enumerate(small.lagrange.centers(poses)):
        v = sum(
            (c * w for c, w in zip(rows[f"v_r^c{i}"], weights, strict=False)), start=0.0 * small.built.model.frame.x
        )
        assert relative_error(small.numbers(v), x.rate[0].real) < 1e-12
    for i, frame in enumerate(small.built.frames):
        w = sum((c * w for c, w in zip(rows[f"w_r^{frame.name}"], weights, strict=False)), start=0.0 * frame.x)
        assert relative_error(small.numbers(w), small.lagrange.spin(poses, i)[0]) < 1e-12


def test_inertia_activity_is_the_rate_of_kinetic_energy(small):
    """A* = −dK/dt; so A + A* = 0, but for the power of the drives."""
    found = small.numbers(small.equations.inertia_power)
    assert relative_error(found, -small.lagrange.energy_rate(small.solved.udot)) < 1e-11


def motion_of(case: Case) -> Motion:
    """The kinematics of a mechanism, fresh."""
    system = case.built.model.system()
    return Motion(system, solve_speeds(system))


def test_generalized_momenta_are_linear_in_the_speeds(small):
    """∂K/∂u = M u + what is left of it at u = 0."""
    eq, state = small.equations, dict(small.state.arguments)
    moving, still = (eq.evaluate(eq.generalized_momenta, **{**state, "u": u}) for u in (state["u"], 0.0 * state["u"]))
    expected = small.numbers(eq.M) @ np.asarray(state["u"])
    assert relative_error((moving - still).ravel(), expected) < 1e-11


def test_all_forms_agree(small):
    """Mixed, Newtonian and local frames, loads and inertia apart or together, columns or composites: one M, one f."""
    motion = motion_of(small)
    system = motion.system
    columns = [mass_matrix, composite_mass_matrix] if is_nested(motion) else [mass_matrix]
    places = [mixed, newtonian, Local(system)]
    M = [numbers(system, [*chain(*write(motion, place))]) for write in columns for place in places]
    f = [numbers(system, write(motion, place)) for write in (_forces_apart, _forces_together) for place in places]
    assert max(relative_error(other, M[0]) for other in M) < 1e-11
    assert max(relative_error(other, f[0]) for other in f) < 1e-11


SWEPT = seeds(range(6), range(200))


@pytest.mark.parametrize("seed", SWEPT)
def test_sweeps_over_a_tree_solve_the_equations(seed):
    """u̇ by articulated bodies, inward and outward, is the solution of M u̇ = f; also for short trees."""
    mechanism = random_mechanism(seed, bodies=1 + seed % 6, aside=0.0)
    case = Case(mechanism, random_state(mechanism, seed))
    swept = [lw.Expr(case.built.model.graph, node) for node in swept_udot(motion_of(case)).udot]
    assert relative_error(case.numbers(swept), case.solved.udot) < 1e-11


# --- other speeds -----------------------------------------------------------------------------------------------------


def other_speeds(seed):
    """w = S(q) (Q ξ̇) + c(q, t) with Q orthogonal and S diagonal, none of it near singular."""

    def definitions(rates, q, t):
        Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(rates), len(rates))))
        sums = [sum(float(a) * rate for a, rate in zip(row, rates, strict=True)) for row in Q]
        return {
            f"w{i}": s * (1.5 + lw.sin(q[i])) + 0.3 * lw.cos(q[-1 - i]) + 0.2 * lw.sin(t) for i, s in enumerate(sums)
        }

    return definitions


FEW = [seed for seed in range(120) if random_mechanism(seed, bodies=1 + seed % 3).n < 8]
PAIRS = seeds(FEW[:6], FEW)


@pytest.fixture(scope="module", params=PAIRS)
def pair(request):
    """A mechanism by joints, and by hand with other speeds; states that are one motion."""
    mechanism = random_mechanism(request.param, bodies=1 + request.param % 3)
    state = random_state(mechanism, request.param).arguments
    first = build(mechanism).model.equations()
    second = build_by_hand(mechanism, other_speeds(request.param)).model.equations()
    blank = state | {"u": np.zeros(mechanism.n)}
    rates = first.qdot(state["q"], state["u"], t=state["t"])
    w = second.evaluate(second.Y, **blank) @ rates + second.evaluate(second.Z, **blank).ravel()
    return (first, state), (second, state | {"u": w})


def test_motion_does_not_depend_on_the_speeds(pair):
    """q̇ and q̈ are the same under u' = S(q) Q u + c(q, t), with quaternions and with motion prescribed in time."""
    rates, accelerations = ([eq.evaluate(list(eq.qdot_expressions), **x) for eq, x in pair],
                            [eq.evaluate([lw.dt(e) for e in eq.qdot_expressions], **x) for eq, x in pair])  # fmt: skip
    assert relative_error(rates[1], rates[0]) < 1e-10
    assert relative_error(accelerations[1], accelerations[0]) < 1e-10


def test_mass_matrix_changes_by_congruence(pair):
    """M' = Jᵀ M J with u = J w + b."""
    (first, x), (second, y) = pair
    W, V = first.evaluate(first.W, **x), second.evaluate(second.W, **y)
    J = np.linalg.lstsq(W, V, rcond=None)[0]
    assert relative_error(second.evaluate(second.M, **y), J.T @ first.evaluate(first.M, **x) @ J) < 1e-10


def test_kinetic_energy_does_not_depend_on_the_speeds(pair):
    """K is a property of the motion."""
    first, second = (eq.evaluate(eq.kinetic_energy, **x) for eq, x in pair)
    assert second == pytest.approx(first, rel=1e-11)


# --- momentum ---------------------------------------------------------------------------------------------------------


def test_linear_momentum_stays(floating):
    """d/dt Σ m v = 0 in free flight, whatever acts inside."""
    rate = floating.equations.linear_momentum().dt_in(floating.built.model.frame)
    assert np.abs(floating.numbers(rate)).max() < 1e-11 * np.abs(floating.solved.udot).max()


def test_angular_momentum_stays(floating):
    """d/dt (Σ I·ω + p × m v) = 0 about the origin in free flight."""
    rate = floating.equations.angular_momentum().dt_in(floating.built.model.frame)
    assert np.abs(floating.numbers(rate)).max() < 1e-11 * np.abs(floating.solved.udot).max()


def test_momentum_is_mass_times_velocity_of_the_centre(floating):
    """Σ m v = M v_C, with v_C from positions."""
    poses = floating.lagrange.poses([np.zeros(floating.lagrange.n)], [floating.lagrange.u])
    true = sum(
        m * x.rate[0].real for m, x in zip(floating.mechanism.masses, floating.lagrange.centers(poses), strict=True)
    )
    assert relative_error(floating.numbers(floating.equations.linear_momentum()), true) < 1e-12


def test_external_loads_change_the_momentum(small):
    """d/dt Σ m v is the sum of m a, with the accelerations of Lagrange's equations."""
    rate = small.equations.linear_momentum().dt_in(small.built.model.frame)
    moving = small.lagrange.centers(small.lagrange.moving(small.solved.udot))
    true = sum(m * x.rate[0].imag / H for m, x in zip(small.mechanism.masses, moving, strict=True))
    assert relative_error(small.numbers(rate), true) < 1e-10


# --- declared velocities ----------------------------------------------------------------------------------------------


def wrist(spin=None, sway=0.0):
    """A body turned by three angles, with u_i = ω · c_i, on a point that sways."""
    model = lw.Model("wrist")
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    N = model.frame
    C = N.body_fixed("C", "zxz", q1, q2, q3)
    w = C.angular_velocity(N)
    u1, u2, u3 = model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    P = model.origin.at("P", sway * lw.sin(model.time) * N.x).at("Q", 0.3 * C.x + 0.2 * C.z)
    model.body("body", C, P, 2.0, lw.inertia(C, 1.0, 2.0, 2.5, 0.1))
    model.gravity(-9.81 * N.z)
    return model, C, P, (u1, u2, u3)


STATE = {"q": [0.3, 0.8, -0.4], "u": [0.5, -0.7, 0.2], "t": 0.6}


def test_declared_velocities_change_nothing():
    """Equations with ω and v declared, rightly, are those without."""
    plain = wrist(sway=0.4)[0].equations()
    model, C, P, (u1, u2, u3) = wrist(sway=0.4)
    C.spin(model.frame, u1 * C.x + u2 * C.y + u3 * C.z)
    v = 0.4 * lw.cos(model.time) * model.frame.x + 0.2 * u2 * C.x + (0.3 * u3 - 0.2 * u1) * C.y - 0.3 * u2 * C.z
    P.moves(model.frame, v)
    declared = model.equations()
    assert declared.udot(**STATE) == pytest.approx(plain.udot(**STATE), rel=1e-12)
    assert declared.evaluate(declared.M, **STATE) == pytest.approx(plain.evaluate(plain.M, **STATE), rel=1e-12)
    assert declared.evaluate(declared.power, **STATE) == pytest.approx(plain.evaluate(plain.power, **STATE), rel=1e-12)


def test_a_wrong_spin_is_refused():
    """A declared ω that disagrees with the coordinates is an error that says along which axis."""
    model, C, _, (u1, u2, u3) = wrist()
    C.spin(model.frame, u1 * C.x + u2 * C.y - u3 * C.z)
    with pytest.raises(lw.VelocityError, match=r"angular velocity of frame 'C' in N disagrees .* along C\.z"):
        model.equations()


def test_a_wrong_velocity_is_refused():
    """A declared v that disagrees with the coordinates is an error that names the point."""
    model, C, P, (_, u2, _) = wrist()
    P.moves(model.frame, 0.2 * u2 * C.x)
    with pytest.raises(lw.VelocityError, match="velocity of point 'Q' in N disagrees with the coordinates"):
        model.equations()


def test_a_forgotten_remainder_is_refused():
    """Motion prescribed in time belongs to a declared velocity."""
    model, C, P, (u1, u2, u3) = wrist(sway=0.4)
    P.moves(model.frame, 0.2 * u2 * C.x + (0.3 * u3 - 0.2 * u1) * C.y - 0.3 * u2 * C.z)
    with pytest.raises(lw.VelocityError, match="velocity of point 'Q'"):
        model.equations()


def test_velocities_are_declared_in_the_newtonian_frame():
    """A spin relative to another frame is refused."""
    model, C, _, (u1, u2, u3) = wrist()
    B = model.frame.rotated("B", 0.3, model.frame.x)
    with pytest.raises(lw.ModelError, match="can only be declared in the Newtonian frame 'N', not in 'B'"):
        C.spin(B, u1 * C.x + u2 * C.y + u3 * C.z)


# --- vectors that leave a frame and come back -------------------------------------------------------------------------


def lengths(steps):
    """A particle at the end of vectors in frames A and B that turn about N.z, in one vector or in several."""
    model = lw.Model("pantograph")
    q1, q2 = model.coordinates("q1", "q2")
    A, B = (model.frame.rotated(name, q, model.frame.z) for name, q in (("A", q1), ("B", q2)))
    point = model.origin
    for i, (a, b) in enumerate(steps):
        point = point.at(f"P{i}", a * A.x + b * B.x)
    model.particle("bob", point, 3.0)
    eq = model.equations()
    return eq.evaluate(eq.M, q=[0.3, 0.9], u=[0.0, 0.0])


@pytest.mark.parametrize("steps", [[(1, 2)], [(1, 0), (0, 2)], [(0, 2), (1, 0)], [(0.4, 0), (0, 2), (0.6, 0)],
                                   [(0.5, 1), (0.5, 1)]])  # fmt: skip
def test_the_order_of_steps_does_not_matter(steps):
    """x = L1 a + L2 b has M12 = m L1 L2 cos(q1 − q2), however the vector is put together."""
    c = 6.0 * np.cos(0.6)
    assert lengths(steps) == pytest.approx(np.array([[3.0, c], [c, 12.0]]), rel=1e-14)
