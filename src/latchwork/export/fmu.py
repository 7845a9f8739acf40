"""Functional mock-up units: a run as a co-simulation FMU of FMI 2.0, with its contacts, modes and impacts inside.

Outputs are coordinates and speeds, and how every contact is; inputs and parameters are those of the model, and held
over a step. Fixed steps are cut by a communication step as they are by ``Simulation.advance``: the bits are the same.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import quoteattr

from latchwork.errors import EvaluationError, FileError, spelled
from latchwork.export.runs import FLAGS, header, run_name, source
from latchwork.files import written
from latchwork.hybrid.autonomous_run import AutonomousRun, autonomous_run
from latchwork.hybrid.simulation import Simulation
from latchwork.integrate.methods import RK4
from latchwork.kane.units import label_of
from latchwork.symbolic.expr import Expr

TEMPLATE = Path(__file__).with_name("fmi2.c")
HOLE = re.compile(r"@([A-Z_]+)@")
ENDINGS = {"Linux": ("linux", ".so"), "Darwin": ("darwin", ".dylib"), "Windows": ("win", ".dll")}
NEW_YEAR = (2000, 1, 1, 0, 0, 0)  # when files in an FMU were written: the same model is the same file
PATIENCE = 600.0  # s: a compiler that takes longer is given up
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={title} guid="{guid}" generationTool="Latchwork"
  variableNamingConvention="flat" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"
    canNotUseMemoryManagementFunctions="true">
    <SourceFiles>
      <File name="{name}.c"/>
      <File name="fmi2.c"/>
    </SourceFiles>
  </CoSimulation>
{units}  <DefaultExperiment startTime="{start}"{step}/>
  <ModelVariables>
{variables}
  </ModelVariables>
  <ModelStructure>
    <Outputs>
{outputs}
    </Outputs>
    <InitialUnknowns>
{calculated}
    </InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"""


