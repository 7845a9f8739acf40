"""Collision geometry of URDF and MJCF: who collides, where shapes are, meshes; robots that come to rest on a floor."""

from __future__ import annotations

import importlib.util
import math
from importlib.metadata import PackageNotFoundError, files

import numpy as np
import pytest

import latchwork as lw
from colliding_robots import CRAWLER, CUBE, DOG, HUMANOID, stl, with_geom, with_mesh, with_shape
from latchwork.contact.closest_point.states import azimuths_of
from latchwork.contact.law import Contact
from latchwork.formats.robot.collisions import lowest
from latchwork.formats.robot.meshes import Meshes
from latchwork.formats.robot.mjcf import from_mjcf
from latchwork.formats.robot.urdf import describe, from_urdf
from latchwork.formats.robot.xml_tree import parse
from latchwork.hybrid.contacts.broad_phase import BroadPhase

STEPS = lw.TimeStepping(2e-3)
LINK = """<link name="%s"><inertial><mass value="1"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" iyz="0" ixz="0"/></inertial></link>"""


def pairs(model: lw.Model) -> list[Contact]:
    return list(BroadPhase(model).every())


def gap(equations, contact, q) -> float:
    """The least gap of the features of a contact whose domain holds."""
    u, r, features = [0.0] * len(equations.u), [0.0] * len(equations.r), contact.every()
    still = dict.fromkeys(azimuths_of(features), 0.0)
    rows = [equations.evaluate([e.subs(still) for e in (f.gap, *f.within)], q, u, r) for f in features]
    return min((row[0] for row in rows if (row[1:] >= 0.0).all()), default=math.inf)


def comes_to_rest(model, until, q=None):
    """A run in which everything ends at exactly zero speed, nothing penetrates, and the energy is accounted for."""
    run = lw.simulate(model, until, q=q, thick=STEPS)
    assert np.abs(run.u[-1]).max() == 0.0
    assert run.audit.least_gap > -1e-9
    assert run.audit.energy_error < 1e-5 * abs(run.energy[0] - run.energy[-1])
    return run


# --- dropped on the floor ---------------------------------------------------------------------------------------------


def test_a_robot_stands_on_a_floor_by_one_line(tmp_path):
    """URDF: the floor is under the lowest place of the robot as it is drawn; it sinks onto it and rests."""
    path = tmp_path / "crawler.urdf"
    path.write_text(CRAWLER, encoding="utf-8")
    robot = lw.load(path, floating=True, ground=True)
    equations = robot.equations()
    q = [float(e.name.endswith("e0")) for e in equations.q]
    assert min(gap(equations, contact, q) for contact in pairs(robot)) == pytest.approx(0.0, abs=1e-12)
    comes_to_rest(robot, 3.0)


@pytest.mark.parametrize(("text", "until", "z"), [(DOG, 1.5, 0.32), (HUMANOID, 3.0, 1.02)], ids=["dog", "humanoid"])
def test_mjcf_robots_come_to_rest(text, until, z):
    """Geoms collide with the floor and each other as the file says."""
    robot = from_mjcf(text, collisions=True)
    comes_to_rest(robot, until, q={"root_pz": z})


def _example(name):
    """A robot of example-robot-data, where that is installed."""
    try:
        found = [path.locate() for path in files("example-robot-data") or [] if str(path).endswith(name)]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip("example-robot-data is not installed")
    return found[0]


def test_a_quadruped_of_example_robot_data_comes_to_rest():
    """Unitree's A1: boxes, cylinders and balls."""
    comes_to_rest(lw.load(_example("a1_description/urdf/a1.urdf"), floating=True, ground=True), 1.0)


@pytest.mark.campaign
def test_a_quadruped_of_meshes_comes_to_rest():
    """Solo12: meshes in STL, by package://, as convex hulls."""
    path = _example("solo_description/robots/solo12.urdf")
    comes_to_rest(lw.load(path, floating=True, ground=True, packages=[path.parents[3].parent]), 1.0)


WHEEL = """<link name="{0}"><inertial><mass value="0.5"/>
  <inertia ixx="0.0013" iyy="0.0025" izz="0.0013" ixy="0" iyz="0" ixz="0"/></inertial>
  <collision><origin rpy="{2} 0 0"/><geometry><cylinder radius="0.1" length="0.04"/></geometry></collision></link>
<joint name="{0}_axle" type="continuous"><parent link="base"/><child link="{0}"/><origin xyz="0 {1} 0"/>
  <axis xyz="0 1 0"/></joint>"""
