"""What deriving costs: Latchwork against SymPy's ``KanesMethod`` in one run, and Latchwork alone against size.

    python benchmarks/derive.py [--out FOLDER] [--repeats N]

Prints Markdown, writes ``derive.json``, ``derive.md`` and ``derive.png``. A time is that of describing a mechanism and
of forming M and f of M u̇ = f (for ``lw.load``: of taking over the description in SymPy, and the same); the smallest and
the median of several runs are given, both sides in turn, SymPy's cache cleared before each. Mechanisms: planar chains
of uniform rods, angles absolute (each rod from the vertical) or relative (from the rod before), u = q̇, gravity; and a
seeded random tree of bodies on revolute, universal and ball joints.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from measure import QUICK, attempted, few, finish
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

import latchwork as lw

LINKS = {"absolute": (5, 10, 20), "relative": (5, 10)}  # SymPy takes too long beyond
SIZES = (5, 10, 20, 40, 70, 100)
TREES = (5, 10, 20, 40)
JOINTS = ("revolute", "universal", "ball")


@dataclass(frozen=True)
class Times:
    """Seconds of several runs."""

    least: float
    median: float
    runs: int

    def __str__(self) -> str:
        return f"{_shown(self.least)} ({_shown(self.median)})"


def measure(job: Callable[[], Any], repeats: int) -> Times:
    """Repeat a job."""
    return _times([_clocked(job) for _ in range(repeats)])


def alternate(rival: Callable[[], Any], ours: list[Callable[[], Any]], repeats: int,
              longest: float = 20.0) -> list[Times]:  # fmt: skip
    """A rival and our jobs in turn, so that all meet the same machine: one run of the rival, some of each of ours."""
    seconds: list[list[float]] = [[] for _ in range(1 + len(ours))]
    while not seconds[0] or (len(seconds[0]) < 3 and sum(seconds[0]) < longest):
        seconds[0].append(_clocked(rival))
        for job, found in zip(ours, seconds[1:], strict=True):
            found += [_clocked(job) for _ in range(repeats)]
    return [_times(found) for found in seconds]


def _clocked(job: Callable[[], Any]) -> float:
    clear_cache()
    gc.collect()
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def _times(seconds: list[float]) -> Times:
    return Times(min(seconds), statistics.median(seconds), len(seconds))


def _shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1.0 else f"{1e3 * seconds:.1f} ms"


# --- mechanisms ---------------------------------------------------------------------------------------------------


def chain(n: int, angles: str) -> lw.Model:
    """A planar chain of n rods, hanging along N.x."""
    model = lw.Model(f"{n} links")
    m, l, J, g = model.parameters(m=1.0, l=1.0, J=1.0 / 12.0, g=9.8)
    q = model.coordinates(*(f"q{i}" for i in range(n)))
    joint, inboard = model.origin, model.frame
    for i in range(n):
        base = model.frame if angles == "absolute" else inboard
        inboard = base.rotated(f"A{i}", q[i], model.frame.z)
        center = joint.at(f"C{i}", l / 2 * inboard.x)
        model.body(f"rod{i}", inboard, center, m, lw.inertia(inboard, zz=J))
        joint = joint.at(f"P{i}", l * inboard.x)
    model.gravity(g * model.frame.x)
    return model


def sympy_chain(n: int, angles: str) -> KanesMethod:
    """The same chain in SymPy, velocities by the two-point theorem."""
    m, l, J, g = sympy.symbols("m l J g")
    q, u = dynamicsymbols(f"q0:{n}"), dynamicsymbols(f"u0:{n}")
    N, joint = ReferenceFrame("N"), Point("O")
    joint.set_vel(N, 0)
    inboard, bodies, loads = N, [], []
    for i in range(n):
        base = N if angles == "absolute" else inboard
        inboard = base.orientnew(f"A{i}", "Axis", [q[i], base.z])
        inboard.set_ang_vel(base, u[i] * base.z)
        center, outboard = joint.locatenew(f"C{i}", l / 2 * inboard.x), joint.locatenew(f"P{i}", l * inboard.x)
        for point in (center, outboard):
            point.v2pt_theory(joint, N, inboard)
        bodies.append(RigidBody(f"rod{i}", center, inboard, m, (inertia(inboard, 0, 0, J), center)))
        loads.append((center, m * g * N.x))
        joint = outboard
    kd = [a.diff() - b for a, b in zip(q, u, strict=True)]
    return KanesMethod(N, q, u, kd_eqs=kd, bodies=bodies, forcelist=loads)


def tree(n: int, seed: int = 40) -> lw.Model:
    """A random tree of n bodies in space."""
    rng = np.random.default_rng(seed)
    model = lw.Model(f"tree of {n}")
    links: list[Any] = []
    for i in range(n):
        parent = links[rng.integers(max(0, i - 4), i)] if i else None
        frame, origin = (parent.frame, parent.origin) if parent else (model.frame, model.origin)
        base = origin.at(f"B{i}", _vector(frame, rng))
        link = model.joint(JOINTS[rng.integers(len(JOINTS))], f"j{i}", frame, at=base)
        center = link.origin.at(f"C{i}", _vector(link.frame, rng))
        xx, yy, zz = rng.uniform(0.5, 1.0, 3)
        model.body(f"b{i}", link.frame, center, rng.uniform(1.0, 2.0), lw.inertia(link.frame, xx=xx, yy=yy, zz=zz))
        links.append(link)
    model.gravity(-9.8 * model.frame.z)
    return model


def _vector(frame: Any, rng: np.random.Generator) -> Any:
    return frame.vector(*rng.uniform(-1.0, 1.0, 3))


# --- jobs ---------------------------------------------------------------------------------------------------------


def derive(model: lw.Model) -> tuple[Any, Any]:
    eq = model.equations()
    return eq.M, eq.f


def derive_sympy(n: int, angles: str) -> tuple[Any, Any]:
    kane = sympy_chain(n, angles)
    kane.kanes_equations()
    return kane.mass_matrix, kane.forcing


def against_sympy(repeats: int, quick: bool) -> list[dict[str, Any]]:
    rows = []
    for angles, n in [(angles, n) for angles, links in LINKS.items() for n in ([2] if quick else links)]:
        with attempted(f"{n} links, {angles} angles"):
            described = sympy_chain(n, angles)
            rival, native, loaded = alternate(
                lambda n=n, angles=angles: derive_sympy(n, angles),
                [lambda n=n, angles=angles: derive(chain(n, angles)), lambda given=described: derive(lw.load(given))],
                repeats, 0.0 if quick else 20.0,
            )  # fmt: skip
            rows.append({"angles": angles, "links": n, "SymPy": rival, "native": native, "lw.load": loaded})
    return rows


def against_size(repeats: int, quick: bool) -> list[dict[str, Any]]:
    kinds: list[tuple[str, int, Callable[[], lw.Model]]] = []
    kinds += [("chain, absolute angles", n, lambda n=n: chain(n, "absolute")) for n in few(SIZES, quick)]
    kinds += [("chain, relative angles", n, lambda n=n: chain(n, "relative")) for n in few(SIZES, quick)]
    kinds += [("spatial tree", n, lambda n=n: tree(n)) for n in few(TREES, quick)]
    rows = []
    for kind, n, make in kinds:
        with attempted(f"{kind}, {n} bodies"):
            derived = measure(lambda make=make: derive(make()), repeats)
            rows.append({"kind": kind, "bodies": n, "speeds": len(make().system().u),
                         "describe": measure(make, repeats), "derive": derived})  # fmt: skip
    return rows


# --- report -------------------------------------------------------------------------------------------------------


def markdown(rivals: list[dict[str, Any]], sizes: list[dict[str, Any]]) -> str:
    """Two tables: least time (median), and ratios of least times."""
    keys = ["angles", "links", "SymPy", "native", "lw.load"]
    compared = [[*(row[key] for key in keys), _ratio(row, "native"), _ratio(row, "lw.load")] for row in rivals]
    heads = ["angles", "links", "SymPy KanesMethod", "Latchwork", "lw.load and derive", "ratio", "ratio (lw.load)"]
    keys = ["kind", "bodies", "speeds", "describe", "derive"]
    grown = table(["mechanism", *keys[1:-1], "describe and derive"], [[row[key] for key in keys] for row in sizes])
    return "\n\n".join([table(heads, compared), grown])


def table(heads: list[str], rows: list[list[Any]]) -> str:
    """Rows as Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _ratio(row: dict[str, Any], key: str) -> str:
    return f"{row['SymPy'].least / row[key].least:.0f}"