@spelled
def export_fmu(sim: Simulation, path: str | Path, *, binary: bool = True) -> Path:
    """Write a simulation, from where it stands, as a co-simulation FMU of FMI 2.0; its path.

    It holds its sources and, with ``binary``, a library for this platform, made by the C compiler that is there.
    """
    if not isinstance(sim, Simulation):
        raise EvaluationError(f"{sim!r} cannot be exported as an FMU. Give lw.Simulation(model, ...), which knows where"
                              " the run begins.")  # fmt: skip
    if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".fmu":
        raise EvaluationError(f"an FMU cannot be written to {path!r}. Give the name of a file that ends in .fmu.")
    compiler, run, name = _compiler() if binary else "", autonomous_run(sim), run_name(sim)
    texts = {f"{name}.c": source(run, name), f"{name}.h": header(run, name)}
    guid = f"{{{uuid.UUID(sha256(''.join(texts.values()).encode()).hexdigest()[:32])}}}"
    holes = {"NAME": name, "NAME_UPPER": name.upper(), "GUID": guid, "START": f"{sim.t:.9g}"}
    texts["fmi2.c"] = HOLE.sub(lambda found: holes[found[1]], TEMPLATE.read_text(encoding="utf-8"))
    files = {"modelDescription.xml": description(sim, run, name, guid).encode()}
    files |= {f"sources/{file}": text.encode() for file, text in texts.items()}
    if binary:
        files |= {f"binaries/{_place()}/{name}{ENDINGS[platform.system()][1]}": _library(compiler, texts, name)}
    with written(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for file, content in files.items():
            made.writestr(zipfile.ZipInfo(file, NEW_YEAR), content, zipfile.ZIP_DEFLATED)
    return Path(path)


def _compiler() -> str:
    """A C compiler of this machine."""
    found = next((name for name in (os.environ.get("CC", ""), "cc", "gcc", "clang") if name and shutil.which(name)), "")
    if not found or platform.system() not in ENDINGS:
        raise EvaluationError("an FMU with a library needs a C compiler, and none of cc, gcc, clang is there. Install "
                              "one, or give binary=False: the tool that imports it compiles its sources.")  # fmt: skip
    return found


def _place() -> str:
    """The folder of libraries for this platform, as FMI 2.0 has it."""
    return f"{ENDINGS[platform.system()][0]}{'64' if sys.maxsize > 2**32 else '32'}"


def _library(compiler: str, texts: Mapping[str, str], name: str) -> bytes:
    """The sources as a library."""
    with tempfile.TemporaryDirectory() as folder:
        target, files = Path(folder) / "made", [Path(folder) / file for file in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.write_text(text, encoding="utf-8")
        command: list[str | Path] = [compiler, "-O1", "-std=c99", *FLAGS.split(), "-shared", "-fPIC",
                                     "-fvisibility=hidden", "-o", target]  # fmt: skip
        command += [*[file for file in files if file.suffix == ".c"], "-lm"]
        made = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if made.returncode:
            raise FileError(f"'{compiler}' could not compile it: {made.stderr.strip()[:500]}. Give binary=False, or "
                            "another compiler in the variable CC.", f"{name}.c")  # fmt: skip
        return target.read_bytes()


def description(sim: Simulation, run: AutonomousRun, name: str, guid: str) -> str:
    """The description of an FMU: its variables, with units and meanings where the model has them."""
    variables = [*_variables(run)]
    outputs, calculated = ([f'      <Unknown index="{i}"/>' for i, text in enumerate(variables, 1) if kind in text]
                           for kind in ('causality="output"', 'initial="calculated"'))  # fmt: skip
    units = sorted({found for text in variables for found in re.findall(r' unit="([^"]*)"', text)})
    defined = "".join(f'    <Unit name="{unit}"/>\n' for unit in units)
    step = f' stepSize="{sim.method.step!r}"' if isinstance(sim.method, RK4) else ""
    return DESCRIPTION.format(
        title=quoteattr(sim.equations.name), name=name, guid=guid, start=repr(sim.t), step=step,
        units=f"  <UnitDefinitions>\n{defined}  </UnitDefinitions>\n" if defined else "",
        variables="\n".join(variables), outputs="\n".join(outputs), calculated="\n".join(calculated),
    )  # fmt: skip


def _variables(run: AutonomousRun) -> Iterator[str]:
    """A line for each variable, in the order of value references: reals, then integers."""
    state, equations, reference = run.state, run.state.driven.equations, 0
    kinds = {
        "q": 'causality="output" variability="continuous" initial="exact"',
        "u": 'causality="output" variability="continuous" initial="exact"',
        "r": 'causality="input" variability="continuous"', "p": 'causality="parameter" variability="tunable"',
    }  # fmt: skip
    values = [*state.x[:-1].tolist(), *state.inputs.tolist(), *state.parameters.tolist()]
    for letter, kind in kinds.items():
        symbols: tuple[Expr, ...] = getattr(equations, letter)
        for symbol in symbols:
            label = label_of(equations.system, symbol)
            unit = f" unit={quoteattr(label.unit)}" if label.unit else ""
            about = f" description={quoteattr(label.description)}" if label.description else ""
            yield (f'    <ScalarVariable name={quoteattr(symbol.name)} valueReference="{reference}" {kind}{about}>'
                   f'<Real start="{values[reference]!r}"{unit}/></ScalarVariable>')  # fmt: skip
            reference += 1
    told = 'causality="output" variability="discrete" initial="calculated"'
    points = [point.name for point in run.memory.points]
    for i, point in enumerate(points):
        yield (f'    <ScalarVariable name={quoteattr(f"contact({point})")} valueReference="{i}" {told} '
               'description="0 open, 1 slides, 2 sticks"><Integer/></ScalarVariable>')  # fmt: skip
    yield (f'    <ScalarVariable name="changes" valueReference="{len(points)}" {told} '
           'description="changes of contacts so far"><Integer/></ScalarVariable>')  # fmt: skip