CART = """<robot name="cart"><link name="base"><inertial><origin xyz="0 0 -0.03"/><mass value="4"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" iyz="0" ixz="0"/></inertial>
  <collision><geometry><box size="0.3 0.2 0.06"/></geometry></collision></link>{}{}</robot>"""


def cart(rpy, **more):
    """A robot on two wheels of radius 0.1 m."""
    return from_urdf(CART.format(WHEEL.format("left", 0.15, rpy), WHEEL.format("right", -0.15, rpy)), floating=True,
                     ground=True, **more)  # fmt: skip


@pytest.mark.parametrize("collisions", [False, True])
@pytest.mark.parametrize("rpy", [math.pi / 2, "1.5708"])
def test_a_robot_rolls_on_its_wheels(collisions, rpy):
    """Cylinders of a URDF file on a plane roll straight at ω r, without an event, also where links meet each other."""
    w, r, until = 5.0, 0.1, 2.0
    run = lw.simulate(cart(rpy, collisions=collisions), until,
                      u={"u_left_axle": w, "u_right_axle": w, "u_root_joint_vx": w * r})  # fmt: skip
    assert len(run.events) == 0
    assert np.abs(run["u_root_joint_vx"] - w * r).max() < 1e-9
    assert run["root_joint_px"][-1] == pytest.approx(w * r * until, abs=1e-9)
    assert abs(run["root_joint_py"][-1]) < 1e-9
    assert np.abs(run["u_left_axle"] - w).max() < 1e-9


def test_wheels_that_are_driven_roll():
    """A torque on each axle from rest: the cart goes as far as its wheels have turned, pitch of the frame included, and
    nothing slides."""
    run = lw.simulate(cart("1.57", collisions=True), 1.0, inputs={"r_left_axle": 0.05, "r_right_axle": 0.05})
    pitch = 2.0 * np.arctan2(run["root_joint_e2"], run["root_joint_e0"])
    assert run["root_joint_px"][-1] > 0.05
    for wheel in ("left", "right"):
        assert np.abs(run["root_joint_px"] - 0.1 * (run[f"{wheel}_axle"] + pitch)).max() < 1e-9
    assert not any(event.kind == "slide" for event in run.events)


# --- who collides, and where ------------------------------------------------------------------------------------------


def test_urdf_links_meet_the_ground_only_unless_asked():
    """With ground= alone shapes meet the floor; with collisions= also each other, but for links that a joint joins."""
    alone = from_urdf(CRAWLER, floating=True, ground=True)
    assert [contact.name for contact in pairs(alone)] == [
        f"{name} on ground" for name in ("base", "rod", "ball", "tail")]  # fmt: skip
    both = from_urdf(CRAWLER, floating=True, ground=-1.0, collisions=True)
    assert [c.name for c in pairs(both) if "ground" not in c.name] == ["rod on tail", "ball on tail"]
    assert any("cylinders of 'arm' are exact on planes, and prisms of 16 sides" in note for note in both.notes)
    fixed = from_urdf(CRAWLER, collisions=True)  # the base is fixed in N, and is a neighbour all the same
    assert [contact.name for contact in pairs(fixed)] == ["rod on tail", "ball on tail"]


