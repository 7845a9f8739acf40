"""Units of measurement: products of powers of names, from texts such as "kg m^2/s", and worked out for expressions.

A unit is {name: exponent}. N, J, W, Pa and Hz are products of kg, m and s; every other name stands for itself, and so
does rad, which drops out beside other units, as the radius r in r ω does. Units are labels: nothing is converted, and a
model works in whatever consistent units it was written. Where the unit of an expression cannot be known, it is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from latchwork.errors import ModelError
from latchwork.symbolic.exact import exact
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import (
    ABS,
    ADD,
    ATAN2,
    COMPARISONS,
    DIV,
    MAX,
    MIN,
    MUL,
    NEG,
    POW,
    SELECT,
    SIGN,
    SQRT,
    SUB,
    SYMBOL,
)
from latchwork.symbolic.traverse import reachable

Unit = dict[str, Fraction]

PURE: Unit = {}
ANGLE: Unit = {"rad": Fraction(1)}
COMPOSED = {"N": "kg m/s^2", "J": "kg m^2/s^2", "W": "kg m^2/s^3", "Pa": "kg/m/s^2", "Hz": "1/s"}
SPELLED = ("N", "N m", "N/m", "W", "Pa")  # how composed units are written again
FACTOR = re.compile(r"(?P<name>[A-Za-z°%µΩ_]+|1)(?:\^|\*\*)?(?P<power>[+-]?\d+)?\Z")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def read(text: str) -> Unit:
    """The unit that a text says: names, powers ``m^2``, products ``N m`` or ``N*m``, quotients ``m/s``."""
    unit: Unit = {}
    for place, term in enumerate(_plain(text).split("/")):
        names = term.split()
        if not names and not (place == 0 and not text.strip()):
            raise ModelError(f"'{text}' is no unit: a name is missing. Write it as 'kg m^2/s', or leave it empty.")
        for k, name in enumerate(names):
            for base, power in _factor(name, text).items():
                sign = -1 if place and k == 0 else 1  # what follows a slash divides; a further factor multiplies again
                unit[base] = unit.get(base, Fraction(0)) + sign * power
    return {name: power for name, power in unit.items() if power}


def _plain(text: str) -> str:
    raised = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: "^" + found[0].translate(SUPERSCRIPTS), text)
    return raised.replace("**", "^").replace("·", " ").replace("*", " ")


def _factor(text: str, whole: str) -> Unit:
    found = FACTOR.match(text)
    if found is None:
        raise ModelError(f"'{whole}' is no unit: '{text}' is not understood. Write it as 'kg m^2/s', 'rad' or 'N m'.")
    name, power = found["name"], Fraction(found["power"] or 1)
    if name == "1":
        return {}
    base = _COMPOSED.get(name, {name: Fraction(1)})
    return {own: exponent * power for own, exponent in base.items()}


_COMPOSED: dict[str, Unit] = {}
_COMPOSED |= {name: read(text) for name, text in COMPOSED.items()}
_SPELLED = {tuple(sorted(read(text).items())): text for text in SPELLED}


def written(unit: Unit) -> str:
    """A unit as text, ``kg m^2/s``; those of forces, torques, powers and stiffnesses by their names."""
    shown = dict(unit)
    if set(shown) - {"rad", "s"}:
        shown.pop("rad", None)  # r ω is a speed
    known = _SPELLED.get(tuple(sorted(shown.items())))
    if known is not None:
        return known
    top = [_raised(name, power) for name, power in sorted(shown.items(), key=_order) if power > 0]
    under = [_raised(name, -power) for name, power in sorted(shown.items(), key=_order) if power < 0]
    return "/".join([" ".join(top) or ("1" if under else ""), *under])


def _order(item: tuple[str, Fraction]) -> tuple[int, str]:
    name = item[0]
    return (("kg", "m", "s", "rad").index(name) if name in ("kg", "m", "s", "rad") else -1), name


def _raised(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


def pretty(text: str) -> str:
    """A unit for people: ``m/s²`` for ``m/s^2``, nothing for a pure number."""
    if text.strip() == "1":
        return ""
    return re.sub(r"\^(-?\d+)", lambda found: found[1].translate(RAISED), _plain(text).strip())


def same(a: Unit, b: Unit) -> bool:
    """Whether two units measure the same, angles counting as pure numbers."""
    return {k: v for k, v in a.items() if k != "rad"} == {k: v for k, v in b.items() if k != "rad"}


def unit_of(graph: Graph, node: int, known: Mapping[int, Unit]) -> Unit | None:
    """The unit of an expression, from those of its symbols; None where it has none that is certain.

    Whole numbers, ratios of small ones and multiples of π are pure; any other number may be a length or a mass.
    """
    found: dict[int, Unit | None] = {}

    def of(a: int) -> Unit | None:
        return found[a] if a >= 0 else _of_constant(graph.value(a))

    for i in reachable(graph, [node]):
        op, *args = graph.nodes[i]
        found[i] = known.get(i) if op == SYMBOL else _of_operation(graph, op, args, [of(a) for a in args])
    return of(node)


def _of_constant(value: float) -> Unit | None:
    if value == 0.0:
        return None
    number = exact(value)
    small = number is not None and number.c.denominator in (1, 2, 3, 4, 6, 8, 12) and abs(number.c.numerator) <= 12
    return PURE if small else None


def _of_operation(graph: Graph, op: int, args: list[int], units: list[Unit | None]) -> Unit | None:
    if op in (ADD, SUB, MIN, MAX):
        return _common(units)
    if op == SELECT:
        return _common([unit for a, unit in zip(args[1:], units[1:], strict=True) if a >= 0 or graph.value(a) != 0.0])
    if op in (NEG, ABS):
        return units[0]
    if op in COMPARISONS or op == SIGN:
        return PURE
    if op in (MUL, DIV):
        return None if None in units else _times(units[0] or PURE, units[1] or PURE, 1 if op == MUL else -1)
    if op == SQRT:
        return None if units[0] is None else {name: power / 2 for name, power in units[0].items()}
    if op == POW:
        exponent = Fraction(graph.value(args[1])) if args[1] < 0 else None
        return None if units[0] is None or exponent is None else {n: p * exponent for n, p in units[0].items()}
    if op == ATAN2:
        return ANGLE if _common(units) is not None else None
    return PURE if units[0] is not None and same(units[0], PURE) else None


def _times(a: Unit, b: Unit, sign: int) -> Unit:
    total = {name: a.get(name, Fraction(0)) + sign * b.get(name, Fraction(0)) for name in {**a, **b}}
    return {name: power for name, power in total.items() if power}


def _common(units: list[Unit | None]) -> Unit | None:
    """The unit of what is added: one for all."""
    first = units[0] if units else None
    if first is None or any(unit is None or not same(unit, first) for unit in units):
        return None
    return max((unit for unit in units if unit is not None), key=lambda unit: unit.get("rad", 0))
