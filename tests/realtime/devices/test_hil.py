"""Hardware in the loop: exported C code as a device, against the network device."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt
from latchwork.errors import EvaluationError
from latchwork.realtime.coupler import Coupler
from latchwork.realtime.devices.device import Reading
from latchwork.realtime.devices.hil import export_hil
from latchwork.realtime.devices.network import NetworkDevice
from realtime_mechanisms import stepped, still

STEP, TICKS = 1e-3, 150
COUPLER = Coupler(400.0, 3.0)
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"needs {name}"))
    for name in ("gcc", "clang")
]
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX sockets")


def joystick(motor=False):
    """A stick on a pivot, with a spring and a damper, or a motor; the force on its tip drives inputs Fx and Fy."""
    model = lw.Model("joy stick")
    (q,) = model.coordinates("q")
    model.speeds(w=dt(q))
    (b,) = model.parameters(b=0.02)
    Fx, Fy = model.inputs(Fx=0.0, Fy=0.0)
    N = model.frame
    A = N.rotated("A", q, N.z)
    tip = model.origin.at("tip", 0.15 * A.y)
    model.body("stick", frame=A, center=model.origin.at("C", 0.1 * A.y), mass=0.2, inertia=lw.inertia(A, zz=4e-4))
    model.torque(A, -(0.5 * q + b * dt(q)) * N.z)
    model.force(tip, Fx * N.x + Fy * N.y)
    if motor:
        model.torque(A, model.input("T") * N.z)
    return model.equations()


class World:
    """A virtual mass in the plane, held by whoever comes through the network."""

    def __init__(self, place):
        self.x = np.array([*place, 0.0, 0.0])

    def pull(self, reading):
        """The coupler's force on the mass, and a tick of its motion."""
        force, _ = COUPLER.wrench(reading, still((*self.x[:2].tolist(), 0.0), (*self.x[2:].tolist(), 0.0)))
        a = np.array(force[:2]) / 0.5
        self.x = np.concatenate([self.x[:2] + STEP * self.x[2:] + 0.5 * STEP**2 * a, self.x[2:] + STEP * a])
        return force


