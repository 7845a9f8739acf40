"""Records: one meaning in Python, machine code and C; one layout of 8-byte words."""

from __future__ import annotations

import ctypes
import importlib.util
import pickle
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest

from latchwork.errors import ProgramError
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.codegen.emit import emit
from latchwork.program.kernel import bits, executor, f64, f64p, i32p, i64, i64p, kernel, offset, routine
from latchwork.program.native import address, interpret, invoke, native, words
from latchwork.program.records.memory import blank, block_of, copied, in_order, lay_out, values, write
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.shape import SHAPES
from latchwork.program.records.view import address_of, local_record, record_at

COMPILER = shutil.which("gcc") or shutil.which("clang")
BOTH = pytest.mark.parametrize("call", [interpret, invoke], ids=["python", "machine code"])


@record
class Notes:
    """What is known of a solution."""

    count: i64
    residual: f64
    largest: f64p = array(2)


@record
class Contact:
    """A contact of a mode."""

    state: i64
    gap: f64
    corners: i32p = array(3)
    notes: Notes


@record
class Mode:
    """Every kind of field."""

    t: f64p = array("n + 1", front=True)
    n: i64
    m: i64
    limit: f64
    axis: f64p = array(3)
    weight: f64p = array("n * m")
    order: i64p = array("n")
    short: i32p = array("n + m")
    notes: Notes
    pair: list[Contact] = array(2)
    contacts: list[Contact] = array("m")
    slots: f64p = array(...)


@record
class Linked:
    """Addresses of all kinds."""

    run: executor
    pack: routine
    code: i32p
    numbers: f64p
    places: i64p
    mode: Mode = pointer()


@kernel
def settle(mode: Mode, gain: f64) -> f64:
    """Reads and writes every field."""
    notes, total = mode.notes, 0.0
    for i in range(mode.n):
        mode.order[i] += i - mode.m
        mode.short[i] = mode.order[i] * 3
        for j in range(mode.m):
            mode.weight[i * mode.m + j] *= gain
            total += mode.weight[i * mode.m + j] * mode.axis[j % 3]
    for j in range(mode.m):
        contact = mode.contacts[j]
        contact.state, contact.gap = mode.short[j], total * float(j)
        contact.corners[2] = contact.state - 7
        contact.notes.largest[1] = contact.gap + mode.pair[j % 2].gap
    mode.pair[1].notes.residual = total
    notes.count, notes.residual = notes.count + 1, notes.residual - total
    mode.limit = mode.t[mode.n] if total > mode.limit else -mode.limit
    mode.slots[1] = mode.limit
    return total


@kernel
def scratch(gain: f64) -> f64:
    """Two records on the stack, one of them filled by another kernel."""
    first, second = local_record(Contact), local_record(Contact)
    reset(first, gain)
    reset(second, gain + first.gap)
    second.notes.largest[1] -= first.gap
    return second.notes.largest[1] * float(first.corners[2]) + float(second.state)


@kernel
def reset(contact: Contact, gain: f64) -> None:
    contact.state, contact.gap, contact.corners[2] = 3, gain * gain, 5
    contact.notes.largest[1] = 1.5 * gain


@kernel
def exchange(mode: Mode) -> None:
    """Values first, then targets, whatever names the same memory."""
    notes = mode.notes
    notes.residual, mode.limit = mode.limit, mode.notes.residual
    mode.axis[0], mode.axis[1], mode.axis[2] = mode.axis[1], mode.axis[2], mode.axis[0]


def mode(n: int = 3, m: int = 2) -> Mode:
    """A record with a number in every field."""
    made = lay_out(
        Mode, 4, n=n, m=m, limit=0.1, t=np.arange(n + 1) * 0.7, axis=(0.1, -0.3, 1e300), order=list(range(5, 5 + n)),
        weight=np.linspace(-1.3, 2.1, n * m), short=[-i for i in range(n + m)],
    )  # fmt: skip
    write(made.pair[0].notes, 7, 0.3, 1, 2)
    made.pair[0].gap, made.pair[1].gap = 0.7, -0.9
    return made


