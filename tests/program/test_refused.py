"""What the kernel language refuses, by name, line and construct."""

from __future__ import annotations

import pytest

from latchwork.errors import ProgramError
from latchwork.program.codegen.emit import emit
from latchwork.program.kernel import f64, f64p, i64, kernel, local_f64

NAMES = ["a"]
MIXED = (1, 2.0)
SQUARE = lambda a: a * a  # noqa: E731


@kernel
def slash(a: f64) -> f64:
    return a / 2.0


@kernel
def power(a: f64) -> f64:
    return a**2.0


@kernel
def mixed_types(a: f64) -> f64:
    return a + 1


@kernel
def changed_type(a: f64) -> f64:
    b = 1
    b = a
    return b


@kernel
def chained(a: f64) -> f64:
    return 1.0 if 0.0 < a < 1.0 else 0.0


@kernel
def truth_of_a_number(a: f64) -> f64:
    if a:
        return 1.0
    return a


@kernel
def listed(a: f64) -> f64:
    return [a][0]


@kernel
def unknown_name(a: f64) -> f64:
    return a + b  # noqa: F821


@kernel
def other_global(a: f64) -> f64:
    return a + NAMES


@kernel
def mixed_table(i: i64) -> i64:
    return MIXED[i]


@kernel
def plain_function(a: f64) -> f64:
    return SQUARE(a)


@kernel
def keyword(a: f64) -> f64:
    return slash(a=a)


@kernel
def method(a: f64) -> f64:
    return a.real


@kernel
def over_a_list(n: i64) -> i64:
    for i in (1, 2):
        n += i
    return n


@kernel
def variable_step(n: i64) -> i64:
    for i in range(0, 10, n):
        n += i
    return n


@kernel
def no_return(n: i64) -> i64:
    if n > 0:
        return n


@kernel
def wrong_result(n: i64) -> f64:
    return n


@kernel
def raises(n: i64) -> i64:
    raise ValueError


@kernel
def caught(n: i64) -> i64:
    try:
        return n
    finally:
        n = 0


@kernel
def loop_else(n: i64) -> i64:
    while n > 3:
        n -= 1
    else:
        n = 0
    return n


@kernel
def no_type(n) -> i64:
    return n


@kernel
def strange_type(n: complex) -> i64:
    return 1


@kernel
def defaulted(n: i64 = 3) -> i64:
    return n


@kernel
def wrong_count(a: f64) -> f64:
    b, c = slash(a)
    return b + c


@kernel
def number_as_pointer(a: f64) -> f64:
    return a[0]


@kernel
def integer_into_doubles(n: i64, x: f64p) -> None:
    x[0] = n


@kernel
def growing_scratch(n: i64) -> i64:
    x = local_f64(n)
    x[0] = 1.0
    return n


@kernel
def huge(n: i64) -> i64:
    return n + 9223372036854775808


@kernel
def idle(n: i64) -> i64:
    n + 1
    return n


@kernel
def called_number(n: i64) -> i64:
    return n(1)


@kernel
def one_branch(n: i64) -> i64:
    if n > 0:
        m = 1
    return m


@kernel
def after_the_loop(n: i64) -> i64:
    for i in range(n):
        m = i
    return m


@kernel
def before_assignment(n: i64) -> i64:
    LIMIT = LIMIT + n  # noqa: F821, F841
    return n


REFUSED = [
    (one_branch, "'m' cannot be compiled: it has no value here"),
    (after_the_loop, "'m' cannot be compiled: it has no value here"),
    (before_assignment, "'LIMIT' cannot be compiled: it has no value here"),
    (slash, r"test_refused.slash', line \d+: 'a / 2.0' cannot be compiled.*Write divide"),
    (power, r"'a \*\* 2.0' cannot be compiled.*kernel pow"),
    (mixed_types, "'a \\+ 1' cannot be compiled: it mixes f64 and i64"),
    (changed_type, "'b' is i64 and cannot become f64"),
    (chained, "comparisons do not chain"),
    (truth_of_a_number, "f64 where bit is needed"),
    (listed, r"'\[a\]' cannot be compiled: it is not in the language"),
    (unknown_name, "'b' cannot be compiled: it has no value here"),
    (other_global, "'NAMES' cannot be compiled: a constant is"),
    (mixed_table, "'MIXED' cannot be compiled: a constant is"),
    (plain_function, "neither a kernel nor an intrinsic"),
    (keyword, "positional arguments"),
    (method, "'a.real' cannot be compiled: it is not in the language"),
    (over_a_list, r"'for' goes over range\(...\) only"),
    (variable_step, "the step of a range must be a constant"),
    (no_return, "may end without a result"),
    (wrong_result, r"the kernel gives \(f64\)"),
    (raises, "'raise ValueError' cannot be compiled"),
    (caught, "'try: return n finally: n = 0' cannot be compiled"),
    (loop_else, "a loop has no 'else'"),
    (no_type, "its type must be one of f64, i64"),
    (strange_type, "'n: complex' cannot be compiled: its type must be"),
    (defaulted, "only plain parameters are"),
    (wrong_count, "1 values do not fill 2 targets"),
    (number_as_pointer, "f64 has no elements"),
    (integer_into_doubles, "it holds f64, not i64"),
    (growing_scratch, "the size must be a constant"),
    (huge, "a constant is a float, a 64-bit integer"),
    (idle, "an expression alone has no effect"),
    (called_number, "i64 cannot be called"),
]


@pytest.mark.parametrize(("function", "message"), REFUSED, ids=lambda item: getattr(item, "name", "").split(".")[-1])
def test_what_is_not_in_the_language_is_refused_by_name(function, message):
    """A construct outside the language is an error that names the kernel, the line and the construct."""
    with pytest.raises(ProgramError, match=message):
        emit([function])
