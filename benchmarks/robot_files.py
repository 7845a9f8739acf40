"""Every URDF file of example-robot-data run for a second: as it is loaded, with stops, with dry friction besides.

    python benchmarks/robot_files.py [--out FOLDER] [--seconds S] [--limit S] [--only NAME ...]

Three ways: `lw.load(file)`, whose joints have the damping and the dry friction of the file; the same with
`limits=True`; and that with dry friction of 0.1 N m (0.1 N where a joint slides) in every joint of the file that has
none. Runs start from rest where the file places the robot, without drives. Each is a process of its own, with a limit
of its processor time: it ran, was refused in words, or was too slow. Seconds are processor time, of loading and
deriving and of the run; beside them stands what the audit says, and whether all has come to rest at exactly zero speed.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
from measure import FAILED, QUICK, RESULTS, few, finish, machine, table

import latchwork as lw

WAYS = ("as loaded", "limits", "limits and friction")
DRY = 0.1  # N m, or N
HEADS = ("robot", "speeds", "stops", "rubbing", *WAYS, "seconds", "events", "least gap", "energy off by")


def urdf_files() -> dict[str, Path]:
    """The files by package and name; none where example-robot-data is not installed."""
    try:
        found = [Path(str(path.locate())) for path in files("example-robot-data") or [] if path.suffix == ".urdf"]
    except PackageNotFoundError:
        return {}
    return {f"{path.parts[-3].removesuffix('_description')}/{path.stem}": path for path in sorted(found)}


# --- one run, in a process of its own ---------------------------------------------------------------------------------


def loaded(path: Path, way: str) -> lw.Model:
    """The robot of a file, its stops and its dry friction."""
    robot = lw.load(path, limits=way != "as loaded")
    if way == "limits and friction":
        rubbing = {contact.name for contact in robot.contacts}
        for name, joint in robot.joints.items():
            moved = joint.link or joint.rate
            if moved is not None and f"{name} friction" not in rubbing:
                robot.friction(f"{name} friction", moved, DRY)
    return robot


def outcome(path: Path, way: str, seconds: float) -> dict[str, Any]:
    """A run, or the words with which it was refused."""
    began = time.process_time()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            robot = loaded(path, way)
            speeds = len(robot.equations().u)
            made = time.process_time()
            run = lw.simulate(robot, seconds)
    except lw.LatchworkError as problem:
        return {"outcome": "refused", "words": str(problem).replace(f"{path.parent}/", "")}
    audit, names = run.audit, [contact.name for contact in robot.contacts]
    whole = bool(np.isfinite(run.u).all()) and float(run.t[-1]) == seconds
    return {
        "outcome": "ran" if whole else "failed", "words": "" if whole else "it has no end, or none that is finite",
        "speeds": speeds, "stops": sum(name.endswith(" limits") for name in names),
        "rubbing": sum(name.endswith(" friction") for name in names), "made": made - began,
        "seconds": time.process_time() - made, "events": len(run.events), "steps": audit.steps,
        "stepped": sum(steps for _, _, steps in audit.stepped), "gap": audit.least_gap, "off": audit.energy_error,
        "constraint": audit.constraint_error, "fastest": float(np.abs(run.u[-1]).max()),
        "warnings": [str(warning.message) for warning in told],
    }  # fmt: skip


# --- all of them ------------------------------------------------------------------------------------------------------


def attempt(name: str, path: Path, way: str, seconds: float, limit: int) -> dict[str, Any]:
    """What came of a run within its processor time; anything but words of ours is a failure."""
    command = [sys.executable, __file__, "--one", str(path), "--way", way, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))  # fmt: skip
    if done.returncode == 0:
        return {"robot": name, "way": way, **json.loads(done.stdout)}
    slow = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return {"robot": name, "way": way, "outcome": "slow" if slow else "failed", "words": done.stderr[-2000:]}


def shown(row: dict[str, Any]) -> str:
    """One way of a robot, in a word."""
    if row["outcome"] != "ran":
        return str(row["outcome"])
    return "rests" if row["fastest"] == 0.0 else "moves"


def line(name: str, rows: list[dict[str, Any]]) -> list[str]:
    """A row of the table: what is counted or measured is the largest of the ways that ran."""
    ran = [row for row in rows if row["outcome"] == "ran"]
    if not ran:
        return [name, "", "", "", *map(shown, rows), "", "", "", ""]
    gaps = [row["gap"] for row in ran if row["gap"] is not None]
    most = {key: max(row[key] for row in ran) for key in ("speeds", "stops", "rubbing", "events", "off")}
    took = " / ".join(f"{row['made'] + row['seconds']:.1f}" if row["outcome"] == "ran" else "-" for row in rows)
    return [name, str(most["speeds"]), str(most["stops"]), str(most["rubbing"]), *map(shown, rows), took,
            str(most["events"]), f"{min(gaps):.0e} m" if gaps else "", f"{most['off']:.0e} J"]  # fmt: skip


def summary(rows: list[dict[str, Any]]) -> str:
    """How many runs came out how, by way; and the words of the refusals."""
    counts = Counter((row["way"], row["outcome"]) for row in rows)
    kinds = ("ran", "refused", "slow", "failed")
    lines = [[way, *(str(counts[way, kind]) for kind in kinds)] for way in WAYS]
    words = {row["robot"]: row["words"] for row in rows if row["outcome"] == "refused"}
    refused = [[name, text.replace("|", "\\|")] for name, text in words.items()]
    return "\n\n".join([table(("way", *kinds), lines), table(("refused", "in these words"), refused)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each run")
    parser.add_argument("--limit", type=int, default=300, help="processor time of each run, in seconds")
    parser.add_argument("--only", nargs="*", help="parts of the names of robots")
    parser.add_argument("--one", type=Path, help="run this file alone, in this process")
    parser.add_argument("--way", choices=WAYS, default=WAYS[0], help="how it is loaded")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    seconds = 0.05 if options.quick else options.seconds
    if options.one is not None:
        print(json.dumps(outcome(options.one, options.way, seconds)))
        return
    found = {name: path for name, path in urdf_files().items()
             if not options.only or any(part in name for part in options.only)}  # fmt: skip
    options.out.mkdir(parents=True, exist_ok=True)
    rows, lines = list[dict[str, Any]](), list[list[str]]()
    for name in few(found, options.quick):
        own = [attempt(name, found[name], way, seconds, options.limit) for way in WAYS]
        rows += own
        lines.append(line(name, own))
        print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
        FAILED.update({f"{name}, {row['way']}": row["words"] for row in own if row["outcome"] == "failed"})
        facts = {"rows": rows, "machine": machine()}
        (options.out / "robot_files.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    text = f"{summary(rows)}\n\n{table(HEADS, lines)}"
    (options.out / "robot_files.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
