"""Memory images: records that point to each other and to programs, moved to C with all they refer to."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from latchwork.errors import ProgramError
from latchwork.program.c_image import image_source
from latchwork.program.codegen.c_expressions import c_name
from latchwork.program.evaluator import Evaluator, Evaluators, evaluate
from latchwork.program.function import Function
from latchwork.program.kernel import executor, f64, f64p, f64p_at, i64, kernel
from latchwork.program.memory_image import memory_image
from latchwork.program.native import address, invoke
from latchwork.program.records.memory import lay_out
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import address_of
from random_programs import random_program

COMPILER = shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function", "-ffp-contract=off",
          "-fno-strict-aliasing"]  # fmt: skip


@record
class Node:
    """A number, and the next of a ring."""

    value: f64
    run: executor
    next: i64  # an address that is no pointer to the language


@record
class Ring:
    """Nodes, programs, and memory elsewhere."""

    n: i64
    first: Node = pointer()
    program: Evaluator
    x: f64p
    out: f64p = array("n")


@kernel
def twice(code: i64, z: f64p, out: f64p) -> None:
    """What an executor does: out = 2 z."""
    out[0] = 2.0 * z[0]


@kernel
def go_round(ring: Ring, count: i64) -> f64:
    """Follow addresses, run what stands there, and evaluate the program."""
    evaluate(ring.program, ring.x, ring.out)
    total, value = ring.first.value, f64p_at(ring.first.next)
    for _ in range(count):
        total += value[0] * ring.x[0]
    for i in range(ring.n):
        total += ring.out[i]
    return total


def ring_of(program):
    """Two nodes that point to each other, a program, and an array."""
    x, nodes = np.linspace(0.3, 0.9, len(program.inputs)), [lay_out(Node, value=1.5), lay_out(Node, value=-0.25)]
    for node, other in zip(nodes, nodes[::-1], strict=True):
        node.next = address_of(other)
    ring, programs = lay_out(Ring, n=len(program.outputs), first=nodes[0], x=x), Evaluators()
    programs.put(ring.program, Function(program))
    return ring, (ring, nodes, x, programs)


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("seed", range(3))
def test_an_image_in_c_gives_the_same_bits(seed, tmp_path):
    """Records, arrays and a program are found from one record, and are whole in C: compiled without a warning."""
    ring, owners = ring_of(random_program(seed, length=40))
    image = memory_image(ring, *owners)
    entry = (f"double entry(void);\ndouble entry(void)\n{{\n    static int64_t word[LW_MEMORY];\n    lw_load(word);\n"
             f"    return {c_name(go_round)}((lw_Ring *)((char *)word + {image.start}), 3);\n}}\n")  # fmt: skip
    headers = [f"#include <{name}.h>" for name in ("math", "stddef", "stdint", "string")]
    (tmp_path / "ring.c").write_text("\n".join([*headers, *image_source(image, [go_round]), entry]))
    command = [COMPILER, "-O2", *STRICT, "-shared", "-fPIC", "-o", str(tmp_path / "ring.so"), str(tmp_path / "ring.c")]
    assert subprocess.run([*command, "-lm"], capture_output=True, text=True).stderr == ""
    found = ctypes.CDLL(str(tmp_path / "ring.so")).entry
    found.restype = ctypes.c_double
    assert np.float64(found()).tobytes() == np.float64(invoke(go_round, ring, 3)).tobytes()


def test_images_are_the_same_however_memory_lies():
    """Relocations are relative: two copies of a structure, anywhere in memory, give the same words."""
    one, two = (memory_image(ring, *owners) for ring, owners in (ring_of(random_program(1, 30)) for _ in range(2)))
    assert one.words.tobytes() == two.words.tobytes()
    assert one.addresses == two.addresses


def test_memory_that_nobody_keeps_alive_is_refused():
    """An address that leads to no known block would be a wild pointer in C."""
    ring, owners = ring_of(random_program(2, 30))
    strange = np.arange(1000.0)
    ring.first.next = address(strange)
    with pytest.raises(ProgramError, match="is not kept alive"):
        memory_image(ring, *owners)
