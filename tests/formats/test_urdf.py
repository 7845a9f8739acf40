"""URDF: every feature against Pinocchio, and files that are not robots."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from formats.urdf_texts import ARM, CHAIN, EVERY_JOINT, GRIPPER, joint, link, random_robot, robot
from latchwork.formats.robot import xml_tree
from latchwork.formats.robot.urdf import from_urdf

TOLERANCE = 1e-9
ROBOTS = {"arm": ARM, "every joint": EVERY_JOINT, "gripper": GRIPPER}


def agreement(text, floating=False, states=10, **options):
    pytest.importorskip("pinocchio")
    from robots.pinocchio_states import differences, pinocchio_model

    made = from_urdf(text, losses=False, floating=floating, **options)
    return differences(made, made.equations(), pinocchio_model(text, floating), states).max()


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_features_equal_pinocchio(name, floating):
    """M, bias and u̇ with every kind of joint, followers, odd axes and inertias, fixed and floating."""
    assert agreement(ROBOTS[name], floating) < TOLERANCE


@pytest.mark.parametrize("seed", seeds(range(5), range(60)))
def test_random_trees_equal_pinocchio(seed):
    """M, bias and u̇ of random trees, whose frames are chosen in many ways."""
    assert agreement(random_robot(seed), floating=seed % 3 == 0, states=4) < TOLERANCE


def test_parameters_give_the_same_numbers():
    """Masses, inertias and offsets as parameters: the same u̇, and parameters to change."""
    assert agreement(EVERY_JOINT, parameters=True) < TOLERANCE
    equations = from_urdf(ARM, parameters=True).equations()
    assert {"m_upper", "c_upper_x", "I_fore_zz", "p_elbow_x", "g_z"} <= {symbol.name for symbol in equations.p}
    heavy = equations.udot([0.1, 0.2], [0, 0], [1, 0], p={"m_upper": 20.0})
    assert not np.allclose(heavy, equations.udot([0.1, 0.2], [0, 0], [1, 0]))


def test_moments_below_zero_by_rounding_are_zero():
    """What CAD programs write for zero, -5.4e-20, is zero."""
    made, exact = (from_urdf(ARM.replace('ixx="0.02"', f'ixx="{xx}"')) for xx in ("-5.42101e-20", "0"))
    q, u, r = [0.3, 0.7], [0.4, -0.2], [1.0, 2.0]
    assert made.equations().udot(q, u, r).tolist() == exact.equations().udot(q, u, r).tolist()


def test_limits_of_zero_and_zero_are_none():
    """Exporters write lower="0" upper="0", or neither, where a joint has no limits: it has no stops then."""
    text = robot(link("a"), link("b"), joint("j", "revolute", "a", "b"))
    for given in ('lower="0" upper="0"', ""):
        made = from_urdf(text.replace('lower="-1" upper="1"', given), limits=True)
        assert (made.limits["j"].lower, made.limits["j"].upper, made.contacts) == (-np.inf, np.inf, ())


def test_links_are_frames_and_points():
    """Links keep their names: positions and orientations are Pinocchio's, also of links welded to others."""
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(ARM)
    data, made = model.createData(), from_urdf(ARM)
    q = np.array([0.3, np.cos(0.7), np.sin(0.7)])
    pin.framesForwardKinematics(model, data, q)
    equations = made.equations()
    for name in ("base", "upper", "fore", "tool"):
        pose = data.oMf[model.getFrameId(name)]
        position = equations.evaluate(made.points[name].position(), [0.3, 0.7], [0, 0])
        cosines = [e for row in made.frame.direction_cosines(made.frames[name]) for e in row]
        assert position == pytest.approx(pose.translation, abs=1e-11)
        assert equations.evaluate(cosines, [0.3, 0.7], [0, 0]) == pytest.approx(pose.rotation.ravel(), abs=1e-11)


def test_welded_links_are_one_body():
    """Fixed joints make no bodies of their own."""
    assert list(from_urdf(ARM).bodies) == ["base", "upper", "fore"]


LOSSY = ARM.replace("</joint>", '<dynamics damping="0.3" friction="0.7"/></joint>')