def test_srdf_leaves_pairs_out(tmp_path):
    """<disable_collisions> of an SRDF file, by the names of links; those that there are none of are refused."""
    path = tmp_path / "robot.srdf"
    path.write_text('<robot name="c"><disable_collisions link1="arm" link2="tail" reason="Never"/></robot>', "utf-8")
    robot = from_urdf(CRAWLER, floating=True, ground=-1.0, collisions=True, srdf=path)
    assert all("ground" in contact.name for contact in pairs(robot))
    path.write_text('<robot name="c"><disable_collisions link1="arm" link2="tial"/></robot>', "utf-8")
    with pytest.raises(lw.FileError, match=r"'tial' is no link of the robot\. Did you mean 'tail'"):
        from_urdf(CRAWLER, collisions=True, srdf=path)
    path.write_text('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "utf-8")
    with pytest.raises(lw.FileError, match="a DOCTYPE with its entities is not read"):
        from_urdf(CRAWLER, collisions=True, srdf=path)


def test_a_link_that_turns_about_the_vertical_never_meets_the_floor():
    """The gap of the first link of an arm is a number: it is no pair, and the arm beyond it is."""
    link = """<link name="{0}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0.1 0 0.2"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>"""
    joint = """<joint name="{0}{1}" type="continuous"><parent link="{0}"/><child link="{1}"/><origin xyz="0.2 0 0.2"/>
      <axis xyz="{2}"/><dynamics damping="0.2"/></joint>"""
    text = (f'<robot name="arm">{link.format("a")}{link.format("b")}{link.format("c")}{joint.format("a", "b", "0 0 1")}'
            f'{joint.format("b", "c", "0 1 0")}</robot>')  # fmt: skip
    arm = from_urdf(text, ground=True)
    assert [contact.name for contact in pairs(arm)] == ["c on ground"]
    assert lw.simulate(arm, 0.3, q={"bc": 0.3}).audit.least_gap > 0.0


def test_friction_is_that_of_the_file():
    """Of two geoms the larger, as MuJoCo takes it; a listed pair has its own; friction= is for all."""
    robot = from_mjcf(DOG, collisions=True)
    found = {contact.name: contact.friction.mu for contact in (*robot.contacts, *pairs(robot))}
    assert found["fl_foot on floor"] == 0.3
    assert found["floor on trunk"] == 0.9
    assert found["floor on br_foot"] == 1.2
    assert "floor on fl_foot" not in found
    slippery = from_mjcf(DOG, collisions=True, friction=0.1)
    assert {contact.friction.mu for contact in pairs(slippery)} == {0.1}


def test_pairs_and_distances_are_those_of_mujoco():
    """At random postures: every contact that MuJoCo finds is a pair here; signed distances agree where shapes are
    apart."""
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_string(DOG)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(5)
    robot = from_mjcf(DOG, collisions=True)
    equations = robot.equations()
    name_of = {i: theirs.geom(i).name or f"{theirs.body(theirs.geom_bodyid[i]).name}" for i in range(theirs.ngeom)}
    number = {name: i for i, name in name_of.items()}
    ours = {frozenset(c.name.split(" on ")): c for c in (*robot.contacts, *pairs(robot))}
    compared, seen = 0, 0
    for _ in range(12):
        e = rng.normal(size=4)
        data.qpos[:] = [*rng.normal(size=2), 0.1 + 0.3 * rng.uniform(), *(e / np.linalg.norm(e)), *rng.normal(size=4)]
        mujoco.mj_forward(theirs, data)
        for contact in data.contact:
            assert frozenset(name_of[int(g)] for g in contact.geom) in ours
            seen += 1
        q = [float(data.qpos[i]) for i in range(11)]
        for pair in list(ours)[::3]:
            a, b = (number[name] for name in pair)
            distance = mujoco.mj_geomDistance(theirs, data, a, b, 10.0, None)
            if 1e-3 < distance < 9.0:
                assert gap(equations, ours[pair], q) == pytest.approx(distance, abs=2e-6)
                compared += 1
    assert seen > 10
    assert compared > 60


def test_masks_excludes_and_parents():
    """contype and conaffinity, <exclude>, and filterparent."""
    geom = '<geom name="a" type="sphere" size="0.1" contype="2" conaffinity="4"/>'
    robot = from_mjcf(
        with_geom(
            geom + '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
            '<geom name="b" type="sphere" size="0.1" contype="4"/></body>'
        ),
        collisions=True,
    )
    assert [contact.name for contact in pairs(robot)] == ["floor on b"]
    text = DOG.replace("<compiler", '<option><flag filterparent="disable"/></option><compiler')
    names = {contact.name for contact in pairs(from_mjcf(text, collisions=True))}
    assert {"trunk on fl_foot", "trunk on br"} <= names
    assert not {"fl on fr", "fl_foot on fr", "fl on fr_foot", "fl_foot on fr_foot"} & names
    assert "fl on bl" in names


def test_the_lowest_place_of_every_shape():
    """Boxes, balls, cylinders, capsules and corners at random turns, against sampled surfaces."""
    rng = np.random.default_rng(4)
    for shape, points in (
        ('<box size="0.2 0.4 0.6"/>', np.array(CUBE) * [1, 1, 1]),
        ('<sphere radius="0.3"/>', _ball(0.3)),
        ('<capsule radius="0.1" length="0.5"/>', _two(_ball(0.1), 0.25)),
        ('<cylinder radius="0.1" length="0.5"/>', _rims(0.1, 0.25)),
    ):
        angles = rng.uniform(-3, 3, 3)
        text = with_shape(shape).replace("<geometry>", f'<origin rpy="{angles[0]} {angles[1]} {angles[2]}"/><geometry>')
        made = describe(parse(text, "text"), meshes=Meshes(None, []))
        (geometry,) = made.links["part"].geometry
        expected = float((points @ geometry.pose.R.T)[:, 2].min())
        assert lowest(made) == pytest.approx(expected, abs=2e-4)


def _ball(radius):
    a, b = np.meshgrid(np.linspace(0, np.pi, 200), np.linspace(0, 2 * np.pi, 200))
    places = np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)
    return radius * np.column_stack([each.ravel() for each in places])


