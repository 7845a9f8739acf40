"""Linear equations of constrained mechanisms: against closed forms, and against differences of the nonlinear ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, dt
from latchwork.constraint.consistency import assemble_q, normalised
from latchwork.constraint.solve import accelerations, all_speeds
from latchwork.errors import ConstraintError, EvaluationError
from latchwork.view import gallery
from small_mechanisms import G, ball_pendulum, cart_and_pole, conical, disk, four_bar, oscillator, trolley

H = 1e-5  # of central differences
DIFFERENCES = 1e-6  # what they are good for
EXACT = 1e-12

MOVING = {
    "disk": (disk, {"yaw": 0.4, "lean": 0.3}, {"u_yaw": 0.8, "u_lean": -0.5, "u_roll": 3.0}),
    "four-bar": (four_bar, {"q1": 1.2, "q2": 0.4, "q3": 1.4}, {"u1": 2.0}),
    "trolley": (trolley, {"q1": 0.3, "q2": -0.2, "q3": 0.5, "q4": 0.4}, {"u1": 1.0, "u2": 0.3}),
    "conical": (conical, {"azimuth": 0.3, "angle": 0.8}, {"spin": 2.0, "swing": -1.0}),
    "bicycle": (
        gallery.load("whipple_bicycle").module.build,
        {"lean": 0.2, "steer": 0.1, "yaw": 0.3},
        {"u_lean": 0.5, "u_steer": -0.3, "u_rear": 12.0},
    ),
    "ball": (ball_pendulum, {"e0": 0.8, "e1": 0.36, "e2": -0.28, "e3": 0.3885871}, {"u1": 1.0, "u2": -0.4, "u3": 2.0}),
}


@pytest.fixture(params=MOVING)
def moving(request):
    """A mechanism in the middle of a motion, with its linear equations there."""
    build, q, u = MOVING[request.param]
    constrained = build().constrained(at=q)
    linear = constrained.linearize(q=q, u=u)
    return constrained, linear, np.array(list(linear.at.values()))


def rates(constrained, linear, x):
    """q̇ and u̇ of the states at x, dependent speeds made to fit."""
    n_q, terms = len(constrained.unconstrained.q), constrained.terms
    place = terms.place(x)
    span = slice(1 + n_q, 1 + n_q + len(constrained.unconstrained.u))
    x[span] = all_speeds(place.B, place.C, constrained.selection, x[span][list(constrained.selection.independent)])
    motion = terms.motion(x)
    udot = accelerations(motion.M, motion.f, place.B, motion.c, constrained.selection)
    names = (*constrained.unconstrained.q_names, *constrained.unconstrained.u_names)
    value = dict(zip(names, np.concatenate([motion.q_rates, udot]), strict=True))
    return np.array([value[name] for name in linear.states])


def differences(constrained, linear, x, dx):
    """The rates of the states along (δq, δu), by central differences on the constraints."""
    ends = []
    for sign in (1.0, -1.0):
        moved = normalised(constrained.terms, x + sign * H * dx)
        ends.append(rates(constrained, linear, assemble_q(constrained.terms, moved)))
    return (ends[0] - ends[1]) / (2 * H)


def test_along_motions_that_the_constraints_allow(moving):
    """A δx is the change of the rates when q moves along W δu, with B δu = 0, and independent speeds by anything."""
    constrained, linear, x = moving
    eq, rng = constrained.unconstrained, np.random.default_rng(4)
    place = constrained.terms.place(x)
    _, _, free = np.linalg.svd(place.B) if len(place.B) else (None, None, np.eye(len(eq.u)))
    free = free[len(constrained.dependent) :]
    names = [symbol.name for symbol in eq.arguments]
    for direction in free:
        dx = np.zeros(len(x))
        dx[1 : 1 + len(eq.q)] = constrained.terms.spread(x) @ direction
        dx[[names.index(u.name) for u in constrained.independent]] = rng.normal(size=len(constrained.independent))
        state = np.array([dx[names.index(name)] for name in linear.states])
        assert linear.A @ state == pytest.approx(differences(constrained, linear, x, dx), DIFFERENCES, DIFFERENCES)


def test_coordinates_tied_by_motion_alone_have_states_of_their_own():
    """The trolley has three speeds built from four coordinates; all four are states, and A has their columns."""
    build, q, u = MOVING["trolley"]
    constrained = build().constrained(at=q)
    linear = constrained.linearize(q=q, u=u)
    x = np.array(list(linear.at.values()))
    assert linear.states[:4] == ("q1", "q2", "q3", "q4")
    for k in range(4):
        dx = np.zeros(len(x))
        dx[1 + k] = 1.0
        assert linear.A[:, k] == pytest.approx(differences(constrained, linear, x, dx), DIFFERENCES, DIFFERENCES)


def test_redundant_rows_change_nothing():
    """A copy of a row, and a sum of two, leave A as it was."""
    model = four_bar()
    loop = model.constraints[0]
    copy = lw.Constraint("copy", [loop.zero[0], loop.zero[0] + loop.zero[1]])
    at = model.constrained(at=MOVING["four-bar"][1]).assemble(MOVING["four-bar"][1])
    one = model.equations().embed(loop, at=at, independent=["u1"]).linearize(q=at, u={"u1": 2.0}, keep=["q1"])
    two = model.equations().embed(loop, copy, at=at, independent=["u1"]).linearize(q=at, u={"u1": 2.0}, keep=["q1"])
    assert pytest.approx(one.A, abs=1e-8) == two.A  # assembled to 1e-11


def test_eigenvalues_do_not_depend_on_the_choice_of_states():
    """Whichever coordinate and speed of a four-bar are kept, its small motions about rest are the same."""
    constrained = four_bar().constrained()
    rest = constrained.equilibrium(q={"q1": -1.0, "q2": -0.5, "q3": -1.8})
    found = [constrained.linearize(**rest.arguments, keep=keep).eigenvalues for keep in (("q1", "u1"), ("q3", "u2"))]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert abs(found[0].real).max() < 1e-9


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_cart_and_pole():
    """(M + m) v̇ + m L ẇ = F and v̇ + L ẇ = g θ, upright: A, B, and the acceleration of the cart as an output."""
    eq = cart_and_pole().equations()
    linear = eq.linearize(q=[0, 0], u=[0, 0], outputs={"acceleration": dt(eq.u[0])})
    M, m, L = 2.0, 0.5, 0.7
    assert linear.states == ("x", "theta", "v", "w")
    assert linear.A[2:, 1] == pytest.approx([-m * G / M, (M + m) * G / (M * L)], abs=EXACT)
    assert linear.B.ravel() == pytest.approx([0, 0, 1 / M, -1 / (M * L)], abs=EXACT)
    assert linear.C.ravel() == pytest.approx([0, -m * G / M, 0, 0], abs=EXACT)
    assert linear.D.ravel() == pytest.approx([1 / M])


@pytest.mark.parametrize("spin", [0.0, 1.5, 4.0])
def test_rolling_disk(spin):
    """A thin disk that rolls upright has λ² = (4 g/r − 12 ω²)/5 and zeros: stable where ω² > g/(3 r)."""
    constrained = disk().constrained(independent=["u_yaw", "u_lean", "u_roll"], at={"z": 0.5})
    linear = constrained.linearize(q={"yaw": 0.0, "lean": 0.0}, u={"u_yaw": 0.0, "u_lean": 0.0, "u_roll": spin})
    inner = linear.part("lean", "u_yaw", "u_lean")
    square = (4 * G / 0.5 - 12 * spin**2) / 5
    assert np.poly(inner.A) == pytest.approx([1.0, 0.0, -square, 0.0], abs=1e-10)
    assert inner.stable == (spin**2 > G / (3 * 0.5))
    assert set(linear.drifting) == ({"x", "roll"} if spin else set())


def test_ball_joint_by_euler_parameters():
    """A hanging body swings at √(m g l / (I + m l²)) about horizontal axes; three of its four parameters are states."""
    linear = ball_pendulum().equations().linearize(q=[1, 0, 0, 0], u=[0, 0, 0])
    mgl, ml2 = 1.5 * G * 0.4, 1.5 * 0.4**2
    assert linear.states == ("e1", "e2", "e3", "u1", "u2", "u3")
    swings = sorted(mode.frequency for mode in linear.modes() if mode.oscillates)
    assert swings == pytest.approx([math.sqrt(mgl / (0.07 + ml2)), math.sqrt(mgl / (0.05 + ml2))])


def test_conical_pendulum():
    """At cos θ = g/(L Ω²) the bob goes round at one height; disturbed, it bobs at Ω √(1 + 3 cos² θ)."""
    eq, Omega = conical().equations(), 4.5
    found = eq.steady(q={"angle": 0.8}, u={"spin": Omega, "swing": 0.0}, hold=["azimuth"])
    assert math.cos(found.q["angle"]) == pytest.approx(G / (0.8 * Omega**2), abs=EXACT)
    linear = eq.linearize(**found.arguments)
    assert linear.drifting == ("azimuth",)
    bobbing = Omega * math.sqrt(1 + 3 * math.cos(found.q["angle"]) ** 2)
    assert np.sort(linear.steady().eigenvalues.imag) == pytest.approx([-bobbing, 0.0, bobbing], abs=1e-9)


def test_parallelogram():
    """Equal bars move as a pendulum: (2/3 m_1 + m_2) L θ̈ = −(m_1 + m_2) g θ, about hanging straight down."""
    model = lw.Model("parallelogram")
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    model.speeds()
    N, O = model.frame, model.origin
    A, B, C = (N.rotated(name, q, N.z) for name, q in zip("ABC", (q1, q2, q3), strict=True))
    P, R = O.at("P", -0.6 * A.y), O.at("base", 0.9 * N.x)
    for frame, center, mass in ((A, O.at("Ao", -0.3 * A.y), 1.0), (C, R.at("Co", -0.3 * C.y), 1.0)):
        model.body(frame.name, frame=frame, center=center, mass=mass, inertia=lw.inertia(frame, zz=mass * 0.03))
    model.body("B", frame=B, center=P.at("Bo", 0.45 * B.x), mass=2.0, inertia=lw.inertia(B, zz=0.2))
    model.gravity(-G * N.y)
    gap = P.at("end", 0.9 * B.x).position(O) - R.at("tip", -0.6 * C.y).position(O)
    model.constraint("loop", [gap.dot(N.x), gap.dot(N.y)])
    constrained = model.constrained(at={"q1": 0.1, "q2": 0.0, "q3": 0.1})
    rest = constrained.equilibrium(q={"q1": 0.4, "q2": 0.0, "q3": 0.4})
    linear = constrained.linearize(**rest.arguments)
    assert linear.eigenvalues.imag.max() ** 2 == pytest.approx(3.0 * G / ((2 / 3 + 2.0) * 0.6))


def test_frequency_response():
    """1/(k − m ω² + i c ω), at one frequency and at many."""
    linear = oscillator().equations().linearize(q=[0], u=[0]).part("x", "v")
    omega = np.array([0.1, 5.0, 30.0])
    true = 1 / (50.0 - 2.0 * omega**2 + 3.0j * omega)
    assert linear.frequency_response(omega)[:, 0, 0] == pytest.approx(true)
    assert linear.frequency_response(5.0)[0, 0] == pytest.approx(true[1])


def test_response_without_bound():
    """A cart that nothing holds drifts away under a constant force."""
    linear = cart_and_pole().equations().linearize(q=[0, 0], u=[0, 0])
    with pytest.raises(EvaluationError, match="'cart and pole' answers without bound"):
        linear.frequency_response(0.0)


def test_modes_have_frequency_damping_and_shape():
    """λ² + 2 ζ ω λ + ω² = 0 of an oscillator, and v = λ x along its mode."""
    (mode,) = oscillator().equations().linearize(q=[0], u=[0]).modes()
    assert mode.frequency == pytest.approx(5.0)
    assert mode.damping == pytest.approx(3.0 / (2 * math.sqrt(100.0)))
    assert mode.shape["v"] / mode.shape["x"] == pytest.approx(mode.eigenvalue)


# --- operating points -------------------------------------------------------------------------------------------------


def test_input_that_holds_a_position():
    """With q1 held, equilibrium finds the torque; no acceleration is left."""
    constrained = four_bar().constrained()
    found = constrained.equilibrium(q={"q1": 1.0, "q2": 0.4, "q3": 1.4}, hold=["q1"], find=["T"])
    assert found.q["q1"] == 1.0
    assert abs(constrained.udot(**found.arguments)).max() < 1e-9
    potential = constrained.unconstrained.potential_energy
    slope = [constrained.unconstrained.evaluate(potential, **constrained_state(constrained, 1.0 + h, found))
             for h in (1e-5, -1e-5)]  # fmt: skip
    assert found.r["T"] == pytest.approx((slope[0] - slope[1]) / 2e-5, abs=1e-7)


def constrained_state(constrained, q1, near):
    """The four-bar assembled at another q1, at rest."""
    x = constrained.arguments(**(near.arguments | {"q": near.q | {"q1": q1}}))
    q = assemble_q(constrained.terms, x, [0])[1:4]
    return {"q": q, "u": [0, 0, 0]}


def test_no_equilibrium():
    """A cart that is pushed cannot stay; what remains is told."""
    with pytest.raises(ConstraintError, match=r"no equilibrium of 'cart and pole'.*dt\(v\) is"):
        cart_and_pole().equations().equilibrium(q={"theta": 3.0}, r={"F": 1.0})


def test_moving_rows_have_no_equilibrium():
    """Where a row moves with time, nothing is at rest."""
    model = cart_and_pole()
    constrained = model.equations().embed(lw.Constraint("driven", model.symbols["x"] - cos(model.time)))
    with pytest.raises(ConstraintError, match="the rate of 'driven' is"):
        constrained.equilibrium(q={"theta": 3.0}, t=1.0)


# --- choices and refusals ---------------------------------------------------------------------------------------------


def test_states_are_kept_as_asked():
    """``keep`` makes coordinates and speeds states where the constraints allow it."""
    q = MOVING["four-bar"][1]
    constrained = four_bar().constrained(at=q)
    assert constrained.linearize(q=q, keep=["q2", "u3"]).states == ("q2", "u3")
    with pytest.raises(ConstraintError, match=r"q1, q2 of 'four-bar' cannot all be independent under loop"):
        constrained.linearize(q=q, keep=["q1", "q2"])
    with pytest.raises(ConstraintError, match="'q9' is no coordinate or speed of 'four-bar'"):
        constrained.linearize(q=q, keep=["q9"])


def test_singular_position():
    """A flat parallelogram can go two ways; its linear equations are refused."""
    constrained = four_bar(0.5, 1.0, 0.5, 1.0).constrained(at={"q1": 1.0, "q2": 0.0, "q3": 1.0})
    with pytest.raises(ConstraintError, match="'four-bar' is at a singular position and stands still"):
        constrained.linearize(q={"q1": 0.0, "q2": 0.0, "q3": 0.0})


def test_parts_that_depend_on_others():
    """A part must stand by itself."""
    linear = cart_and_pole().equations().linearize(q=[0, 0], u=[0, 0])
    assert linear.part("theta", "w").states == ("theta", "w")
    with pytest.raises(EvaluationError, match="'v' of 'cart and pole' depends on 'theta'"):
        linear.part("v")
    with pytest.raises(EvaluationError, match="'phi' is no state of 'cart and pole'"):
        linear.part("phi")


def test_a_motion_that_is_not_steady_says_so():
    """Everything that depends on a state that moves is named."""
    linear = cart_and_pole().equations().linearize(q=[0, 0.3], u=[0, 0])
    assert linear.drifting == linear.states
    assert linear.steady().states == ()
    assert len(linear.steady().eigenvalues) == 0
    assert "not at rest at the operating point, or moved by what is not: x, theta, v, w" in str(linear)


def test_it_can_be_read_and_drawn(tmp_path):
    """Matrices by name, modes in words, a Bode picture, eigenvalues against a number."""
    linear = oscillator().equations().linearize(q=[0], u=[0])
    assert "damping   0.1500" in str(linear)
    linear.plot([1.0, 5.0, 20.0], path=str(tmp_path / "bode.svg"))
    lw.plot_eigenvalues([1.0, 2.0], [linear, linear], "case", path=str(tmp_path / "eigenvalues.svg"))
    assert {path.name for path in tmp_path.iterdir()} == {"bode.svg", "eigenvalues.svg"}
    with pytest.raises(EvaluationError, match="1 linear systems were given with 2 numbers"):
        lw.plot_eigenvalues([1.0, 2.0], [linear])


# --- against SymPy ----------------------------------------------------------------------------------------------------


def pendulum_in_two_coordinates() -> lw.Model:
    """A particle at (x, y) held at a distance of 1.3 from the origin; gravity along x; a push across."""
    model = lw.Model("pendulum")
    (F,) = model.inputs(F=0.0)
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    N = model.frame
    P = model.origin.at("P", x * N.x + y * N.y)
    model.particle("bob", P, 0.7)
    model.gravity(G * N.x)
    model.force(P, F * N.y)
    model.constraint("rod", x**2 + y**2 - 1.3**2)
    return model


def linearized_by_sympy(x0: float, y0: float) -> tuple[np.ndarray, np.ndarray]:
    """A and B of the same pendulum with y and v independent, from KanesMethod.linearize."""
    from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols

    x, y, u, v, F = dynamicsymbols("x y u v F")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x + y * N.y)
    P.set_vel(N, u * N.x + v * N.y)
    t = dynamicsymbols._t
    loop = x**2 + y**2 - 1.3**2
    kane = KanesMethod(
        N, q_ind=[y], u_ind=[v], q_dependent=[x], u_dependent=[u], configuration_constraints=[loop],
        kd_eqs=[x.diff(t) - u, y.diff(t) - v], velocity_constraints=[x * u + y * v],
    )  # fmt: skip
    kane.kanes_equations([Particle("bob", P, 0.7)], loads=[(P, 0.7 * G * N.x + F * N.y)])
    A, B, _ = kane.linearize(op_point={x: x0, y: y0, u: 0, v: 0, u.diff(t): 0, v.diff(t): 0, F: 0.0}, A_and_B=True)
    return np.array(A.tolist(), dtype=float), np.array(B.tolist(), dtype=float)


def test_against_sympy():
    """A pendulum in two coordinates: the dependent one and its speed are eliminated alike."""
    constrained = pendulum_in_two_coordinates().constrained(at={"x": 1.3, "y": 0.0}, independent=["v"])
    linear = constrained.linearize(q={"x": 1.3, "y": 0.0}, keep=["y"])
    A, B = linearized_by_sympy(1.3, 0.0)
    assert linear.states == ("y", "v")
    assert pytest.approx(A, abs=EXACT) == linear.A
    assert pytest.approx(B, abs=EXACT) == linear.B
