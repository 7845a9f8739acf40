"""Laws of expressions become C next to the model's C; others are refused by name."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import latchwork as lw
from controlled_models import slider_crank


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


def test_what_cannot_become_c_is_refused_by_name(tmp_path):
    """Laws that read the mode, and Python functions."""
    projected = lw.control.Projected(tracks={"q1": 1.0}, gains=(1.0, 1.0), name="reach")
    with pytest.raises(lw.ModelError, match="law 'reach' reads the mode that 'slider-crank' is in"):
        lw.control.export_c(projected, slider_crank(), tmp_path)
    function = lw.control.Sampled(lambda t, q, u, memory: {"F": 0.0}, 0.1, inputs=["F"], name="mine")
    with pytest.raises(lw.ModelError, match="controller 'mine' is the Python function"):
        lw.control.export_c(function, cart(), tmp_path)
