"""Assemble: terms as binary operations again, pairs of operands that occur most often first."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, ONE, SYMBOL, ZERO
from latchwork.symbolic.tidy.forms import Forms
from latchwork.symbolic.tidy.monomials import Monomial, Term


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
