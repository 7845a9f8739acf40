"""MJCF: every feature against MuJoCo, and files that are not read."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.formats.robot.mjcf import from_mjcf

TOLERANCE = 1e-9

FEATURES = {
    "free body with an arm, several joints to a body, defaults, actuators": """
<mujoco model="arm"><compiler angle="degree" eulerseq="XYZ"/><option gravity="0.3 -0.2 -9.5"/>
<default><joint damping="0.2" armature="0.01"/><geom density="700"/><motor gear="3"/>
  <default class="heavy"><geom density="3000"/><joint axis="0 1 0"/></default></default>
<worldbody><geom type="plane" size="1 1 1"/><light/>
  <body name="base" pos="0 0 1"><freejoint name="root"/>
    <geom type="box" size=".2 .1 .05"/><geom type="sphere" size=".1" pos=".1 0 .1"/>
    <body name="arm" pos=".2 0 0" euler="10 20 30" childclass="heavy">
      <joint name="a1" pos="0 0 .1"/>
      <joint name="a2" axis="1 0 1" pos=".05 0 0" stiffness="3" springref="20" ref="15" class="main"/>
      <geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".04"/>
      <frame pos="0 .1 0" euler="0 0 90"><body name="fore" pos=".3 0 0">
        <joint type="slide" name="s" axis="1 1 0" damping="1" stiffness="4" ref="0.2"/>
        <geom type="cylinder" size=".03 .2" quat="1 1 0 0"/>
        <body name="hand" pos="0 0 .2"><joint type="ball" name="b" pos="0 0 -.05"/>
          <inertial pos="0.01 0.02 .03" mass="0.4" fullinertia=".02 .03 .04 .001 .002 .003"/>
          <body name="tip" pos="0 0 .1" zaxis="1 1 1"><geom type="ellipsoid" size=".05 .03 .02" mass=".2"/></body>
        </body></body></frame></body></body>
</worldbody>
<actuator><motor joint="a1"/><position name="p" joint="a2" kp="5" kv=".3" gear="2" forcerange="-1 1"/>
  <velocity joint="s" kv="2"/><general joint="a1" gainprm="2" biastype="affine" biasprm="1 2 3"/></actuator>
</mujoco>""",
    "orientations": """
<mujoco><compiler angle="radian" eulerseq="zyx" autolimits="false"/><worldbody>
  <body euler=".1 .2 .3"><joint axis="0 1 0"/><geom type="box" size=".1 .2 .3" xyaxes="1 1 0 0 1 1"/>
    <body axisangle="1 2 3 .5" pos=".3 0 0"><joint axis="1 0 0"/><geom type="capsule" size=".05 .2" zaxis="0 1 1"/>
      <body quat="1 2 0 1" pos="0 .2 0"><joint/>
        <geom type="ellipsoid" fromto="0 0 0 .1 .1 0" size=".03"/>
        <geom type="box" fromto="0 0 0 0 .2 0" size=".02"/><geom type="cylinder" fromto="0 0 0 0 0 .2" size=".02"/>
        <body pos="0 0 .1"><joint type="slide"/>
          <inertial pos="0 0 .1" quat="1 1 1 0" mass="2" diaginertia=".1 .2 .25"/></body></body></body></body>
</worldbody></mujoco>""",
    "groups, total mass, explicit inertias overridden": """
