"""Studies that are killed: every point is there once in the end, with the bits of a study that nobody disturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from killed_study import study
from random_programs import bits

pytest.importorskip("zarr")
pytest.importorskip("pyarrow")
SCRIPT = Path(__file__).resolve().parents[1] / "killed_study.py"


def begun(store, points, *more):
    """The script in a process group of its own."""
    return subprocess.Popen([sys.executable, str(SCRIPT), str(store), str(points), *more], start_new_session=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def kill(process):
    """End a process and all that it has started, at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def done(store):
    """How many points a store has, seen from outside."""
    import zarr

    try:
        return int((zarr.open_group(str(store), mode="r")["status"][:] != 0).sum())
    except (KeyError, OSError, ValueError):
        return 0


def wait_for(store, more, process, seconds=120.0):
    """Wait until a store has more points than some, or the process has ended."""
    began = time.monotonic()
    while done(store) < more and process.poll() is None and time.monotonic() - began < seconds:
        time.sleep(0.02)


def must_be_whole(store, points):
    """Every point once, and every number as in a study in one go."""
    kept, whole = study(str(store), points), study(None, points).run(workers=2)
    assert kept.progress.done == points
    for name in ("height", "speed"):
        assert bits(kept[name]) == bits(whole[name])
    assert kept.events() == whole.events()
    counts = Counter((row["point"], row["t"], row["kind"], row["name"]) for row in kept.events())
    assert max(counts.values()) == 1


def test_a_process_that_is_killed_leaves_whole_chunks(tmp_path):
    """SIGKILL in the middle of a study, twice: what is there is right, and the rest is computed afterwards."""
    store, points = tmp_path / "s.zarr", 160
    for part in (20, 60):
        process = begun(store, points)
        wait_for(store, part, process)
        kill(process)
    assert begun(store, points).wait(120) == 0
    must_be_whole(store, points)


@pytest.mark.campaign
def test_twenty_thousand_points_on_a_cluster_that_is_killed(tmp_path):
    """20,000 points on a Dask cluster; worker, scheduler and the whole process killed at random moments, five times."""
    pytest.importorskip("distributed")
    store, points, rng = tmp_path / "s.zarr", 20_000, np.random.default_rng(5)
    address, port = "127.0.0.1", 8790
    killed = Counter()

    def dask(what, *more):
        return subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_" + what, *more], start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

    def cluster():
        scheduler = dask("scheduler", "--port", str(port), "--no-dashboard")
        one = ("--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path))
        return scheduler, [dask("worker", f"tcp://{address}:{port}", *one) for _ in range(2)]

    for what in rng.permutation(["worker", "worker", "scheduler", "process", "scheduler"]):
        scheduler, workers = cluster()
        before = done(store)
        process = begun(store, points, f"tcp://{address}:{port}")
        wait_for(store, before + int(rng.integers(200, 3000)), process)
        kill({"worker": workers[0], "scheduler": scheduler, "process": process}[str(what)])
        killed[str(what)] += 1
        if what == "worker":
            wait_for(store, done(store) + 400, process)
            kill(process)
        if what == "scheduler":
            process.wait(180)
        for each in (scheduler, *workers, process):
            if each.poll() is None:
                kill(each)
        assert done(store) >= before
        port += 1
    assert begun(store, points).wait(900) == 0
    assert sum(killed.values()) == 5
    must_be_whole(store, points)