@pytest.mark.parametrize(("n", "m"), [(3, 2), (1, 5), (4, 0), (0, 0)])
def test_python_and_machine_code_leave_the_same_bytes(n, m):
    """A kernel that reads and writes every kind of field gives the same number and the same memory."""
    first, second = mode(n, m), mode(n, m)
    found = [call(settle, it, 0.3) for call, it in ((interpret, first), (invoke, second)) for _ in range(3)]
    assert [bits(x) for x in found[:3]] == [bits(x) for x in found[3:]]
    assert first == second
    assert first != mode(n, m)


@BOTH
def test_values_are_read_before_targets_are_written(call):
    """``a.x, b.y = b.y, a.x`` exchanges, where a and b are the same memory too."""
    it = mode()
    call(exchange, it)
    assert (it.notes.residual, it.limit, it.axis.tolist()) == (0.1, 0.0, [-0.3, 1e300, 0.1])


@kernel
def doubled(code: i32p, z: f64p, out: f64p) -> None:
    for i in range(code[0]):
        out[i] = 2.0 * z[i]


@kernel
def added(a: i64, b: i64) -> i64:
    return a + b


@kernel
def through(linked: Linked) -> f64:
    """Calls through fields; other memory, and another record, by address."""
    linked.run(linked.code, linked.numbers, offset(linked.numbers, 2))
    run = linked.run
    run(linked.code, offset(linked.numbers, 2), linked.numbers)
    linked.mode.notes.count = linked.pack(linked.places)
    linked.numbers = linked.mode.axis
    return linked.numbers[1]


def in_c(folder):
    """`through` as C."""
    run = compiled(through, folder, ctypes.c_void_p)
    return lambda kernel, linked: run(address_of(linked))


WAYS = ["python", "machine code", pytest.param("C", marks=pytest.mark.skipif(COMPILER is None, reason="needs C"))]


@pytest.mark.parametrize("way", WAYS)
def test_addresses_are_fields(way, tmp_path):
    """Executors, routines, arrays and records elsewhere are reached through a record, and can be exchanged."""
    call = {"python": interpret, "machine code": invoke}.get(way) or in_c(tmp_path)
    it, z, given, code = mode(), np.array([1.0, 3.0, 0.0, 0.0]), words([5, 9]), np.array([2], dtype=np.int32)
    linked = lay_out(Linked, run=native(doubled), code=code, numbers=z, places=given, mode=it)
    linked.pack = native(added).packed
    assert call(through, linked) == -0.3
    assert (z.tolist(), it.notes.count) == ([4.0, 12.0, 2.0, 6.0], 14)
    assert linked.numbers[1] == it.axis[1]


@kernel
def placed(z: f64p, where: i64, gain: f64) -> f64:
    return settle(record_at(Mode, z, where), gain)


@BOTH
def test_a_record_can_lie_anywhere_in_other_memory(call):
    """Its arrays are found from where it is: a block that was moved is the same record."""
    it = mode()
    block = block_of(it)
    start, wide = it.n + 1, np.zeros(len(block) + 11)
    wide[11:] = block
    found = call(placed, wide, 11 + start, 0.3)
    assert bits(found) == bits(interpret(settle, it, 0.3))
    assert record_at(Mode, wide, 11 + start) == it


def test_copies_are_bytes():
    """A copy is equal until one of them changes; a pickle is the same record."""
    it = mode()
    copy, again = copied(it), pickle.loads(pickle.dumps(it))
    assert it == copy == again
    copy.contacts[1].notes.largest[0] = -0.0
    assert copy != it
    assert again.contacts[1].notes == it.contacts[1].notes
    assert it != it.notes


def test_a_record_with_addresses_is_not_pickled():
    """They mean nothing in another process."""
    with pytest.raises(ProgramError, match=r"Linked' holds addresses"):
        pickle.dumps(lay_out(Linked))


def test_python_does_not_pass_the_end_of_an_array():
    """An index that machine code would follow into other memory is an error in Python."""
    with pytest.raises(IndexError, match="out of bounds"):
        mode().weight[6]
    with pytest.raises(IndexError, match="Contact 2 of 2"):
        mode().contacts[2]


