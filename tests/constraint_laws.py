"""Laws of a constrained run, judged by NumPy: residuals of every row, energy, rank, and accelerations by KKT."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

import latchwork as lw
from latchwork.constraint.rows import rows_of
from latchwork.constraint.terms import Terms, terms_of
from latchwork.hybrid.mode_dynamics import Recombined
from random_held import Case

METHOD = lw.DormandPrince(rtol=1e-9, atol=1e-11, max_steps=3_000)
REFUSED = (lw.ConstraintError, lw.IntegrationError, lw.EvaluationError)
NEAR = 1e-3  # of its typical length: a row this short is close to vanishing
FLAT = 1e-4  # singular values between this and rounding: too close to a singular position to judge rank
SENTENCES = re.compile(r"[.!?:] +[A-Z]")


@dataclass(eq=False)
class ContactSolution:
    """What came of a case, the laws it broke, and the numbers they are about."""

    kind: str
    bad: list[str] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)


def judge(case: Case) -> ContactSolution:
    """Run a case for half a second and hold it to the laws."""
    try:
        run = lw.simulate(case.model, until=0.5, q=case.q, u=case.u, method=METHOD)
    except REFUSED as error:
        bad = ["refused"] * (case.outcome == "runs") + unnamed(case, str(error))
        return ContactSolution("refused", [f"{word}: {error}" for word in bad])
    verdict = ContactSolution("ran", ["ran"] * (case.outcome == "refused"), numbers_of(case, run))
    energy = 1e-5 if "square" in case.rows else 1e-6  # (q − a)³ = 0 to rounding leaves q off by 5e-5
    most = {"position": 1e-9, "speed": 1e-9, "energy": energy, "udot": 1e-7, "rank": 0.0}
    verdict.bad += [f"{key} {value:.3g}" for key, value in verdict.numbers.items() if not value <= most[key]]
    return verdict


def unnamed(case: Case, message: str) -> list[str]:
    """What a refusal lacks: names of rows or states, values seen, what to do."""
    known = [*(name for k in case.model.constraints for name in k.row_names), *case.q, *case.u]
    lacks = [] if any(name in message for name in known) else ["no name"]
    lacks += [] if re.search(r"\d", message) else ["no value"]
    return lacks + ([] if SENTENCES.search(message) and message.endswith(".") else ["no advice"])


def numbers_of(case: Case, run: lw.Trajectory) -> dict[str, float]:
    """The worst of every law along a run, over up to 40 samples; infinite where something is no number."""
    terms = terms_of(rows_of(run.equations, case.model.constraints))
    typical = terms.typical(np.concatenate([[run.t[0]], run.q[0], run.u[0], run.rest]))
    scale = 1.0 + float(np.abs(run.energy).max())
    worst = {"position": 0.0, "speed": 0.0, "energy": run.audit.energy_error / scale, "udot": 0.0, "rank": 0.0}
    for i in np.unique(np.linspace(0, len(run.t) - 1, 40).astype(int)):
        x = np.concatenate([[run.t[i]], run.q[i], run.u[i], run.rest])
        for key, value in at_sample(terms, x, typical, run.udot[i], speeds_at(run, run.t[i])).items():
            worst[key] = max(worst[key], value if np.isfinite(value) else np.inf)
    return worst


def speeds_at(run: lw.Trajectory, t: float) -> int:
    """How many speeds are integrated at a time."""
    dynamics = next(s.dynamics for s in reversed(run.path.segments) if s.solution.t[0] <= t)
    assert isinstance(dynamics, Recombined)
    return len(dynamics.mode.selection.independent)


def at_sample(terms: Terms, x: np.ndarray, typical: np.ndarray, udot: np.ndarray, speeds: int) -> dict[str, float]:
    """Residuals in units of what moves them; where no row is close to vanishing, u̇ against KKT, and rank by SVD."""
    place, motion = terms.place(x), terms.motion(x)
    n = terms.sizes[1]
    u, lengths = x[1 + terms.sizes[0] :][:n], np.linalg.norm(place.B, axis=1)
    unit = np.where(lengths > NEAR * typical, lengths, typical)
    fastest = 1.0 + float(np.abs(u).max())
    found = {"position": float(np.abs(place.Phi / unit).max()),
             "speed": float((np.abs(place.B @ u + place.C) / unit).max()) / fastest}  # fmt: skip
    B = place.B / unit[:, None]
    singular = np.linalg.svd(B, compute_uv=False)
    if ((singular > 1e-11) & (singular < FLAT)).any() or ((lengths > 0.0) & (lengths < NEAR * typical)).any():
        return found
    found["rank"] = abs(speeds - (n - int((singular > FLAT).sum())))
    reference = kkt(motion.M, motion.f, B, motion.c / unit)
    return found | {"udot": float(np.abs(udot - reference).max()) / (1.0 + float(np.abs(reference).max()))}


def kkt(M: np.ndarray, f: np.ndarray, B: np.ndarray, c: np.ndarray) -> np.ndarray:
    """u̇ of [M Bᵀ; B 0] (u̇, −λ) = (f, −c), by least squares."""
    A = np.block([[M, B.T], [B, np.zeros((len(B), len(B)))]])
    return np.linalg.lstsq(A, np.concatenate([f, -c]), rcond=1e-11)[0][: len(f)]
