"""What links look like: visuals of URDF and MJCF, found within a search path, and files that mean harm."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from latchwork.contact import mesh_faces
from latchwork.contact.mesh_faces import surfaces_of
from latchwork.errors import FileError
from latchwork.view.mesh import coarser, joined, read, welded
from latchwork.view.still import pixels, still
from latchwork.view.visuals import MOST_FACES, visual_outlines
from robots.robot_data import URDF

ROBOT = """<robot name="arm"><material name="steel"><color rgba="0.2 0.4 0.6 1"/></material>
<link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial>{visual}</link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1"/></joint></robot>"""
MESH = '<visual><origin xyz="0 0 0.5"/><geometry><mesh filename="{}" scale="2 2 2"/></geometry>{}</visual>'
CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
                  [0, 6, 4], [1, 5, 7], [1, 7, 3]])  # fmt: skip


def stl(triangles: np.ndarray, count: int | None = None) -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in triangles)
    return b"\0" * 80 + struct.pack("<I", len(triangles) if count is None else count) + rows


def obj(material: str = "") -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE]
    faces = ["f " + " ".join(f"{k + 1}//1" for k in face) for face in FACES]
    return "\n".join([f"mtllib {material}" if material else "", *lines, "usemtl red" if material else "", *faces])


DAE = """<COLLADA><asset><unit meter="0.5"/></asset>
<library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><color>1 0.5 0 1</color></diffuse></phong>
</technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array>{places}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist material="s" count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount>
<p>0 1 3 2 4 6 7 5 0 4 5 1 2 3 7 6 0 2 6 4 1 5 7 3</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><translate>2 0 0</translate><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes></COLLADA>""".format(places=" ".join(str(x) for x in CUBE.ravel()))


def volume(triangles: np.ndarray) -> float:
    """By the divergence theorem: Σ a · (b × c) / 6."""
    return float((triangles[:, 0] * np.cross(triangles[:, 1], triangles[:, 2])).sum() / 6.0)


@pytest.mark.parametrize(("name", "color", "edge"), [("cube.stl", "", 1.0), ("cube.obj", "#ff8000", 1.0),
                                                     ("cube.dae", "#ff8000", 0.5)])  # fmt: skip
def test_faces_and_colours_of_meshes(tmp_path, name, color, edge):
    """A cube has twelve triangles, the volume of its edge in metres, and its material's colour."""
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0.5 0\n", encoding="utf-8")
    content = {"cube.stl": stl(CUBE[FACES]), "cube.obj": obj("red.mtl").encode(), "cube.dae": DAE.encode()}[name]
    (tmp_path / name).write_bytes(content)
    (surface,) = surfaces_of(tmp_path / name)
    assert surface.triangles.shape == (12, 3, 3)
    assert abs(volume(surface.triangles)) == pytest.approx(edge**3)
    assert surface.color == color


def test_a_visual_is_drawn_where_its_link_is(tmp_path):
    """Scaled by its element, moved by its origin, carried by its joint; in its material's colour."""
    (tmp_path / "cube.stl").write_bytes(stl(CUBE[FACES]))
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.format(visual=MESH.format("cube.stl", '<material name="steel"/>')), encoding="utf-8")
    scene = still(lw.load(path))
    (shape,) = (item for item in scene["shapes"] if "mesh" in item)
    places = read(scene["meshes"][shape["mesh"]]).places + scene["tracks"][shape["at"]]
    assert scene["tracks"][shape["turn"]] == [1, 0, 0, 0, 1, 0]
    assert places.min(axis=0) == pytest.approx([0.0, 0.0, 1.5], abs=1e-4)
    assert places.max(axis=0) == pytest.approx([2.0, 2.0, 3.5], abs=1e-4)
    assert (shape["color"], shape["body"]) == ("#336699", "arm")
    assert scene["ground"]["at"][2] == pytest.approx(0.0, abs=1e-9)  # where the base is
    blue = pixels(scene, (200, 160)).reshape(-1, 3)
    assert (blue[:, 2] > blue[:, 0].astype(int) + 30).mean() > 0.05


def test_visuals_of_mjcf(tmp_path):
    """Geoms of shown groups, in their own colour or their material's; those of collisions are not shown."""
    (tmp_path / "cube.obj").write_text(obj(), encoding="utf-8")
    path = tmp_path / "arm.xml"
    path.write_text("""<mujoco><compiler meshdir="."/><asset><mesh name="c" file="cube.obj"/><material name="red"
        rgba="1 0 0 1"/></asset><worldbody><body><joint type="hinge"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="c" material="red" contype="0" conaffinity="0"/>
        <geom type="capsule" size="0.1 0.5" rgba="0 0 1 1"/><geom type="box" size="1 1 1" group="3"/></body></worldbody>
        </mujoco>""", encoding="utf-8")  # fmt: skip
    model = lw.load(path)
    assert [visual.read()[0].color for visual in model.system().visuals] == ["#ff0000", "#0000ff"]


@pytest.mark.parametrize("name", ["../secret.stl", "/etc/secret.stl", "package://../secret.stl", "file:///etc/x.stl",
                                  "package://arm/../../secret.stl"])  # fmt: skip
def test_nothing_is_read_outside(tmp_path, name):
    """A mesh outside of the search path is not shown, is noted, and is never opened."""
    (tmp_path / "secret.stl").write_bytes(stl(CUBE[FACES]))
    inner = tmp_path / "arm"
    inner.mkdir()
    (inner / "arm.urdf").write_text(ROBOT.format(visual=MESH.format(name, "")), encoding="utf-8")
    robot = lw.load(inner / "arm.urdf")
    assert robot.system().visuals == ()
    assert "1 of its meshes are not shown" in robot.notes[-1]


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    """A symbolic link to a file elsewhere is not read."""
    (tmp_path / "secret.stl").write_bytes(stl(CUBE[FACES]))
    inner = tmp_path / "arm"
    inner.mkdir()
    os.symlink(tmp_path / "secret.stl", inner / "cube.stl")
    (inner / "arm.urdf").write_text(ROBOT.format(visual=MESH.format("cube.stl", "")), encoding="utf-8")
    assert lw.load(inner / "arm.urdf").system().visuals == ()


