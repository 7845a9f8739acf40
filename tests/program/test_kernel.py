"""The kernel language: a kernel run as Python and as machine code gives the same bits."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np
import pytest

from latchwork.errors import ProgramError
from latchwork.program.elementary.functions import atan2, exp
from latchwork.program.kernel import (
    bits,
    copysign,
    counter,
    divide,
    executor,
    f64,
    f64p,
    f64p_at,
    fabs,
    floor,
    from_bits,
    i32p,
    i64,
    i64p,
    i64p_at,
    kernel,
    local_f64,
    local_i64,
    offset,
    routine_at,
    specialised,
    sqrt,
)
from latchwork.program.native import address, interpret, invoke, native, words

PRIMES = (2, 3, 5, 7, 11)
WEIGHTS = (0.5, -1.25, 3.0)
GAIN = 1.5
LIMIT = 7


class Colour(IntEnum):
    """An enumeration of the test."""

    RED = 3
    BLUE = -8


SPECIAL = [0.0, -0.0, 1.0, -1.5, 1e300, -1e308, 5e-324, math.inf, -math.inf, math.nan, 0.1, 1234.5]


@kernel
def arithmetic(a: f64, b: f64) -> f64:
    return (a + b) * GAIN - a * b + -b


@kernel
def quotient(a: f64, b: f64) -> f64:
    return divide(a, b)


@kernel
def intrinsics(a: f64, b: f64) -> f64:
    return copysign(floor(a), b) + fabs(b) - sqrt(a)


@kernel
def foreign(a: f64, b: f64) -> f64:
    return exp(a) + atan2(b, a)


@kernel
def through_bits(a: f64, b: f64) -> f64:
    return from_bits(bits(a) ^ (bits(b) & 1))


@kernel
def conditional(a: f64, b: f64) -> f64:
    return a if a < b and not (b == 2.0 or a != a) else b if a >= b else -1.0


@kernel
def comparisons(a: f64, b: f64) -> f64:
    return float(int(a < b) + 2 * int(a <= b) + 4 * int(a == b) + 8 * int(a != b) + 16 * int(a > b) + 32 * int(a >= b))


@kernel
def swapped(a: f64, b: f64) -> tuple[f64, f64]:
    a, b = b, a
    return a, b


@kernel
def unpacked(a: f64, b: f64) -> f64:
    c, d = swapped(a, b)
    return c - 2.0 * d


@kernel
def integers(i: i64, j: i64) -> i64:
    k = (i + j) * 3 - (i & j) + (i | 12) - (i ^ j) + ~i + -j
    return k + (i << 3) + (i >> 2) + i // j + i % j


@kernel
def loops(i: i64, j: i64) -> i64:
    total = 0
    for a in range(i):
        if a == 3:
            continue
        for b in range(a, j):
            if b > LIMIT:
                break
            total += b * PRIMES[b % 5]
    for c in range(10, -4, -3):
        total -= c * i
    return total


@kernel
def whiles(i: i64, j: i64) -> i64:
    turns = 0
    while True:
        turns += 1
        if i == 1:
            return turns
        elif turns > 200:
            break
        i = i // 2 if i % 2 == 0 else 3 * i + j % 3
    return -turns


@kernel
def chain(i: i64, j: i64) -> i64:
    if i == 0:
        return j
    elif i == 1:
        return j + 1
    elif i == 4:
        return -j
    else:
        pass
    return i


@kernel
def leaves_the_counter(i: i64, j: i64) -> i64:
    last = -1
    for k in range(i):
        last = k
        k += 100
    return last + j


@kernel
def recursive(i: i64, j: i64) -> i64:
    if i <= 0:
        return j
    return recursive(i - 1, j + i)


@kernel
def scratch(i: i64, j: i64) -> i64:
    whole, real = local_i64(4), local_f64(4)
    for k in range(4):
        whole[k] = i * k
        real[k] = float(whole[k] - j)
    return whole[3] + int(real[2])


@kernel
def pointers(n: i64, x: f64p, k: i64p, code: i32p) -> f64:
    total = 0.0
    for i in range(n):
        x[i] *= WEIGHTS[i % 3]
        k[i], code[i] = code[i], k[i] - 1
        total += x[i] * float(k[i])
    shifted = offset(x, 2)
    shifted[0] = total
    return shifted[1]


@kernel
def doubled(code: i32p, z: f64p, out: f64p) -> None:
    """An executor: one that doubles."""
    for i in range(code[0]):
        out[i] = 2.0 * z[i]


@kernel
def indirect(run: executor, code: i32p, z: f64p, out: f64p) -> None:
    run(code, z, out)
    run(code, out, offset(out, code[0]))


def same(a: float, b: float) -> bool:
    """Equal bits, or both nan."""
    return bits(float(a)) == bits(float(b)) or (a != a and b != b)


REAL = [arithmetic, quotient, intrinsics, foreign, through_bits, conditional, comparisons, unpacked]
@kernel
def members(i: i64, j: i64) -> i64:
    colour = Colour.RED if i < j else Colour.BLUE
    return colour * i - Colour.BLUE * j


WHOLE = [integers, members, loops, whiles, chain, leaves_the_counter, recursive, scratch]


@pytest.mark.parametrize("function", REAL, ids=lambda k: k.name.split(".")[-1])
def test_real_kernels_give_the_same_bits_as_python(function):
    """Every construct on doubles means the same in both runs, at special values too."""
    differ = [(a, b) for a in SPECIAL for b in SPECIAL if not same(interpret(function, a, b), invoke(function, a, b))]
    assert differ == []


@pytest.mark.parametrize("function", WHOLE, ids=lambda k: k.name.split(".")[-1])
def test_integer_kernels_give_the_same_numbers_as_python(function):
    """Every construct on integers means the same in both runs, with Python's floored division."""
    pairs = [(i, j) for i in (-9, -1, 0, 1, 4, 5, 27) for j in (-7, -2, 1, 3, 10)]
    assert [interpret(function, i, j) for i, j in pairs] == [invoke(function, i, j) for i, j in pairs]


