"""Robots with collision geometry: a dog in MJCF, an arm and a crawler in URDF, a small humanoid of capsules."""

from __future__ import annotations


def _leg(name: str, x: float, y: float, kind: str = "capsule") -> str:
    return f"""
      <body name="{name}" pos="{x} {y} 0"><joint name="{name}" axis="0 1 0"/>
        <geom type="{kind}" fromto="0 0 -0.02 0.06 0 -0.22" size="0.03" mass="0.6"/>
        <geom name="{name}_foot" type="sphere" pos="0.06 0 -0.24" size="0.045" mass="0.1" friction="1.2"/></body>"""


DOG = f"""<mujoco model="dog">
  <compiler angle="radian"/>
  <default><joint damping="0.5"/><geom friction="0.9 0.005 0.0001" solref="0.01 1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="trunk" pos="0 0 0.5">
      <freejoint name="root"/>
      <geom name="trunk" type="box" size="0.3 0.15 0.06" mass="8"/>
      {_leg("fl", 0.28, 0.14)}{_leg("fr", 0.28, -0.14)}{_leg("bl", -0.28, 0.14)}{_leg("br", -0.28, -0.14)}
    </body>
  </worldbody>
  <contact><exclude body1="fl" body2="fr"/><pair geom1="fl_foot" geom2="floor" friction="0.3"/></contact>
</mujoco>"""

_SEGMENT = '<joint name="{0}" axis="0 1 0"/><geom type="capsule" fromto="{1}" size="0.04" mass="{2}"/>'
HUMANOID = f"""<mujoco model="humanoid">
  <compiler angle="radian"/>
  <default><joint damping="2"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="torso" pos="0 0 1.0"><freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.1" mass="20"/>
      <body name="head" pos="0 0 0.5"><geom type="sphere" pos="0 0 0.12" size="0.1" mass="4"/></body>
      <body name="arm" pos="0 0.2 0.4">{_SEGMENT.format("shoulder", "0 0 0 0.1 0.02 -0.5", 3)}</body>
      <body name="left thigh" pos="0 0.1 -0.12">{_SEGMENT.format("left hip", "0 0 0 0.05 0 -0.35", 5)}
        <body name="left shin" pos="0.05 0 -0.45">{_SEGMENT.format("left knee", "0 0 0 -0.05 0 -0.3", 3)}</body>
      </body>
      <body name="right thigh" pos="0 -0.1 -0.12">{_SEGMENT.format("right hip", "0 0 0 0.05 0 -0.35", 5)}
        <body name="right shin" pos="0.05 0 -0.45">{_SEGMENT.format("right knee", "0 0 0 -0.05 0 -0.3", 3)}</body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

_INERTIAL = """<inertial><origin xyz="{x} 0 0"/><mass value="{m}"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>"""
CRAWLER = f"""<robot name="crawler">
  <link name="base">{_INERTIAL.format(x=0, m=4)}
    <collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link>
  <link name="arm">{_INERTIAL.format(x=0.2, m=1)}
    <collision name="rod"><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.04" length="0.3"/></geometry></collision>
    <collision name="ball"><origin xyz="0.42 0 0"/><geometry><sphere radius="0.06"/></geometry></collision></link>
  <link name="tail">{_INERTIAL.format(x=-0.2, m=1)}
    <collision><origin xyz="-0.2 0 0" rpy="0.3 0.4 0.5"/><geometry><box size="0.2 0.1 0.05"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.2 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/><dynamics damping="0.4"/></joint>
  <joint name="hip" type="revolute"><parent link="base"/><child link="tail"/><origin xyz="-0.2 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/><dynamics damping="0.4"/></joint>
</robot>"""


def with_mesh(filename: str, scale: str = "") -> str:
    """One link whose shape is a mesh."""
    return f"""<robot name="part"><link name="part">{_INERTIAL.format(x=0, m=1)}
      <collision><geometry><mesh filename="{filename}" {scale}/></geometry></collision></link></robot>"""


def with_shape(shape: str) -> str:
    """One link with a shape as it is written."""
    return f"""<robot name="part"><link name="part">{_INERTIAL.format(x=0, m=1)}
      <collision><geometry>{shape}</geometry></collision></link></robot>"""


def with_geom(geom: str, contact: str = "", more: str = "") -> str:
    """A free body with one geom as it is written, on a plane."""
    return f"""<mujoco>{more}<worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="part" pos="0 0 1">
      <freejoint name="root"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{geom}</body></worldbody>
      <contact>{contact}</contact></mujoco>"""


def stl(corners: list[tuple[float, float, float]]) -> str:
    """A text STL whose triangles have these corners."""
    rows = "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
    return f"solid s\n{rows}endsolid s\n"


CUBE = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]
