"""Reactions: with all of them applied, every body obeys Newton and Euler."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from free_bodies import FreeBodies, imbalance
from latchwork import cos, dt, sin
from latchwork.constraint.constraint import Pull
from random_trees import KINDS, build, build_by_hand, random_mechanism, random_state

TOLERANCE = 1e-10
G = 9.81


# --- random trees -----------------------------------------------------------------------------------------------------


def with_speeds(state, u):
    """The same state with other speeds, cut by parts."""
    ends = np.cumsum([len(part) for part in state.u])[:-1]
    return replace(state, u=np.split(np.asarray(u), ends))


def tied(seed):
    """A random tree whose last part is pinned to the ground (even seeds) or to another part, where they are."""
    mechanism = random_mechanism(seed, bodies=3 + seed % 5, rheonomic=False)
    built, state = build(mechanism), random_state(mechanism, seed)
    poses = FreeBodies(mechanism, state, np.zeros(mechanism.n)).poses
    last, other = len(mechanism.parts) - 1, -1 if seed % 2 == 0 else 0
    P = built.point((last, (0.3, -0.2, 0.4)), "P_tie")
    R, x = (a.value[0].real for a in poses[last])
    where = x + R @ np.array([0.3, -0.2, 0.4])
    if other == 0:
        R, x = (a.value[0].real for a in poses[0])
        where = R.T @ (where - x)
    Q = built.point((other, tuple(where)), "Q_tie")
    N = built.model.frame
    gaps = [P.position(Q).dot(n) for n in (N.x, N.y, N.z)]
    pin = lw.Constraint("pin", gaps, [Pull(n, P, Q) for n in (N.x, N.y, N.z)])
    return mechanism, built, state, pin, (last, other)


@pytest.mark.parametrize("seed", seeds(range(8), range(32)))  # at 32 both ends of the pin stand still
def test_every_body_of_a_pinned_tree_is_in_balance(seed):
    """Loads, joints and a pin close the balance of each part, accelerations from the embedded equations."""
    mechanism, built, state, pin, ends = tied(seed)
    equations, arguments = built.model.equations(), state.arguments
    constrained = equations.embed(pin, at=arguments["q"], t=state.t)
    given = constrained.arguments(**arguments)
    state = with_speeds(state, given[1 + len(equations.q) :][: len(equations.u)])
    arguments = state.arguments
    bodies = FreeBodies(mechanism, state, constrained.udot(**arguments))
    bodies.inertia()
    bodies.loads(built, equations, arguments)
    reactions = constrained.reactions(**arguments)
    bodies.joints(reactions, equations, arguments)
    bodies.pair(reactions["pin"], *ends, equations, arguments)
    forces = [np.abs([r.force, r.torque]).max() for r in reactions.values()]
    assert np.abs(bodies.total[:-1]).max() < TOLERANCE * max(1.0, *forces)


@pytest.mark.parametrize("seed", seeds(range(4), range(40)))
def test_joints_carry_a_gear_that_is_an_expression(seed):
    """u_a + 2 u_b = 0 ties two speeds; the joints transmit it, and every part is in balance."""
    mechanism = random_mechanism(seed, bodies=4, kinds=["revolute", "prismatic", "universal"], aside=0.0)
    built, state = build(mechanism), random_state(mechanism, seed)
    equations = built.model.equations()
    gear = lw.Constraint("gear", equations.u[0] + 2.0 * equations.u[-1])
    constrained = equations.embed(gear, at=state.arguments["q"], t=state.t)
    given = constrained.arguments(**state.arguments)
    state = with_speeds(state, given[1 + len(equations.q) :][: len(equations.u)])
    arguments = state.arguments
    reactions = constrained.reactions(**arguments)
    bodies = FreeBodies(mechanism, state, constrained.udot(**arguments))
    bodies.inertia()
    bodies.loads(built, equations, arguments)
    bodies.joints(reactions, equations, arguments)
    forces = [np.abs([r.force, r.torque]).max() for r in reactions.values() if r.force is not None]
    assert np.abs(bodies.total[:-1]).max() < TOLERANCE * max(1.0, *forces)
    assert reactions["gear"].force is None
    assert reactions["gear"].generalized == pytest.approx(constrained.constraint_force(**arguments), rel=1e-9, abs=1e-9)


# --- closed loops -----------------------------------------------------------------------------------------------------


def four_bar(tilt, closure):
    """Three bars on hinges about the axis of a tilted frame, the last pinned to the ground by chosen rows."""
    model = lw.Model("four-bar")
    N = model.frame
    E = N.rotated("E'", tilt, N.x).rotated("E", 0.7 * tilt, N.y)
    lengths, inboard, at = (1.0, 2.2, 1.6), E, model.origin
    for name, length in zip(("crank", "coupler", "rocker"), lengths, strict=True):
        link = model.revolute(f"{name}_hinge", inboard, at=at, axis=E.z)
        center = link.origin.at(f"{name}_c", 0.5 * length * link.frame.x + 0.05 * link.frame.z)
        model.body(name, link.frame, center, length, lw.inertia(link.frame, 0.02, 0.1 * length, 0.1 * length, xy=0.01))
        inboard, at = link.frame, link.origin.at(f"{name}_tip", length * link.frame.x)
    model.gravity(-G * N.y)
    ground, F = model.origin.at("ground", 2.0 * E.x), inboard
    gap = at.position(ground)
    rows = {
        "plane": [(gap.dot(n), Pull(n, at, ground)) for n in (E.x, E.y)],
        "space": [(gap.dot(n), Pull(n, at, ground)) for n in (N.x, N.y, N.z)]
        + [(F.z.dot(n), Pull(F.z.cross(n), F, E)) for n in (E.x, E.y)],
    }[closure]
    equations = model.equations()
    return equations.embed(lw.Constraint("pin", *zip(*rows, strict=True)), at=[0.9, -0.6, -1.6])


def moving(constrained, u):
    """An assembled state that moves, as arguments."""
    q = constrained.assemble({"q_crank_hinge": 0.9, "q_coupler_hinge": -0.6, "q_rocker_hinge": -1.6})
    return {"q": q, "u": constrained.velocities(q, {constrained.independent[0].name: u})}


@pytest.mark.parametrize("tilt", [0.0, 0.6])
@pytest.mark.parametrize("closure", ["plane", "space"])
def test_every_body_of_a_four_bar_is_in_balance(tilt, closure):
    """Closed by two rows in its plane or by the five of a hinge in space, three of them redundant."""
    constrained = four_bar(tilt, closure)
    arguments = moving(constrained, 1.7)
    reactions = constrained.reactions(**arguments)
    assert imbalance(constrained.unconstrained, reactions, constrained.udot(**arguments), **arguments) < TOLERANCE


@pytest.mark.parametrize("tilt", [0.0, 0.6])
def test_redundant_rows_leave_open_what_they_say_and_no_more(tilt):
    """In the plane all closures agree; across it, three directions of each reaction are reported as open."""
    plane, space = four_bar(tilt, "plane"), four_bar(tilt, "space")
    arguments = moving(plane, 1.7)
    less, more = plane.reactions(**arguments), space.reactions(**arguments)
    for name, reaction in less.items():
        assert len(reaction.undetermined) == 0
        assert len(more[name].undetermined) == 3
        wrench = np.concatenate([reaction.force, reaction.torque])
        change = np.concatenate([more[name].force, more[name].torque]) - wrench
        inside = more[name].undetermined.T @ (more[name].undetermined @ change)
        assert change == pytest.approx(inside, abs=1e-9)
    assert "not determined in 3 directions" in str(more["pin"])


def test_copies_of_an_expression_share_a_force_that_is_not_theirs():
    """Two copies of a gear: half of λ each, one open direction each; together what one alone exerts."""
    model = disk_on_a_ramp()[0]
    eq, roll = model.equations(), model.symbols["u1"] + model.symbols["u2"]
    state = {"q": [0.0, 0.0], "u": {"u1": 1.0}}
    alone = eq.embed(lw.Constraint("a", roll)).reactions(**state)["a"]
    both = eq.embed(lw.Constraint("a", roll), lw.Constraint("b", roll)).reactions(**state)
    assert (len(alone.undetermined), len(both["a"].undetermined), len(both["b"].undetermined)) == (0, 1, 1)
    assert len(both["disk"].undetermined) == 0
    assert both["a"].lam == pytest.approx(0.5 * alone.lam)
    assert both["a"].generalized + both["b"].generalized == pytest.approx(alone.generalized)
    assert str(both["b"]).endswith("not determined in 1 direction")


def slider_crank():
    """A crank, a rod without mass, and a block in a guide along N.x."""
    model = lw.Model("slider-crank")
    N = model.frame
    crank = model.revolute("crank", N, at=model.origin)
    model.body("wheel", crank.frame, crank.origin, 1.0, lw.inertia(crank.frame, zz=0.4))
    rod = model.revolute("rod", crank.frame, at=crank.origin.at("pin", 0.5 * crank.frame.x))
    tip = rod.origin.at("tip", 2.0 * rod.frame.x)
    slide = model.prismatic("slide", N, at=model.origin, axis=N.x)
    model.particle("block", slide.origin, 3.0)
    model.gravity(-G * N.y)
    gap = tip.position(slide.origin)
    loop = lw.Constraint("loop", [gap.dot(N.x), gap.dot(N.y)], [Pull(n, tip, slide.origin) for n in (N.x, N.y)])
    return model, model.equations().embed(loop, at=[0.8, -1.1, 2.2])


def test_the_guide_of_a_slider_crank_takes_the_side_force():
    """A rod without mass pushes along itself: m ẍ on the block along the guide, m ẍ tan β across."""
    model, constrained = slider_crank()
    q = constrained.assemble({"q_crank": 0.8, "q_rod": -1.1, "q_slide": 2.2})
    state = {"q": q, "u": constrained.velocities(q, {"u_crank": 3.0})}
    reactions = constrained.reactions(**state)
    push = 3.0 * constrained.udot(**state)[2]
    across = push * math.tan(q["q_crank"] + q["q_rod"])
    N = model.frame
    assert reactions["loop"].along(N.x) == pytest.approx(-push, rel=1e-12)
    assert reactions["loop"].along(N.y) == pytest.approx(-across, rel=1e-12)
    assert reactions["slide"].along(N.y) == pytest.approx(3.0 * G - across, rel=1e-12)
    assert reactions["slide"].along(N.x) == pytest.approx(0.0, abs=1e-11)
    assert (reactions["loop"].on, reactions["loop"].other) == ("rod", "block")


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0])
def test_the_string_of_a_pendulum_pulls_as_it_should(angle):
    """m (g cos θ + L θ̇²), from a distance that is constrained and from a coordinate that holds it."""
    L, m, rate = 0.7, 2.0, 3.0
    pull = m * (G * math.cos(angle) + L * rate**2)
    model = lw.Model("bob")
    x, y = model.coordinates("x", "y")
    O, N = model.origin, model.frame
    P = O.at("P", x * N.x + y * N.y)
    model.particle("bob", P, m)
    model.gravity(-G * N.y)
    string = lw.Constraint("string", x * x + y * y - L * L, [Pull(2.0 * P.position(), P, O)])
    at = [L * math.sin(angle), -L * math.cos(angle)]
    constrained = model.equations().embed(string, at=at)
    reaction = constrained.reactions(at, [rate * L * math.cos(angle), rate * L * math.sin(angle)])["string"]
    assert reaction.along(P.position()) == pytest.approx(-pull, rel=1e-12)
    assert reaction.lam == pytest.approx([-0.5 * pull / L], rel=1e-12)
    swing = lw.Model("swing")
    (q,) = swing.coordinates("q")
    A = swing.frame.rotated("A", q, swing.frame.z)
    bob = swing.particle("bob", swing.origin.at("P", -L * A.y), m)
    swing.gravity(-G * swing.frame.y)
    eq = swing.equations()
    assert eq.reactions([angle], [rate])["bob"].along(A.y) == pytest.approx(pull, rel=1e-12)
    assert eq.evaluate(eq.reaction_of(bob, A.y), [angle], [rate]) == pytest.approx(pull, rel=1e-12)


# --- held by coordinates ----------------------------------------------------------------------------------------------


def disk_on_a_ramp():
    model = lw.Model("disk on a ramp")
    m, J, r, gravity, phi = model.parameters(m=1.0, J=0.5, r=1.0, gravity=9.8, phi=math.pi / 12)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=r * dt(q2))
    A = model.frame.rotated("A", phi, model.frame.z)
    B = A.rotated("B", q2, A.z)
    Bo = model.origin.at("Bo", q1 * A.x + r * A.y)
    disk = model.body("disk", B, Bo, m, lw.inertia(B, zz=J))
    model.gravity(-gravity * model.frame.y)
    return model, disk, A, Bo.at("C", -r * A.y)


def test_the_ramp_presses_on_the_disk():
    """N = m g cos φ, sliding or rolling; the text of Patoglu's Ex. 1 has sin φ, see the errata."""
    model, disk, A, contact = disk_on_a_ramp()
    eq = model.equations()
    assert str(eq.reaction_of(disk, A.y)) == "gravity*m*cos(phi)"
    assert eq.reaction_of(contact, 2.0 * A.y) == eq.reaction_of(disk, A.y)
    rolling = eq.embed(lw.Constraint("rolling", model.symbols["u1"] + model.symbols["u2"]))
    reactions = rolling.reactions(q=[14.0, 0.3], u={"u1": 7.0}, at=contact)
    held = reactions["disk"]
    assert (held.on, held.other, held.at) == ("disk", "N", contact)
    assert held.along(A.y) == pytest.approx(9.8 * math.cos(math.pi / 12), rel=1e-13)
    assert held.along(A.x) == pytest.approx(9.8 * math.sin(math.pi / 12) / 3.0, rel=1e-13)  # friction: J = m r²/2
    assert held.torque == pytest.approx(np.zeros(3), abs=1e-13)
    assert held.along(A.x) == pytest.approx(reactions["rolling"].lam[0], rel=1e-13)


