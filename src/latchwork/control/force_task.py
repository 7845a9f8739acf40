"""The forces that a law asks for, as rows of its inputs: V ρ = λ* − λ₀, each of unit length.   [Aghili Eqs. 49, 50]"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.control.law_record import Law
from latchwork.control.motion_task import MEETS
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum


@kernel
def share_of(mode: EmbeddedMode, law: Law, i: i64, row: i64) -> f64:
    """How much the multiplier of a row is of a force that is pressed with: a factor, and B where it is on a speed."""
    factor, n = law.pressed[i * law.rows + row], law.n
    return factor if law.speed[i] < 0 else factor * mode.place[law.rows + row * n + law.speed[i]]


@kernel
def force_rows(mode: EmbeddedMode, law: Law) -> None:
    """Rows V and λ* − λ₀ of what is pressed on, each of unit length; zero where it does not hold."""
    p, targets = law.p, offset(law.out, law.at_targets)
    for i in range(law.presses):
        total, size, row = targets[i], 0.0, offset(law.press_A, i * p)
        for c in range(p):
            row[c] = 0.0
        for j in range(law.rows):
            share = share_of(mode, law, i, j)
            total -= share * law.lam[j]
            add_row(p, share, offset(law.force, j * p), row)
        for c in range(p):
            size += row[c] * row[c]
        unit = divide(1.0, sqrt(size)) if law.present[i] != 0 and size > 0.0 else 0.0
        law.press_b[i] = total * unit
        for c in range(p):
            row[c] *= unit


@kernel
def loses_force(law: Law) -> i64:
    """1 where a force that is asked for is not given by ρ."""
    for i in range(law.presses):
        total, size, row = law.press_b[i], fabs(law.press_b[i]), offset(law.press_A, i * law.p)
        for c in range(law.p):
            total -= row[c] * law.rho[c]
            size = maximum(size, fabs(law.rho[c]))
        if total * total > MEETS * MEETS * size * size:
            return 1
    return 0


@kernel
def multiplier(law: Law, row: i64) -> f64:
    """λ of a row that comes of ρ."""
    total = law.lam[row]
    for c in range(law.p):
        total += law.force[row * law.p + c] * law.rho[c]
    return total


@kernel
def remember(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The rates of the memory, a + b λ with the λ that comes of the command; at rest where nothing is pressed on."""
    rates = offset(law.out, law.at_rates)
    for i in range(law.memory):
        press, total = law.source[i], 0.0
        for j in range(law.rows):
            share = share_of(mode, law, press, j)
            if share != 0.0:
                total += share * multiplier(law, j)
        out[law.p + i] = rates[i] + rates[law.memory + i] * total if law.present[press] != 0 else 0.0
