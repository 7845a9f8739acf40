"""Laws of expressions become C next to the model's C; others are refused by name."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from controlled_models import arm, five_bar, on_branch, slider_crank
from latchwork.hybrid.autonomous_run import autonomous_run


def cart() -> lw.Model:
    model = lw.Model("cart")
    F = model.input("F")
    stiffness = model.parameter("k", 8.0)
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("cart", rail.origin, 2.0)
    model.force(rail.origin, F * model.frame.x)
    assert stiffness is not None
    return model


def test_a_law_in_c_has_the_bits_of_the_run(tmp_path):
    """The function of the shared library gives what the law commands along a run, to the last bit."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    model = cart()
    s = model.symbols
    law = lw.control.Law({"F": -s["k"] * s["x"] - 3.0 * lw.tanh(s["v"]) + lw.sin(model.time)})
    paths = lw.control.export_c(law, model, tmp_path)
    source = next(path for path in paths if path.suffix == ".c" and path.name != "main.c")
    library = tmp_path / "cart.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-ffp-contract=off", str(source), "-o", str(library), "-lm"],
                   check=True)  # fmt: skip
    text = source.read_text()
    name = next(line.split("(")[0].split()[-1] for line in text.splitlines() if "command_F(" in line)
    call = getattr(ctypes.CDLL(str(library)), name)
    run = lw.simulate(model, 0.5, {"x": 1.0}, controllers=[law])
    for i, t in enumerate(run.t.tolist()):
        q, u, r, p, out = (np.ascontiguousarray(a, dtype=float) for a in (run.q[i], run.u[i], [0.0], [8.0], [0.0]))
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (q, u, r, p, out)]
        call(ctypes.c_double(t), *pointers)
        assert out[0] == run["F"][i]


