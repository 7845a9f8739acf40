"""Names as a reader sees them: Greek letters, subscripts, and an order in which q2 comes before q10."""

from __future__ import annotations

import re

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
    "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
SPELLED = {letter: name for name, letter in GREEK.items()}

NaturalKey = tuple[str | int, ...]
SORTED_BY = 100  # characters of a long text that count as its name; the whole text breaks ties


def split_name(name: str) -> tuple[str, list[str]]:
    """Base and subscripts: ``q1`` is q with 1, ``m_B`` m with B, ``theta2`` theta with 2, ``gravity`` stays whole."""
    head, *subscripts = [part for part in name.split("_") if part] or [name]
    numbered = re.fullmatch(r"(\D+)(\d+)", head)
    return (numbered[1], [numbered[2], *subscripts]) if numbered else (head, subscripts)


def natural(text: str) -> tuple[NaturalKey, str]:
    """Sort key: digits by value, small letters before capitals (m before L, q2 before q10)."""
    parts = re.split(r"(\d+)", text[:SORTED_BY])
    return tuple(int(part) if i % 2 else part.swapcase() for i, part in enumerate(parts)), text
