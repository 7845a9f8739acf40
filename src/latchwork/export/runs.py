"""Runs as C99: a simulation with its contacts, as kernels and the memory they work on, with the bits of Latchwork.

    NAME_start(memory)       the run where the simulation stood when it was exported
    NAME_advance(run, t)     steps, impacts, stick and slip until a time: 0, or the reason why it cannot go on

Kernels are the very ones that run in Latchwork (`hybrid.autonomous_flow`), and the memory is that of a simulation that
was made ready (`hybrid.autonomous_run`), moved: see `program.memory_image`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latchwork.files import made_folder, write_text
from latchwork.hybrid.autonomous_flow import Halt, advance_alone
from latchwork.hybrid.autonomous_run import AutonomousRun, autonomous_run
from latchwork.hybrid.contacts.scene import OPEN, SLIDE, STICK
from latchwork.hybrid.simulation import Simulation
from latchwork.integrate.methods import RK4
from latchwork.integrate.status import Status
from latchwork.program.c import comment
from latchwork.program.c_files import GUARD, MAKEFILE, STRICT, UNGUARD
from latchwork.program.c_image import image_source
from latchwork.program.codegen.c_expressions import c_name, literal
from latchwork.program.memory_image import memory_image
from latchwork.program.naming import KEYWORDS, legal

FLAGS = f"{STRICT} -fno-strict-aliasing -Wno-unused-function"  # words are read as integers and as numbers
KINDS = {"OPEN": OPEN, "SLIDE": SLIDE, "STICK": STICK}
REASONS = {
    Halt.ASKED: "a guard fell that only Python can answer",
    Halt.RESET: "contacts have no lawful forces or impulses here, or ones that only Python can find",
    Halt.NO_MODE: "a mode cannot be laid out: its constraints are nearly dependent, or hold a singular position",
    Halt.NO_TIME: "contacts change again and again at one instant",
}
HEADER = """/* {title}: a run with its contacts, written by Latchwork. All quantities in the units of the model. */
#ifndef {NAME}_H
#define {NAME}_H

#include <stddef.h>

{guard}

{sizes}

{enums}

typedef struct {name} {name};

/* The bytes of a run, to be had from malloc or as a static array of double. */
size_t {name}_size(void);

/* A run in some memory, at t = {start}. */
{name} *{name}_start(void *memory);

/* Go on until a time, with the inputs as they are now: 0, or a reason. */
int {name}_advance({name} *run, double t);
const char *{name}_reason(int status);

/* Where it is: time, coordinates, speeds; inputs and parameters may be changed between calls. */
double {name}_time(const {name} *run);
const double *{name}_q(const {name} *run);
const double *{name}_u(const {name} *run);
double *{name}_r({name} *run);
double *{name}_p({name} *run);

/* How a contact is, and how often contacts have changed. */
int {name}_contact(const {name} *run, int contact);
long {name}_changes(const {name} *run);

{unguard}

#endif
"""
SOURCE = """struct {name} {{
    int64_t word[LW_MEMORY];
}};

static lw_Flow *lw_flow_of({name} *run)
{{
    return (lw_Flow *)(void *)((char *)run + {place});
}}

size_t {name}_size(void)
{{
    return sizeof({name});
}}

{name} *{name}_start(void *memory)
{{
    lw_load(memory);
    return memory;
}}

int {name}_advance({name} *run, double t)
{{
    return (int){advance}(lw_flow_of(run), t);
}}

const char *{name}_reason(int status)
{{
    switch (status) {{
{reasons}
    default: return "unknown";
    }}
}}

static const double *lw_state(const {name} *run)
{{
    const lw_Flow *flow = (const lw_Flow *)(const void *)((const char *)run + {place});
    return (const double *)((const int64_t *)flow + flow->x);
}}

double {name}_time(const {name} *run)
{{
    return lw_state(run)[0];
}}

const double *{name}_q(const {name} *run)
{{
    return lw_state(run) + 1;
}}

const double *{name}_u(const {name} *run)
{{
    return lw_state(run) + 1 + {n_q};
}}

double *{name}_r({name} *run)
{{
    return lw_flow_of(run)->rest;
}}

double *{name}_p({name} *run)
{{
    return lw_flow_of(run)->rest + {n_r};
}}

int {name}_contact(const {name} *run, int contact)
{{
    const lw_Flow *flow = (const lw_Flow *)(const void *)((const char *)run + {place});
    const lw_Scene *scene = flow->scene;
    return (int)((const lw_ContactStateRecord *)((const int64_t *)scene + scene->state))[contact].kind;
}}