<mujoco><compiler inertiagrouprange="0 1" settotalmass="7" inertiafromgeom="true"/>
<option><flag gravity="disable"/></option>
<worldbody><body><joint name="j"/><inertial pos="1 1 1" mass="9" diaginertia="1 1 1"/><geom size=".1" pos=".2 0 0"/>
  <geom size=".3" group="3"/><geom size=".2" mass="0"/><body pos="1 0 0"><joint axis="1 0 0"/>
  <geom type="box" size=".1 .2 .3" density="10"/></body></body></worldbody></mujoco>""",
}


def agreement(text, states=8, **options):
    pytest.importorskip("mujoco")
    from robots.mujoco_states import differences, mujoco_model

    return differences(from_mjcf(text, **options).equations(), mujoco_model(text), states).max()


@pytest.mark.parametrize("name", FEATURES)
def test_features_equal_mujoco(name):
    """M, f and u̇ with joints, masses, defaults, springs, losses and actuators."""
    assert agreement(FEATURES[name]) < TOLERANCE


def test_parameters_give_the_same_numbers():
    """Masses, inertias and offsets as parameters: the same u̇."""
    assert agreement(FEATURES["orientations"], parameters=True) < TOLERANCE


def test_losses_are_left_out_on_request():
    """Without damping u̇ is that of an undamped file; springs stay."""
    text = FEATURES["free body with an arm, several joints to a body, defaults, actuators"]
    undamped = text.replace('damping="0.2" ', "").replace('damping="1" ', "")
    pytest.importorskip("mujoco")
    from robots.mujoco_states import differences, mujoco_model

    assert differences(from_mjcf(text, losses=False).equations(), mujoco_model(undamped), 4).max() < TOLERANCE


def test_friction():
    """frictionloss is a contact of the run: the joint slows down by f/I, and stops after I u²/2f."""
    robot = from_mjcf(one('<joint name="j" frictionloss="0.7"/><geom size=".1" pos=".1 0 0"/>'), gravity=(0, 0, 0))
    eq = robot.equations()
    run = lw.simulate(robot, until=5.0, u=[2.0])
    assert [contact.name for contact in robot.contacts] == ["j friction"]
    assert run[eq.q[0]][-1] == pytest.approx(eq.evaluate(eq.M, [0.0], [0.0]).item() * 4.0 / 1.4, rel=1e-8)
    assert run[eq.u[0]][-1] == 0.0


def one(inside: str, more: str = "") -> str:
    return f'<mujoco><worldbody><body name="a">{inside}</body></worldbody>{more}</mujoco>'


JOINT = '<joint name="j"/>'
MASS = '<geom size=".1"/>'


def test_names_and_limits():
    """Joints keep their names, actuators name inputs; ranges are data, degrees read as radians."""
    made = from_mjcf(one('<joint name="j" range="-90 90"/>' + MASS, '<actuator><motor joint="j" name="m"/></actuator>'))
    assert made.equations().q_names == ("j",)
    assert [r.name for r in made.equations().r] == ["r_m"]
    assert made.limits["j"].upper == pytest.approx(np.pi / 2)


def test_inputs_have_the_units_of_what_they_ask_for():
    """A motor is given a torque, servos an angle or a rate; what a general law is given has no unit that is known."""
    drives = """<actuator><motor joint="j" name="m"/><position joint="j" name="p" kp="5"/>
      <velocity joint="j" name="v" kv="2"/><general joint="j" name="g" gainprm="2" biastype="affine" biasprm="1 2 3"/>
      </actuator>"""
    made = from_mjcf(one(JOINT + MASS, drives))
    assert {name: r.unit for name, r in made.drives.items()} == {"m": "N m", "p": "rad", "v": "rad/s", "g": ""}
    assert made.drives["p"].description == "set position of 'p'"


def test_bodies_without_names():
    """Bodies and joints that have no names get some."""
    made = from_mjcf("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    assert made.equations().q_names == ("joint",)
    assert "body" in made.frames
    assert list(made.bodies) == ["body"]


def test_load_and_include(tmp_path):
    """``lw.load`` tells MJCF by its root, and includes files of its folder."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "body.xml").write_text(f"<mujocoinclude><body>{JOINT}{MASS}</body></mujocoinclude>")
    path = tmp_path / "scene.xml"
    path.write_text('<mujoco><worldbody><include file="parts/body.xml"/></worldbody></mujoco>')
    assert lw.load(path).equations().q_names == ("j",)
    path.write_text('<mujoco><worldbody><include file="../other.xml"/></worldbody></mujoco>')
    with pytest.raises(lw.FileError, match=r"'../other.xml' lies outside the folder"):
        lw.load(path)
    path.write_text('<mujoco><worldbody><include file="none.xml"/></worldbody></mujoco>')
    with pytest.raises(lw.FileError, match=r"scene.xml:1:20: 'none.xml' is included, but cannot be read"):
        lw.load(path)
    path.write_text('<mujoco><include file="scene.xml"/></mujoco>')
    with pytest.raises(lw.FileError, match="is included a second time"):
        lw.load(path)
    path.write_text("<other/>")
    with pytest.raises(lw.FileError, match="neither a <robot>"):
        lw.load(path)