def _rims(radius, half):
    a = np.linspace(0, 2 * np.pi, 2000)
    ring = radius * np.column_stack([np.cos(a), np.sin(a), 0 * a])
    return _two(ring, half)


def _two(points, half):
    """The same points twice, up and down along z."""
    return np.vstack([points - np.array([0.0, 0.0, half]), points + np.array([0.0, 0.0, half])])


# --- meshes -----------------------------------------------------------------------------------------------------------


def test_meshes_are_found_in_packages(tmp_path):
    """package:// in a folder of the search path, or in a folder of that name; others beside the file; scaled."""
    (tmp_path / "parts" / "meshes").mkdir(parents=True)
    (tmp_path / "parts" / "meshes" / "a.stl").write_text(stl(CUBE), encoding="utf-8")
    by_package = "package://parts/meshes/a.stl"
    for name, packages in ((by_package, [tmp_path]), (by_package, [tmp_path / "parts"]), ("parts/meshes/a.stl", [])):
        text = with_mesh(name, 'scale="2 1 1"')
        robot = from_urdf(text, floating=True, ground=True, packages=packages, folder=tmp_path)
        (contact,) = pairs(robot)
        assert np.ptp(contact.shapes[0].vertices, axis=0) == pytest.approx([0.4, 0.4, 0.6])
    path = tmp_path / "m.xml"
    path.write_text(with_geom('<geom type="mesh" mesh="a" pos="0 0 1"/>', more='<compiler meshdir="parts/meshes"/>'
                              '<asset><mesh file="a.stl"/></asset>'), encoding="utf-8")  # fmt: skip
    hull = lw.load(path, collisions=True).collisions[0].shapes[1]
    assert hull.vertices.mean(axis=0) == pytest.approx([0.0, 0.0, 1.0])


def test_a_mesh_of_many_corners_says_what_is_left_out(tmp_path):
    """A fine ball becomes the hull of 60 corners, and a note says by how much others stand out."""
    (tmp_path / "ball.stl").write_text(stl(_ball(0.5)[::7].tolist()), encoding="utf-8")
    robot = from_urdf(with_mesh("ball.stl"), floating=True, ground=True, folder=tmp_path)
    (note,) = robot.notes
    off = float(note.split("stand out by ")[1].split(" ")[0])
    assert "of its" in note
    assert 0.0 < off < 0.1


OUTSIDE = "is not inside"


