"""The words that the command line understands."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from latchwork.cli import bench, completion, derive, export, others, run, study
from latchwork.errors import did_you_mean

Command = Callable[[argparse.Namespace], None]


class Words(argparse.ArgumentParser):
    """A parser that names the nearest of the words it knows."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"there is no '{value}'.{did_you_mean(value, action.choices)}")


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    main = Words(prog="latchwork", description="Kane's equations of model files, to read and run.")
    main.add_argument("--version", action="version", version=others.version_text(), help="the version of this program")
    words = main.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _derive(words)
    _run(words)
    _study(words)
    _info(words)
    _export(words)
    schema = _command(words, "schema", others.schema, "the JSON Schema of model files")
    schema.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of stdout")
    demo = _command(words, "demo", others.demo, "derive and simulate the gallery: equations, plots, pages")
    demo.add_argument("-o", "--output", metavar="DIR", default="demo", help="where plots and page go (default: demo)")
    demo.add_argument("--equations", action="store_true", help="print the equations of all of them")
    demo.add_argument(
        "--serve", action=argparse.BooleanOptionalAction,
        help="only serve the mechanisms, running, to be grabbed in a browser (default: after the plots, at a terminal)",
    )  # fmt: skip
    _port(demo)
    demo.add_argument("--host", metavar="H", help="serve to other machines at this address, such as 0.0.0.0 for a "
                      "class; the address that is printed carries a token")  # fmt: skip
    demo.add_argument("--copies", action="store_true", help="every visitor has a copy of each mechanism of their own")
    _serve(words)
    _bench(words)
    shell = _command(words, "completion", completion.completion, "a script that lets a shell complete words")
    shell.add_argument("shell", choices=completion.SHELLS, help="to be sourced: latchwork completion bash > "
                       "~/.latchwork && echo '. ~/.latchwork' >> ~/.bashrc")  # fmt: skip
    _command(words, "version", others.version, "the version of this program")
    return main


def _command(words: Any, name: str, command: Command, about: str) -> argparse.ArgumentParser:
    added: argparse.ArgumentParser = words.add_parser(name, help=about, description=about)
    added.add_argument("--debug", action="store_true", help="show where in the program an error arose")
    added.set_defaults(command=command, parser=added)
    return added


def _on_file(words: Any, name: str, command: Command, about: str, robots: bool = True) -> argparse.ArgumentParser:
    added = _command(words, name, command, about)
    added.add_argument("file", metavar="FILE", help=f"a model file (.yaml){', or a robot (.urdf, .xml)' * robots}")
    added.add_argument("--progress", action="store_true", help="say on stderr what is being done, terminal or not")
    if robots:
        _robot(added)
    return added


def _robot(added: argparse.ArgumentParser) -> None:
    """What `lw.load` may be told of a robot."""
    added.add_argument("--floating", action="store_true", help="free the base of a robot (.urdf)")
    added.add_argument("--ground", action="store_true", help="put a floor under a robot, which it touches")
    added.add_argument("--limits", action="store_true", help="give the joints of a robot their stops")
    added.add_argument("--losses", action=argparse.BooleanOptionalAction, default=None,
                       help="damping and friction of a robot's joints (default: as the file says)")  # fmt: skip


def _derive(words: Any) -> None:
    added = _on_file(words, "derive", derive.derive, "Kane's equations of a model")
    forms = added.add_mutually_exclusive_group()
    for form, about in (
        ("latex", "as LaTeX"),
        ("html", "as a page that needs no network"),
        ("sympy", "as Python that makes the SymPy matrices q, u, qdot, M, f"),
        ("exact", "as assignments, nested as they are evaluated: they read back with the same bits"),
        ("json", "the same for a program, with names and counts"),
    ):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=about)
    added.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of stdout")


def _run(words: Any) -> None:
    added = _on_file(words, "run", run.run, "simulate a model")
    added.add_argument("--until", type=float, metavar="T", help="end of the run in seconds, instead of the file's")
    added.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE",
        help="an initial coordinate or speed, a parameter or an input, instead of the file's; may be repeated",
    )  # fmt: skip
    _run_settings(added)
    forms = added.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="columns of numbers and the audit, for a program")
    forms.add_argument("--csv", action="store_true", help="columns of numbers, one line to a sample")
    added.add_argument("--plot", metavar="IMAGE", help="draw what run.plot lists, or the outputs, or the coordinates")
    added.add_argument(
        "--show", action="append", default=[], metavar="WHAT",
        help="one more column, and a panel of --plot: q1, energy, 'reaction(crank)', any expression; may be repeated",
    )  # fmt: skip
    _animate(added)
    added.add_argument("-o", "--output", metavar="DIR", help="write run.csv, run.json and run.png to a folder")