def test_includes_are_bounded_together(tmp_path):
    """Files that are each small and flat enough are not so inside each other."""
    for k in range(8):
        inside = f'<include file="{k + 1}.xml"/>' if k < 7 else ""
        text = "<mujoco>" + "<body>" * 150 + inside + "</body>" * 150 + "</mujoco>"
        (tmp_path / f"{k}.xml").write_text(text, encoding="utf-8")
    with pytest.raises(lw.FileError, match="with all that is included there are more than 200 elements inside"):
        lw.load(tmp_path / "0.xml")



REFUSED = {
    "another root": ("<robot/>", "<robot> is not a model"),
    "include in a text": ('<mujoco><include file="a.xml"/></mujoco>', "into a text that has no folder"),
    "unknown section": ("<mujoco><magic/></mujoco>", "<magic> is not read"),
    "deformable": ("<mujoco><deformable/></mujoco>", "<deformable> is not read"),
    "equality": (one(JOINT + MASS, "<equality><flex/></equality>"), "equality constraint <flex> is not read"),
    "tied twice": (
        one(JOINT + MASS, '<equality><weld body1="a" name="k"/><weld body1="a" name="k"/></equality>'),
        "a second equality constraint is named 'k'",
    ),
    "tied to nothing": (one(JOINT + MASS, '<equality><weld body1="b"/></equality>'), "body1=\"b\" of this <weld>"),
    "tied to no site": (
        one(JOINT + MASS, '<equality><weld site1="s" site2="s"/></equality>'), "ties site 's', which is not there",
    ),
    "tied to no joint": (one(JOINT + MASS, '<equality><joint joint1="k"/></equality>'), "ties joint 'k', which is not"),
    "tied ball": (
        one('<joint type="ball" name="j"/>' + MASS, '<equality><joint joint1="j"/></equality>'),
        "ties the ball joint 'j'",
    ),
    "tied by no class": (
        one(JOINT + MASS, '<equality><weld body1="a" class="c"/></equality>'), "there is no defaults class 'c'",
    ),
    "tied to itself": (one(JOINT + MASS, '<equality><weld body1="a" body2="a"/></equality>'), "'weld' holds already"),
    "tendon": (one(JOINT + MASS, '<tendon><fixed stiffness="2"/></tendon>'), "<fixed> has stiffness"),
    "tendon by default": (
        one(JOINT + MASS, '<default><tendon damping="1"/></default><tendon><spatial/></tendon>'),
        "<spatial> has damping",
    ),
    "fluid": ('<mujoco><option density="1.2"/></mujoco>', r"density=\"1.2\" lets a fluid act"),
    "flag": ('<mujoco><option><flag damper="disable"/></option></mujoco>', "<flag damper=\"disable\"> is not read"),
    "compiler": ('<mujoco><compiler boundmass="1"/></mujoco>', "<compiler boundmass=\"1\"> is not read"),
    "euler sequence": ('<mujoco><compiler eulerseq="xyw"/></mujoco>', "three letters of x, y, z"),
    "composite": (one("<composite/>"), "<composite> inside a body is not read"),
    "gravcomp": ('<mujoco><worldbody><body name="a" gravcomp="1"/></worldbody></mujoco>', "gravcomp=\"1\" of body 'a'"),
    "two orientations": (one(JOINT + '<geom size=".1" quat="1 0 0 0" euler="0 0 0"/>'), "twice, by quat and euler"),
    "zero quaternion": (one(JOINT + '<geom size=".1" quat="0 0 0 0"/>'), "quat of <geom> is zero"),
    "parallel axes": (one(JOINT + '<geom size=".1" xyaxes="1 0 0 2 0 0"/>'), "xyaxes of <geom> are parallel"),
    "mesh": (one(JOINT + '<geom type="mesh" mesh="m"/>'), "the mass of this <geom type=\"mesh\"> is not worked out"),
    "size": (one(JOINT + '<geom type="box" size=".1 .1"/>'), "needs 3 numbers as its size; 2 seen"),
    "negative size": (one(JOINT + '<geom size="-1"/>'), "is not positive"),
    "no span": (one(JOINT + '<geom type="box" size="1" fromto="0 0 0 0 0 0"/>'), "fromto are one point"),
    "negative mass": (one(JOINT + '<inertial pos="0 0 0" mass="-1"/>'), "this <inertial> has mass -1"),
    "negative moment": (one(JOINT + '<inertial pos="0 0 0" mass="1" diaginertia="-1 1 1"/>'), "has the moment -1"),
    "light leaf": (one(JOINT), "joint 'j' moves 'a' and what is welded to it: mass 0"),
    "joint type": (one('<joint type="screw"/>' + MASS), "type=\"screw\"> is not known"),
    "zero axis": (one('<joint axis="0 0 0"/>' + MASS), "the axis of this joint is zero"),
    "free inside": (one(f"{JOINT}{MASS}<body><freejoint/>{MASS}</body>"), "free joint belongs to a body of the world"),
    "free after another": (one(f"{JOINT}<freejoint/>{MASS}"), "a free joint belongs to a body of the world"),
    "springdamper": (one('<joint springdamper="1 1"/>' + MASS), "springdamper=\"1 1\" of this revolute joint"),
    "odd damping": (one('<joint damping="1 2"/>' + MASS), "damping=\"1 2\" is not linear"),
    "ball spring": (one('<joint type="ball" stiffness="1"/>' + MASS), "stiffness=\"1\" of this ball joint"),
    "class": (one('<joint class="c"/>' + MASS), "there is no defaults class 'c'"),
    "class twice": (
        '<mujoco><default><default class="c"/><default class="c"/></default></mujoco>',
        "a second defaults class is named 'c'",
    ),
    "body twice": (one(f'{JOINT}{MASS}<body name="a"/>'), "a second body is named 'a'"),
    "joint twice": (one(JOINT + JOINT + MASS), "a second joint is named 'j'"),
    "muscle": (one(JOINT + MASS, '<actuator><muscle joint="j"/></actuator>'), "<muscle> actuators are not read"),
    "activation": (
        one(JOINT + MASS, '<actuator><general joint="j" dyntype="filter"/></actuator>'),
        "dyntype=\"filter\"> is not known",
    ),
    "delay": (one(JOINT + MASS, '<actuator><motor joint="j" delay="1"/></actuator>'), "delay=\"1\" of <motor>"),
    "tendon drive": (one(JOINT + MASS, '<actuator><motor tendon="t"/></actuator>'), "this <motor> acts by its tendon"),
    "missing joint": (one(JOINT + MASS, '<actuator><motor joint="k"/></actuator>'), "'k', which is not there"),
    "driven ball": (
        one('<joint name="j" type="ball"/>' + MASS, '<actuator><motor joint="j"/></actuator>'),
        "acts on the ball joint 'j'",
    ),
    "limits by a word": (one('<joint limited="maybe"/>' + MASS), "limited=\"maybe\"> is not known"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    """What is broken, or would change the motion and is not read, is refused by name."""
    text, message = REFUSED[case]
    with pytest.raises(lw.FileError, match=message):
        from_mjcf(text, "x")