def plot(rivals: list[dict[str, Any]], sizes: list[dict[str, Any]], path: Path) -> None:
    """Cost against size, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    for kind in dict.fromkeys(row["kind"] for row in sizes):
        rows = [row for row in sizes if row["kind"] == kind]
        axes.loglog([row["bodies"] for row in rows], [row["derive"].least for row in rows], "o-", label=kind)
    for angles in LINKS:
        rows = [row for row in rivals if row["angles"] == angles]
        seconds = [row["SymPy"].least for row in rows]
        axes.loglog([row["links"] for row in rows], seconds, "s--", label=f"SymPy, chain, {angles} angles")
    axes.set(xlabel="bodies", ylabel="seconds to describe and derive M and f")
    axes.grid(which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    repeats = 1 if options.quick else options.repeats
    options.out.mkdir(parents=True, exist_ok=True)
    derive(chain(2, "absolute"))  # what is made once (machine code) is not counted
    rivals, sizes = against_sympy(repeats, options.quick), against_size(repeats, options.quick)
    text = markdown(rivals, sizes)
    print(text)
    (options.out / "derive.md").write_text(text + "\n", encoding="utf-8")
    plain = {"against SymPy": rivals, "against size": sizes}
    (options.out / "derive.json").write_text(json.dumps(plain, default=asdict, indent=2) + "\n", encoding="utf-8")
    plot(rivals, sizes, options.out / "derive.png")
    finish()


if __name__ == "__main__":
    main()
