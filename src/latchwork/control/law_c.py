"""Laws that read a mode as C99: the kernel of projected inverse dynamics, and the memory of one mode that it works on.

    NAME_start(memory)                              the law as it begins
    NAME_command(law, t, q, u, r, p, command)       what it commands: 0, or 1 where it has no command

The kernel is the one that runs in Latchwork, and the mode the one in which a simulation stands: its constraints,
contacts and welds. What is integrated in the law goes on from call to call, as it does where it is sampled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.control.inverse_dynamics import command
from latchwork.control.law_program import LawProgram
from latchwork.files import write_text
from latchwork.hybrid.closed_loop import ControlledMode
from latchwork.program.c import comment
from latchwork.program.c_files import GUARD, UNGUARD
from latchwork.program.c_image import image_source
from latchwork.program.codegen.c_expressions import c_name
from latchwork.program.memory_image import memory_image
from latchwork.program.records.view import record_at

WORD = 8  # bytes
HEADER = """/* {title}, written by Latchwork. All quantities in the units of the model. */
#ifndef {NAME}_H
#define {NAME}_H

#include <stddef.h>

{guard}

/* What it commands, in this order. */
enum {{
{inputs}
}};
#define {NAME}_COMMANDS {count}

typedef struct {name} {name};

/* The bytes of a law, to be had from malloc or as a static array of double. */
size_t {name}_size(void);

/* The law in some memory, with nothing remembered. */
{name} *{name}_start(void *memory);

/* The inputs at a state; r are those that it does not command, in their places. 0, or 1 where it has no command. */
int {name}_command({name} *law, double t, const double *q, const double *u, const double *r, const double *p,
                   double *command);

{unguard}

#endif
"""
SOURCE = """struct {name} {{
    int64_t word[LW_MEMORY];
    double memory[{memory} + 1], rate[{memory} + 1], t;
}};

size_t {name}_size(void)
{{
    return sizeof({name});
}}

{name} *{name}_start(void *memory)
{{
    {name} *law = memory;
    memset(law, 0, sizeof *law);
    lw_load(law->word);
    return law;
}}

int {name}_command({name} *law, double t, const double *q, const double *u, const double *r, const double *p,
                   double *command)
{{
    static const int kept[] = {{{kept}}}; /* of (q, memory, u, work) */
    static int32_t code[] = {{{code}}};
    double x[{states}], out[{count} + {memory}], *z = (double *)(void *)((char *)law->word + {place});
    int i, none = 0;
    for (i = 0; i < {memory}; i++)
        law->memory[i] += (t - law->t) * law->rate[i];
    law->t = t;
    memset(x, 0, sizeof x);
    memcpy(x, q, {n_q} * sizeof *x);
    memcpy(x + {n_q}, law->memory, {memory} * sizeof *x);
    memcpy(x + {n_q} + {memory}, u, {n_u} * sizeof *x);
    z[0] = t;
    for (i = 0; i < {n_kept}; i++)
        z[1 + i] = x[kept[i]];
    z += 1 + {n_kept};
    for (i = 0; i < {n_r}; i++)
        z[i] = r[i];
    for (i = 0; i < {n_p}; i++)
        z[{n_r} + {memory} + i] = p[i];
    {kernel}(code, (double *)(void *)((char *)law->word + {place}), out);
    for (i = 0; i < {count}; i++) {{
        command[i] = out[i];
        none |= !isfinite(out[i]);
    }}
    for (i = 0; i < {memory}; i++)
        law->rate[i] = out[{count} + i];
    return none;
}}
"""


def write_law(program: LawProgram, closed: ControlledMode, name: str, directory: Path) -> list[Path]:
    """``NAME.c`` and ``NAME.h`` of a law in a mode; their paths."""
    for function in closed.programs:
        function.compiled(wait=True)
    equations, inputs, memory = program.equations, program.inputs, len(program.memory_inputs)
    z = closed.workspace()
    start = int(closed.code[0])
    image = memory_image(record_at(EmbeddedMode, z, start), z, closed.loop, *closed.programs)
    law = program.law
    title = f"Law '{comment(law.name)}' of '{comment(equations.name)}'"
    held = ", ".join(closed.terms.rows.slices) or "nothing"
    n_q, n_r = len(equations.q) - memory, len(equations.r) - memory
    sizes: dict[str, Any] = {
        "name": name, "count": len(inputs), "memory": memory, "n_q": n_q, "n_u": len(equations.u), "n_r": n_r,
        "n_p": len(equations.p), "states": len(equations.q) + len(equations.u) + 1, "place": image.start - WORD * start,
        "kept": ", ".join(map(str, closed.kept_states)), "n_kept": len(closed.kept_states),
        "code": ", ".join(map(str, closed.code.tolist())), "kernel": c_name(command),
    }  # fmt: skip
    named = [f"    {name}_{each}{',' if each != inputs[-1] else ''} /* {comment(each)} */" for each in inputs]
    header = HEADER.format(title=title, NAME=name.upper(), name=name, guard=GUARD, unguard=UNGUARD,
                           inputs="\n".join(named), count=len(inputs))  # fmt: skip
    front = (f"/* {title}, where {comment(held)} hold; written by Latchwork.\n\n   Compiled with -ffp-contract=off "
             "-fno-strict-aliasing it gives Latchwork's own bits. */")  # fmt: skip
    includes = f'#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n#include "{name}.h"'
    source = "\n\n".join([front, includes, *image_source(image, [command]), SOURCE.format(**sizes)])
    return [write_text(directory / f"{name}.c", source), write_text(directory / f"{name}.h", header)]
