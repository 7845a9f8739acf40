"""``latchwork bench``: the scripts in benchmarks/, each in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from latchwork.cli.terminal import Usage, say, write
from latchwork.errors import EvaluationError, did_you_mean

NAMES = (
    "derive", "growth", "robots", "steps", "start", "first", "many", "constraints", "designs", "contact", "switches",
    "settling", "coupling", "realtime", "elementary",
)  # fmt: skip
PACKAGE = Path(__file__).resolve().parents[1]


def bench(options: argparse.Namespace) -> None:
    """Run the benchmarks asked for; tables, or one object with the results of all."""
    names = options.names or NAMES
    for name in names:
        if name not in NAMES:
            raise Usage(f"there is no benchmark '{name}'.{did_you_mean(name, NAMES)} There are {', '.join(NAMES)}.")
    scripts, out = folder(), Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        say(f"== {name}")
        table = measured(scripts / f"{name}.py", out)
        if not options.json:
            write(f"{table}\n", None)
            sys.stdout.flush()
    if options.json:
        found = {name: json.loads((out / f"{name}.json").read_text(encoding="utf-8")) for name in names}
        write(json.dumps(found, indent=2), None)


def folder() -> Path:
    """Where the scripts are: inside an installed package, or beside the sources of a checkout."""
    for place in (PACKAGE / "benchmarks", PACKAGE.parents[1] / "benchmarks"):
        if (place / f"{NAMES[0]}.py").is_file():
            return place
    raise Usage("the benchmarks are not installed. Run this command in a checkout of Latchwork, or 'make bench' there.")


def measured(script: Path, out: Path) -> str:
    """What a script prints; it finds this very package, and says on stderr how far it is."""
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(script), "--out", str(out)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode:
        raise EvaluationError(
            f"the benchmark '{script.stem}' ended with code {done.returncode}. Its message stands above; run "
            f"{script} to see it alone."
        )
    return done.stdout
