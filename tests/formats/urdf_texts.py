"""URDF texts for tests: small robots with every feature, and random trees."""

from __future__ import annotations

import math
from random import Random


def robot(*parts: str, name: str = "robot") -> str:
    return f'<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>"


def link(name: str, mass: float = 1.0, xyz: str = "0 0 0", rpy: str = "0 0 0", moments: str = "") -> str:
    """A link with an inertial; moments as ixx iyy izz ixy ixz iyz."""
    values = (moments or "0.02 0.03 0.04 0.001 -0.002 0.003").split()
    inertia = " ".join(f'{key}="{value}"' for key, value in zip("ixx iyy izz ixy ixz iyz".split(), values, strict=True))
    origin = f'<origin xyz="{xyz}" rpy="{rpy}"/>'
    return f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/><inertia {inertia}/></inertial></link>'


def joint(name: str, kind: str, parent: str, child: str, more: str = "", xyz: str = "0 0 0", rpy: str = "0 0 0",
          axis: str = "0 0 1") -> str:  # fmt: skip
    inside = f'<origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/><child link="{child}"/>'
    direction = f'<axis xyz="{axis}"/>' if kind not in ("fixed", "floating") else ""
    limit = '<limit lower="-1" upper="1" effort="10" velocity="5"/>' if kind in ("revolute", "prismatic") else ""
    return f'<joint name="{name}" type="{kind}">{inside}{direction}{limit}{more}</joint>'


ARM = robot(
    link("base"),
    link("upper", 2.0, "0.1 0.02 -0.03", "0.1 0.2 0.3"),
    link("fore", 1.5, "0.2 0 0"),
    link("tool", 0.3, "0 0.05 0", "1.2 0 0"),
    joint("shoulder", "revolute", "base", "upper", xyz="0 0 0.5", rpy="1.57079632679 0 0"),
    joint("elbow", "continuous", "upper", "fore", xyz="0.4 0 0.1", rpy="0 0 0.4", axis="0 2 0"),
    joint("flange", "fixed", "fore", "tool", xyz="0.3 0.1 0", rpy="0 -1.57079632679 0.2"),
    name="arm",
)

EVERY_JOINT = robot(
    link("base"),
    *(link(name, 1.0 + 0.1 * i, f"0.0{i} 0.1 -0.02", f"0.{i} 0 0.2") for i, name in enumerate("abcdefg")),
    joint("r", "revolute", "base", "a", xyz="0.1 0 0.3", rpy="0.3 -0.2 0.5", axis="1 2 -0.5"),
    joint("p", "prismatic", "a", "b", xyz="0 0.2 0", rpy="0 0 0.7", axis="0.6 0 0.8"),
    joint("weld", "fixed", "b", "c", xyz="0.1 0 0", rpy="1 2 3"),
    joint("turn", "continuous", "c", "d", xyz="0 0 0.2", axis="-1 0 0"),
    joint("plane", "planar", "base", "e", xyz="1 0 0", rpy="0.1 0.2 0.3"),
    joint("loose", "floating", "e", "f", xyz="0 0.5 0", rpy="-0.4 0 0"),
    joint("rail", "prismatic", "f", "g", xyz="0.3 0 0", axis="0 -1 0"),
)

GRIPPER = robot(
    link("palm"),
    *(link(name, 0.2, "0.03 0 0.01") for name in ("left", "right", "tip", "slide")),
    joint("right_finger", "revolute", "palm", "right", '<mimic joint="left_finger" multiplier="-1.5" offset="0.2"/>',
          "0 -0.1 0", "0 0 3.14159265359"),
    joint("left_finger", "revolute", "palm", "left", xyz="0 0.1 0", rpy="0.2 0 0"),
    joint("tip_joint", "revolute", "right", "tip", '<mimic joint="left_finger" multiplier="-0.75" offset="0.1"/>',
          "0.1 0 0", axis="0 1 0"),
    joint("slider", "prismatic", "tip", "slide", '<mimic joint="left_finger" multiplier="0.3" offset="-0.1"/>',
          axis="1 0 0"),
)  # fmt: skip


# The tip follows the finger that follows: -0.75 q + 0.1 = 0.5 (-1.5 q + 0.2).
CHAIN = GRIPPER.replace('joint="left_finger" multiplier="-0.75" offset="0.1"', 'joint="right_finger" multiplier="0.5"')


def random_robot(seed: int, links: int = 8) -> str:
    """A random tree: neat and odd axes, quarter turns and others, welds, links without mass in between."""
    rng = Random(seed)

    def triple(size: float) -> str:
        return " ".join(f"{rng.choice((0.0, rng.uniform(-size, size))):.6g}" for _ in range(3))

    def angles() -> str:
        neat = [str(rng.choice((0.0, math.pi / 2, -math.pi / 2, math.pi))) for _ in range(3)]
        return " ".join(neat) if rng.random() < 0.6 else triple(2.0)

    def axis() -> str:
        neat = rng.choice(("1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0 -1 0"))
        odd = f"{rng.uniform(0.1, 1):.6g} {triple(1).split()[0]} {rng.uniform(-1, 1):.6g}"
        return neat if rng.random() < 0.7 else odd

    def mass(i: int) -> str:
        if rng.random() < 0.15 and i < links - 1:
            return f'<link name="l{i}"/>'
        return link(f"l{i}", rng.uniform(0.2, 3), triple(0.3), angles())

    parts, parents = [link("l0")], {}
    for i in range(1, links):
        parents[i] = rng.randrange(max(0, i - 3), i)
    leaves = set(parents) - set(parents.values())
    for i, parent in parents.items():
        kind = rng.choice(("revolute", "revolute", "continuous", "prismatic", "fixed"))
        parts.append(link(f"l{i}", 0.7, triple(0.2), angles()) if i in leaves else mass(i))
        parts.append(joint(f"j{i}", kind, f"l{parent}", f"l{i}", xyz=triple(0.5), rpy=angles(), axis=axis()))
    return robot(*parts, joint("last", "revolute", "l0", "end", xyz="0.1 0.2 0.3"), link("end", 0.5, "0.1 0 0"))
