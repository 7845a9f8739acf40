"""Peers: models of ``sympy.physics.mechanics`` taken over give SymPy's M and f."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Function, symbols
from sympy.physics import biomechanics
from sympy.physics.mechanics import (
    KanesMethod,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    System,
    dynamicsymbols,
    inertia,
)

import latchwork as lw
from campaign import seeds
from formats import sympy_systems as made
from formats.sympy_numbers import Peer, formed, ours, random_states
from latchwork.errors import ModelError, SpeedsError, VelocityError
from latchwork.mechanics.frame import Cosines, Turn

t = dynamicsymbols._t

PEERS = {
    "mass, spring and damper": made.oscillator,
    "two masses": made.two_masses,
    "pendulum": made.pendulum,
    "pendulum in x and y": made.pendulum_in_x_and_y,
    "pendulum on a moved support": made.swinging_support,
    "spherical pendulum": made.spherical_pendulum,
    "double pendulum": made.double_pendulum,
    "double pendulum, absolute rates": lambda: made.double_pendulum("absolute rates"),
    "double pendulum, cubic damping": lambda: made.double_pendulum("absolute rates", power=3),
    "cart and pole": made.cart_and_pole,
    "rolling disc": made.rolling_disc,
    "rolling disc, auxiliary speeds": lambda: made.rolling_disc(auxiliary=True),
    "rolling disc, dependent speeds": made.rolling_disc_constrained,
    "rolling disc on the ground": made.rolling_disc_on_ground,
    "sliding disc by rates": lambda: made.disc_by_rates(rolling=False),
    "rolling disc by rates": made.disc_by_rates,
    "cart on wheels": made.cart_on_wheels,
    "cart on wheels, inertia about D": lambda: made.cart_on_wheels(about="D"),
    "cart on wheels by rates": lambda: made.cart_on_wheels(wheels="rates"),
    "tumbling body": made.tumbling_body,
    "conical pendulum": lambda: made.conical_chain(1),
    "cart and bob": made.cart_and_bob,
    "cart and bob on a line": lambda: made.cart_and_bob(constrained=True),
    "box on the ground": made.box_on_ground,
    "chaos pendulum": made.chaos_pendulum,
    "four-bar linkage": made.four_bar,
    "arm with a ball joint": made.arm_with_ball,
}
LONG = ("rolling disc on the ground", "rolling disc by rates", "cart on wheels", "cart on wheels by rates",
        "arm with a ball joint", "four-bar linkage")  # fmt: skip  # of the campaign
HEAVY = {
    "masses in a row": made.masses,
    "cart with links": made.cart_with_links,
    "conical chain": lambda: made.conical_chain(2),
    "bicycle": made.bicycle,
    "free body": made.free_body,
    "three-link conical pendulum": lambda: made.conical_chain(3),
    "cart with ten links": lambda: made.cart_with_links(10),
}


def gap(build, unit=()):
    """The largest difference of M and of f over random states, relative to their largest entries."""
    given = build()
    model = lw.load(given)
    eq, peer, known = model.equations(), Peer(formed(given)), model.imported.symbols
    worst = 0.0
    for x in random_states(peer, known, 3, [leaf for leaf in known if str(leaf) in unit]):
        for mine, theirs in zip(ours(eq, known, x), peer.equations(x), strict=True):
            worst = max(worst, float(np.abs(mine - theirs).max() / np.abs(theirs).max()))
    return worst


@pytest.mark.parametrize("name", seeds([name for name in PEERS if name not in LONG], PEERS))
def test_peers_give_the_same_equations(name):
    """M and f equal SymPy's at random states; with dependent speeds, SymPy's reduced to the independent ones."""
    assert gap(PEERS[name], unit=[f"lambda_{i}(t)" for i in range(4)]) < 1e-10


@pytest.mark.campaign
@pytest.mark.parametrize("name", HEAVY)
def test_heavy_peers_give_the_same_equations(name):
    """The same for systems on which SymPy takes long."""
    assert gap(HEAVY[name]) < 1e-10


def test_pydy_models_give_the_same_equations():
    """What PyDy hands out is a KanesMethod like any other."""
    models = pytest.importorskip("pydy.models")
    assert gap(lambda: models.n_link_pendulum_on_cart(2).eom_method) < 1e-10
    assert gap(lambda: models.multi_mass_spring_damper(2, True, True).eom_method) < 1e-10


# --- what is what -------------------------------------------------------------------------------------------------


def test_symbols_take_their_places():
    """Coordinates, speeds, specified functions and plain symbols become q, u, r and p under their names."""
    eq = lw.load(made.cart_and_pole()).equations()
    assert (eq.q_names, eq.u_names) == (("q1", "q2"), ("u1", "u2"))
    assert [symbol.name for symbol in eq.r] == ["F"]
    assert {symbol.name for symbol in eq.p} == {"mA", "mC", "a", "Iz", "Ix", "Iy", "g", "k", "ls"}


def test_names_are_made_legal_and_kept():
    """Names that are taken, reserved or not names at all change, and ``imported.names`` tells what they were."""
    q, u = dynamicsymbols("t_1 u'")
    m, k = symbols("sin t_1")
    N, P = ReferenceFrame("N"), Point("O*")
    P.set_vel(N, u * N.x)
    model = lw.load(made.kane(N, [q], [u], [q.diff(t) - u], [Particle("", P, m)], [(P, -k * q * N.x)]))
    names = model.imported.names
    assert names["symbols"] == {"t_1": "t_1", "u_prime": "u'", "sin_1": "sin", "t_1_1": "t_1"}
    assert (names["points"], names["bodies"]) == ({"O_star": "O*"}, {"body": ""})


def test_simple_rotations_stay_turns():
    """Turns about x, y, z are recognised whichever way SymPy writes their cosines; others keep nine cosines."""
    q, c = dynamicsymbols("q"), symbols("c")
    N, P, angles = ReferenceFrame("N"), Point("P"), [q, -q, c - q, made.pi / 2 - q, q + made.pi, made.pi / 3]
    P.set_vel(N, 0)
    frames = [N.orientnew(f"A{i}", "Axis", [angle, N.y]) for i, angle in enumerate(angles)]
    frames.append(N.orientnew("B", "Axis", [q, N.x + N.y + N.z]))
    bodies = [RigidBody(f"b{i}", P, frame, 1, (inertia(frame, 1, 2, 3), P)) for i, frame in enumerate(frames)]
    u = dynamicsymbols("u")
    model = lw.load(made.kane(N, [q], [u], [q.diff(t) - u], bodies, None))
    kinds = [type(model.frames[frame.name].edge) for frame in frames]
    assert kinds == [Turn] * len(angles) + [Cosines]
    cosines = [model.frames[f"A{i}"].direction_cosines(model.frame)[0][2] for i in range(len(angles))]
    known = {q: 0.4, c: 0.3}
    expected = [float(N.dcm(frame).T.subs(known)[0, 2]) for frame in frames[:-1]]
    eq = model.equations()
    assert eq.evaluate(cosines, q=[0.4], u=[0], p={"c": 0.3}) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("sequence", "xyz xzy yxz yzx zxy zyx xyx xzx yxy yzy zxz zyz".split())
def test_sequences_stay_sequences(sequence):
    """Three turns about body axes are recognised, in whichever order."""
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Body", [q[0], -q[1], q[2]], sequence)
    body = RigidBody("body", made.fixed_origin(N), A, 1)
    frame = lw.load(made.kane(N, q, u, [a.diff(t) - b for a, b in zip(q, u, strict=True)], [body], None)).frames["A"]
    assert frame.recipe["body"]["sequence"] == sequence
    assert [str(angle) for angle in frame.recipe["body"]["angles"]] == ["q1", "-q2", "q3"]


def test_velocities_that_follow_from_positions_are_not_declared():
    """A chain stays a chain: nothing is declared where SymPy's velocities follow from the geometry."""
    model = lw.load(made.cart_with_links())
    assert all(point.moved is None for point in model.points.values())
    assert all(frame.spun is None for frame in model.frames.values())