def test_fields_follow_each_other_in_words():
    """No field overlaps another, none is divided, arrays lie in front or behind in the order of their names."""
    it, shape = mode(), SHAPES[f"{__name__}.Mode"]
    ends = [field.word + field.words for field in shape.fields.values()]
    assert [field.word for field in shape.fields.values()] == [0, *ends[:-1]]
    assert shape.words == ends[-1] == 1 + 2 + 1 + 3 + 3 + 4 + 2 * 8 + 2
    begins = [address(np.asarray(item)) - address(block_of(it)) for item in (it.t, it.weight, it.order, it.slots)]
    assert begins == [8 * word for word in (0, 4 + 32, 4 + 32 + 6, 4 + 32 + 6 + 3 + 3 + 2 * 8)]


def text_of_random_record(seed: int) -> str:
    """A module with a record of random fields and a kernel that writes each of them."""
    drawn, lines, body = random.Random(seed), ["    n: i64"], []
    for i in range(14):
        kind = drawn.choice(["i64", "f64", "f64p", "i64p", "i32p", "Part", "list[Part]"])
        size = drawn.choice([str(drawn.randint(1, 5)), '"n"', '"2 * n - 1"']) if kind[-1] in "p]" else ""
        lines.append(f"    f{i}: {kind}" + (f" = array({size})" if size else ""))
        place = f"r.f{i}" + ("[0]" if size else "") + (".b" if "Part" in kind else "")
        body.append(f"    {place} = {f'{i}.5' if 'f64' in kind else i}")
    head = "from latchwork.program.kernel import f64, f64p, i32p, i64, i64p, kernel\n"
    head += "from latchwork.program.records.record import array, record\n"
    part = "@record\nclass Part:\n    a: f64p = array(2)\n    b: i64\n    c: i32p = array(1)\n"
    record = "\n".join(["@record", "class Drawn:", *lines])
    fill = "\n".join(["@kernel", "def fill(r: Drawn) -> None:", *body])
    return f"from __future__ import annotations\n{head}\n{part}\n{record}\n\n{fill}\n"


