"""The files of an export to C: source, header, an example that calls every function, and a Makefile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from latchwork.files import made_folder, write_text
from latchwork.program.c import CFunction, comment, definition, head, support
from latchwork.program.codegen.c_expressions import literal
from latchwork.program.naming import KEYWORDS, Group, legal

MAKEFILE = """# Strict arithmetic, nothing contracted: Latchwork's own bits.
CFLAGS = -O2 -std=c99 -Wall -Wextra -pedantic
STRICT = {strict}

example: main.c {name}.c {name}.h
\t$(CC) $(CFLAGS) $(STRICT) -o $@ main.c {name}.c -lm

clean:
\trm -f example

.PHONY: clean
"""
STRICT = "-ffp-contract=off"
GUARD = '#ifdef __cplusplus\nextern "C" {\n#endif'
UNGUARD = "#ifdef __cplusplus\n}\n#endif"


@dataclass(frozen=True)
class CExport:
    """What becomes one C file: a title, functions of the same groups of inputs, and values to start with."""

    title: str
    groups: tuple[Group, ...]
    functions: tuple[CFunction, ...]
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # by letter, where the model has some

    @property
    def prefix(self) -> str:
        """What every name starts with, and how the files are called."""
        return legal(self.title.lower(), KEYWORDS)

    @property
    def arrays(self) -> list[Group]:
        """The groups that are arrays, where they are not empty."""
        return [group for group in self.groups if not group.scalar and group.names]

    def write(self, directory: Path) -> list[Path]:
        """Write the four files; their paths."""
        texts = {f"{self.prefix}.c": source(self), f"{self.prefix}.h": header(self), "main.c": example(self),
                 "Makefile": makefile(self)}  # fmt: skip
        made_folder(directory)
        for name, text in texts.items():
            write_text(directory / name, text)
        return [directory / name for name in texts]


def makefile(export: CExport) -> str:
    """How to compile."""
    return MAKEFILE.format(name=export.prefix, strict=STRICT)


def header(export: CExport) -> str:
    """Sizes, indices and declarations."""
    name = export.prefix
    taken = {
        f"{name}_{item}" for item in (*(f.name for f in export.functions), *(f"{g.letter}0" for g in export.groups))
    }
    parts = [f"/* {comment(export.title)}: written by Latchwork. All quantities in the units of the model. */",
             f"#ifndef {name.upper()}_H\n#define {name.upper()}_H\n", f"{GUARD}\n"]  # fmt: skip
    for group in export.groups:
        if group.scalar:
            continue
        parts.append(f"/* {group.letter}: {group.meaning} */")
        parts.append(f"#define {name.upper()}_N{group.letter.upper()} {len(group.names)}")
        if group.names:
            parts.append(_enumeration(export, group, taken))
        if export.values.get(group.letter):
            parts.append(f"extern const double {name}_{group.letter}0[{len(group.names)}]; /* values of the model */")
        parts.append("")
    for function in export.functions:
        parts.append(f"/* {comment(function.meaning)} */\n{head(name, function, export.groups)};\n")
    return "\n".join([*parts, UNGUARD, "\n#endif\n"])


def _enumeration(export: CExport, group: Group, taken: set[str]) -> str:
    """The indices of a group's names."""
    names = []
    for name in group.names:
        names.append(legal(f"{export.prefix}_{name}", taken))
        taken.add(names[-1])
    notes = [f" /* {comment(note)} */" if note else "" for note in group.notes] or [""] * len(names)
    commas = [","] * (len(names) - 1) + [""]
    lines = [f"    {name}{comma}{note}" for name, comma, note in zip(names, commas, notes, strict=True)]
    return "\n".join(["enum {", *lines, "};"])


def source(export: CExport) -> str:
    """Static functions, values, then one function for each program."""
    name, programs = export.prefix, [function.program for function in export.functions]
    parts = [
        f"/* {comment(export.title)}: written by Latchwork.\n\n   Compiled with -ffp-contract=off it "
        "gives Latchwork's own bits;\n   with other flags, the last digits may differ. */",
        f'#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n#include "{name}.h"',
        *support(programs),
    ]
    for letter, values in export.values.items():
        if values:
            numbers = ", ".join(map(literal, values))
            parts.append(f"const double {name}_{letter}0[{len(values)}] = {{{numbers}}};")
    parts += [definition(name, function, export.groups) for function in export.functions]
    return "\n\n".join(parts) + "\n"


def example(export: CExport) -> str:
    """A program that calls every function once and prints what it gives."""
    name, lines = export.prefix, []
    for group in export.arrays:
        values = export.values.get(group.letter) or tuple(0.1 * (i + 1) for i in range(len(group.names)))
        numbers = ", ".join(literal(float(f"{value:.15g}")) for value in values)
        if export.values.get(group.letter):
            lines.append(f"    const double *{group.letter} = {name}_{group.letter}0;")
        else:
            lines.append(f"    const double {group.letter}[] = {{{numbers}}};")
    lines += [f"    double {f.name}[{max(len(f.program.outputs), 1)}];" for f in export.functions]
    given = {group.letter for group in export.arrays}
    arguments = ["0.0" if g.scalar else g.letter if g.letter in given else "NULL" for g in export.groups]
    for function in export.functions:
        count = len(function.program.outputs)
        lines.append(f"\n    {name}_{function.name}({', '.join([*arguments, function.name])});")
        lines.append(f'    show("{function.name}", {function.name}, {count});')
    show = (
        "static void show(const char *name, const double *value, int count)\n{\n    int i;\n"
        '    printf("%s =", name);\n    for (i = 0; i < count; i++)\n        printf(" %.17g", value[i]);\n'
        '    printf("\\n");\n}'
    )
    start = f'/* Every function of {name}.c, called once. */\n#include <stdio.h>\n\n#include "{name}.h"\n'
    return "\n".join([start, show, "\nint main(void)\n{", *lines, "    return 0;", "}", ""])
