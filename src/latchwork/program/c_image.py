"""Memory images as C99: words that are not zero in runs, relocations, and the functions whose addresses they hold.

``lw_runs`` says where the words of ``lw_words`` go, ``lw_addresses`` which words are addresses, and of which byte,
``lw_entries`` which are functions. Programs become functions of their own, straight-line code.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from latchwork.program.c import CALLED, MACROS, statements, support
from latchwork.program.codegen.c_expressions import c_name, literal
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.ir import Program
from latchwork.program.kernel import Kernel
from latchwork.program.memory_image import MemoryImage
from latchwork.program.naming import KEYWORDS, Group, Names
from latchwork.program.schedule import schedule

GAP = 4  # words of 0 that a run may hold
WIDE = 116  # columns
HEAD = "static void {name}(int32_t *code, double *z, double *out)"
LOAD = """/* The memory of a run as it is at first, at an address. */
static void lw_load(int64_t *word)
{
    size_t i, from = 0;
    memset(word, 0, 8 * (size_t)LW_MEMORY);
    for (i = 0; i < sizeof lw_runs / sizeof lw_runs[0]; i++) {
        memcpy(word + lw_runs[i][0], lw_words + from, 8 * (size_t)lw_runs[i][1]);
        from += (size_t)lw_runs[i][1];
    }
    for (i = 0; i < sizeof lw_addresses / sizeof lw_addresses[0]; i++)
        word[lw_addresses[i][0]] = (int64_t)(intptr_t)((char *)word + lw_addresses[i][1]);
    for (i = 0; i < sizeof lw_entries / sizeof lw_entries[0]; i++)
        word[lw_entries[i][0]] = (int64_t)(intptr_t)lw_executors[lw_entries[i][1]];
}"""


def image_source(image: MemoryImage, roots: Iterable[Kernel[..., Any]]) -> list[str]:
    """All that C needs to run kernels on the memory of an image: functions, words, and ``lw_load``."""
    programs = {function: f"lw_program_{i}" for i, function in enumerate(dict.fromkeys(image.programs.values()))}
    kernels = dict.fromkeys([*roots, *image.kernels.values()])
    entries = {at: c_name(kernel) for at, kernel in image.kernels.items()}
    entries |= {at: programs[function] for at, function in image.programs.items()}
    order = {name: i for i, name in enumerate(dict.fromkeys(entries.values()))}
    return [
        *_once(support([function.program for function in programs]), c_functions(kernels)),
        *[executor(name, function.program) for function, name in programs.items()],
        f"enum {{ LW_MEMORY = {len(image.words)} }}; /* words */",
        *_runs(image),
        _pairs("lw_addresses", sorted(image.addresses.items())),
        _pairs("lw_entries", sorted((at, order[name]) for at, name in entries.items())),
        f"static const lw_executor lw_executors[] = {{\n{_filled(order)}\n}};",
        LOAD,
    ]


def executor(name: str, program: Program) -> str:
    """A program as records call it: inputs in slots z, outputs behind ``out``."""
    plan = schedule(program, 1)
    names = Names(plan, (Group("z", "slots", program.inputs),), {*KEYWORDS, *MACROS, *CALLED, "code", "out"}, literal)
    unused = ["code", *(["z"] if not names.used else []), *(["out"] if not plan.outputs else [])]
    lines = [HEAD.format(name=name), "{", *[f"    (void){each};" for each in unused]]
    lines += [f"    const double {name} = {place};" for name, place in names.inputs]
    lines += [f"    {line}" for unit in plan.units for line in statements(plan, unit, names)]
    lines += [f"    out[{i}] = {names[slot]};" for i, slot in enumerate(plan.outputs)]
    return "\n".join([*lines, "}"])


def _once(*lists: list[str]) -> list[str]:
    """Texts, each at its first place."""
    return [*dict.fromkeys(text for texts in lists for text in texts)]


def _runs(image: MemoryImage) -> list[str]:
    """Words that are not 0, and where they go."""
    places = np.flatnonzero(image.words)
    breaks = np.flatnonzero(np.diff(places) > GAP)
    firsts, lasts = places[[0, *(breaks + 1)]], places[[*breaks, -1]]
    runs = [(int(first), int(last - first + 1)) for first, last in zip(firsts, lasts, strict=True)]
    words = image.words.view(np.uint64)
    numbers = [f"{word:#x}" for first, count in runs for word in words[first : first + count].tolist()]
    return [f"static const uint64_t lw_words[] = {{\n{_filled(numbers)}\n}};", _pairs("lw_runs", runs)]


def _pairs(name: str, pairs: Iterable[tuple[int, int]]) -> str:
    return f"static const int32_t {name}[][2] = {{\n{_filled(f'{{{a},{b}}}' for a, b in pairs)}\n}};"


def _filled(items: Iterable[str]) -> str:
    return textwrap.fill(", ".join(items), WIDE, initial_indent="    ", subsequent_indent="    ")