def cart(free):
    """A cart on a curved way with a rotor that swings on it; ``free`` adds a coordinate that the first lets go."""
    model = lw.Model("cart")
    q1, q2 = model.coordinates("q1", "q2")
    (extra,) = model.coordinates("extra") if free else (0.0,)
    N = model.frame
    A = N.rotated("A", 0.3 + 0.2 * sin(q1), N.z)
    lift, turn = {"along": (extra, 0.0), "about": (0.0, extra)}.get(free, (0.0, 0.0))
    way = model.origin.at("way", q1 * N.x + cos(q1) * N.y)
    cut = way.at("cut", lift * A.y)
    F = A.rotated("F", turn, A.x)
    body = model.body("cart", F, cut.at("Co", 0.2 * F.x + 0.1 * F.y), 2.0, lw.inertia(F, 0.3, 0.4, 0.5, xy=0.05))
    B = F.rotated("B", q2, F.z)
    hinge = cut.at("hinge", 0.3 * F.x + 0.4 * F.z)
    model.body("rotor", B, hinge.at("Ro", 0.6 * B.x), 1.5, lw.inertia(B, 0.1, 0.2, 0.3))
    model.gravity(-G * N.y)
    return model, body, A, cut


@pytest.mark.parametrize("free", ["along", "about"])
def test_an_auxiliary_speed_placed_by_hand_says_the_same(free):
    """Let the cart go by one more coordinate, hold it by a constraint: λ is what the coordinates held it with."""
    model, body, A, cut = cart("")
    eq = model.equations()
    force = eq.reaction_of(body, A.y) if free == "along" else eq.reaction_torque_of(body, A.x, cut)
    found = eq.evaluate(force, [0.4, -0.7], [1.3, 2.1])
    by_hand = cart(free)[0]
    held = by_hand.equations().embed(lw.Constraint("hold", by_hand.symbols["extra"]), at=[0.4, -0.7, 0.0])
    lam = held.multipliers([0.4, -0.7, 0.0], {"u1": 1.3, "u2": 2.1})["hold"]
    assert found == pytest.approx(lam[0], rel=1e-11)