def test_losses():
    """M (u̇ - u̇_without) = -d u in the equations; friction is a contact of the run."""
    with_losses, without = from_urdf(LOSSY).equations(), from_urdf(LOSSY, losses=False).equations()
    q, u, r = [0.4, -0.3], np.array([1.5, -0.8]), [0.2, 0.1]
    change = with_losses.evaluate(with_losses.M, q, u, r) @ (with_losses.udot(q, u, r) - without.udot(q, u, r))
    assert change == pytest.approx(-0.3 * u, rel=1e-9)
    assert [contact.name for contact in from_urdf(LOSSY).contacts] == ["shoulder friction", "elbow friction"]
    assert not from_urdf(LOSSY, losses=False).contacts


def test_friction_stops_a_robot():
    """It comes to rest at exactly zero speed, and stays; with parameters, the limits are among them."""
    run = lw.simulate(from_urdf(LOSSY, parameters=True, gravity=(0.0, 0.0, 0.0)), until=6.0, u=[1.0, -2.0])
    assert run.modes[-1].names == ("shoulder friction: stick", "elbow friction: stick")
    assert (run["u_shoulder"][-1], run["u_elbow"][-1]) == (0.0, 0.0)


def test_followers_rub_with_the_joint_they_follow():
    """Friction of a follower that turns k times as fast holds k f at the coordinate."""
    rubbing = GRIPPER.replace('offset="0.2"/>', 'offset="0.2"/><dynamics friction="2"/>')
    robot = from_urdf(rubbing, gravity=(0.0, 0.0, 0.0))
    for effort, moves in ((2.99, False), (3.01, True)):
        run = lw.simulate(robot, until=0.1, inputs={robot.equations().r[0]: effort})
        assert (run[robot.equations().u[0]][-1] != 0.0) == moves


def test_followers_lose_with_the_joint_they_follow():
    """Damping of a follower that turns k times as fast acts as k² d on the coordinate."""
    lossy = GRIPPER.replace('offset="0.2"/>', 'offset="0.2"/><dynamics damping="2"/>')
    with_losses, without = from_urdf(lossy).equations(), from_urdf(lossy, losses=False).equations()
    change = with_losses.evaluate(with_losses.f, [0.1], [0.5]) - without.evaluate(without.f, [0.1], [0.5])
    assert change.item() == pytest.approx(-(1.5**2) * 2 * 0.5)


def test_followers_of_followers():
    """q3 = k2 (k1 q1 + c1) + c2."""
    chain, direct = from_urdf(CHAIN).equations(), from_urdf(GRIPPER).equations()
    assert chain.udot([0.3], [0.7], [1.0]) == pytest.approx(direct.udot([0.3], [0.7], [1.0]), rel=1e-12)


def test_names_order_and_limits():
    """Coordinates are named after joints, from the root outward; inputs follow; limits are data."""
    made = from_urdf(ARM)
    equations = made.equations()
    assert equations.q_names == ("shoulder", "elbow")
    assert equations.u_names == ("u_shoulder", "u_elbow")
    assert [r.name for r in equations.r] == ["r_shoulder", "r_elbow"]
    assert made.limits["shoulder"] == lw.formats.robot.parts.Limits(-1.0, 1.0, 5.0, 10.0)
    assert made.limits["elbow"].upper == np.inf


def test_symbols_have_units():
    """Files are in SI: angles and lengths, their rates, efforts; and what is kept as a parameter."""
    made = from_urdf(EVERY_JOINT, floating=True, parameters=True)
    unit = {name: symbol.unit for name, symbol in made.symbols.items()}
    one_axis = [joint for joint in made.joints.values() if joint.axis is not None and joint.q]
    assert {joint.kind for joint in one_axis} == {"revolute", "prismatic"}
    for each in one_axis:
        angular = each.kind == "revolute"
        assert (each.q[0].unit, each.u[0].unit) == (("rad", "rad/s") if angular else ("m", "m/s"))
    for name, r in made.drives.items():
        assert r.unit == ("N m" if made.joints[name].kind == "revolute" else "N")
    base = made.joints["root_joint"]
    assert [symbol.unit for symbol in (*base.q, *base.u)] == ["m"] * 3 + [""] * 4 + ["m/s"] * 3 + ["rad/s"] * 3
    assert base.q[0].description == "position of 'root_joint'"
    first = {name[0]: found for name, found in unit.items() if name[1:2] == "_"}
    assert (first["m"], first["c"], first["I"], first["g"]) == ("kg", "m", "kg m^2", "m/s^2")