def test_points_without_a_place_keep_their_velocity():
    """Where the coordinates do not tell a point's place, its velocity is declared and its position is not known."""
    points = lw.load(made.cart_on_wheels()).points
    assert not points["D"].located
    assert points["A_star"].located
    assert points["A_star"].position(points["D"]) == points["A_star"].offset
    with pytest.raises(ModelError, match="position of 'A_star' from 'O' is not known: of 'D' only the velocity"):
        points["A_star"].position()


def drifting_cart(located):
    """A cart that steers by q and drives at u2, its place left out of the coordinates."""
    model = lw.Model("cart")
    m, J, a = model.parameters(m=2.0, J=0.3, a=0.4)
    q, travel = model.coordinates("q", "travel")
    _, u2 = model.speeds(u1=lw.dt(q), u2=lw.dt(travel))
    A = model.frame.rotated("A", q, model.frame.z)
    D = model.origin.at("D", 0 * A.x)
    D.moves(model.frame, u2 * A.x, located=located)
    model.body("cart", A, D.at("C", a * A.x), m, lw.inertia(A, zz=J))
    return model.equations()


def test_declared_velocity_of_a_point_that_is_not_located_is_taken_as_it_is():
    """M = diag(J + m a², m), f = (-m a u1 u2, m a u1²); located points are still checked."""
    eq = drifting_cart(located=False)
    state = {"q": [0.3, 5.0], "u": [0.7, 1.1]}
    assert eq.evaluate(eq.M, **state) == pytest.approx(np.diag([0.3 + 2 * 0.16, 2.0]))
    assert eq.evaluate(eq.f, **state).ravel() == pytest.approx([-0.8 * 0.7 * 1.1, 0.8 * 0.49])
    with pytest.raises(VelocityError, match="velocity of point 'D' in N disagrees"):
        drifting_cart(located=True)


