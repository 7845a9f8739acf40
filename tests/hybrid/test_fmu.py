"""Functional mock-up units: what is in them, and, with FMPy, that they run to the bits of a simulation."""

from __future__ import annotations

import zipfile
from xml.etree import ElementTree

import pytest

import latchwork as lw
from latchwork.errors import EvaluationError
from scaled_scenes import CONTACTS, Units
from switching_scenes import crate

STEP = 2.0**-9


def ball_and_bat() -> lw.Simulation:
    """A ball on a floor, pushed by an input, with units."""
    model = lw.Model("ball & bat")
    x, y = model.coordinates("x", "y")
    (F,) = model.inputs(F=lw.quantity(0.5, "N", "push"))
    (m,) = model.parameters(m=lw.quantity(2.0, "kg", "mass of the <ball>"))
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("ball", P, m)
    model.gravity(-9.81 * N.y)
    model.force(P, F * N.x)
    model.contact("floor", P, lw.Line(point=O, direction=N.x, normal=N.y), restitution=0.5, friction=lw.Coulomb(0.2))
    return lw.Simulation(model, q={"x": 0.0, "y": 0.25}, method=lw.RK4(STEP))


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The ball and bat as an FMU of sources."""
    return lw.export_fmu(ball_and_bat(), tmp_path_factory.mktemp("fmu") / "ball.fmu", binary=False)


def test_what_is_in_it(exported):
    """Sources, and a description with every coordinate, speed, input, parameter and contact, their units and starts."""
    with zipfile.ZipFile(exported) as unit:
        assert set(unit.namelist()) == {
            "modelDescription.xml", "sources/ball_bat.c", "sources/ball_bat.h", "sources/fmi2.c"}  # fmt: skip
        told = ElementTree.fromstring(unit.read("modelDescription.xml"))
        assert told.attrib["guid"] in unit.read("sources/fmi2.c").decode()
    found = {each.attrib["name"]: (each.attrib["causality"], each[0].tag, each[0].attrib)
             for each in told.iter("ScalarVariable")}  # fmt: skip
    assert list(found) == ["x", "y", "u_x", "u_y", "F", "m", "contact(floor)", "changes"]
    assert found["y"] == ("output", "Real", {"start": "0.25"})
    assert found["F"] == ("input", "Real", {"start": "0.5", "unit": "N"})
    assert found["m"] == ("parameter", "Real", {"start": "2.0", "unit": "kg"})
    assert found["changes"] == ("output", "Integer", {})
    assert told.find("DefaultExperiment").attrib["stepSize"] == repr(STEP)


def test_the_same_file_each_time(exported, tmp_path):
    """The same simulation is the same FMU, byte for byte."""
    again = lw.export_fmu(ball_and_bat(), tmp_path / "again.fmu", binary=False)
    assert again.read_bytes() == exported.read_bytes()


def test_words_for_what_is_no_run_and_no_fmu(tmp_path):
    """A model, another ending, a machine without a compiler."""
    with pytest.raises(EvaluationError, match=r"Give lw\.Simulation"):
        lw.export_fmu(lw.Model("m"), tmp_path / "m.fmu")
    with pytest.raises(EvaluationError, match=r"ends in \.fmu"):
        lw.export_fmu(ball_and_bat(), tmp_path / "m.zip")


def test_a_machine_without_a_compiler(tmp_path, monkeypatch):
    """It is told before anything is written, with the way out."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EvaluationError, match="binary=False"):
        lw.export_fmu(ball_and_bat(), tmp_path / "m.fmu")
    assert not [*tmp_path.iterdir()]


@pytest.mark.campaign
@pytest.mark.parametrize("scene", ["ball and bat", "bouncing ball", "disk on ramp", "crate in space"])
def test_fmpy_runs_it_to_the_same_bits(scene, tmp_path):
    """Loaded, validated and stepped by FMPy: coordinates and speeds of `Simulation.advance`, to the last bit."""
    fmpy, validation = pytest.importorskip("fmpy"), pytest.importorskip("fmpy.validation")
    if scene == "ball and bat":
        sim = ball_and_bat()
    elif scene == "crate in space":
        sim = crate(0.2, 0.4, method=lw.RK4(STEP))
    else:
        s = CONTACTS[scene](Units())
        sim = lw.Simulation(s.model, q=s.q, u=s.u, method=lw.RK4(STEP))
    path = lw.export_fmu(sim, tmp_path / "run.fmu")
    assert validation.validate_fmu(str(path)) == []
    rows = fmpy.simulate_fmu(str(path), stop_time=1.0, step_size=2.0**-6, output_interval=2.0**-6)
    assert len(rows) == 65
    for row in rows[1:]:
        sim.advance(float(row["time"]))
        assert [row[name] for name in (*sim.q, *sim.u)] == [*sim.q.values(), *sim.u.values()]
    assert rows[-1]["changes"] > 0
