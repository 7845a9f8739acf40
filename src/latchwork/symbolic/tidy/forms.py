"""Close: a sum becomes one term. Like terms merge, sin² + cos² = 1, common factors come out (Horner)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from latchwork.symbolic import exact
from latchwork.symbolic.graph import EVEN, ODD
from latchwork.symbolic.ops import ADD, COS, SIN, SYMBOL
from latchwork.symbolic.tidy.monomials import (
    Monomial,
    Poly,
    Term,
    accumulate,
    common_of,
    degrees,
    multiplies,
    plus,
    times,
)  # fmt: skip

RANK = {kind: rank for rank, kinds in enumerate([
    ["parameter"], ["time", "coordinate", "auxiliary"], ["rate", "speed"], ["input"], ["acceleration", "multiplier"],
]) for kind in kinds}  # fmt: skip
OTHER = {SIN: COS, COS: SIN}
TERMS = 200  # a longer sum is left as it is
EXPANDED = 40  # so is a product of sums with more terms than this
WHOLE = 2.0**53  # from here on all numbers are integers


class Way(NamedTuple):
    """One way to rewrite; none is best for all, so each is tried."""

    open_shared: bool  # sums used more than once are taken apart
    expand: bool  # products of sums are multiplied out before factoring
    factor: bool  # common factors of some terms come out, not only those of all
    variables_first: bool  # among equally good factors, speeds come out before parameters


WAYS = [
    Way(open_shared=False, expand=False, factor=True, variables_first=True),
    Way(open_shared=True, expand=False, factor=True, variables_first=True),
    Way(open_shared=True, expand=False, factor=True, variables_first=False),
    Way(open_shared=True, expand=True, factor=True, variables_first=True),
    Way(open_shared=True, expand=True, factor=False, variables_first=True),
]


@dataclass(frozen=True)
class Atom:
    """What products do not look into: a symbol, a function of terms, or (``op`` is ADD) a sum of terms.

    ``flat`` is a sum before common factors came out; ``cost`` its operations, 0 where it is shared or no sum.
    """

    op: int
    args: tuple[Term, ...]
    leaf: int
    rank: int
    flat: Poly
    cost: int


class Forms:
    """The atoms of one rewriting; sums are closed into one term, the shortest that the rules find."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self.atoms: list[Atom] = []
        self._index: dict[tuple[int, tuple[Term, ...], int], int] = {}
        self._closed: dict[tuple[tuple[Monomial, float], ...], Term] = {}

    def rank(self, m: Monomial) -> int:
        """0 for parameters only, then coordinates, speeds, inputs."""
        return max((self.atoms[a].rank for a, _ in m), default=0)

    def symbol(self, leaf: int, kind: str) -> Term:
        return 1.0, ((self._intern(SYMBOL, (), leaf, RANK[kind]), 1),)

    def function(self, op: int, args: tuple[Term, ...]) -> Term:
        """op(args); odd functions let the sign of their argument out, even ones drop it."""
        sign = 1.0
        if args[0][0] < 0.0 and (op in ODD or op in EVEN):
            sign = -1.0 if op in ODD else 1.0
            args = ((-args[0][0], args[0][1]),)
        return sign, ((self._intern(op, args, 0, max(self.rank(m) for _, m in args)), 1),)

    def _intern(
        self, op: int, args: tuple[Term, ...], leaf: int, rank: int, flat: Poly | None = None, cost: int = 0
    ) -> int:
        key = (op, args, leaf)
        if key not in self._index:
            self._index[key] = len(self.atoms)
            self.atoms.append(Atom(op, args, leaf, rank, flat or {}, cost))
        return self._index[key]

    def cost(self, term: Term) -> int:
        """Operations of a term, those of the sums in it included."""
        return multiplies(term[0], *degrees(term[1])) + sum(self.atoms[a].cost for a, _ in term[1])

    def close(self, poly: Poly, shared: bool = False) -> Term:
        """A sum as one term: coefficient, common factors, and an atom for what remains; the cheapest by the rules."""
        if len(poly) < 2:
            return next(((c, m) for m, c in poly.items()), (0.0, ()))
        key = tuple(sorted(poly.items()))
        if key not in self._closed:
            self._closed[key] = self._best(poly, shared)
        return self._closed[key]

    def _best(self, poly: Poly, shared: bool) -> Term:
        """The cheapest of the sum as it is and as the rules rewrite it, one rule after the other."""
        if self.way.expand:
            poly = self._multiplied(poly)
        best, improved = self._factored(poly, shared), True
        while improved:
            improved = False
            for rule in (self._cancelled, self._multiplied, *self._pythagoras(poly)):
                rewritten = rule(poly)
                if rewritten != poly:
                    term = self._factored(rewritten, shared)
                    if self.cost(term) < self.cost(best):
                        poly, best, improved = rewritten, term, True
        return best

    def _pythagoras(self, poly: Poly) -> list[Callable[[Poly], Poly]]:
        """sin² = 1 - cos² or the reverse for each angle."""
        squares = sorted({a for m in poly for a, e in m if e > 1 and self.atoms[a].op in OTHER})
        other = {a: self.function(OTHER[self.atoms[a].op], self.atoms[a].args)[1][0][0] for a in squares}
        return [partial(_without_square, old=a, new=other[a]) for a in squares]

    def _open(self, poly: Poly, m: Monomial, a: int) -> Poly:
        """The sum with one factor ``a``, itself a sum, of its term ``m`` multiplied out."""
        rest = times(m, ((a, 1),), -1)
        terms = {times(rest, n): exact.times(poly[m], d) for n, d in self.atoms[a].flat.items()}
        return plus({n: c for n, c in poly.items() if n != m}, terms)

    def _sums(self, poly: Poly) -> Iterator[tuple[Monomial, int]]:
        """The terms that have a sum as a factor, with each such factor; shared sums excepted."""
        return ((m, a) for m in sorted(poly) for a, e in m if e > 0 and self.atoms[a].cost)

    def _cancelled(self, poly: Poly) -> Poly:
        """m (a + b) - m b = m a: sums multiplied out where a term meets its like."""
        while (found := next(self._meetings(poly), None)) is not None:
            poly = found
        return poly

    def _meetings(self, poly: Poly) -> Iterator[Poly]:
        """The sum with one factor multiplied out, where that makes terms merge."""
        for m, a in self._sums(poly):
            opened = self._open(poly, m, a)
            if len(opened) < len(poly) - 1 + len(self.atoms[a].flat) <= TERMS:
                yield opened

    def _multiplied(self, poly: Poly) -> Poly:
        """All products of sums multiplied out, and squares of sines or cosines replaced where terms vanish by that."""
        opened = poly
        while found := next(self._sums(opened), None):
            opened = self._open(opened, *found)
            if len(opened) > EXPANDED:
                return poly
        for rule in self._pythagoras(opened):
            opened = min(opened, rule(opened), key=len)
        return opened

    def _factored(self, poly: Poly, shared: bool = False) -> Term:
        """Common factors of all terms in front, then of some terms, then a common number and sign."""
        if len(poly) < 2:
            return self.close(poly)
        content = common_of(poly)
        poly = {times(m, content, -1): c for m, c in poly.items()}
        row = self._horner(poly) if self.way.factor else poly
        if len(row) < 2:
            c, m = self.close(row)
            return c, times(m, content)
        scale = _scale(row)
        args = tuple((exact.over(c, scale), m) for m, c in self._ordered(row))
        flat = {m: exact.over(c, scale) for m, c in poly.items()}
        cost = 0 if shared else len(args) - 1 + sum(map(self.cost, args))
        atom = self._intern(ADD, args, 0, max(self.rank(m) for m in row), flat, cost)
        return scale, times(content, ((atom, 1),))

    def _ordered(self, row: Poly) -> list[tuple[Monomial, float]]:
        return sorted(row.items(), key=lambda term: (self.rank(term[0]), term))

    def _horner(self, poly: Poly) -> Poly:
        """The sum with the most profitable common factor taken out of some of its terms, again and again."""
        row = dict(poly)
        while len(row) > 1 and (group := self._best_group(row)):
            (number, divisor), members = group
            c, m = self._factored({times(t, divisor, -1): exact.over(row.pop(t), number) for t in members})
            accumulate(row, times(m, divisor), exact.times(c, number))
        return row

    def _best_group(self, poly: Poly) -> tuple[Term, list[Monomial]] | None:
        """The divisor and the terms it divides that save most; ties go to variables (or to parameters) in front."""
        best: tuple[int, int, Monomial] = (0, 0, ())
        found = None
        for divisor, members in _groups(poly):
            gain = _gain(poly, divisor, members)
            rank = self.rank(divisor[1]) if self.way.variables_first else -self.rank(divisor[1])
            if gain > 0 and (key := (-gain, -rank, divisor[1])) < best:
                best, found = key, (divisor, members)
        return found