def _study(words: Any) -> None:
    added = _on_file(words, "study", study.study, "simulate a model at many points, as its section 'study' says",
                     robots=False)  # fmt: skip
    added.add_argument("--resume", action="store_true", help="go on with results that are there")
    added.add_argument("--workers", type=int, metavar="N", help="cores of this machine (default: all)")
    added.add_argument("--dask", metavar="ADDRESS", help="a Dask scheduler that shares out the work")
    added.add_argument("--explain", action="store_true", help="only say what it is, and what it will cost")
    added.add_argument("--json", action="store_true", help="points, outputs and reasons, for a program")
    added.add_argument("--plot", metavar="IMAGE", help="draw the outputs over the points")
    added.add_argument("--page", metavar="FILE", help="write a page with sliders through the results")
    added.add_argument("-o", "--output", metavar="STORE", help="where results are kept, instead of what the file says")


def _animate(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "--animate", metavar="FILE",
        help="write the motion: .html plays in any browser, .png shows six moments, .gif and .mp4 (by ffmpeg) move",
    )  # fmt: skip
    added.add_argument("--view", metavar="AXES", help="axes of N to the right and upwards, such as xy or xz")
    added.add_argument("--forces", action="store_true", help="show what constraints, contacts and joints exert")
    added.add_argument("--at", type=float, metavar="T", help="the one moment that a .png shows")
    added.add_argument("--size", type=_sides, metavar="WxH", help="pixels of a .png, .gif or .mp4 (default: 640x480)")
    added.add_argument("--fps", type=float, metavar="N", help="pictures a second of a .gif or .mp4 (default: 30)")
    added.add_argument("--speed", type=float, metavar="X", help="seconds of the run that pass in one of a .gif or .mp4")


def _sides(text: str) -> tuple[int, int]:
    wide, _, high = text.partition("x")
    if not (wide.isdecimal() and high.isdecimal()):
        raise argparse.ArgumentTypeError(f"'{text}' is no size. Give width and height in pixels, such as 640x480.")
    return int(wide), int(high)


def _run_settings(added: argparse.ArgumentParser) -> None:
    added.add_argument(
        "--run", action="append", default=[], metavar="YAML",
        help="more of what may stand under 'run' in a file, as 'method: {RK4: {step: 0.001}}'; may be repeated",
    )  # fmt: skip


def _info(words: Any) -> None:
    added = _on_file(words, "info", others.info, "the information report: bodies, tree, coordinates, loads, counts")
    added.add_argument("--json", action="store_true", help="the same for a program")


def _export(words: Any) -> None:
    added = _on_file(words, "export", export.export, "the equations as code for other programs")
    added.add_argument("--c", metavar="DIR", help="C99: source, header, an example that calls it, and a Makefile")
    added.add_argument("--python", metavar="FILE", help="one file of Python that needs only NumPy")
    added.add_argument("--contacts", action="store_true", help="with --c: a run with its contacts, without Python")
    added.add_argument("--fmu", metavar="FILE", help="the same as a co-simulation FMU (FMI 2.0)")
    added.add_argument("--hil", metavar="POINT", help="with --c: also hil.c, the model as a device held at this point")
    drives = "inputs that the felt force drives along x, y, z, '-' for none (default: %(default)s)"
    added.add_argument("--hil-force", metavar="NAMES", default="Fx,Fy,Fz", help=drives)
    _run_settings(added)


def _port(added: argparse.ArgumentParser) -> None:
    added.add_argument("--port", type=_number_of_port, metavar="N", help="where to serve (default: 8321, or any free)")


def _number_of_port(text: str) -> int:
    if not (text.isdecimal() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 (any that is free) to 65535")
    return int(text)


def _serve(words: Any) -> None:
    added = _command(words, "serve", others.serve, "let a model run, to be looked at and grabbed in a browser")
    added.add_argument("file", metavar="FILE", help="a model file (.yaml), a robot (.urdf, .xml), or a Python script "
                       "with live() or build()")  # fmt: skip
    _robot(added)
    _port(added)
    added.add_argument("--host", metavar="H", default="127.0.0.1",
                       help="the address to listen on (default: 127.0.0.1, this machine only; any other needs the "
                       "token that is printed)")  # fmt: skip
    added.add_argument("--open", action=argparse.BooleanOptionalAction,
                       help="open the page in a browser (default: at a terminal with a screen)")  # fmt: skip


def _bench(words: Any) -> None:
    added = _command(words, "bench", bench.bench, "measure against other programs: tables, and JSON files")
    added.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(bench.NAMES)} (default: all)")
    added.add_argument("--json", action="store_true", help="print the results of all as one JSON object")
    added.add_argument("--quick", action="store_true", help="as little as shows that each works: numbers mean nothing")
    added.add_argument(
        "-o", "--out", metavar="DIR", default="benchmarks/results", help="where results go (default: %(default)s)"
    )