def compiled(folder: Path, name: str) -> ctypes.CDLL:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    library = folder / f"{name}.so"
    flags = ["-shared", "-fPIC", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-std=c99", "-lm"]
    subprocess.run([compiler, str(folder / f"{name}.c"), "-o", str(library), *flags], check=True)
    return ctypes.CDLL(str(library))


def in_c(library: ctypes.CDLL, name: str, count: int) -> Callable[..., list[float]]:
    """A law in C as a function of (t, q, u, r, p)."""
    size, start, command = (getattr(library, f"{name}_{part}") for part in ("size", "start", "command"))
    size.restype, start.restype = ctypes.c_size_t, ctypes.c_void_p
    room, out = ctypes.create_string_buffer(size() + 16), np.zeros(count)
    law = ctypes.c_void_p(start(ctypes.c_void_p((ctypes.addressof(room) + 15) // 16 * 16)))

    def call(t: float, *arrays: Any) -> list[float]:
        given = [np.ascontiguousarray(a, dtype=float) for a in arrays]
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*given, out)]
        assert command(law, ctypes.c_double(t), *pointers) == 0
        assert room is not None
        return out.tolist()

    return call


@pytest.mark.parametrize("which", ["five-bar", "bounded"])
def test_a_projected_law_in_c_has_the_bits_of_the_run(which, tmp_path):
    """Along a run with a constraint: closed loops, a force besides, and bounds that are met."""
    if which == "five-bar":
        model, near = five_bar(), {"q_left": 2.2, "q_right": 0.9, "p_left": -1.2, "p_right": 1.2}
        law = lw.control.Projected(tracks={"q_left": 2.0, "q_right": 1.0}, gains=(100.0, 20.0), name="reach")
        start: dict[str, Any] = {"q": model.constrained().start(near).q}
    else:
        model, start = slider_crank(), on_branch(0.6, 0.4)
        law = lw.control.Projected(tracks={"q1": 1.0}, gains=(25.0, 10.0), name="reach", bounds={"f1": (-2.0, 2.0)},
                                   forces=[lw.control.Press("slot", 2.0)])  # fmt: skip
    sim = lw.Simulation(model, **start, controllers=[law])
    paths = lw.control.export_c(law, sim, tmp_path)
    name = paths[-1].stem
    names = list(law.at(sim).inputs)
    call = in_c(compiled(tmp_path, name), name, len(names))
    run = lw.simulate(model, 0.2, **start, controllers=[law])
    p = [model.equations().system.values[symbol] for symbol in model.equations().p]
    for i, t in enumerate(run.t.tolist()):
        assert call(t, run.q[i], run.u[i], np.zeros(len(names)), p) == [run[each][i] for each in names]


def test_a_law_in_c_remembers_as_a_sampled_one(tmp_path):
    """∫e and the force behind a lag go on from call to call: the commands of a run at 100 Hz."""
    model, start = slider_crank(), on_branch(0.5)
    press = lw.control.Press("slot", 2.0, gains=(3.0, 10.0), filter=0.05)
    law = lw.control.Projected(tracks={"q1": 0.6}, gains=(25.0, 10.0), forces=[press], name="press")
    run = lw.simulate(model, 0.3, **start, controllers=[lw.control.Sampled(law, 0.01)])
    paths = lw.control.export_c(law, lw.Simulation(model, **start, controllers=[law]), tmp_path)
    call = in_c(compiled(tmp_path, paths[-1].stem), paths[-1].stem, 2)
    p = [model.equations().system.values[symbol] for symbol in model.equations().p]
    for k in range(30):
        at = run.at([0.01 * k, 0.01 * k + 0.005])
        found = call(0.01 * k, at.q[0, :2], at.u[0], np.zeros(2), p)
        assert found == pytest.approx([at["f1"][1], at["f2"][1]], rel=1e-9)


def test_a_law_of_expressions_goes_through_the_modes_of_a_run_without_python():
    """An arm held by springs in its joints lands on a table, slides and rises: the bits of the simulation."""
    law = lw.control.Law({"T1": "40 * (sin(6 * t) - q1) - 2 * u1", "T2": "-10 * (q2 + 1.4) - u2"})
    sim = lw.Simulation(arm(), {"q1": 0.8, "q2": -1.4}, controllers=[law], method=lw.RK4(2.0**-9))
    run, modes = autonomous_run(sim), set()
    for i in range(1, 33):
        assert run.advance(i * 2.0**-4) == 0
        sim.advance(i * 2.0**-4)
        modes.add(sim.active)
        assert run.x.tobytes() == sim.state.row.tobytes(), (sim.t, sim.active)
    assert {()} < modes


def test_laws_that_read_the_mode_are_refused_by_name_in_a_run_without_python():
    """Continuous or sampled: by the names of the laws."""
    law = lw.control.Projected(tracks={"q1": 0.0, "q2": 0.0}, gains=(100.0, 20.0), name="reach")
    for each, name in ((law, "reach"), (lw.control.Sampled(law, 0.01, name="slow"), "slow")):
        sim = lw.Simulation(arm(), {"q1": 0.8, "q2": -1.4}, controllers=[each])
        with pytest.raises(lw.ModelError, match=rf"cannot run without Python: it has controllers .{name}.\. Leave"):
            autonomous_run(sim)


def test_what_cannot_become_c_is_refused_by_name(tmp_path):
    """Python functions; what is no model, and no folder."""
    function = lw.control.Sampled(lambda t, q, u, memory: {"F": 0.0}, 0.1, inputs=["F"], name="mine")
    with pytest.raises(lw.ModelError, match="controller 'mine' is the Python function"):
        lw.control.export_c(function, cart(), tmp_path)
    law, place = lw.control.Law({"F": "-x"}), tmp_path / "taken"
    place.write_text("")
    with pytest.raises(lw.ArgumentError, match="what a law is exported with is 3"):
        lw.control.export_c(law, 3, tmp_path)
    with pytest.raises(lw.FileError, match="taken: it cannot be made a folder: a file is there"):
        lw.control.export_c(law, cart(), place)