long {name}_changes(const {name} *run)
{{
    return (long)((const lw_Flow *)(const void *)((const char *)run + {place}))->passed;
}}
"""
EXAMPLE = """/* A run of {name}, with a line for every hundredth of a second. */
#include <stdio.h>
#include <stdlib.h>

#include "{name}.h"

int main(void)
{{
    {name} *run = {name}_start(malloc({name}_size()));
    const double start = {name}_time(run);
    int i, k, status = 0;
    for (k = 1; k <= 200 && status == 0; k++) {{
        status = {name}_advance(run, start + k * {step});
        printf("%.17g", {name}_time(run));
        for (i = 0; i < {NAME}_NQ; i++)
            printf(" %.17g", {name}_q(run)[i]);
        for (i = 0; i < {NAME}_NU; i++)
            printf(" %.17g", {name}_u(run)[i]);
        printf("\\n");
    }}
    if (status != 0)
        fprintf(stderr, "%s\\n", {name}_reason(status));
    free(run);
    return status;
}}
"""


def export_run(sim: Simulation, directory: Path) -> list[Path]:
    """Write ``NAME.c``, ``NAME.h``, ``main.c`` and a ``Makefile`` of a run that goes on without Python; their paths."""
    run, name = autonomous_run(sim), run_name(sim)
    texts = {f"{name}.c": source(run, name), f"{name}.h": header(run, name),
             "main.c": EXAMPLE.format(name=name, NAME=name.upper(), step=_step(sim)),
             "Makefile": MAKEFILE.format(name=name, strict=FLAGS)}  # fmt: skip
    made_folder(directory)
    for file, text in texts.items():
        write_text(directory / file, text)
    return [directory / file for file in texts]


def run_name(sim: Simulation) -> str:
    """What every name of an exported run starts with."""
    return legal(sim.equations.name.lower(), KEYWORDS)


def _step(sim: Simulation) -> str:
    """A hundredth of a second, in whole steps where they are fixed."""
    step = sim.method.step if isinstance(sim.method, RK4) else 0.01
    return literal(max(round(0.01 / step), 1) * step)


def header(run: AutonomousRun, name: str) -> str:
    """Sizes, indices and declarations."""
    equations, NAME, taken = run.state.driven.equations, name.upper(), set[str]()
    groups = {"q": equations.q_names, "u": equations.u_names, "r": [symbol.name for symbol in equations.r],
              "p": [symbol.name for symbol in equations.p],
              "contact": [point.name for point in run.memory.points]}  # fmt: skip
    sizes = [f"#define {NAME}_N{letter.upper()} {len(names)}" for letter, names in groups.items()]
    enums = [_enumeration(name, letter, names, taken) for letter, names in groups.items() if names]
    enums.append(f"enum {{ {', '.join(f'{NAME}_{kind} = {value}' for kind, value in KINDS.items())} }};")
    return HEADER.format(title=comment(equations.name), name=name, NAME=NAME, guard=GUARD, unguard=UNGUARD,
                         start=f"{run.state.t:.9g}", sizes="\n".join(sizes), enums="\n".join(enums))  # fmt: skip


def _enumeration(name: str, group: str, names: Sequence[str], taken: set[str]) -> str:
    """The indices of a group's names, each name as it was given in a comment."""
    lines = []
    for i, each in enumerate(names):
        made = legal(f"{name}_{group}_{each}", taken)
        taken.add(made)
        lines.append(f"    {made} = {i}{',' if i + 1 < len(names) else ''} /* {comment(each)} */")
    return "\n".join(["enum {", *lines, "};"])


def source(run: AutonomousRun, name: str) -> str:
    """Kernels, programs, the memory at first, and the functions of the header."""
    flow, equations = run.memory.run, run.state.driven.equations
    image = memory_image(flow, *run.owners)
    reasons = {int(status): status.message for status in Status} | {int(halt): text for halt, text in REASONS.items()}
    cases = [f'    case {i}: return "{text}";' for i, text in reasons.items()]
    front = (f"/* {comment(equations.name)}: a run with its contacts, written by Latchwork.\n\n   Compiled with "
             "-ffp-contract=off -fno-strict-aliasing it gives Latchwork's own bits. */")  # fmt: skip
    includes = f'#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n#include "{name}.h"'
    end = SOURCE.format(name=name, place=image.start, advance=c_name(advance_alone), reasons="\n".join(cases),
                        n_q=len(equations.q), n_r=len(equations.r))  # fmt: skip
    return "\n\n".join([front, includes, *image_source(image, [advance_alone]), end])