def test_the_package_that_a_file_lies_in_is_known(tmp_path):
    """``package://name/...`` is found where a folder above the file is called so."""
    (tmp_path / "arm_package" / "urdf").mkdir(parents=True)
    (tmp_path / "arm_package" / "cube.stl").write_bytes(stl(CUBE[FACES]))
    path = tmp_path / "arm_package" / "urdf" / "arm.urdf"
    path.write_text(ROBOT.format(visual=MESH.format("package://arm_package/cube.stl", "")), encoding="utf-8")
    assert len(lw.load(path).system().visuals) == 1


BAD = {
    "truncated.stl": (stl(CUBE[FACES])[:-7], "cut off"),
    "lying.stl": (stl(CUBE[FACES], 4_000_000_000), "cut off"),
    "nan.stl": (stl(np.full((2, 3, 3), np.nan)), "not finite"),
    "far.stl": (stl(np.full((2, 3, 3), 1e30)), "not finite or beyond"),
    "empty.stl": (b"", "cut off"),
    "text.stl": (b"solid x\nfacet\nvertex 0 0\nvertex 1 1 zero\n", "three numbers"),
    "faces.obj": (b"v 0 0 0\nv 1 0 0\nf 1 2 3\n", "names vertex 3 of 2"),
    "words.obj": (b"v a b c\n", "is not understood"),
    "none.obj": (b"v 0 0 0\n", "no faces"),
    "entities.dae": (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "DOCTYPE"),
    "cut.dae": (DAE[: len(DAE) // 2].encode(), "well-formed"),
    "names.dae": (DAE.replace("0 1 3 2", "0 1 3 99").encode(), "names vertex 99 of 8"),
    "more.dae": (DAE.replace("4 4 4 4 4 4", "4 4 4 4 4 9").encode(), "cut off"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_mean_harm_are_refused_in_words(tmp_path, name):
    """Each is told of by name and what is wrong with it; drawn, the link is left out and the rest is shown."""
    content, words = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FileError, match=words):
        surfaces_of(tmp_path / name)
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT.format(visual=MESH.format(name, "")), encoding="utf-8")
    visuals = lw.load(path).system().visuals
    with pytest.warns(UserWarning, match="drawn without a mesh"):
        assert list(visual_outlines(visuals)) == []


def test_files_that_are_too_large_are_not_read(tmp_path, monkeypatch):
    """Beyond the limit of bytes nothing is parsed."""
    (tmp_path / "cube.stl").write_bytes(stl(CUBE[FACES]))
    monkeypatch.setattr(mesh_faces, "MOST_BYTES", 100)
    with pytest.raises(FileError, match="100"):
        surfaces_of(tmp_path / "cube.stl")


def test_a_fan_of_many_faces_takes_little_memory():
    """Twenty thousand faces at one vertex, which would be 4·10⁸ pairs of neighbours, are welded all the same."""
    angles = np.linspace(0.0, 2 * np.pi, 20_001)
    rim = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    mesh = welded(np.stack([np.zeros((20_000, 3)), rim[:-1], rim[1:]], axis=1))
    assert len(mesh.faces) == 20_000
    assert np.abs(mesh.normals - [0, 0, 1]).max() < 1e-12


def test_a_mesh_is_made_coarser_and_keeps_its_shape():
    """Of 80,000 faces of a sphere at most 2,000 are left, within a twentieth of its radius."""
    from latchwork.mechanics.primitives import ball

    vertices, faces = joined(ball(1.0, 280))
    found, kept = coarser(vertices, faces, 2000)
    assert 500 < len(kept) <= 2000
    assert np.abs(np.linalg.norm(found, axis=1) - 1.0).max() < 0.05
    assert volume(found[kept]) == pytest.approx(4.0 * np.pi / 3.0, rel=0.05)


def test_normals_are_smooth_across_a_cylinder_and_sharp_at_its_rim():
    """Normals of the side point away from the axis, of the ends along it; the rims are the only sharp edges."""
    from latchwork.mechanics.primitives import cylinder

    mesh = welded(cylinder(1.0, 0.0, 2.0, 32))
    side = np.abs(mesh.normals[:, 2]) < 0.5
    assert np.abs(mesh.normals[side, :2] - mesh.places[side, :2]).max() < 1e-6
    assert np.abs(np.abs(mesh.normals[~side, 2]) - 1.0).max() < 1e-12
    assert len(mesh.edges) == 64
    again = read(mesh.data)
    assert np.abs(again.places - mesh.places).max() < 1e-4
    assert (again.faces == mesh.faces).all()


@pytest.mark.skipif("panda_description/panda" not in URDF, reason="example-robot-data is not installed")
def test_a_panda_looks_like_a_panda():
    """Meshes of all eleven links are found without being told where, white, grey and black, within bounds."""
    robot = lw.load(Path(URDF["panda_description/panda"]))
    outlines = list(visual_outlines(robot.system().visuals))
    assert robot.notes == ()
    assert len(robot.system().visuals) >= 11
    assert sum(len(made.solid.faces) for made in outlines) <= MOST_FACES
    assert {"#ffffff", "#404040"} <= {made.color for made in outlines}
    assert max(made.solid.reach for made in outlines) < 0.5