@pytest.mark.parametrize("seed", range(4))
def test_random_records_are_laid_out_alike(seed, tmp_path, monkeypatch):
    """Whatever fields follow each other, Python, LLVM and C write the same words."""
    path = tmp_path / f"drawn_{seed}.py"
    path.write_text(text_of_random_record(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    made = [lay_out(module.Drawn, n=3) for _ in range(3)]
    interpret(module.fill, made[0])
    invoke(module.fill, made[1])
    assert made[0] == made[1] != made[2]
    if COMPILER:
        compiled(module.fill, tmp_path, ctypes.c_void_p)(native_address(made[2]))
        assert made[0] == made[2]


@pytest.mark.parametrize("gain", [0.3, -1.7])
def test_records_of_scratch(gain, tmp_path):
    """A record on the stack is as any other, in Python, machine code and C."""
    found = {bits(call(scratch, gain)) for call in (interpret, invoke)}
    if COMPILER:
        found.add(bits(compiled(scratch, tmp_path, ctypes.c_double)(gain)))
    assert len(found) == 1


def native_address(view) -> int:
    """Where a record without arrays in front begins."""
    return address(block_of(view))


def compiled(root, folder, *kinds):
    """A kernel as C, compiled without a warning."""
    types = ["void *" if kind is ctypes.c_void_p else "double" for kind in kinds]
    parameters = ", ".join(f"{kind} x{i}" for i, kind in enumerate(types))
    names = ", ".join(f"x{i}" for i in range(len(kinds)))
    result = "double" if root.function.__annotations__["return"] == "f64" else "void"
    call = f"{'return ' if result == 'double' else ''}lw_{root.function.__name__}({names});"
    headers = [f"#include <{name}.h>" for name in ("stdint", "math", "string")]
    entry = [f"{result} entry({parameters});", f"{result} entry({parameters}) {{ {call} }}", ""]
    (folder / "kernel.c").write_text("\n".join([*headers, *c_functions([root]), *entry]))
    command = [COMPILER, "-O2", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off", "-shared",
               "-fPIC", "-o", str(folder / "kernel.so"), str(folder / "kernel.c"), "-lm"]  # fmt: skip
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    function = ctypes.CDLL(str(folder / "kernel.so")).entry
    function.argtypes, function.restype = kinds, ctypes.c_double if result == "double" else None
    return function


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_c_has_the_bits_of_python(tmp_path):
    """The struct of C is the same memory: every field is read and written as Python does."""
    first, second = mode(), mode()
    run = compiled(settle, tmp_path, ctypes.c_void_p, ctypes.c_double)
    start = native_address(second) + 8 * (second.n + 1)
    assert bits(interpret(settle, first, 0.3)) == bits(run(start, 0.3))
    assert first == second


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_c_reads_values_before_it_writes_targets(tmp_path):
    """As Python does, where two names are the same memory."""
    first, second = mode(), mode()
    interpret(exchange, first)
    compiled(exchange, tmp_path, ctypes.c_void_p)(native_address(second) + 8 * (second.n + 1))
    assert first == second


@kernel
def unknown_field(mode: Mode) -> f64:
    return mode.weigth[0]


@kernel
def field_of_a_number(mode: Mode) -> f64:
    return mode.limit.notes


@kernel
def integer_into_a_double(mode: Mode) -> None:
    mode.limit = mode.n


@kernel
def array_assigned(mode: Mode, x: f64p) -> None:
    mode.axis = x


@kernel
def record_assigned(mode: Mode) -> None:
    mode.pair[0] = mode.pair[1]


@kernel
def size_assigned(mode: Mode) -> None:
    mode.n = 4


@kernel
def other_record(mode: Mode) -> f64:
    return settle(mode.notes, 1.0)


@kernel
def called_number(mode: Mode) -> f64:
    mode.limit(1.0)
    return 0.0


@kernel
def no_record_at(z: f64p) -> f64:
    made = record_at(COMPILER, z, 0)
    return made.limit


@kernel
def growing_record() -> f64:
    return local_record(Mode).limit


@kernel
def short_words(code: i32p) -> f64:
    made = record_at(Mode, code, 0)
    return made.limit


@kernel
def record_as_pointer(mode: Mode) -> f64:
    return mode[0]


REFUSED = [
    (unknown_field, "Mode has no field 'weigth'. It has t, n, m, limit"),
    (field_of_a_number, "f64 has no fields"),
    (integer_into_a_double, "it holds f64, not i64"),
    (array_assigned, "it is part of the record"),
    (record_assigned, "it is a record. Write its fields"),
    (size_assigned, "it is the size of an array"),
    (other_record, "it is .*Notes where .*Mode is needed"),
    (called_number, "f64 cannot be called"),
    (no_record_at, "it takes a record class, a pointer and a number of words"),
    (growing_record, "it takes a record class whose arrays are of fixed size"),
    (short_words, "i32p is no pointer to words"),
    (record_as_pointer, "Mode has no elements"),
]


@pytest.mark.parametrize(("function", "message"), REFUSED, ids=lambda item: getattr(item, "name", "").split(".")[-1])
def test_kernels_that_misuse_a_record_are_refused_by_name(function, message):
    """What a record does not have or take is an error that names it."""
    with pytest.raises(ProgramError, match=message):
        emit([function])


def put(field, value):
    """Assign a field in Python."""
    setattr(mode(), field, value)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: put("limit", 1), "Mode.limit' is f64; 1 is int"),
        (lambda: put("axis", [1.0]), "Mode.axis' is part of the record"),
        (lambda: put("n", 4), "Mode.n' is the size of an array"),
        (lambda: setattr(mode().notes, "count", 0.5), "Notes.count' is i64; 0.5 is float"),
        (lambda: setattr(mode().notes, "count", 2**63), "Notes.count' has 64 bits"),
        (lambda: lay_out(Mode, n=3), r"laid out by \['m', 'n'\]: missing are \['m'\]"),
        (lambda: lay_out(Mode, n=3, m=1, k=2), r"no fields are \['k'\]"),
        (lambda: lay_out(Mode, n=-2, m=1), "'n': -2.* has arrays of .*'t': -1"),
        (lambda: lay_out(Mode, n=2, m=1, order=[1]), "Mode.order' has 2 elements; 1 are given"),
        (lambda: lay_out(dict), "is no record"),
        (lambda: Mode(), "is a view of memory"),
        (lambda: local_record(Mode), "is no record of a fixed size"),
    ],
)
def test_python_refuses_what_machine_code_refuses(act, message):
    """A wrong type, a wrong size, a name that is none."""
    with pytest.raises(ProgramError, match=message):
        act()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"x": ("complex", None)}, "'complex' is no type of a field"),
        ({"x": ("f64", array(3))}, "only f64p, i64p, i32p and lists of records are arrays"),
        ({"x": ("f64p", array("n"))}, "the size 'n' is no sum"),
        ({"n": ("i64", None), "x": ("f64p", array("n ** 2"))}, r"the size 'n \*\* 2' is no sum"),
        ({"x": ("f64p", array(0))}, "the size 0 is not positive"),
        ({"x": ("f64p", 3)}, "3 is no default"),
        ({"x": ("f64p", pointer())}, "only a record is kept by pointer"),
        ({"x": ("Mode", None)}, "its size is known only when it is laid out"),
        ({"x": ("list[Notes]", None)}, "how many are there"),
        ({"x": ("list[Mode]", array(2))}, "records in a list have arrays of a fixed size only"),
        ({"_x": ("f64", None)}, "begins with an underscore"),
        ({"x": ("f64p", array(...)), "n": ("i64", None), "y": ("f64p", array("n"))}, "only the last array may be open"),
        ({"x": ("f64p", array(..., front=True))}, "what is open lies behind all else"),
        ({}, "has no fields"),
    ],
)
def test_a_class_that_is_no_record_is_refused(fields, message):
    """When it is defined, with its name and the field's."""
    inside = {name: default for name, (_, default) in fields.items() if default is not None}
    kinds = {name: kind for name, (kind, _) in fields.items()}
    with pytest.raises(ProgramError, match=message):
        record(type("Poor", (), {"__module__": __name__, "__annotations__": kinds, **inside}))


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (3, 2), (4, 5)])
def test_a_blank_is_what_is_laid_out(n, m):
    """A record by its sizes alone has the words of one laid out, and its fields where their values are."""
    empty, made = blank(Mode, n=n, m=m), lay_out(Mode, n=n, m=m)
    words = empty.words()
    assert words.tobytes() == block_of(made).tobytes()
    words.view(np.float64)[empty.at["weight"]] = np.arange(n * m) + 0.5
    words[empty.at["order"]] = np.arange(n) + 7
    words.view(np.float64)[empty.at["limit"]] = 2.5
    found = record_at(Mode, words, empty.start)
    assert (found.weight.tolist(), found.order.tolist(), found.limit) == (
        [i + 0.5 for i in range(n * m)], [i + 7 for i in range(n)], 2.5)  # fmt: skip


@record
class Span:
    """A record of plain words."""

    count: i64
    width: f64
    code: i32p


def test_fields_are_written_and_read_by_name():
    """In whatever order they are given; what is left out, and what is no field, is named; so is an array."""
    span, other = lay_out(Span), lay_out(Span)
    write(span, code=0, width=0.3, count=7)
    write(other, 7, 0.3, 0)
    assert span == other
    assert (values(span).count, values(span).width, values(span).code) == in_order(Span, code=0, count=7, width=0.3)
    with pytest.raises(ProgramError, match=r"given no value of \['code', 'width'\]; no fields are \['colour'\]"):
        write(span, count=3, colour=3)
    notes, again = lay_out(Notes), lay_out(Notes)
    write(notes, 7, 0.3, 0.1, 0.2)
    write(again, largest=(0.1, 0.2), residual=0.3, count=7)
    assert notes == again
    with pytest.raises(ProgramError, match="'largest' has 2 elements; 1 are given"):
        write(again, largest=(0.1,), residual=0.3, count=7)
    with pytest.raises(ProgramError, match="has fields of several words"):
        values(lay_out(Notes))