def _groups(poly: Poly) -> Iterator[tuple[Term, list[Monomial]]]:
    """All that the terms with a certain factor, divisor or number have in common, and those terms."""
    having: dict[tuple[int, float], list[Monomial]] = defaultdict(list)
    for m, c in poly.items():
        if m and abs(c) != 1.0:
            having[-1, abs(c)].append(m)
        for a, e in m:
            having[a, e > 0].append(m)
    for members in having.values():
        if len(members) > 1:
            sizes = {abs(poly[m]) for m in members}
            yield (sizes.pop() if len(sizes) == 1 else 1.0, common_of(members)), members


def _gain(poly: Poly, divisor: Term, members: Sequence[Monomial]) -> int:
    """Multiplications saved when the divisor comes out of the members."""
    number, factors = divisor
    top, bottom = degrees(factors)
    saved = -top - bottom - int(number != 1.0)
    for m in members:
        c, (up, down) = poly[m], degrees(m)
        saved += multiplies(c, up, down) - multiplies(exact.over(c, number), up - top, down - bottom)
    return saved


def _scale(row: Poly) -> float:
    """The number to take out of a sum: the commonest coefficient if that saves products, with the leading sign."""
    sign = 1.0 if row[min(row)] > 0.0 else -1.0
    sizes = Counter(abs(c) for m, c in row.items() if m)
    number, uses = min(sizes.items(), key=lambda item: (-item[1], item[0]))
    units, whole = sizes[1.0], all(_is_whole(exact.over(c, number)) for c in row.values())
    back = all(exact.times(exact.over(c, number), number) == c for c in row.values())
    return sign * number if back and uses - 1 > units - int(whole) else sign


def _is_whole(x: float) -> bool:
    """Whether a number is an integer, as one that is written down; all large ones are, by rounding."""
    return x.is_integer() and abs(x) < WHOLE


def _without_square(poly: Poly, old: int, new: int) -> Poly:
    """old² = 1 - new² in every term, for old, new the sine and cosine of one angle."""
    result: Poly = {}
    for m, c in poly.items():
        e = dict(m).get(old, 0)
        if e > 1:
            rest = times(m, ((old, 2),), -1)
            accumulate(result, rest, c)
            accumulate(result, times(rest, ((new, 2),)), -c)
        else:
            accumulate(result, m, c)
    return result
