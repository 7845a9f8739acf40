"""Shorter equal expressions, as a careful analyst would write them.

Three steps, repeated while they help:

    read       sums and products are flattened:  Σ c · Π factor ** exponent
    close      like terms merge, sin² + cos² = 1, common factors come out (Horner)
    assemble   binary operations again, pairs of operands that occur most often first, so that they are shared

Products of sums are multiplied out only where that is shorter in the end. All this happens in a scratch graph whose
nodes are numbered by what they mean, so that neither the choices nor the counts depend on the order in which a model
was written.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

from latchwork.errors import ExpressionError
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import EVEN, ODD, Graph
from latchwork.symbolic.ops import ADD, COS, DIV, EQ, MAX, MIN, MUL, NEG, ONE, SIN, SUB, SYMBOL, ZERO
from latchwork.symbolic.traverse import count_literal, count_shared, reachable, use_counts

Monomial = tuple[tuple[int, int], ...]  # (atom, exponent), atoms ascending, exponents not 0
Term = tuple[float, Monomial]  # coefficient times monomial
Poly = dict[Monomial, float]  # Σ coefficient · monomial

RANK = {kind: rank for rank, kinds in enumerate([
    ["parameter"], ["time", "coordinate", "auxiliary"], ["rate", "speed"], ["input"], ["acceleration"],
]) for kind in kinds}  # fmt: skip
COMMUTATIVE = frozenset({ADD, MUL, MIN, MAX, EQ})
OTHER = {SIN: COS, COS: SIN}
TERMS = 200  # a longer sum is left as it is
FACTORS = 40  # so is a longer product
EXPANDED = 40  # so is a product of sums with more terms than this
SHORT = 150  # operations up to which tidying is quick enough to be done without being asked
WORK = 500  # operations read in all ways and rounds together; the first way is always tried
CANCELLED = 2.0**-50  # a coefficient this much smaller than its parts is rounding


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


def tidy(expressions: Sequence[Expr]) -> list[Expr]:
    """Equal expressions that take fewer operations together; the same ones where nothing shorter is found."""
    graph = graph_of(expressions)
    if graph is None:
        return list(expressions)
    roots = [operand(graph, e) for e in expressions]
    scratch = Graph(graph.name)
    copied = _copied(graph, roots, scratch)
    best = _shortest(scratch, _moved(graph, roots, scratch, copied))
    back = {copied[i]: i for i in copied if i in graph.symbols}
    for i in reachable(scratch, best):
        if i not in back:
            back[i] = graph.make(scratch.nodes[i][0], tuple(_moved(scratch, scratch.nodes[i][1:], graph, back)))
    found = _moved(scratch, best, graph, back)
    return [Expr(graph, i) for i in (found if _shorter(graph, found, roots) else roots)]


def _shortest(graph: Graph, roots: list[int]) -> list[int]:
    """The best of all ways to read and factor, applied again until nothing is gained."""
    best, left = roots, WORK // (1 + len(reachable(graph, roots)))
    while left > 0 or best is roots:
        ways = WAYS[: max(left, 1)]
        found = _mixed(graph, [best, *_candidates(graph, best, ways)])
        if not _shorter(graph, found, best):
            break
        best, left = found, left - len(ways)
    return best


def _shorter(graph: Graph, new: Sequence[int], old: Sequence[int]) -> bool:
    """Fewer operations with everything shared; where that is equal, fewer operations as written."""
    if list(new) == list(old):
        return False
    a, b = ([Expr(graph, i) for i in roots] for roots in (new, old))
    change = count_shared(a).total - count_shared(b).total
    return change < 0 or (change == 0 and count_literal(a).total < count_literal(b).total)


def _candidates(graph: Graph, roots: list[int], ways: Sequence[Way]) -> Iterator[list[int]]:
    """The roots rewritten in each way; one that meets a vanishing divisor or an overflow is dropped."""
    for way in ways:
        try:
            forms = Forms(way)
            yield Assembly(graph, forms, read(graph, roots, forms)).roots
        except (ExpressionError, ArithmeticError):
            continue


def _mixed(graph: Graph, candidates: list[list[int]]) -> list[int]:
    """The best candidate, then each root (equal ones together) from the candidate where it costs the whole least."""
    best = candidates[0]
    for other in candidates[1:]:
        best = other if _shorter(graph, other, best) else best
    for i in range(len(best)):
        for other in candidates:
            trial = [other[i] if root == best[i] else root for root in best]
            if trial != best and _shorter(graph, trial, best):
                best = trial
    return best


# --- a graph numbered by meaning ----------------------------------------------------------------------------------


def _copied(graph: Graph, roots: Sequence[int], scratch: Graph) -> dict[int, int]:
    """What lies under the roots, in a scratch graph: symbols by kind and name, then nodes by height and structure."""
    new: dict[int, int] = {}
    for i in _by_meaning(graph, roots):
        symbol = graph.symbols.get(i)
        if symbol is None:
            new[i] = scratch.make(graph.nodes[i][0], tuple(_moved(graph, graph.nodes[i][1:], scratch, new)))
        else:
            new[i] = scratch.symbol(symbol.name, symbol.kind)
    return new


def _moved(source: Graph, nodes: Iterable[int], target: Graph, new: Mapping[int, int]) -> list[int]:
    """Nodes and constants of one graph in another."""
    return [new[i] if i >= 0 else target.constant(source.value(i)) for i in nodes]


def _by_meaning(graph: Graph, roots: Sequence[int]) -> list[int]:
    """The nodes under the roots in a topological order that only their structure decides."""
    key: dict[int, tuple[int, int, str]] = {}
    for i in reachable(graph, roots):
        op, *args = graph.nodes[i]
        if op == SYMBOL:
            symbol = graph.symbols[i]
            key[i] = (0, RANK[symbol.kind], symbol.name)
            continue
        parts = [repr(key[a]) if a >= 0 else graph.value(a).hex() for a in args]
        text = f"{op} {sorted(parts) if op in COMMUTATIVE else parts}"
        height = 1 + max((key[a][0] for a in args if a >= 0), default=0)
        key[i] = (height, op, blake2b(text.encode(), digest_size=16).hexdigest())
    return sorted(key, key=key.__getitem__)


# --- monomials ----------------------------------------------------------------------------------------------------


def _times(a: Monomial, b: Monomial, power: int = 1) -> Monomial:
    """a · b ** power."""
    if not b:
        return a
    exponents = dict(a)
    for atom, e in b:
        exponents[atom] = exponents.get(atom, 0) + power * e
    return tuple(sorted([factor for factor in exponents.items() if factor[1]]))


def _common(a: Monomial, b: Monomial) -> Monomial:
    """The largest monomial in both: factors with factors, divisors with divisors."""
    other = dict(b)
    both = [(atom, e, other[atom]) for atom, e in a if atom in other]
    return tuple([(atom, min(e, f, key=abs)) for atom, e, f in both if e * f > 0])


def _common_of(monomials: Iterable[Monomial]) -> Monomial:
    first, *rest = monomials
    for m in rest:
        if not first:
            break
        first = _common(first, m)
    return first


@lru_cache(maxsize=1 << 14)
def _degrees(m: Monomial) -> tuple[int, int]:
    """How many factors, how many divisors."""
    top = sum(e for _, e in m if e > 0)
    return top, top - sum(e for _, e in m)


def _multiplies(c: float, top: int, bottom: int) -> int:
    """Multiplications and divisions of a term as written."""
    return max(top - 1, 0) + bottom + int(top > 0 and abs(c) != 1.0)


def _accumulate(poly: Poly, m: Monomial, c: float) -> None:
    """poly += c m; a term that cancels goes."""
    before = poly.get(m, 0.0)
    total = before + c
    if total == 0.0 or abs(total) < CANCELLED * max(abs(before), abs(c)):
        poly.pop(m, None)
    else:
        poly[m] = total


def _sum(a: Poly, b: Poly, scale: float = 1.0) -> Poly:
    """a + scale · b."""
    total = dict(a)
    for m, c in b.items():
        _accumulate(total, m, scale * c)
    return total


def _product(a: Term, b: Term, power: int = 1) -> Term:
    """a · b ** power."""
    return a[0] * b[0] ** power, _times(a[1], b[1], power)


# --- atoms and closed sums ----------------------------------------------------------------------------------------


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
        return _multiplies(term[0], *_degrees(term[1])) + sum(self.atoms[a].cost for a, _ in term[1])

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
        rest = _times(m, ((a, 1),), -1)
        terms = {_times(rest, n): poly[m] * d for n, d in self.atoms[a].flat.items()}
        return _sum({n: c for n, c in poly.items() if n != m}, terms)

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
        content = _common_of(poly)
        poly = {_times(m, content, -1): c for m, c in poly.items()}
        row = self._horner(poly) if self.way.factor else poly
        if len(row) < 2:
            c, m = self.close(row)
            return c, _times(m, content)
        scale = _scale(row)
        args = tuple((c / scale, m) for m, c in self._ordered(row))
        flat = {m: c / scale for m, c in poly.items()}
        cost = 0 if shared else len(args) - 1 + sum(map(self.cost, args))
        atom = self._intern(ADD, args, 0, max(self.rank(m) for m in row), flat, cost)
        return scale, _times(content, ((atom, 1),))

    def _ordered(self, row: Poly) -> list[tuple[Monomial, float]]:
        return sorted(row.items(), key=lambda term: (self.rank(term[0]), term))

    def _horner(self, poly: Poly) -> Poly:
        """The sum with the most profitable common factor taken out of some of its terms, again and again."""
        row = dict(poly)
        while len(row) > 1 and (group := self._best_group(row)):
            (number, divisor), members = group
            c, m = self._factored({_times(t, divisor, -1): row.pop(t) / number for t in members})
            _accumulate(row, _times(m, divisor), c * number)
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
            yield (sizes.pop() if len(sizes) == 1 else 1.0, _common_of(members)), members


def _gain(poly: Poly, divisor: Term, members: Sequence[Monomial]) -> int:
    """Multiplications saved when the divisor comes out of the members."""
    number, factors = divisor
    top, bottom = _degrees(factors)
    saved = -top - bottom - int(number != 1.0)
    for m in members:
        c, (up, down) = poly[m], _degrees(m)
        saved += _multiplies(c, up, down) - _multiplies(c / number, up - top, down - bottom)
    return saved


def _scale(row: Poly) -> float:
    """The number to take out of a sum: the commonest coefficient if that saves products, with the leading sign."""
    sign = 1.0 if row[min(row)] > 0.0 else -1.0
    sizes = Counter(abs(c) for m, c in row.items() if m)
    number, uses = min(sizes.items(), key=lambda item: (-item[1], item[0]))
    units, whole = sizes[1.0], all((c / number).is_integer() for c in row.values())
    exact = all(c / number * number == c for c in row.values())
    return sign * number if exact and uses - 1 > units - int(whole) else sign


def _without_square(poly: Poly, old: int, new: int) -> Poly:
    """old² = 1 - new² in every term, for old, new the sine and cosine of one angle."""
    result: Poly = {}
    for m, c in poly.items():
        e = dict(m).get(old, 0)
        if e > 1:
            rest = _times(m, ((old, 2),), -1)
            _accumulate(result, rest, c)
            _accumulate(result, _times(rest, ((new, 2),)), -c)
        else:
            _accumulate(result, m, c)
    return result


# --- read ---------------------------------------------------------------------------------------------------------


def read(graph: Graph, roots: Sequence[int], forms: Forms) -> list[Term]:
    """The roots as closed terms; sums used more than once stay whole unless the way opens them."""
    uses = use_counts(graph, roots)
    poly: dict[int, Poly] = {}

    def of(a: int) -> Poly:
        return poly[a] if a >= 0 else {(): graph.value(a)} if a != ZERO else {}

    for i in uses:
        op, *args = graph.nodes[i]
        if op == SYMBOL:
            value = _single(forms.symbol(i, graph.symbols[i].kind))
        else:
            value = READ.get(op, _read_function)(forms, op, [of(a) for a in args])
        if len(value) > TERMS or (len(value) > 1 and uses[i] > 1 and not forms.way.open_shared):
            value = _single(forms.close(value, shared=True))
        poly[i] = value
    return [forms.close(of(i)) for i in roots]


def _single(term: Term) -> Poly:
    return {term[1]: term[0]} if term[0] else {}


def _read_product(forms: Forms, op: int, x: list[Poly]) -> Poly:
    """a b or a / b as one term; a number times a sum stays a sum."""
    for number, other in ((x[1], x[0]), (x[0], x[1])) if op == MUL else ((x[1], x[0]),):
        if list(number) == [()]:
            return _sum({}, other, number[()] if op == MUL else 1.0 / number[()])
    term = _product(forms.close(x[0]), forms.close(x[1]), 1 if op == MUL else -1)
    if sum(abs(e) for _, e in term[1]) > FACTORS:
        return _read_function(forms, op, x)
    return _single(term)


def _read_function(forms: Forms, op: int, x: list[Poly]) -> Poly:
    return _single(forms.function(op, tuple(forms.close(p) for p in x)))


READ: dict[int, Callable[[Forms, int, list[Poly]], Poly]] = {
    ADD: lambda forms, op, x: _sum(x[0], x[1]),
    SUB: lambda forms, op, x: _sum(x[0], x[1], -1.0),
    NEG: lambda forms, op, x: _sum({}, x[0], -1.0),
    MUL: _read_product,
    DIV: _read_product,
}


# --- assemble -----------------------------------------------------------------------------------------------------


class Pairs:
    """Rows of operands (signed, from 1) in which the pair that occurs most often becomes one new operand, repeatedly.

    Signs matter up to a common one: a - b and b - a are the same pair. ``parts`` tells what a new operand stands for.
    """

    def __init__(self, rows: list[list[int]], rank: list[int]) -> None:
        self.rows = rows
        self.rank = rank  # of operand i + 1
        self.parts: dict[int, tuple[int, int]] = {}
        self._count: Counter[tuple[int, int]] = Counter()
        self._where: dict[tuple[int, int], set[int]] = defaultdict(set)
        for i in range(len(rows)):
            self._enter(i)
        self._heap = [self._entry(pair) for pair in self._count]
        heapq.heapify(self._heap)
        while self._heap:
            self._extract()

    def _entry(self, pair: tuple[int, int]) -> tuple[int, int, tuple[int, int]]:
        return -self._count[pair], max(self.rank[abs(x) - 1] for x in pair), pair

    def _pairs(self, i: int) -> dict[tuple[int, int], int]:
        """How often each pair can be taken from a row."""
        have = sorted(Counter(self.rows[i]).items(), key=lambda item: abs(item[0]))
        found = {_unsigned(x, y): min(n, k) for (x, n), (y, k) in combinations(have, 2)}
        return found | {(abs(x), abs(x)): n // 2 for x, n in have if n > 1}

    def _enter(self, i: int) -> dict[tuple[int, int], int]:
        found = self._pairs(i)
        for pair, n in found.items():
            self._count[pair] += n
            self._where[pair].add(i)
        return found

    def _leave(self, i: int) -> None:
        for pair, n in self._pairs(i).items():
            self._count[pair] -= n
            self._where[pair].discard(i)

    def _extract(self) -> None:
        """The next pair of the heap, if it still occurs twice, as a new operand."""
        entry = heapq.heappop(self._heap)
        pair = entry[-1]
        if self._count[pair] < 2:
            return
        if entry != self._entry(pair):
            heapq.heappush(self._heap, self._entry(pair))
            return
        new = len(self.rank) + 1
        self.rank.append(entry[1])
        self.parts[new] = pair
        for i in sorted(self._where[pair]):
            self._leave(i)
            _replace(self.rows[i], pair, new)
            for other in self._enter(i):
                if self._count[other] > 1:
                    heapq.heappush(self._heap, self._entry(other))


def _unsigned(x: int, y: int) -> tuple[int, int]:
    """A pair up to a common sign, the smaller operand first and positive."""
    return (x, y) if x > 0 else (-x, -y)


def _replace(row: list[int], pair: tuple[int, int], new: int) -> None:
    """Take the pair (or its negative) out of the row, as often as it is there, and put the new operand in."""
    x, y = pair
    for a, b, sign in ((x, y, 1), (-x, -y, -1)):
        while row.count(a) > (a == b) and b in row:
            row.remove(a)
            row.remove(b)
            row.append(sign * new)


class Assembly:
    """Closed terms as binary operations of a graph: ``roots``."""

    def __init__(self, graph: Graph, forms: Forms, roots: list[Term]) -> None:
        self.graph = graph
        self.forms = forms
        self.used = _used(forms, roots)
        self.flipped = _flipped(forms, self.used, roots)
        self.nodes: dict[int, int] = {}  # of atoms
        self.products: dict[Monomial, int] = {}  # row of a monomial
        self.sums: dict[int, int] = {}  # row of an atom
        self.scaled: dict[int, Term] = {}  # operand of the sums: a product with a positive number in front
        self.factors: dict[int, tuple[int, Monomial]] = {}  # operand of the products: an atom, or a divisor
        self.product_pairs = self._share_products(roots)
        self.sum_pairs = self._share_sums()
        for a in self.used:
            self.nodes[a] = self._atom(a)
        self.roots = [self._term(self._signed(term)) for term in roots]

    def _signed(self, term: Term) -> Term:
        """The term when some sums are written with the opposite sign."""
        odd = sum(e for a, e in term[1] if a in self.flipped) % 2
        return (-term[0] if odd else term[0]), term[1]

    def _args(self, a: int) -> list[Term]:
        """The terms of an atom with the signs they are written with."""
        sign = -1.0 if a in self.flipped else 1.0
        return [(sign * c, m) for c, m in map(self._signed, self.forms.atoms[a].args)]

    def _share_products(self, roots: list[Term]) -> Pairs:
        """A row of factors for each monomial; all its divisors together are one operand, their product a row too."""
        atoms = self.forms.atoms
        monomials = [m for a in self.used for _, m in atoms[a].args] + [m for _, m in roots]
        operands: dict[tuple[int, Monomial], int] = {(a, ()): i for i, a in enumerate(self.used, 1)}
        rows: list[list[int]] = []
        for m in dict.fromkeys([*map(_divisor, monomials), *monomials]):
            row = [operands[a, ()] for a, e in m for _ in range(e)]
            if divisor := _divisor(m):
                row.append(operands.setdefault((-1, divisor), len(operands) + 1))
            self.products[m] = len(rows)
            rows.append(row)
        self.factors = {i: factor for factor, i in operands.items()}
        return Pairs(rows, [atoms[a].rank if a >= 0 else self.forms.rank(d) for a, d in operands])

    def _share_sums(self) -> Pairs:
        """A row of signed terms for each sum."""
        operands: dict[Term, int] = {}
        rows: list[list[int]] = []
        for a in self.used:
            if self.forms.atoms[a].op == ADD:
                self.sums[a] = len(rows)
                signed = [(c > 0.0, operands.setdefault((abs(c), m), len(operands) + 1)) for c, m in self._args(a)]
                rows.append([i if positive else -i for positive, i in signed])
        self.scaled = {i: term for term, i in operands.items()}
        return Pairs(rows, [self.forms.rank(m) for _, m in operands])

    def _atom(self, a: int) -> int:
        atom = self.forms.atoms[a]
        if atom.op == SYMBOL:
            return atom.leaf
        if atom.op == ADD:
            return self._sum(self.sum_pairs.rows[self.sums[a]])
        return self.graph.make(atom.op, tuple(self._term(term) for term in self._args(a)))

    def _sum(self, row: Iterable[int]) -> int:
        """What is added less what is subtracted, parameters first: so a change of sign costs nothing."""
        order = sorted(row, key=lambda x: (self.sum_pairs.rank[abs(x) - 1], abs(x)))
        plus = minus = ZERO
        for x in order:
            if x > 0:
                plus = self.graph.add(plus, self._addend(x))
            else:
                minus = self.graph.add(minus, self._addend(-x))
        return self.graph.sub(plus, minus)

    def _addend(self, x: int) -> int:
        return self._sum(self.sum_pairs.parts[x]) if x in self.sum_pairs.parts else self._term(self.scaled[x])

    def _term(self, term: Term) -> int:
        """c m; a coefficient that is one over a whole number divides."""
        c, m = term
        node = self._factor(self.product_pairs.rows[self.products[m]])
        whole = round(1.0 / c) if 1e-9 < abs(c) < 1.0 else 0
        if whole and 1.0 / whole == c:
            return self.graph.div(node, self.graph.constant(float(whole)))
        return self.graph.mul(self.graph.constant(c), node) if c else ZERO

    def _factor(self, row: Iterable[int]) -> int:
        """A product of operands, parameters first, divisors last."""
        order = sorted(row, key=lambda x: (self._is_divisor(x), self.product_pairs.rank[x - 1], x))
        node = ONE
        for x in order:
            if x in self.product_pairs.parts:
                node = self.graph.mul(node, self._factor(self.product_pairs.parts[x]))
            elif self._is_divisor(x):
                node = self.graph.div(node, self._factor(self.product_pairs.rows[self.products[self.factors[x][1]]]))
            else:
                node = self.graph.mul(node, self.nodes[self.factors[x][0]])
        return node

    def _is_divisor(self, x: int) -> bool:
        return x in self.factors and self.factors[x][0] < 0


def _divisor(m: Monomial) -> Monomial:
    """The divisors of a monomial, as factors."""
    return tuple((a, -e) for a, e in m if e < 0)


def _used(forms: Forms, roots: Sequence[Term]) -> list[int]:
    """The atoms under the roots, ascending: what an atom is made of comes before it."""
    stack = [a for _, m in roots for a, _ in m]
    seen = set(stack)
    while stack:
        inside = {a for _, m in forms.atoms[stack.pop()].args for a, _ in m}
        stack.extend(inside - seen)
        seen |= inside
    return sorted(seen)


def _flipped(forms: Forms, used: Sequence[int], roots: Sequence[Term]) -> set[int]:
    """The sums to write with the opposite sign, b - a for a - b, because their products are wanted negative."""
    inside = {a for b in used if forms.atoms[b].op != ADD for _, m in forms.atoms[b].args for a, _ in m}
    signs = [c for c, _ in roots]
    flipped = set()
    for a in used:
        terms = forms.atoms[a].args
        if forms.atoms[a].op != ADD or a in inside or all(c > 0.0 for c, _ in terms):
            continue
        bare = [i for i, (c, m) in enumerate(roots) if abs(c) == 1.0 and dict(m).get(a, 0) % 2]
        if sum(signs[i] for i in bare) < 0.0:
            flipped.add(a)
            for i in bare:
                signs[i] = -signs[i]
    return flipped
