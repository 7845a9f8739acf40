"""``latchwork bench``: the scripts in benchmarks/, each in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from latchwork.cli.terminal import Usage, say, write
from latchwork.errors import EvaluationError, did_you_mean

NAMES = (
    "derive", "growth", "robots", "steps", "start", "first", "many", "belts", "constraints", "designs", "contact",
    "switches", "settling", "coupling", "realtime", "elementary", "control", "flexible",
)  # fmt: skip
FAILED = re.compile(r"\d+ failed:$")  # how a script begins to say what has failed
PACKAGE = Path(__file__).resolve().parents[1]


def bench(options: argparse.Namespace) -> None:
    """Run the benchmarks asked for, whatever becomes of each; tables, or one object with the results of all."""
    names = options.names or NAMES
    for name in names:
        if name not in NAMES:
            raise Usage(f"there is no benchmark '{name}'.{did_you_mean(name, NAMES)} There are {', '.join(NAMES)}.")
    scripts, out = folder(), Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    failed: dict[str, str] = {}
    for name in names:
        say(f"== {name}")
        table, problem = measured(scripts / f"{name}.py", out, options.quick)
        if problem:
            failed[name] = problem
        if not options.json:
            write(f"{table}\n", None)
            sys.stdout.flush()
    if options.json:
        results = {name: out / f"{name}.json" for name in names}
        found = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in results.items() if path.is_file()}
        write(json.dumps(found, indent=2), None)
    if failed:
        said = "".join(f"\n== {name}: {problem}" for name, problem in failed.items())
        raise EvaluationError(f"{len(failed)} of {len(names)} benchmarks failed, in part or as a whole: "
                              f"{', '.join(failed)}. Run 'latchwork bench NAME' to see one alone.{said}")  # fmt: skip


def folder() -> Path:
    """Where the scripts are: inside an installed package, or beside the sources of a checkout."""
    for place in (PACKAGE / "benchmarks", PACKAGE.parents[1] / "benchmarks"):
        if (place / f"{NAMES[0]}.py").is_file():
            return place
    raise Usage("the benchmarks are not installed. Run this command in a checkout of Latchwork, or 'make bench' there.")


def measured(script: Path, out: Path, quick: bool) -> tuple[str, str]:
    """What a script prints, and what failed; it finds this very package, and says on stderr how far it is."""
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(script), "--out", str(out), *(["--quick"] if quick else [])]
    told: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdout=said, stderr=pipe, encoding="utf-8") as process:
            assert process.stderr is not None
            for line in process.stderr:
                sys.stderr.write(line)
                told.append(line.rstrip())
        said.seek(0)
        return said.read(), _problem(told, process.returncode) if process.returncode else ""


def _problem(told: list[str], code: int) -> str:
    """What a script says at its end of what has failed, or its last line."""
    at = next((i for i, line in enumerate(told) if FAILED.match(line)), len(told) - 1)
    return "\n".join(told[at:]) or f"it ended with code {code}"