def test_bodies_held_by_coordinates_are_in_balance():
    """The cart and its rotor, described without joints."""
    eq = cart("")[0].equations()
    state = {"q": [0.4, -0.7], "u": [1.3, 2.1]}
    reactions = eq.reactions(**state)
    assert {r.name: r.other for r in reactions.values()} == {"cart": "N", "rotor": "cart"}
    assert imbalance(eq, reactions, eq.udot(**state), **state) < TOLERANCE


@pytest.mark.parametrize("seed", seeds(range(5), range(60)))
def test_every_body_of_a_tree_without_joints_is_in_balance(seed):
    """Random trees of frames and points alone: each body is cut where its coordinates hold it."""
    kinds = [kind for kind in KINDS if kind != "weld"]
    mechanism = random_mechanism(seed, bodies=1 + seed % 5, kinds=kinds, aside=0.0)
    built = build_by_hand(mechanism, lambda rates, q, t: {f"u{k}": rate for k, rate in enumerate(rates)})
    state = random_state(mechanism, seed)
    equations, arguments = built.model.equations(), state.arguments
    bodies = FreeBodies(mechanism, state, equations.udot(**arguments))
    bodies.inertia()
    bodies.loads(built, equations, arguments)
    size = max(1.0, np.abs(bodies.total).max())
    bodies.joints(equations.reactions(**arguments), equations, arguments, letter="B")
    assert np.abs(bodies.total[:-1]).max() < TOLERANCE * size


