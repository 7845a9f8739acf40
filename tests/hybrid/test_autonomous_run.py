"""Runs that go on without Python: the bits of a simulation, in machine code, as Python, and as C."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.errors import EvaluationError, ModelError
from latchwork.hybrid.autonomous_flow import Halt, advance_alone
from latchwork.hybrid.autonomous_run import autonomous_run
from latchwork.program.memory_image import memory_image
from scaled_scenes import CONTACTS, MECHANISMS, Units
from switching_scenes import crate

STEP = 2.0**-9
SCENES = {**CONTACTS, **MECHANISMS}
COMPILER = shutil.which("gcc") or shutil.which("clang")
QUICK = ["bouncing ball", "disk on ramp", "stick-slip", "balls that collide", "arm with friction", "four-bar"]
ALONE = sorted(SCENES.keys() - {"cart with rules", "rolling ball"})  # the ball chooses other speeds on its way


def begun(scene: str) -> lw.Simulation:
    s = SCENES[scene](Units())
    return lw.Simulation(s.model, q=s.q, u=s.u, method=lw.RK4(STEP))


def box_in_the_plane() -> lw.Simulation:
    """A box that is pushed to and fro: it slides, and rests on two corners with a row to spare."""
    model = lw.Model("box in the plane")
    N, link = model.frame, model.planar("box")
    body = model.body("box", link, link.origin, 2.0, lw.inertia(link.frame, zz=0.1))
    model.gravity(-9.81 * N.y)
    model.force(link.origin, 14.0 * lw.sin(9.0 * model.time) * N.x)
    model.contact("floor", body.box((0.4, 0.2)), lw.Line(model.origin, N.x, N.y), friction=0.5)
    return lw.Simulation(model, [0.0, 0.12, 0.05], method=lw.RK4(STEP))


def crate_in_space() -> lw.Simulation:
    """A box that falls on a floor, a little askew, slides on four corners, and comes to rest."""
    return crate(0.2, 0.4, method=lw.RK4(STEP))


def driven_block() -> lw.Simulation:
    """A block on a rough floor, pushed by an input."""
    model = lw.Model("driven block")
    x, y = model.coordinates("x", "y")
    (F,) = model.inputs(F=0.0)
    m, mu = model.parameters(m=1.0, mu=0.4)
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("block", P, m)
    model.gravity(-9.81 * N.y)
    model.force(P, F * N.x)
    floor = lw.Line(point=O, direction=N.x, normal=N.y)
    model.contact("floor", P, floor, friction=lw.Coulomb(mu))
    return lw.Simulation(model, q={"x": 0.0, "y": 0.0}, method=lw.RK4(STEP))


@pytest.mark.parametrize("scene", seeds(QUICK, ALONE))
def test_the_bits_of_a_simulation(scene):
    """Piece by piece, through impacts, stick and slip, the state is that of `Simulation.advance`, to the last bit."""
    sim = begun(scene)
    run = autonomous_run(sim)
    for i in range(1, 17):
        assert run.advance(i * 2.0**-4) == 0
        sim.advance(i * 2.0**-4)
        assert run.x.tobytes() == sim.state.row.tobytes(), (sim.t, sim.active)


@pytest.mark.parametrize("make", [box_in_the_plane, crate_in_space])
def test_the_bits_of_a_simulation_with_rows_to_spare(make):
    """More corners than are needed hold a box: the state is that of `Simulation.advance`, to the last bit."""
    sim, most = make(), set()
    run = autonomous_run(sim)
    for i in range(1, 25):
        assert run.advance(i * 2.0**-5) == 0
        sim.advance(i * 2.0**-5)
        most.add(sim.active)
        assert run.x.tobytes() == sim.state.row.tobytes(), (sim.t, sim.active)
    assert any(len(active) >= 2 and all(name.endswith("stick") for name in active) for active in most)


def test_inputs_that_change_between_calls():
    """A push that grows until the block slips, and is taken back until it sticks: the bits of a run that is told so."""
    sim = driven_block()
    run, modes = autonomous_run(sim), set()
    for i in range(1, 65):
        push = 6.0 * np.sin(0.1 * i)
        run.rest[0] = sim.inputs["F"] = push
        assert run.advance(i * 2.0**-5) == 0
        sim.advance(i * 2.0**-5)
        modes.add(sim.active)
        assert run.x.tobytes() == sim.state.row.tobytes(), (sim.t, sim.active)
    assert {("floor: stick",), ("floor: slide",)} <= modes


def test_kernels_as_python():
    """The kernel that C is made from means what it does as machine code: to the same words of the state."""
    run, same = autonomous_run(begun("bouncing ball")), autonomous_run(begun("bouncing ball"))
    assert run.advance(0.5) == advance_alone(same.memory.run, 0.5) == 0
    assert run.x.tobytes() == same.x.tobytes()
    assert run.memory.run.passed == same.memory.run.passed > 0


def test_modes_are_forgotten_where_there_is_no_room():
    """A run that meets more modes than there is memory for goes on: they are laid out again, in speeds chosen then."""
    few, many = autonomous_run(begun("balls that collide")), autonomous_run(begun("balls that collide"))
    assert many.advance(1.0) == 0
    needed = many.memory.run.programs
    assert needed.used > needed.wanted, "there are several modes"
    few.memory.run.programs.room = needed.wanted
    assert few.advance(1.0) == 0
    assert few.memory.run.passed == many.memory.run.passed
    assert few.x == pytest.approx(many.x, abs=1e-7)  # steps of 2 ms in other speeds differ by 5e-9


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("scene", seeds(["crate in space"], ["bouncing ball", "disk on ramp", "stick-slip",
                                                             "arm with friction"]))  # fmt: skip
def test_c_gives_the_bits_of_a_simulation(scene, tmp_path):
    """The exported example, compiled without a warning: each of its lines is a state of `Simulation.advance`."""
    sim = crate_in_space() if scene == "crate in space" else begun(scene)
    lw.export_c(sim, tmp_path)
    built = subprocess.run(["make", "-s", "CFLAGS=-O0 -std=c99 -Wall -Wextra -pedantic -Werror", f"CC={COMPILER}"],
                           cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert (built.returncode, built.stderr) == (0, "")
    told = subprocess.run([tmp_path / "example"], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    rows, step, changed = [[*map(float, line.split())] for line in told.stdout.splitlines()], 5 * STEP, False
    assert len(rows) == 200
    for k, row in enumerate(rows):
        events = sim.advance((k + 1) * step)
        changed = changed or bool(events)
        assert np.array(row).tobytes() == sim.state.row[: len(row)].tobytes()
    assert changed


@pytest.mark.parametrize("scene", seeds(QUICK, ALONE))
@pytest.mark.parametrize("method", [lw.RK4(STEP), lw.DormandPrince()], ids=["rk4", "dopri"])
def test_no_address_leads_astray(scene, method):
    """All memory that a run points to is found among what its owners keep alive."""
    s = SCENES[scene](Units())
    run = autonomous_run(lw.Simulation(s.model, q=s.q, u=s.u, method=method))
    image = memory_image(run.memory.run, *run.owners)
    assert len(image.addresses) > 100
    assert {kernel.function.__name__ for kernel in image.kernels.values()} >= {"settle", "pivot", "look_freely"}


def test_exports_are_the_same_each_time():
    """Nothing of this process, of where its memory lies or of its clock is in what is written."""
    runs = [autonomous_run(begun("bouncing ball")) for _ in range(2)]
    one, two = (memory_image(run.memory.run, *run.owners) for run in runs)
    assert one.words.tobytes() == two.words.tobytes()
    assert (one.addresses, one.kernels, [*one.programs]) == (two.addresses, two.kernels, [*two.programs])


def with_rule() -> lw.Simulation:
    return begun("cart with rules")


def with_table() -> lw.Simulation:
    model = driven_block().world.shared.model
    return lw.Simulation(model, inputs={"F": lw.Table([0.0, 1.0], [0.0, 1.0])}, method=lw.RK4(STEP))


def by_scipy() -> lw.Simulation:
    return lw.Simulation(driven_block().world.shared.model, method=lw.SciPy("Radau"))


@pytest.mark.parametrize(("make", "what"), [(with_rule, r"rules \(wall"), (with_table, r"inputs from tables \(F"),
                                            (by_scipy, "the method")])  # fmt: skip
def test_what_only_python_can_answer_is_refused(make, what, tmp_path):
    """Before anything is written, and by name."""
    with pytest.raises(ModelError, match=what):
        lw.export_c(make(), tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_outputs_belong_to_equations(tmp_path):
    """A run has no functions of (t, q, u, r, p)."""
    with pytest.raises(EvaluationError, match=r"Export model\.equations"):
        lw.export_c(driven_block(), tmp_path, outputs={"x": "x"})


def test_reasons_have_numbers_of_their_own():
    """They are not those of the stepper."""
    assert min(Halt) > 8