def wheel_on_an_arm(oriented):
    """A round wheel on a universal joint, with its angle or with its spin alone."""
    model = lw.Model("wheel on an arm")
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    A = model.frame.rotated("A", q1, model.frame.z)
    B = A.rotated("B", q2, A.x)
    wheel = B.rotated("W", q3, B.y) if oriented else B.spinning("W", y=lw.dt(q3))
    model.body("wheel", wheel, model.origin.at("C", 0.5 * B.y), 1.5, lw.inertia(B, xx=0.2, yy=0.4, zz=0.2))
    model.torque(wheel, 0.1 * B.y - 0.2 * B.z, reaction=B)
    return model.equations()


def test_a_round_wheel_needs_no_angle():
    """A frame that is only spinning gives the same accelerations as one that is oriented."""
    state = [0.3, 0.4, 0.9], [0.5, -0.6, 0.7]
    assert wheel_on_an_arm(False).udot(*state) == pytest.approx(wheel_on_an_arm(True).udot(*state), rel=1e-13)


def test_dependent_speeds_and_constraints_are_at_hand():
    """u_dep = D u + E and the configuration constraints come along as expressions of the model."""
    model = lw.load(made.cart_and_bob(constrained=True))
    eq = model.equations()
    state = {"q": {"qp": 0.3, "qc": 0.1}, "u": {"up": 2.0}, "p": {"l": 0.5, "mc": 1, "mp": 1, "g": 9.8, "k": 1}}
    assert eq.evaluate(model.imported.dependent["uc"], **state) == pytest.approx(-0.5 * np.cos(0.3) * 2.0)
    assert eq.evaluate(model.imported.configuration[0], **state) == pytest.approx(0.1 - 0.5 * -np.sin(0.3))


def test_sympy_is_left_as_it_was():
    """Taking a model over neither forms SymPy's equations nor sets velocities."""
    given = made.swinging_support()
    before = [dict(body.point._vel_dict) for body in given.bodies]
    lw.load(given)
    assert [body.point._vel_dict for body in given.bodies] == before
    with pytest.raises(ValueError, match="Need to compute Fr"):
        _ = given.forcing


# --- what is refused ----------------------------------------------------------------------------------------------