def test_names_that_are_not_legal():
    """Names of files become legal symbols, each once; the joint is found under its own."""
    text = robot(link("N"), link("a"), link("b"), joint("1-st joint", "revolute", "N", "a", axis="1 0 0"),
                 joint("t", "revolute", "a", "b", xyz="0 1 0"))  # fmt: skip
    made = from_urdf(text)
    assert made.equations().q_names == ("j_1_st_joint", "j_t")
    assert made.joints["1-st joint"].q[0].name == "j_1_st_joint"


def test_gravity_is_an_option():
    """Without gravity an arm at rest stays at rest."""
    assert from_urdf(ARM, gravity=(0, 0, 0)).equations().udot([0.3, 0.2], [0, 0]) == pytest.approx([0, 0])


def test_neat_robots_stay_short():
    """Quarter turns leave nothing behind: the same arm mounted on a wall has the same program."""
    plain = robot(link("a"), link("b"), link("c"), joint("x", "revolute", "a", "b"),
                  joint("y", "revolute", "b", "c", xyz="0.5 0 0"))  # fmt: skip
    turned = plain.replace('rpy="0 0 0"/><parent link="a"', 'rpy="1.57079632679 0 3.14159265359"/><parent link="a"')
    counts = [from_urdf(text, gravity=(0, 0, 0)).equations().operations for text in (plain, turned)]
    assert counts[0] == counts[1]