@pytest.mark.parametrize("b", SPECIAL)
@pytest.mark.parametrize("a", SPECIAL)
def test_division_is_ieee(a, b):
    """divide(a, b) is the quotient of IEEE 754, as NumPy has it."""
    with np.errstate(all="ignore"):
        assert same(divide(a, b), np.float64(a) / np.float64(b))


def test_pointers_read_and_write_the_same_memory():
    """Arrays of doubles, of 64-bit and of 32-bit integers are changed alike by both runs."""

    def run(call):
        x, k, code = np.arange(6.0), np.arange(6), np.arange(6, 12, dtype=np.int32)
        return call(pointers, 6, x, k, code), x.tolist(), k.tolist(), code.tolist()

    assert run(interpret) == run(invoke)


@pytest.mark.parametrize("call", [interpret, invoke])
def test_an_executor_is_called_through_its_address(call):
    """A kernel given as an argument is called by both runs."""
    out = np.zeros(4)
    call(indirect, doubled, np.array([2], dtype=np.int32), np.array([1.0, 3.0]), out)
    assert out.tolist() == [2.0, 6.0, 4.0, 12.0]


@kernel
def weighed(n: i64, scale: f64, values: f64p, ranks: i64p) -> i64:
    for i in range(n):
        values[i] = scale * values[i]
        ranks[i] += i
    return n + ranks[0]


@kernel
def halved(x: f64) -> f64:
    return 0.5 * x


@kernel
def twice(call: i64, arguments: i64, values: i64, ranks: i64) -> f64:
    run, given = routine_at(call), i64p_at(arguments)
    first = run(given)
    given[0] = 1
    second = run(given)
    numbers, places = f64p_at(values), offset(i64p_at(ranks), 1)
    return float(1000 * first + 100 * second + places[0]) + numbers[0]


@pytest.mark.parametrize("call", [interpret, invoke])
def test_a_routine_takes_its_arguments_as_words(call):
    """By address, from Python and from machine code: numbers by their bits, arrays by where they are."""
    values, ranks = np.array([1.5, -2.0]), np.array([7, 8])
    given = words([2, 2.0, values, ranks])
    found = call(twice, native(weighed).packed, address(given), address(values), address(ranks))
    assert (values.tolist(), ranks.tolist()) == ([6.0, -4.0], [7, 9])
    assert found == 1000.0 * (2 + 7) + 100.0 * (1 + 7) + 9.0 + 6.0


def test_a_routine_gives_the_bits_of_a_number():
    """Whatever a kernel gives, a routine gives an integer."""
    assert from_bits(routine_at(native(halved).packed)(memoryview(words([-3.0])))) == -1.5


@kernel
def ticks(n: i64) -> i64:
    before = counter()
    total = 0.0
    for i in range(n):
        total += sqrt(float(i))
    return counter() - before if total > 0.0 else -1


@pytest.mark.parametrize("call", [interpret, invoke])
def test_the_counter_does_not_go_back(call):
    """It grows while something is done, or stands at 0 on processors that have none."""
    assert call(ticks, 1000) >= 0


@kernel
def twice_of(x: f64) -> f64:
    return 2.0 * x


@kernel
def squared(x: f64) -> f64:
    return x * x


@kernel
def applied(n: i64, x: f64) -> f64:
    for _ in range(n):
        x = twice_of(x)
    return x


applied_square = specialised(applied, __name__, "applied_square", twice_of=squared)


@pytest.mark.parametrize("call", [invoke, interpret])
def test_a_kernel_is_specialised(call):
    """With another kernel in the place of one that it calls; the first one stays what it is."""
    assert call(applied_square, 3, 3.0) == 3.0**8
    assert call(applied, 3, 3.0) == 24.0


def test_only_what_is_called_can_be_replaced():
    """Other names are refused."""
    with pytest.raises(ProgramError, match="calls no tripled"):
        specialised(applied, __name__, "applied_otherwise", tripled=squared)
