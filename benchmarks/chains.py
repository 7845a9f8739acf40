"""Planar chains of uniform rods as MJCF text, which MuJoCo and Latchwork both read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import latchwork as lw

STEP = 1e-3
HEAD = f"""<mujoco model="chain">
  <option integrator="RK4" timestep="{STEP}" gravity="0 0 -9.81"><flag constraint="disable" contact="disable"/></option>
  <worldbody>
"""
ROD = """<body pos="0 0 {at}"><joint type="hinge" axis="0 1 0"/>
<inertial pos="0 0 -0.5" mass="1" diaginertia="{J} {J} 1e-3"/>"""


def chain(links: int) -> str:
    """Rods of 1 m and 1 kg on parallel hinges, hanging; angles are relative, as MuJoCo has them."""
    rods = [ROD.format(at=-1.0 if i else 0.0, J=1.0 / 12.0) for i in range(links)]
    return HEAD + "\n".join(rods) + "</body>" * links + "\n</worldbody></mujoco>\n"


def loaded(text: str) -> Any:
    """Latchwork's model of an MJCF text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.xml"
        path.write_text(text, encoding="utf-8")
        return lw.load(path)