def test_load_by_suffix(tmp_path):
    """``lw.load`` reads .urdf files, passes options on, and refuses others by name."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    assert len(lw.load(path, floating=True).equations().u) == 8
    with pytest.raises(lw.FileError, match=r"no option 'flotaing'. Did you mean 'floating'"):
        lw.load(path, flotaing=True)


def test_yaml_takes_no_options(tmp_path):
    """Options belong to robots."""
    path = tmp_path / "m.yaml"
    path.write_text("latchwork: 1\n", encoding="utf-8")
    with pytest.raises(lw.FileError, match="only robots take options"):
        lw.load(path, floating=True)


def test_a_robot_written_as_a_model_file_moves_alike():
    """A robot dumped and read back has the same u̇."""
    made = from_urdf(ARM)
    again = lw.loads(lw.dump(made)).equations()
    state = {"q": [0.3, 0.2], "u": [0.5, -0.4], "r": [1.0, 2.0]}
    assert again.udot(**state) == pytest.approx(made.equations().udot(**state), rel=1e-12)


A, B, C = link("a"), link("b"), link("c")
AB = joint("ab", "revolute", "a", "b")
REFUSED = {
    "not XML": ("<robot><link></robot>", r"^x:1:16: this is not well-formed XML: mismatched tag"),
    "nothing": ("", r"^x:1:1: this is not well-formed XML: no element found"),
    "another kind of file": ("<sdf/>", r"^x:1:1: <sdf> is not a robot"),
    "a DTD": ('<!DOCTYPE robot SYSTEM "file:///secret"><robot/>', r"^x:1:\d+: a DOCTYPE with its entities is not read"),
    "an entity bomb": (
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>',
        r"^x:1:\d+: a DOCTYPE with its entities is not read",
    ),
    "too deep": ("<robot>" + "<a>" * 300, "comes after 200 elements inside each other"),
    "a macro": ('<robot xmlns:xacro="x"><xacro:arm/></robot>', "this file is xacro, not URDF"),
    "no links": (robot(), "has no <link>"),
    "no name": (robot("<link/>"), r'<link> needs an attribute name="..."'),
    "two links of one name": (robot(A, A), r"^x:3:1: a second link is named 'a'; the first is in line 2"),
    "two joints of one name": (robot(A, B, C, AB, joint("ab", "fixed", "b", "c")), "a second joint is named 'ab'"),
    "an unknown link": (robot(A, B, joint("ab", "fixed", "a", "bb")), r"is 'bb', which is no link. Did you mean 'b'"),
    "no child": (robot(A, '<joint name="j" type="fixed"><parent link="a"/></joint>'), "<joint> has no <child>"),
    "two parents": (robot(A, B, C, AB, joint("cb", "fixed", "c", "b")), "'ab' and 'cb' both carry link 'b'"),
    "two roots": (robot(A, B, C, AB), r"2 links are carried by no joint \('a', 'c'\)"),
    "a loop": (robot(A, B, AB, joint("ba", "fixed", "b", "a")), "no link is the root: joints '.*' go round"),
    "a loop aside": (
        robot(A, B, C, joint("bc", "fixed", "b", "c"), joint("cb", "fixed", "c", "b")),
        "go round, apart from the root 'a'",
    ),
    "an unknown joint type": (robot(A, B, AB.replace("revolute", "revolt")), r"\"revolt\"> is not known. Did you"),
    "no joint type": (robot(A, B, '<joint name="j"/>'), r'<joint> needs an attribute type="..."'),
    "a word for a number": (robot(A.replace("1.0", "heavy")), r"^x:2:\d+: 'heavy' in value of <mass> is not a number"),
    "infinity": (robot(A.replace("1.0", "1e999")), r"'1e999' in value of <mass> is not a number of at most 1e\+30"),
    "underscores": (robot(A.replace("1.0", "1_0")), r"'1_0' in value of <mass> is not a number of at most 1e\+30"),
    "two numbers for three": (robot(A.replace('xyz="0 0 0"', 'xyz="0 0"')), "3 wanted, 2 seen"),
    "a negative mass": (robot(A.replace("1.0", "-1")), "the mass of link 'a' is -1"),
    "a negative moment": (robot(A.replace("0.02", "-2")), "link 'a' has the moment of inertia -2"),
    "no mass": (robot('<link name="a"><inertial/></link>'), "this <inertial> has no <mass>"),
    "two inertials": (robot(A.replace("</link>", "<inertial/></link>")), "a second <inertial> in the <link> of line 2"),
    "a light leaf": (robot(A, '<link name="b"/>', AB), "joint 'ab' moves 'b' and what is welded to it: mass 0"),
    "a particle on the axis": (robot(A, link("b", moments="0 0 0 0 0 0"), AB), "no inertia that resists it"),
    "no axis": (robot(A, B, AB.replace("0 0 1", "0 0 0")), r"the axis of joint 'ab' is \[0.0, 0.0, 0.0\]"),
    "following nobody": (
        robot(A, B, joint("ab", "revolute", "a", "b", '<mimic joint="ac"/>')),
        r"^x:4:1: joint 'ab' follows 'ac', which is no joint. Known: ab",
    ),
    "following itself": (
        robot(A, B, joint("ab", "revolute", "a", "b", '<mimic joint="ab"/>')),
        "joints ab -> ab follow each other in a ring",
    ),
    "following a ring": (
        robot(A, B, C, joint("ab", "revolute", "a", "b", '<mimic joint="bc"/>'),
              joint("bc", "revolute", "b", "c", '<mimic joint="ab"/>')),
        "follow each other in a ring",
    ),
    "following a weld": (
        robot(A, B, C, joint("ab", "revolute", "a", "b", '<mimic joint="bc"/>'), joint("bc", "fixed", "b", "c")),
        "'bc' is a weld joint",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    """Broken files give one error, with the place and what to do."""
    text, message = REFUSED[case]
    with pytest.raises(lw.FileError, match=message):
        from_urdf(text, "x").equations().udot([0.1], [0.2])


def test_size_is_bounded(monkeypatch):
    """A file may have so many characters and elements."""
    monkeypatch.setattr(xml_tree, "LARGEST", 50)
    with pytest.raises(lw.FileError, match="characters are more than the 50"):
        from_urdf(ARM)
    monkeypatch.setattr(xml_tree, "LARGEST", 10**6)
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 3)
    with pytest.raises(lw.FileError, match="comes after 3 elements"):
        from_urdf(ARM)