def compiled(folder, compiler):
    """The program, made by its own Makefile without a warning."""
    found = subprocess.run(["make", "-C", str(folder), "hil", f"CC={compiler}"], capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")
    return folder / "hil"


def served(program):
    """Ticks of the loop's side, one for every packet, and what the program printed; the mass as it then is."""
    device, world = NetworkDevice(["case", "mass"], stale=10.0), World((-0.05, 0.15))
    command = [str(program), str(device.port), str(TICKS * STEP), "1", "lockstep"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 120.0
        while device.counts.accepted < TICKS and time.monotonic() < end:
            before = device.counts.accepted
            reading = device.read(before, before * STEP)
            if device.counts.accepted > before:
                force = world.pull(reading)
                device.write(before, before * STEP, (-force[0], -force[1], -force[2]), (0.0, 0.0, 0.0))
        text = running.communicate(timeout=120.0)[0]
    last = device.read(0, 0.0)
    device.close()
    return text, world, last


def expected(equations):
    """The same in Python: device and mass, exchanging places and forces at the beginning of every step."""
    x, world = np.array([0.3, 0.0]), World((-0.05, 0.15))
    tip = equations.system.tree.points["tip"]
    velocity = equations.velocity(tip)

    def rate(t, y, force):
        return np.concatenate([equations.qdot(y[:1], y[1:]), equations.udot(y[:1], y[1:], r=force)])

    for tick in range(TICKS):
        place, speed = (equations.evaluate(what, x[:1], x[1:]).tolist() for what in (tip.position(), velocity))
        force = world.pull(Reading("mass", place=tuple(place), velocity=tuple(speed)))
        x = stepped(lambda t, y, F=force: rate(t, y, [-F[0], -F[1]]), tick * STEP, x, STEP)
    return x, world


@posix
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_c_client_moves_as_its_model_does(tmp_path, compiler):
    """Compiled without a warning, in lockstep with the loop: states of device and mass as in Python, to rounding."""
    equations = joystick()
    export_hil(equations, tmp_path, handle="tip", force=["Fx", "Fy"], q={"q": 0.3})
    text, world, last = served(compiled(tmp_path, compiler))
    x, mass = expected(equations)
    found = [float(number) for number in re.search(r"^x = (.*)$", text, re.MULTILINE)[1].split()]
    assert found == pytest.approx(x, rel=1e-11)
    assert world.x == pytest.approx(mass.x, rel=1e-11)
    assert f"ticks = {TICKS}, received = {TICKS}, malformed = 0, missed = 0" in text
    assert last.body is None


@posix
@pytest.mark.skipif(shutil.which("make") is None or shutil.which("gcc") is None, reason="needs make and gcc")
@pytest.mark.parametrize("which", ["projected", "expressions"])
def test_a_law_moves_the_device_in_the_loop(tmp_path, which):
    """A motor in the stick follows its reference, at every step, against the hand: as Python does, to rounding."""
    equations = joystick(motor=True)
    t, q, w = equations.system.t, equations.q[0], equations.u[0]
    goal = 0.3 + 0.2 * lw.sin(8.0 * t)
    law = lw.control.Projected(tracks={"q": goal}, gains=(400.0, 40.0), inputs=["T"], unknown=["Fx", "Fy"], name="hold")
    if which == "expressions":
        law = lw.control.Law({"T": -2.0 * (q - goal) - 0.05 * w}, name="hold")
    export_hil(equations, tmp_path, handle="tip", force=["Fx", "Fy"], q={"q": 0.3}, law=law)
    text, world, _ = served(compiled(tmp_path, "gcc"))
    sim = lw.Simulation(equations, {"q": 0.3}, controllers=[lw.control.Sampled(law, STEP)], method=lw.RK4(STEP))
    tip, mass = equations.system.tree.points["tip"], World((-0.05, 0.15))
    velocity = equations.velocity(tip)
    for tick in range(TICKS):
        place, speed = (equations.evaluate(what, sim.x[:1], sim.x[1:2]).tolist() for what in (tip.position(), velocity))
        force = mass.pull(Reading("mass", place=tuple(place), velocity=tuple(speed)))
        sim.inputs["Fx"], sim.inputs["Fy"] = -force[0], -force[1]
        sim.advance((tick + 1) * STEP)
    found = [float(number) for number in re.search(r"^x = (.*)$", text, re.MULTILINE)[1].split()]
    assert found == pytest.approx(sim.x[:2], rel=1e-8)
    assert world.x == pytest.approx(mass.x, rel=1e-8)


def test_a_python_function_is_no_law_of_a_device(tmp_path):
    """It is refused by name."""
    law = lw.control.Sampled(lambda t, q, u, memory: {"T": 0.0}, STEP, inputs=["T"], name="mine")
    with pytest.raises(lw.ModelError, match="controller 'mine' is the Python function"):
        export_hil(joystick(motor=True), tmp_path, handle="tip", force=["Fx"], law=law)


def test_the_program_names_what_the_model_has(tmp_path):
    """Inputs by their number, the start, the step; no hole is left; the Makefile knows how to make it."""
    paths = export_hil(joystick(), tmp_path, handle="tip", force=[None, "Fy"], q=[0.25], step=5e-4, arm=(0.0, 0.1, 0.0))
    text = paths[-1].read_text()
    assert [path.name for path in paths] == ["joy_stick.c", "joy_stick.h", "main.c", "Makefile", "hil.c"]
    assert re.search(r"@\w+@", text) is None
    for line in ("#define STEP 0.0005", "force_input[3] = {-1, 1, -1}", "x0[NX] = {0.25, 0.0}", "{0.0, 0.1, 0.0}"):
        assert line in text
    assert "hil: hil.c joy_stick.c joy_stick.h" in (tmp_path / "Makefile").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"handle": "tap", "force": ["Fx"]}, "'tap' is not in the run of 'joy stick'. Did you mean 'tip'"),
        ({"handle": "q", "force": ["Fx"]}, "the handle of 'joy stick' is 'q', which is no point"),
        ({"handle": "tip", "force": ["Fz"]}, "'Fz' is not an input of 'joy stick'"),
        ({"handle": "tip", "force": [None]}, r"the felt force drives \[None\]"),
    ],
)
def test_what_is_no_device_is_refused(tmp_path, options, words):
    """A handle that is a point, and inputs that the force can drive."""
    with pytest.raises(EvaluationError, match=words):
        export_hil(joystick(), tmp_path, **options)
