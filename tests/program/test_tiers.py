"""Machine code that arrives while a program runs, from a process that may fail; numbers never change."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from campaign import seeds
from latchwork.program import tiers
from latchwork.program.function import Function
from random_programs import bits, random_inputs, random_program

PATIENCE = 60.0  # seconds, for processes to start and end on a busy machine


@pytest.fixture(autouse=True)
def compiler(tmp_path, monkeypatch):
    """A compiler process and a cache of its own for each test."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path / "cache"))
    fresh = tiers.Compiler()
    monkeypatch.setattr(tiers, "_compiler", fresh)
    yield fresh
    fresh.close()


def until(true) -> bool:
    """Wait for something to become true; whether it did."""
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    return true()


def test_machine_code_arrives_while_the_program_runs():
    """The first answer comes from the bytecode machine, later ones from machine code, with the same bits."""
    program, x = random_program(100), random_inputs(100)
    function, again = Function(program), Function(program)
    before = bits(function.many(x))
    assert not function.compiled()
    assert not again.compiled()
    assert bits(function.many(x)) == before
    assert until(function.compiled)
    assert until(again.compiled)
    assert bits(function.many(x)) == before


def test_a_function_in_place_has_the_bits_of_a_call():
    """Inputs written where they stand, and outputs in memory of one's own: the numbers of a call, before and after
    machine code has come."""
    function = Function(random_program(100))
    given, run = function.in_place()
    for x in random_inputs(100):
        given[:] = x
        assert bits(run()) == bits(function(x))
        function.compiled(wait=True)



def test_one_process_serves_many_programs(compiler):
    """Programs that are asked for at once are compiled one after the other, by one process."""
    functions = [Function(random_program(seed)) for seed in range(101, 105)]
    for function in functions:
        function.compiled()
    process = compiler._process
    assert until(lambda: all(function.compiled() for function in functions))
    assert compiler._process is process


def test_a_lost_process_is_a_warning_once(compiler):
    """Where the process is killed, a warning says so once, and the bytecode machine goes on with the same numbers."""
    function, x = Function(random_program(110)), random_inputs(110)
    before = bits(function.many(x))
    function.compiled()
    compiler._process.kill()
    assert until(lambda: compiler._dead)
    with pytest.warns(RuntimeWarning, match="compiler process is lost"):
        assert not function.compiled()
    assert not function.compiled()
    assert bits(function.many(x)) == before
    assert function.compiled(wait=True)
    assert bits(function.many(x)) == before


def test_a_process_that_cannot_start_is_a_warning_once(monkeypatch):
    """Without an interpreter to start, everything runs in the bytecode machine."""
    monkeypatch.setattr(sys, "executable", "no-such-python")
    function = Function(random_program(111))
    assert not function.compiled()
    with pytest.warns(RuntimeWarning, match="cannot be reached"):
        assert not function.compiled()
    assert not function.compiled()


def test_a_program_that_cannot_be_compiled_is_asked_for_once(compiler):
    """An empty answer leaves the bytecode machine in place; the remark is passed on, and nothing is sent again."""
    function = Function(random_program(112))
    function.compiled()
    compiler._take(0, b"", ["it could not be compiled"])
    with pytest.warns(RuntimeWarning, match="could not be compiled"):
        assert not function.compiled()
    assert compiler._waiting == {}


def test_what_the_process_remarks_is_heard_here(compiler, tmp_path, monkeypatch):
    """A cache that cannot be written is a warning in this process, and the code is used all the same."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path / "file"))
    function = Function(random_program(113))
    function.compiled()
    assert until(lambda: compiler._remarks)
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        Function(random_program(114)).compiled()
    assert until(function.compiled)


def test_code_is_asked_for_after_a_count(monkeypatch):
    """Evaluations are counted, one by one and in rows; the request comes when they are enough, not before."""
    asked: list[int] = []
    monkeypatch.setattr(tiers, "EVALUATIONS", 20)
    monkeypatch.setattr(tiers, "OPERATIONS", 0)
    monkeypatch.setattr(tiers, "compile_aside", lambda program, done: asked.append(1))
    function, x = Function(random_program(115)), random_inputs(115, rows=10)
    function.many(x)
    for row in x:
        function(row)
    assert asked == []
    function(x[0])
    assert asked == [1]
    function.many(x)
    assert asked == [1]


def test_a_function_that_is_gone_needs_no_code(compiler):
    """A request outlives its function without harm."""
    Function(random_program(116)).compiled()
    assert until(lambda: not compiler._waiting)
    assert not compiler._dead


SCRIPT = """
import os, sys, time
from random_programs import random_program
from latchwork.program import tiers
from latchwork.program.function import Function
Function(random_program(117)).compiled()
{then}
"""


def script(then: str) -> subprocess.Popen[str]:
    """A process that has asked for machine code, and what it does then."""
    paths = [str(Path(__file__).parents[1]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", SCRIPT.format(then=then)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def gone(pid: int) -> bool:
    """Whether a process has ended, buried or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("end", seeds(["os.kill(os.getpid(), 9)"], ["sys.exit()"]))
def test_the_process_ends_with_its_parent(end):
    """However the parent ends, the compiler process does not stay behind."""
    with script(f"print(tiers._compiler._process.pid, flush=True); {end}") as parent:
        pid = int(parent.stdout.readline())
    assert until(lambda: gone(pid))


@pytest.mark.skipif(not (hasattr(os, "fork") and Path("/proc/self/stat").exists()), reason="needs fork and /proc")
def test_the_process_ends_with_its_parent_though_a_fork_holds_its_input():
    """A child of the parent has the same pipe, so the input does not end; the parent is missed all the same."""
    then = """
child = os.fork()
if not child:
    time.sleep(60)
print(tiers._compiler._process.pid, child, flush=True)
os.kill(os.getpid(), 9)
"""
    with script(then) as parent:
        pid, child = map(int, parent.stdout.readline().split())
        try:
            assert until(lambda: gone(pid))
            assert not gone(child)
        finally:
            os.kill(child, 9)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_process_ends_where_a_request_is_cut_off():
    """A parent that is killed while it writes leaves half a request: that is no reason to wait for more."""
    then = """
pipe = tiers._compiler._process.stdin
pipe.write(b"\\x80\\x04\\x95\\xff\\x00\\x00\\x00\\x00\\x00\\x00\\x00half")
pipe.flush()
print(tiers._compiler._process.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    with script(then) as parent:
        pid = int(parent.stdout.readline())
    assert until(lambda: gone(pid))


def test_nothing_in_the_current_folder_is_imported(tmp_path, compiler, monkeypatch):
    """A file there that is named like a module of Python is not executed by the process that is started."""
    (tmp_path / "pickle.py").write_text("from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n")
    monkeypatch.chdir(tmp_path)
    function = Function(random_program(119))
    function.compiled()
    assert until(function.compiled)
    assert not (tmp_path / "pickle.ran").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.campaign
def test_a_forked_child_has_a_process_of_its_own():
    """After a fork the child asks a compiler that it started itself."""
    then = """
child = os.fork()
function = Function(random_program(118))
while not function.compiled():
    time.sleep(0.01)
if child:
    os.waitpid(child, 0)
print(tiers._compiler._process.pid, flush=True)
"""
    with script(then) as parent:
        found = parent.stdout.read().split()
    assert len(set(found)) == 2