def riders(rigid, arm_mass):
    """An arm on a hinge (with or without mass), and on it a slider that no joint carries."""
    model = lw.Model("riders")
    arm = model.revolute("hinge", model.frame, at=model.origin)
    if arm_mass:
        model.body("arm", arm.frame, arm.origin.at("Ao", 0.5 * arm.frame.x), arm_mass, lw.inertia(arm.frame, zz=0.2))
    (s,) = model.coordinates("s")
    place = arm.origin.at("S", s * arm.frame.x + 0.1 * arm.frame.y)
    if rigid:
        model.body("slider", arm.frame, place, 2.0, lw.inertia(arm.frame, zz=0.3))
    else:
        model.particle("slider", place, 2.0)
    model.gravity(-G * model.frame.y)
    return model, arm


@pytest.mark.parametrize("rigid", [True, False])
@pytest.mark.parametrize("arm_mass", [1.0, 0.0])
def test_what_coordinates_move_along_a_joint_is_cut_by_itself(rigid, arm_mass):
    """The arm presses on its slider across, not along; the hinge carries both."""
    model, arm = riders(rigid, arm_mass)
    eq, state = model.equations(), {"q": [0.7, 0.8], "u": [1.5, -0.6]}
    reactions = eq.reactions(**state)
    assert [(r.name, r.on, r.other) for r in reactions.values()] == [
        ("hinge", "arm" if arm_mass else "hinge", "N"), ("slider", "slider", "arm" if arm_mass else "hinge"),
    ]  # fmt: skip
    assert reactions["slider"].along(arm.frame.x) == pytest.approx(0.0, abs=1e-12)
    assert eq.evaluate(eq.reaction_of(model.points["S"], arm.frame.y), **state) == pytest.approx(
        reactions["slider"].along(arm.frame.y), rel=1e-13
    )
    assert imbalance(eq, reactions, eq.udot(**state), **state) < TOLERANCE


