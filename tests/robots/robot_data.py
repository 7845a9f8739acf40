"""Robots installed beside the tests: URDF files of example-robot-data, MJCF files of gymnasium and of MuJoCo itself."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

# Files that no engine can use as they stand, and why.
UNUSABLE = {
    "alex_psyonic_hands": "joints follow others that are not in the file",
    "icub": "an almost singular M: two answers of Pinocchio differ as much as ours",
    "romeo": "fingers without mass",
    "romeo_laas_small": "a gripper without mass",
    "talos_full_v2": "Pinocchio does not find the joint that others follow",
    "talos_full_v2_box": "Pinocchio does not find the joint that others follow",
    "ur3": "no links",
}


def installed(package: str, suffix: str, inside: str = "") -> dict[str, Path]:
    """The files of a package by name, or none where it is not installed."""
    try:
        found = files(package) or []
    except PackageNotFoundError:
        return {}
    paths = [Path(str(file.locate())) for file in found if file.suffix == suffix and inside in str(file)]
    return {f"{path.parts[-3]}/{path.stem}": path for path in sorted(paths)}


URDF = {
    name: path
    for name, path in installed("example-robot-data", ".urdf").items()
    if name.rpartition("/")[2] not in UNUSABLE
}
MJCF = installed("gymnasium", ".xml", "mujoco/assets")
MUJOCO = installed("mujoco-mjx", ".xml", "test_data")  # MuJoCo's own models, in its package for JAX
