"""Put the tables of the last run into the README and the documentation.

    python benchmarks/pages.py [--out FOLDER]

A page holds the table of a script between two marks:

    <!-- made by benchmarks/NAME.py; replace everything down to the end mark -->
    <!-- end of benchmarks/NAME.py -->

A script that has no results leaves its table as it is. The table of this script sums up the others: ratios only.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from pathlib import Path

from measure import RESULTS, number, table

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ("robots", "steps", "start", "many")  # whose rows compare with a rival and a promise
PAGES = {
    "README.md": ("pages",),
    "docs/benchmarks.md": (*SCRIPTS, "derive", "growth", "first", "constraints", "switches", "contact", "settling",
                           "realtime", "throughput", "two_pages", "elementary", "robots_on_floor", "key_press"),
    "docs/constraints.md": ("designs",),
    "docs/devices.md": ("coupling",),
    "docs/robots.md": ("robot_files",),
}
PICTURES = ("growth.svg", "piles.svg", "coupling.svg", "throughput.svg")  # those that the pages show
MARKED = re.compile(r"(<!-- made by benchmarks/(\w+)\.py; [^>]*-->\n).*?(<!-- end of benchmarks/\2\.py -->)", re.DOTALL)


def filled(page: str, results: Path, names: tuple[str, ...]) -> str:
    """A page with the tables of these scripts, as far as there are any."""

    def put(found: re.Match[str]) -> str:
        text = made(found[2], results) if found[2] in names else None
        return found[0] if text is None else f"{found[1]}\n{text.strip()}\n\n{found[3]}"

    return MARKED.sub(put, page)


def made(name: str, results: Path) -> str | None:
    """The table of a script, if it has run."""
    if name == "pages":
        return summary(results)
    path = results / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def summary(results: Path) -> str | None:
    """A line for each kind of work, with the ratios of its rows; None unless every script has run."""
    paths = [results / f"{name}.json" for name in SCRIPTS]
    if not all(path.is_file() for path in paths):
        return None
    lines: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            kind, _, which = row["work"].partition(", ")
            ratio = number(row["ratio"]) if row["ratio"] else "not measured"
            short = f" (short of {row['at_least']:g})" if row["short"] else ""
            lines.setdefault((kind, row["rival"]), []).append(f"{which}: **{ratio}**{short}")
    rows = [[kind, rival, "<br>".join(items)] for (kind, rival), items in lines.items()]
    return table(("work", "rival", "times faster"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder with the results")
    options = parser.parse_args()
    for name, scripts in PAGES.items():
        page = ROOT / name
        page.write_text(filled(page.read_text(encoding="utf-8"), options.out, scripts), encoding="utf-8")
        print(name)
    for name in PICTURES:
        if (options.out / name).is_file():
            shutil.copyfile(options.out / name, ROOT / "docs" / "images" / name)
            print(f"docs/images/{name}")


if __name__ == "__main__":
    main()