def test_bodies_fixed_to_each_other_are_held_once():
    """Two bodies of one frame without a joint: one reaction, for both."""
    model = lw.Model("pair")
    (q,) = model.coordinates("q")
    A = model.frame.rotated("A", q, model.frame.z)
    for name, mass, reach in (("near", 1.0, 0.5), ("far", 2.0, 1.0)):
        model.body(name, A, model.origin.at(name, -reach * A.y), mass, lw.inertia(A, zz=0.1))
    model.gravity(-G * model.frame.y)
    reactions = model.equations().reactions([0.0], [2.0])
    assert list(reactions) == ["near"]
    assert reactions["near"].force == pytest.approx([0.0, 3.0 * G + 4.0 * (0.5 + 2.0), 0.0], abs=1e-12)


def test_joints_say_the_same_as_the_auxiliary_speed():
    """Where a joint exists, force and torque are the measures of the joint's."""
    mechanism = random_mechanism(3, bodies=3)
    built, state = build(mechanism), random_state(mechanism, 3)
    eq, arguments = built.model.equations(), state.arguments
    N, link = built.model.frame, built.links[2]
    reaction = eq.reactions(**arguments, at=built.model.origin)["L2"]
    along = eq.evaluate([eq.reaction_of(link, n) for n in (N.x, N.y, N.z)], **arguments)
    about = eq.evaluate(
        [eq.reaction_torque_of(link, n, built.model.origin) for n in (N.x, N.y, N.z)], **arguments
    )
    assert along == pytest.approx(reaction.force, rel=1e-12, abs=1e-12)
    assert about == pytest.approx(reaction.torque, rel=1e-12, abs=1e-12)