@pytest.mark.parametrize(("name", "match"), [
    ("../secret.stl", OUTSIDE), ("package://inside/../../secret.stl", OUTSIDE), ("/etc/passwd.stl", OUTSIDE),
    ("file:///etc/passwd.stl", OUTSIDE), ("link.stl", OUTSIDE), ("package://inside/%2e%2e/%2e%2e/secret.stl", OUTSIDE),
    ("missing.stl", OUTSIDE), ("part.ply", "neither STL, OBJ nor DAE. Convert it"), ("flat.stl", "lie in one plane"),
    ("few.stl", "2 vertices"), ("broken.stl", "Give three numbers"),
])  # fmt: skip
def test_hostile_meshes_are_refused(tmp_path, name, match):
    """Nothing outside of the folders is read, be it by dots, absolute names, links or escapes; nor what is no mesh."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.stl").write_text(stl(CUBE), encoding="utf-8")
    (home / "link.stl").symlink_to(tmp_path / "secret.stl")
    (home / "flat.stl").write_text(stl([(x, y, 0.0) for x, y, _ in CUBE]), encoding="utf-8")
    (home / "few.stl").write_text(stl(CUBE[:2]), encoding="utf-8")
    (home / "broken.stl").write_text("solid s\nvertex 1 2\n", encoding="utf-8")
    with pytest.raises(lw.FileError, match=match):
        from_urdf(with_mesh(name), ground=True, packages=[home], folder=home)


def test_a_mesh_without_a_folder_is_refused():
    with pytest.raises(lw.FileError, match="give the folders of its packages"):
        from_urdf(with_mesh("package://a/b.stl"), ground=True)
    with pytest.raises(lw.FileError, match="is no folder"):
        from_urdf(with_mesh("b.stl"), ground=True, packages=["nowhere at all"])


# --- what is refused or said ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "match"), [
    ('<box size="1 1 0"/>', "not positive"), ('<sphere radius="-1"/>', "not positive"),
    ('<sphere radius="nan"/>', "'nan'"), ('<cone radius="1"/>', "has <cone>. Give one of <box>"), ("", "has nothing"),
    ('<box size="1 1"/>', "3 wanted, 2 seen"), ('<sphere radius="1"/><sphere radius="1"/>', "Give one of"),
    ('<cylinder radius="1"/>', "needs an attribute length"),
])  # fmt: skip
def test_wrong_urdf_shapes_are_refused(shape, match):
    with pytest.raises(lw.FileError, match=match):
        from_urdf(with_shape(shape), ground=True)


@pytest.mark.parametrize(("geom", "contact", "match"), [
    ('<geom type="ellipsoid" size="1 1 1"/>', "", "cannot touch here: there are sphere"),
    ('<geom type="box" size="1 1"/>', "", "needs 3 numbers"),
    ('<geom type="sphere" size="0"/>', "", "not positive"),
    ('<geom size="1" contype="1.5"/>', "", "no whole number of 32 bits"),
    ('<geom size="1" priority="1"/>', "", "priority.*is not read"),
    ('<geom size="1" friction="-1"/>', "", "not negative"),
    ('<geom type="mesh" mesh="a"/>', "", "no <mesh> 'a' among the assets"),
    ('<geom size="1"/>', '<exclude body1="prt" body2="world"/>', "which is no body. Did you mean 'part'"),
    ('<geom size="1"/>', '<pair geom1="flor" geom2="floor"/>', "which is no geom. Did you mean 'floor'"),
    ('<geom size="1"/>', "<whatever/>", "Give <pair> and <exclude>"),
])  # fmt: skip
def test_wrong_geoms_are_refused(geom, contact, match):
    with pytest.raises(lw.FileError, match=match):
        from_mjcf(with_geom(geom, contact), collisions=True)


def test_what_has_no_counterpart_is_said():
    """Softness and friction that turns are named in notes; where nothing is left out there are none."""
    assert from_mjcf(with_geom('<geom size="0.1"/>'), collisions=True).notes == ()
    soft = from_mjcf(with_geom('<geom size="0.1" solref="0.1 1" margin="0.1" condim="6"/>'), collisions=True)
    assert "margin, solref of geoms and pairs are left out" in soft.notes[0]
    assert "condim of 1 geoms is above 3" in soft.notes[1]


def test_links_without_shapes_are_named():
    """A body that has mass and no shape falls through the floor, and a note says so; else there is none."""
    shape = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    foot, arm = (link.replace("</link>", shape + "</link>") for link in (LINK % "foot", LINK % "arm"))
    hinge = '<joint name="hip" type="continuous"><parent link="foot"/><child link="arm"/></joint>'
    bare = from_urdf(f"<robot name='r'>{foot}{LINK % 'arm'}{hinge}</robot>", floating=True, ground=True)
    assert bare.notes == ("'arm' has no collision geometry and passes through everything: give shapes in the file, or "
                          "robot.collide(...) them",)  # fmt: skip
    assert from_urdf(f"<robot name='r'>{foot}{arm}{hinge}</robot>", floating=True, ground=True).notes == ()


def test_wrong_options_are_answered_in_words(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(CRAWLER, encoding="utf-8")
    with pytest.raises(lw.FileError, match=r"no option 'grond'\. Did you mean 'ground'"):
        lw.load(path, grond=True)
    with pytest.raises(lw.FileError, match=r"ground is 'low'\. Give True"):
        lw.load(path, ground="low")
    with pytest.raises(lw.FileError, match="has no collision geometry"):
        from_urdf('<robot name="bare"><link name="a"/></robot>', ground=True)


def test_geometry_costs_nothing_unless_asked_for():
    """Without ground= and collisions= nothing of it is read, be it missing or broken."""
    robot = from_urdf(with_mesh("nowhere.dae"))
    assert robot.collisions == ()
    assert importlib.util.find_spec("latchwork.formats.robot.collisions") is not None
