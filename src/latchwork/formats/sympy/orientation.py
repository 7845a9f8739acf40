"""Orientations that SymPy keeps as direction cosines, recognised as turns, sequences of turns, or Euler parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

# θ = offset·π/2 + factor·x, where (sin θ, cos θ) is (± sin x, ± cos x) or, swapped, (± cos x, ± sin x):
# {(swapped, sign of sin θ, sign of cos θ): (offset, factor)}
ANGLES = {
    (False, 1, 1): (0, 1), (False, -1, 1): (0, -1), (False, 1, -1): (2, -1), (False, -1, -1): (2, 1),
    (True, 1, 1): (1, -1), (True, 1, -1): (1, 1), (True, -1, 1): (-1, 1), (True, -1, -1): (-1, -1),
}  # fmt: skip
PARITIES = {(1, 1, 1): 0, (1, -1, -1): 1, (-1, 1, -1): 2, (-1, -1, 1): 3}  # signs of e0², e1², e2², e3² on the diagonal


def as_turn(matrix: Any) -> tuple[int, Any] | None:
    """(axis, angle) of a simple rotation about a coordinate axis, else None."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        rest = [matrix[k, i], matrix[k, j], matrix[i, k], matrix[j, k]]
        paired = matrix[i, i] == matrix[j, j] and matrix[i, j] == -matrix[j, i]
        if matrix[k, k] == 1 and paired and not any(rest):
            angle = _angle(matrix[j, i], matrix[i, i])
            if angle is not None:
                return k, angle
    return None


def as_sequence(matrix: Any) -> tuple[str, tuple[Any, ...]] | None:
    """('zxz', angles) of three turns about axes fixed in the body, R = R_i(a) R_j(b) R_k(c); None if it is not that."""
    candidates = sorted(_sequences(matrix), key=lambda found: sum(angle.count_ops() for angle in found[1]))
    for axes, angles in candidates:
        if _turns(axes, angles) == matrix.as_mutable():
            return "".join("xyz"[axis] for axis in axes), angles
    return None


def _sequences(R: Any) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]:
    """Axes and angles that some of the entries speak for; e = ±1 is the sense of i, j, k."""
    from sympy import cos, sin

    for i, j, k in permutations(range(3)):
        e = 1 if (j - i) % 3 == 1 else -1
        sign, name, x = _signed(e * R[i, k])
        if name == "sin":  # R_ik = e sin b, R_ij = -e cos b sin c, R_jk = -e sin a cos b
            a, c = _angle(-e * R[j, k] / cos(x), R[k, k] / cos(x)), _angle(-e * R[i, j] / cos(x), R[i, i] / cos(x))
            if a is not None and c is not None:
                yield (i, j, k), (a, sign * x, c)
        sign, name, x = _signed(R[i, i])
        for b in (x, -x) if name == "cos" and sign > 0 else ():  # R_ii = cos b, R_ij = sin b sin c, R_ji = sin a sin b
            a, c = _angle(R[j, i] / sin(b), -e * R[k, i] / sin(b)), _angle(R[i, j] / sin(b), e * R[i, k] / sin(b))
            if a is not None and c is not None:
                yield (i, j, i), (a, b, c)


def _turns(axes: tuple[int, ...], angles: tuple[Any, ...]) -> Any:
    """R_i(a) R_j(b) R_k(c)."""
    from sympy import cos, eye, sin

    total = eye(3)
    for k, angle in zip(axes, angles, strict=True):
        i, j, turn = (k + 1) % 3, (k + 2) % 3, eye(3)
        turn[i, i] = turn[j, j] = cos(angle)
        turn[j, i], turn[i, j] = sin(angle), -sin(angle)
        total = total * turn
    return total


def _angle(sine: Any, cosine: Any) -> Any:
    """θ with this sine and cosine, where both are written with the same x or are numbers; else None."""
    from sympy import atan2, pi

    if sine.is_number and cosine.is_number:
        return atan2(sine, cosine)
    (s, first, x), (c, second, y) = _signed(sine), _signed(cosine)
    if x is None or x != y or {first, second} != {"sin", "cos"}:
        return None
    offset, factor = ANGLES[first == "cos", s, c]
    return offset * pi / 2 + factor * x


def _signed(value: Any) -> tuple[int, str, Any]:
    """(±1, 'sin' or 'cos', x) of ± sin x or ± cos x."""
    for sign in (1, -1):
        name = (sign * value).func.__name__
        if name in ("sin", "cos"):
            return sign, name, (sign * value).args[0]
    return 1, "", None


def as_quaternion(matrix: Any) -> tuple[Any, ...] | None:
    """Euler parameters e0 ... e3 (scalar first) whose squares stand on the diagonal, else None."""
    from sympy.core.function import AppliedUndef

    found: dict[int, Any] = {}
    for e in matrix.atoms(AppliedUndef):
        signs = tuple((matrix[k, k].diff(e) / (2 * e)) for k in range(3))
        if signs in PARITIES:
            found[PARITIES[signs]] = e
    if len(found) != 4 or len(matrix.atoms(AppliedUndef)) != 4:
        return None
    e0, e1, e2, e3 = (found[k] for k in range(4))
    skew = (matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1])
    same = all((s - 4 * e0 * e).expand() == 0 for s, e in zip(skew, (e1, e2, e3), strict=True))
    return (e0, e1, e2, e3) if same else None