# --- another engine ---------------------------------------------------------------------------------------------------


def test_a_pinned_chain_reacts_as_in_pinocchio():
    """Joint forces from its recursive Newton-Euler, and the force in the pin from its constrained dynamics."""
    pin = pytest.importorskip("pinocchio")
    model, peer = lw.Model("chain"), pin.Model()
    inboard, at, parent = model.frame, model.origin, 0
    for i, kind in enumerate("ZYXZY"):
        axis = getattr(inboard, kind.lower())
        link = model.revolute(f"j{i}", inboard, at=at, axis=axis)
        center = link.origin.at(f"c{i}", link.frame.vector(0.2, 0.1, -0.3))
        model.body(f"b{i}", link.frame, center, 1.0 + i, lw.inertia(link.frame, 0.3, 0.4, 0.5))
        shift = np.zeros(3) if i == 0 else np.array([0.5, 0.1, -0.4])
        parent = peer.addJoint(parent, getattr(pin, f"JointModelR{kind}")(), pin.SE3(np.eye(3), shift), f"j{i}")
        inertia = pin.Inertia(1.0 + i, np.array([0.2, 0.1, -0.3]), np.diag([0.3, 0.4, 0.5]))
        peer.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        inboard, at = link.frame, link.origin.at(f"t{i}", link.frame.vector(0.5, 0.1, -0.4))
    model.gravity(-G * model.frame.z)
    q, data = np.array([0.3, -0.5, 0.8, 0.4, -0.2]), peer.createData()
    pin.forwardKinematics(peer, data, q)
    place = data.oMi[parent].act(np.array([0.5, 0.1, -0.4]))
    ground = model.origin.at("ground", model.frame.vector(*place))
    axes = (model.frame.x, model.frame.y, model.frame.z)
    gaps, pulls = [at.position(ground).dot(n) for n in axes], [Pull(n, at, ground) for n in axes]
    constrained = model.equations().embed(lw.Constraint("pin", gaps, pulls), at=q)
    u = np.array(list(constrained.velocities(q, {"u_j0": 0.7, "u_j1": -0.4}).values()))
    reactions, udot = constrained.reactions(q, u), constrained.udot(q, u)
    tip = pin.SE3(np.eye(3), np.array([0.5, 0.1, -0.4]))
    contact = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, peer, parent, tip, 0, pin.SE3(np.eye(3), place),
                                       pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)  # fmt: skip
    ties, tied_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    ties.append(contact)
    tied_data.append(contact.createData())
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 30)
    pin.initConstraintDynamics(peer, data, ties, tied_data)
    theirs = pin.constraintDynamics(peer, data, q, u, np.zeros(5), ties, tied_data, settings)
    assert udot == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    force = np.asarray(data.lambda_c)
    assert reactions["pin"].force == pytest.approx(force, rel=1e-8, abs=1e-8)
    at_tip = pin.StdVec_Force([pin.Force.Zero()] * 6)
    at_tip[parent] = tip.act(pin.Force(data.oMi[parent].rotation.T @ force, np.zeros(3)))
    pin.rnea(peer, data, q, u, theirs, at_tip)
    for i in range(5):
        turned = data.oMi[i + 1].rotation
        assert reactions[f"j{i}"].force == pytest.approx(turned @ data.f[i + 1].linear, rel=1e-8, abs=1e-8)
        assert reactions[f"j{i}"].torque == pytest.approx(turned @ data.f[i + 1].angular, rel=1e-8, abs=1e-8)


