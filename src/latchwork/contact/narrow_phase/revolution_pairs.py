"""Closed forms for solids of revolution: edges across the rim of an end, and lines that touch the side of a cone."""

from __future__ import annotations

from latchwork.contact.narrow_phase.closed_forms import (
    EDGE,
    LEAN,
    LIES_FLAT,
    Touch,
    gathered,
    leads_out,
    leans,
    length,
    thin,
    unit_of,
)
from latchwork.contact.narrow_phase.edge_pairs import AXIS, CLEARLY, PARALLEL
from latchwork.contact.narrow_phase.parts import Crossing, Generator, Rod, Slope
from latchwork.contact.shapes.base import numeric
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, maximum, sign, sqrt


def crossing_rod(a: Crossing, b: Rod) -> Touch | None:
    """A sharp edge P + s t across the sharp rim R e about C: g = (R e − x) · n, with n along t × (k × e).

    With d = P − C, D = (d·t − (d·k)(t·k))² − (1 − (t·k)²) (d·d − (d·k)² − R²), the place x = d + s t is where the edge

        comes through the side, |x − (x·k) k| = R:   s = ((d·k)(t·k) − d·t ± √D) / (1 − (t·k)²)
        comes through the end, x · k = 0:            s = −d·k / t·k

    of which that is taken which it crosses more steeply: the side where |t·e| = √D/R > |t·k|. On the rim they are one.
    """
    hoop = a.hoop
    if not thin(b.radius) or not thin(hoop.tube) or hoop.end is None:
        return None
    d, t, k, R = gathered(b.place.seen_from(hoop.place)), b.along, hoop.axis, hoop.radius
    tk, dt, dk = t.dot(k), d.dot(t), d.dot(k)
    off, flat = dt - dk * tk, 1.0 - tk * tk
    D = off * off - flat * (d.dot(d) - dk * dk - R * R)
    held = maximum(D, PARALLEL * R * R)
    by_side = (sqrt(held) * a.sense - off) / maximum(flat, 0.25)
    by_end = -dk * tk / maximum(tk * tk, PARALLEL)
    through_side = 0.5 + 0.5 * sign(held - R * R * tk * tk)
    s = by_side * through_side + by_end * (1.0 - through_side)
    x = d + t * s
    across = gathered(x - k * x.dot(k))
    far = length(across, R)
    e = across / far
    te = t.dot(e)
    m, mm = k * te - e * tk, te * te + tk * tk
    out = b.faces[0] + b.faces[1] if b.faces else hoop.end + e  # against it leads n, from the edge to the rim
    way = -sign(m.dot(out))  # 0 where m leads out of neither
    n = m * (way / sqrt(maximum(mm, PARALLEL)))
    gap = (e * R - x).dot(n)
    unit = unit_of(a.size, b.size)
    spare = EDGE * unit
    crosses = D / (R * R) * through_side + (2.0 * tk * tk - te * te) * (1.0 - through_side)
    deep = b.deep if b.faces else 0.5 * R
    within = ((mm - 2.0 * PARALLEL) * (CLEARLY * unit), (abs(way) - 0.5) * unit, crosses * unit,
              (te + LEAN) * (a.sense * unit), s + spare, b.length - s + spare, far - 0.5 * R, gap + deep,
              *((LEAN - n.dot(u)) * unit for u in b.faces), *leads_out(hoop, e, -n))  # fmt: skip
    on, other = hoop.place.touching(e * R), b.place.touching(t * s)
    return Touch(gap, n, on, other, None, within)


def crossing_crossing(a: Crossing, b: Crossing) -> Touch | None:
    """Two rims of solids that lie flat on each other, with D e from the one centre to the other across the axis k:

        x = R_a (e cos α ± k × e sin α),    cos α = (D² + R_a² − R_b²) / (2 D R_a)
    """
    one, two = a.hoop, b.hoop
    if a.sense != b.sense or one.end is None or two.end is None:
        return None
    d, k, R = gathered(two.place.seen_from(one.place)), one.axis, one.radius
    across = d - k * d.dot(k)
    D = length(across, R)
    e = across / D
    cosine = (D * D + R * R - two.radius * two.radius) / (2.0 * D * R)
    left = 1.0 - cosine * cosine
    x = (e * cosine + k.cross(e) * (sqrt(maximum(left, PARALLEL)) * a.sense)) * R
    n, unit = two.end, unit_of(numeric(R), numeric(two.radius))
    gap = (x - d).dot(n)
    deep = 0.25 * (R + two.radius)
    within = ((4.0 - leans(n, k) / LIES_FLAT) * unit, (LEAN - n.dot(one.end)) * unit,
              (left - 2.0 * PARALLEL) * (CLEARLY * unit), D - AXIS * R, gap + deep)  # fmt: skip
    return Touch(gap, n, one.place.touching(x), two.place.touching(x - d - n * gap), None, within)


def generator_rod(a: Generator, b: Rod) -> Touch | None:
    """A rod, or an edge, along u on the side of a cone: g = (P − Q) · n − ρ, Q on the base, n normal to u and the side.

    n = c e + σ k with tan β = R/h, c = cos β, σ = sin β, and e = a₁ cos φ + a₂ sin φ, where

        n · u = 0:    (u·a₁) cos φ + (u·a₂) sin φ = −(u·k) tan β

    has two solutions, as two planes through the line touch the cone; the farther one is between them.
    """
    cone, u = a.slope, b.along
    d = gathered(b.place.seen_from(cone.place))
    slant = sqrt(cone.radius * cone.radius + cone.height * cone.height)
    c, steep = cone.height / slant, cone.radius / slant
    (e, room), (other, _) = (touched(cone, u, sense * a.sense) for sense in (1.0, -1.0))
    n = e * c + cone.axis * steep
    along = cone.axis * c - e * steep
    foot = d - e * cone.radius
    gap = foot.dot(n) - b.radius
    beyond = (d - other * cone.radius).dot(other * c + cone.axis * steep) - b.radius
    cosine, x, y = along.dot(u), foot.dot(along), foot.dot(u)
    mm = maximum(1.0 - cosine * cosine, PARALLEL)
    up, s = (x - cosine * y) / mm, (cosine * x - y) / mm
    unit = unit_of(a.size, b.size)
    spare = EDGE * unit if b.faces else 0.0
    deep = 0.5 * cone.radius * c
    within = ((1.0 - cosine * cosine - 2.0 * PARALLEL) * (CLEARLY * unit), (room - PARALLEL) * unit, up + spare,
              slant - up + spare, s + spare, b.length - s + spare, gap + deep, gap - beyond,
              *((LEAN + n.dot(face)) * unit for face in b.faces), *((gap + b.deep,) if b.faces else ()))  # fmt: skip
    on = cone.place.touching(e * cone.radius + along * up)
    return Touch(gap, -n, on, b.place.touching(u * s - n * b.radius), None, within)


def touched(cone: Slope, u: Vector, sense: float) -> tuple[Vector, Expr]:
    """The way from the axis to a generator, along which a plane that holds a direction touches the side of a cone; and
    how far that is from having none, sin² of the angle to the axis less what it is along a generator."""
    first, second = cone.across
    x, y, z = u.dot(first), u.dot(second), -u.dot(cone.axis) * (cone.radius / cone.height)
    flat = x * x + y * y
    room = flat - z * z
    root = sqrt(maximum(room, PARALLEL)) * sense
    flat = maximum(flat, PARALLEL)
    return first * ((x * z - y * root) / flat) + second * ((y * z + x * root) / flat), room