def one_mass(kd=None, force=0, mass=1, velocity=None, q=None, u=None, **more):
    """A mass on a line, with one thing changed."""
    q, u = q or dynamicsymbols("q"), u or dynamicsymbols("u")
    N, P = ReferenceFrame("N"), Point("P")
    P.set_vel(N, (u if velocity is None else velocity) * N.x)
    kd = [q.diff(t) - u] if kd is None else kd
    return made.kane(N, [q], [u], kd, [Particle("block", P, mass)], [(P, force * N.x)], **more)


def no_bodies():
    q, u = dynamicsymbols("q u")
    return KanesMethod(ReferenceFrame("N"), [q], [u], kd_eqs=[q.diff(t) - u])


def no_kinematics():
    q, u = dynamicsymbols("q u")
    return KanesMethod(ReferenceFrame("N"), [q], [u])


def no_velocity():
    q, u = dynamicsymbols("q u")
    return made.kane(ReferenceFrame("N"), [q], [u], [q.diff(t) - u], [Particle("block", Point("P"), 1)], None)


def no_frame(spin=None, tensor="B"):
    q, u = dynamicsymbols("q u")
    N, B = ReferenceFrame("N"), ReferenceFrame("B")
    if spin is not None:
        B.set_ang_vel(N, u * {"N": N, "B": B}[spin].z)
    frame = {"N": N, "B": B}[tensor]
    body = RigidBody("rotor", made.fixed_origin(N), B, 1)
    body.central_inertia = inertia(frame, 1, 2, 3)
    return made.kane(N, [q], [u], [q.diff(t) - u], [body], None)


def nonlinear_system():
    system, block = System(), Particle("block", mass=1)
    q, u = dynamicsymbols("q u")
    system.add_bodies(block)
    block.masscenter.set_vel(system.frame, u * system.x)
    system.q_ind, system.u_ind, system.kdes = [q], [u], [q.diff(t) ** 2 - u]
    return system


def idle_constraint():
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    system, block = System(), Particle("block", mass=1)
    system.add_bodies(block)
    block.masscenter.set_vel(system.frame, u1 * system.x + u2 * system.y)
    system.q_ind, system.u_ind, system.u_dep = [q1, q2], [u1], [u2]
    system.kdes, system.velocity_constraints = [q1.diff(t) - u1, q2.diff(t) - u2], [u1]
    return system


def wrong_acceleration():
    given = made.pendulum_in_x_and_y()
    rows = [given._k_nh.dot(given.u.diff(t))]
    kd = [a.diff(t) - b for a, b in zip(given.q, given.u, strict=True)]
    return KanesMethod(
        given._inertial, given.q[:1], given.u[:1], kd_eqs=kd,
        q_dependent=given.q[1:], u_dependent=given.u[1:], configuration_constraints=list(given._f_h),
        velocity_constraints=list(given._k_nh * given.u), acceleration_constraints=rows, bodies=given.bodies,
    )  # fmt: skip