# --- many rows, names, refusals ---------------------------------------------------------------------------------------


def test_many_rows_are_what_single_rows_are():
    """The plan is a pure function of (t, q, u, r, p, u̇, λ): the same bits row by row."""
    constrained = four_bar(0.6, "space")
    plan, rng = constrained.reaction_plan(), np.random.default_rng(2)
    n_x, n, m = len(constrained.unconstrained.arguments), len(constrained.unconstrained.u), len(constrained.rows)
    x, udot, lam = rng.normal(size=(7, n_x)), rng.normal(size=(7, n)), rng.normal(size=(7, m))
    together = plan.wrenches(x, udot, lam)
    alone = np.array([plan.wrenches(*row) for row in zip(x, udot, lam, strict=True)])
    assert together.shape == (7, len(plan.physical), 6)
    assert (together == alone).all()


def test_torques_are_about_the_point_that_was_chosen():
    """T_P = T_Q + p_PQ × R for constraints and joints alike."""
    model, constrained = slider_crank()
    q = constrained.assemble({"q_crank": 0.8, "q_rod": -1.1, "q_slide": 2.2})
    state = {"q": q, "u": constrained.velocities(q, {"u_crank": 3.0})}
    P = model.origin.at("far", model.frame.vector(1.0, -2.0, 0.5))
    near, far = constrained.reactions(**state), constrained.reactions(**state, at=P)
    for name, reaction in near.items():
        arm = constrained.unconstrained.evaluate(reaction.at.position(P), **state)
        assert far[name].at is P
        assert far[name].force == pytest.approx(reaction.force, rel=1e-13, abs=1e-13)
        torque = reaction.torque + np.cross(arm, reaction.force)
        assert far[name].torque == pytest.approx(torque, rel=1e-12, abs=1e-12)


def train(pulls):
    """Three blocks on a line that move as one; the first is pushed by 6 N."""
    model = lw.Model("sliders")
    N = model.frame
    a, b, c = (model.prismatic(name, N, at=model.origin, axis=N.x) for name in "abc")
    for link, mass in ((a, 1.0), (b, 2.0), (c, 3.0)):
        model.particle(f"block_{link.name}", link.origin, mass)
    model.force(a.origin, 6.0 * N.x)
    model.gravity(-G * N.y)
    gaps = [a.q[0] - b.q[0], c.q[0] - b.q[0]]
    both = [Pull(N.x, a.origin, b.origin), Pull(N.x, c.origin, b.origin)]
    return model.equations().embed(lw.Constraint("train", gaps, [both[i] if i in pulls else None for i in range(2)]))


