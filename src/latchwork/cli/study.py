"""``latchwork study``: a model file at many points; results in a store, a summary on stdout."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from latchwork.cli.terminal import Progress as Shown
from latchwork.cli.terminal import Usage, write
from latchwork.errors import Incomplete, Interrupted

if TYPE_CHECKING:
    from latchwork.study.study import Study

SHOWN = 10  # reasons told one by one


def study(options: argparse.Namespace) -> None:
    """Compute what is missing, and say what there is. Points that failed end it with code 5."""
    from latchwork.study.files import load_study

    shown = Shown(options.progress)
    if options.workers is not None and options.workers < 1:
        raise Usage(f"--workers {options.workers}: give 1 or more.")
    if options.workers is not None and options.dask:
        raise Usage("--workers and --dask were given together. Give one of them.")
    made = load_study(options.file, options.output or "beside")
    if options.explain:
        write(made.explain(options.workers), None)
        return
    before = made.progress
    if before.missing < before.total and not options.resume:
        raise Usage(f"'{made.store.path}' has {before.done + before.failed} of {before.total} points of this study "
                    "already. Give --resume to go on with it, or --output for another place.")  # fmt: skip
    client = _client(options.dask)
    try:
        made.run(workers=options.workers, client=client, progress=lambda now: shown(str(now), now=False))
    except Interrupted:
        shown.done()
        _give(made, options)
        raise
    finally:
        if client is not None:
            client.close()
    shown.done()
    _give(made, options)
    if made.progress.failed:
        raise Incomplete(f"{made.progress.failed} of {len(made)} points failed; they are tried again with --resume.")


def _client(address: str | None) -> Any:
    if address is None:
        return None
    from latchwork.study.extras import extra

    try:
        return extra("distributed", "dask").Client(address, timeout="10s")
    except OSError as problem:
        raise Usage(f"--dask {address}: there is no scheduler ({problem}). Start one, or give its address.") from None


def _give(made: Study, options: argparse.Namespace) -> None:
    if options.page and made.progress.done:
        made.page(options.page, incomplete=True)
    if options.plot and made.progress.done:
        made.plot(path=options.plot, incomplete=True)
    write(as_json(made) if options.json else summary(made), None)


def as_json(made: Study) -> str:
    """Points, outputs, progress and reasons, for a program; null where there is no result."""
    import numpy as np

    def plain(values: Any) -> Any:
        return [plain(each) for each in values] if np.ndim(values) else float(values) if np.isfinite(values) else None

    now = made.progress
    outputs = {name: plain(made.store.output(name)) for name in made.store.shapes or {}}
    return json.dumps({
        "study": made.subject.name, "identity": made.identity, "store": str(made.store.path),
        "points": {name: made.values(name).tolist() for name in made.points.names}, "outputs": outputs,
        "done": now.done, "failed": {str(i): why for i, why in made.failed.items()}, "missing": now.missing,
    })  # fmt: skip


def summary(made: Study) -> str:
    """Statistics of outputs, and why points failed."""
    lines = [f"{made.subject.name}: {made.progress}, in {made.store.path}"]
    if made.progress.done:
        for name, found in made.statistics(incomplete=True).items():
            lines.append(f"  {name:16} mean {found['mean']:.6g}, deviation {found['std']:.3g}, from {found['min']:.6g} "
                         f"to {found['max']:.6g}")  # fmt: skip
    failed = made.failed
    lines += [f"  point {i} failed: {why}" for i, why in [*failed.items()][:SHOWN]]
    if len(failed) > SHOWN:
        lines.append(f"  and {len(failed) - SHOWN} more")
    return "\n".join(lines)