F, u_of_t = dynamicsymbols("F"), dynamicsymbols("u")
REFUSED = {
    "no bodies": (no_bodies, ModelError, "has no bodies"),
    "no kinematics": (no_kinematics, ModelError, "no kinematical differential equations"),
    "no velocity": (no_velocity, ModelError, "point 'P' has no velocity in 'N'"),
    "no frame": (no_frame, ModelError, "frame 'B' hangs in the air"),
    "frames apart": (lambda: no_frame("N", "B"), ModelError, "body 'rotor' needs frames whose orientation"),
    "specified motion": (lambda: one_mass(velocity=u_of_t + F), ModelError, r"velocity of point 'P' depends on F\(t\)"),
    "function of q": (lambda: one_mass(force=Function("f")(u_of_t)), ModelError, r"depends on f\(u\(t\)\)"),
    "acceleration": (lambda: one_mass(force=u_of_t.diff(t)), ModelError, "holds the acceleration"),
    "varying mass": (lambda: one_mass(mass=2 + u_of_t), ModelError, "mass of body 'block' varies with u"),
    "derivative as speed": (lambda: one_mass(u=dynamicsymbols("q", 1), kd=[2 * dynamicsymbols("q", 1)]), ModelError,
                            "is a derivative, not a symbol"),
    "not linear": (nonlinear_system, SpeedsError, r"not linear in dt\(q\)"),
    "singular": (idle_constraint, SpeedsError, "the velocity constraints of 'System' do not determine u2"),
    "wrong accelerations": (wrong_acceleration, ModelError, "not the time derivatives of its velocity constraints"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_taken_over_is_refused(name):
    """An error says what is missing or wrong, by name."""
    build, error, message = REFUSED[name]
    given = build()
    with pytest.raises(error, match=message):
        lw.load(given)


def test_angular_velocities_must_agree_with_orientations():
    """A frame that turns with q but is said to spin otherwise is refused when equations are derived."""
    q, u = dynamicsymbols("q u")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, 2 * u * N.z)
    body = RigidBody("rotor", made.fixed_origin(N), A, 1)
    body.central_inertia = inertia(A, 1, 2, 3)
    model = lw.load(made.kane(N, [q], [u], [q.diff(t) - u], [body], None))
    with pytest.raises(VelocityError, match="angular velocity of frame 'A' in N disagrees"):
        model.equations()


# --- functions that write themselves out, declared accelerations ---------------------------------------------------


def hanging(load=(), declared=None):
    """A bob of mass m on a string of length L, with loads on it, and an acceleration that SymPy is told."""
    q, u = dynamicsymbols("q u")
    m, L = symbols("m L")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", (q, N.z))
    A.set_ang_vel(N, u * N.z)
    P = O.locatenew("P", L * A.x)
    P.v2pt_theory(O, N, A)
    if declared is not None:
        P.set_acc(N, declared(q, u, L, A))
    loads = [(P, scale * A.y) for scale in load]
    return KanesMethod(N, [q], [u], kd_eqs=[u - q.diff(t)], bodies=[Particle("bob", P, m)], forcelist=loads)


@pytest.mark.parametrize("name", ["TendonForceLength", "FiberForceLengthPassive", "FiberForceLengthActive",
                                  "FiberForceVelocity", "FiberForceVelocityInverse"])  # fmt: skip
def test_muscle_curves_are_written_out(name):
    """Functions that are not known are what their own ``doit`` says, to the digits of SymPy's evaluation."""
    curve = getattr(biomechanics, f"{name}DeGroote2016")
    x = symbols("x")
    kane = hanging([curve.with_defaults(x)])
    model = lw.load(kane)
    (force,) = model.equations().evaluate(model.equations().Fr, [0.3], [0.0], p={"m": 1.0, "L": 2.0, "x": 0.9}).ravel()
    assert force == pytest.approx(2.0 * float(curve.with_defaults(x).doit().subs({x: 0.9})), rel=1e-12)


DECLARED = {
    "in speeds": lambda q, u, L, A: L * u.diff(t) * A.y - L * u**2 * A.x,
    "in coordinates": lambda q, u, L, A: L * q.diff(t, 2) * A.y - L * q.diff(t) ** 2 * A.x,
}


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED.keys())
def test_declared_accelerations_that_follow_from_velocities_are_taken(declared):
    """The time derivative of the velocity, in speeds or in coordinates."""
    assert lw.load(hanging(declared=declared)).equations().udot([0.3], [0.5], p={"m": 1.0, "L": 2.0}).tolist() == [0.0]


def test_declared_accelerations_that_differ_are_refused():
    """SymPy would take what is declared: the point, and what was declared, are named."""
    with pytest.raises(ModelError, match=r"the acceleration of point 'P' is declared as .*not the time derivative"):
        lw.load(hanging(declared=lambda q, u, L, A: L * u.diff(t) * A.y - 2 * L * u**2 * A.x))


def test_declared_angular_accelerations_that_differ_are_refused():
    """The same of a body's frame."""
    q, u = dynamicsymbols("q u")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", (q, N.z))
    A.set_ang_vel(N, u * N.z)
    A.set_ang_acc(N, 2 * u.diff(t) * N.z)
    wheel = RigidBody("wheel", O, A, symbols("m"), (inertia(A, 0, 0, symbols("J")), O))
    with pytest.raises(ModelError, match="the angular acceleration of frame 'A' is declared"):
        lw.load(KanesMethod(N, [q], [u], kd_eqs=[u - q.diff(t)], bodies=[wheel], forcelist=[]))