def test_a_constraint_of_three_bodies_says_what_each_gets():
    """One constraint that ties two pairs of blocks: a reaction for each block."""
    reactions = train([0, 1]).reactions([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    assert list(reactions) == ["train on block_a", "train on block_b", "train on block_c", "a", "b", "c"]
    forces = [reactions[f"train on block_{name}"].force[0] for name in "abc"]
    assert forces == pytest.approx([-5.0, 2.0, 3.0])
    assert reactions["train on block_b"].other is None
    assert "train on block_c: on block_c at c_o: force (3, 0, 0), torque (0, 0, 0)" in str(reactions)


def test_rows_without_a_pull_stand_by_themselves():
    """Where only some rows say where they act, the others have λ alone, and the joints carry them."""
    reactions = train([0]).reactions([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    assert list(reactions) == ["train", "train[1]", "a", "b", "c"]
    assert (reactions["train"].on, reactions["train"].other) == ("block_a", "block_b")
    assert reactions["train"].force == pytest.approx([-5.0, 0.0, 0.0])
    assert reactions["train[1]"].force is None
    assert [reactions[name].force[0] for name in "abc"] == pytest.approx([0.0, -3.0, 3.0])


def test_an_expression_has_no_place():
    """A gear says how much, not where; asking for its direction is refused."""
    model, _, A, _ = disk_on_a_ramp()
    rolling = model.equations().embed(lw.Constraint("rolling", model.symbols["u1"] + model.symbols["u2"]))
    reactions = rolling.reactions([0.0, 0.0], {"u1": 0.0})
    assert str(reactions["rolling"]) == "rolling: λ = (0.845476), generalized force (0.845476, 0.845476)"
    with pytest.raises(lw.EvaluationError, match="'rolling' is given by an expression, which says nothing of where"):
        reactions["rolling"].along(A.x)
    with pytest.raises(lw.EvaluationError, match=r"'disc' is no constraint, joint or body .* Did you mean 'disk'"):
        reactions["disc"]
    with pytest.raises(lw.EvaluationError, match="has no length there"):
        reactions["disk"].along(A.x * model.symbols["q1"])
    assert ("disk" in reactions, len(reactions), repr(reactions)) == (
        True, 2, "<reactions of 'disk on a ramp': rolling, disk>"
    )  # fmt: skip


def test_a_pull_that_does_not_do_the_work_of_its_row_is_refused():
    """Twice the rate, or another direction."""
    model = lw.Model("bead")
    x, y = model.coordinates("x", "y")
    N = model.frame
    P = model.origin.at("P", x * N.x + y * N.y)
    model.particle("bead", P, 1.0)
    wire = lw.Constraint("wire", 2.0 * y, [Pull(N.y, P, model.origin)])
    with pytest.raises(lw.ConstraintError, match="per unit of u_y the row changes by 2, the pull by 1"):
        model.equations().embed(wire).reactions([0.0, 0.0], [1.0, 0.0])


def test_a_speed_without_mass_may_move_a_row_alone():
    """A bead on the curve y = s², x = s: the place s along it is a coordinate, and the force is normal to the curve."""
    model = lw.Model("wire")
    x, y, s = model.coordinates("x", "y", "s")
    N = model.frame
    P = model.origin.at("P", x * N.x + y * N.y)
    model.particle("bead", P, 2.0)
    model.gravity(-G * N.y)
    wire = lw.Constraint("wire", [x - s, y - s * s], [Pull(N.x, P, model.origin), Pull(N.y, P, model.origin)])
    held = model.equations().embed(wire, at=[0.5, 0.25, 0.5])
    reaction = held.reactions([0.5, 0.25, 0.5], {"u_x": 1.2, "u_y": 1.2, "u_s": 1.2})["wire"]
    assert reaction.along(N.x + N.y) == pytest.approx(0.0, abs=1e-9)
    assert reaction.along(N.y - N.x) == pytest.approx(2.0 * (G + 2.0 * 1.2**2) / math.sqrt(2.0), rel=1e-9)


def test_what_nothing_holds_and_names_that_are_taken_are_refused():
    """A point of the ground, and a constraint with the name of a joint."""
    model, constrained = slider_crank()
    with pytest.raises(lw.ModelError, match="nothing holds O of 'slider-crank'"):
        constrained.unconstrained.reaction_of(model.origin, model.frame.x)
    twice = constrained.unconstrained.embed(lw.Constraint("rod", model.symbols["q_rod"]))
    with pytest.raises(lw.ModelError, match="'rod' of 'slider-crank' names two of its constraints, joints and bodies"):
        twice.reactions([0.0, 0.0, 0.0], {"u_crank": 0.0})
