"""Vertices of COLLADA files: what faces use, where nodes put it, in metres; and hostile files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files

import numpy as np
import pytest

import latchwork as lw
from latchwork.contact.collada import collada_vertices
from latchwork.contact.meshes import vertices_of

TWO = "0 7 1 7 2 7 0 7 2 7 3 7"
SQUARE = "0 0 0 1 0 0 1 1 0 0 1 0 9 9 9"  # the last is used by no face


def dae(nodes: str, unit: str = "1", positions: str = SQUARE, faces: str = TWO, head: str = "") -> bytes:
    """A file of one mesh, its faces with normals beside vertices, and a scene."""
    return f"""{head}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit meter="{unit}"/></asset>
    <library_geometries><geometry id="g"><mesh>
      <source id="p"><float_array>{positions}</float_array></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
        <p>{faces}</p></triangles></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene>{nodes}</visual_scene></library_visual_scenes></COLLADA>""".encode()


HERE = '<instance_geometry url="#g"/>'


def test_faces_nodes_and_units():
    """A square turned by 90° about z, shifted by 2 along x, all of it scaled by 3, in centimetres."""
    node = f"<node><scale>3 3 3</scale><node><translate>2 0 0</translate><rotate>0 0 1 90</rotate>{HERE}</node></node>"
    found = collada_vertices(dae(node, unit="0.01"), "text")
    expected = 0.01 * 3.0 * np.array([[2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 0, 0]])
    assert found == pytest.approx(expected, abs=1e-15)


def test_matrices_and_instances():
    """A matrix by rows; a mesh twice."""
    matrix = "<matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix>"
    found = collada_vertices(dae(f"<node>{matrix}{HERE}</node><node>{HERE}</node>"), "text")
    assert len(found) == 8
    assert found.max(axis=0) == pytest.approx([6, 7, 7])


@pytest.mark.parametrize(("data", "match"), [
    (dae(HERE, head='<!DOCTYPE x [<!ENTITY a "b">]>'), "DOCTYPE"),
    (dae(f"<node>{HERE}</node>", positions="0 0 nan"), "finite numbers"),
    (dae(f"<node>{HERE}</node>", faces="0 0 99 0 1 0"), "names vertex 99 of 5"),
    (dae(f"<node><matrix>1 2</matrix>{HERE}</node>"), "16 numbers"),
    (dae(f"<node>{HERE}</node>", unit="-1"), "unit of the mesh is '-1'"),
    (dae('<node id="a"><instance_node url="#a"/></node>'), "inside each other"),
    (b"<COLLADA>", "not well-formed"), (b"<a/>", "no COLLADA file"), (b"<a>" * 200, "inside each other"),
])  # fmt: skip
def test_hostile_files_are_refused(data, match):
    """Entities, loops of nodes, numbers that are none: one clear error each."""
    with pytest.raises(lw.FileError, match=match):
        collada_vertices(data, "text")


def test_extents_are_those_that_coal_finds():
    """Meshes of example-robot-data, of several authors and programs."""
    coal = pytest.importorskip("coal")
    wanted = ("a1_description/meshes/hip.dae", "collision/TrunkYaw.dae", "torso_lift_collision_neck.dae", "calf.dae")
    try:
        known = [path.locate() for path in files("example-robot-data") or [] if str(path).endswith(wanted)]
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    assert len(known) >= len(wanted)
    for path in known[:8]:
        ours, theirs = vertices_of(path), np.array(coal.MeshLoader().load(str(path), np.ones(3)).vertices())
        size = float(np.ptp(theirs, axis=0).max())
        assert ours.min(axis=0) == pytest.approx(theirs.min(axis=0), abs=1e-5 * size)
        assert ours.max(axis=0) == pytest.approx(theirs.max(axis=0), abs=1e-5 * size)
