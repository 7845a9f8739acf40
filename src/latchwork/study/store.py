"""The store of a study: arrays by name, a chunk of each for one task, in memory or as a group of Zarr.

A piece, some chunks that follow each other, is written in this order: outputs, seconds and reasons, the tables of
events, and at last the status of its points. What is cut off in between has no status, and is computed again. Zarr
replaces a chunk by a whole one, never by a part. Tables of events are ragged: a file of Parquet for each chunk.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import StudyError
from latchwork.files import written
from latchwork.study.extras import extra
from latchwork.study.points import Points
from latchwork.study.subject import Outcome

Array = NDArray[np.float64]
MISSING, DONE, FAILED = 0, 1, 2
REASON = 400  # bytes kept of a reason
TOGETHER, MOST_WAITING = 0.05, 4096  # s; points
FORMAT = 1
EVENTS = ("point", "t", "kind", "name", "energy", "changes")


class Memory:
    """Arrays that last as long as this process: as much of a group of Zarr as a store needs."""

    def __init__(self) -> None:
        self.attrs: dict[str, Any] = {}
        self._arrays: dict[str, NDArray[Any]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def update_attributes(self, told: dict[str, Any]) -> None:
        self.attrs |= told

    def create_array(self, name: str, *, shape: tuple[int, ...], dtype: str, fill_value: Any, **_: Any) -> NDArray[Any]:
        found = self._arrays[name] = np.full(shape, fill_value, dtype=dtype)
        return found


class Store:
    """Results of one study so far."""

    def __init__(self, path: Path | None, group: Any, chunk: int, count: int) -> None:
        self.path, self.group, self.chunk, self.count = path, group, chunk, count
        self._events: dict[int, list[tuple[Any, ...]]] = {}
        self._arrays: dict[str, Any] = {}
        self._shapes: dict[str, tuple[int, ...]] | None = None

    def _array(self, name: str) -> Any:
        """An array of the group; what it is, is read once."""
        if name not in self._arrays:
            try:
                self._arrays[name] = self.group[name]
            except KeyError:
                raise StudyError(f"the store '{self.path}' has no array '{name}' any more: something has removed it. "
                                 "Run the study in another store.") from None  # fmt: skip
        return self._arrays[name]

    @property
    def status(self) -> NDArray[np.int8]:
        """MISSING, DONE or FAILED for each point."""
        return np.asarray(self._array("status")[:])

    @property
    def seconds(self) -> Array:
        """What each point took."""
        return np.asarray(self._array("seconds")[:])

    @property
    def shapes(self) -> dict[str, tuple[int, ...]] | None:
        """The shape of every output, once the first point has told."""
        if self._shapes is None and (told := self.group.attrs.get("outputs")) is not None:
            self._shapes = {name: tuple(shape) for name, shape in told.items()}
        return self._shapes

    def output(self, name: str) -> Array:
        """One output of all points; nan where there is none."""
        return np.asarray(self._array(f"output {name}")[:])

    def reasons(self) -> dict[int, str]:
        """Why points have failed."""
        failed = np.flatnonzero(self.status == FAILED)
        texts = self._array("reason")[:] if len(failed) else ()
        return {int(i): bytes(texts[i]).rstrip(b"\0").decode("utf-8", "replace") for i in failed}

    def events(self) -> list[dict[str, Any]]:
        """The table of events, a row each."""
        if self.path is None:
            rows = [row for _, part in sorted(self._events.items()) for row in part]
            return [dict(zip(EVENTS, row, strict=True)) for row in rows]
        parquet = extra("pyarrow.parquet", "study")
        files = sorted((self.path / "events.parquet").glob("*.parquet"))
        return [row for file in files for row in parquet.read_table(file).to_pylist()]

    # --- writing ------------------------------------------------------------------------------------------------

    def shape_outputs(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Make room for outputs, as the first point has them."""
        with self.spoken():
            for name, shape in shapes.items():
                dims = ("point", *(f"{name}_{k}" for k in range(len(shape))))
                if f"output {name}" not in self.group:
                    self.group.create_array(f"output {name}", shape=(self.count, *shape), chunks=(self.chunk, *shape),
                                            dtype="float64", fill_value=float("nan"), dimension_names=dims)  # fmt: skip
            self.group.attrs["outputs"] = {name: list(shape) for name, shape in shapes.items()}

    def write(self, outcomes: Mapping[int, Outcome]) -> None:
        """The outcomes of some points, by number, in as few pieces as they make; the rest of their chunks stays as it
        is."""
        with self.spoken():
            for part, some in self.pieces(outcomes):
                self.write_piece(part, some)

    def pieces(self, outcomes: Mapping[int, Outcome]) -> Iterator[tuple[slice, dict[int, Outcome]]]:
        """Outcomes in chunks that follow each other, with the points of these."""
        by_chunk: dict[int, dict[int, Outcome]] = {}
        for i in sorted(outcomes):
            by_chunk.setdefault(i // self.chunk, {})[i] = outcomes[i]
        first = last = min(by_chunk, default=0)
        some: dict[int, Outcome] = {}
        for chunk, inside in by_chunk.items():
            if chunk > last + 1:
                yield self._points_of(first, last), some
                first, some = chunk, {}
            last, some = chunk, some | inside
        if some:
            yield self._points_of(first, last), some

    def _points_of(self, first: int, last: int) -> slice:
        return slice(first * self.chunk, min((last + 1) * self.chunk, self.count))

    def write_piece(self, part: slice, outcomes: Mapping[int, Outcome]) -> None:
        """Outcomes of some points of a piece, in the order that makes it whole."""
        for name in self.shapes or {}:
            self.put(f"output {name}", part, {i: found.outputs[name] for i, found in outcomes.items()
                                               if found.outputs is not None})  # fmt: skip
        self.put("seconds", part, {i: found.seconds for i, found in outcomes.items()})
        failed = {i: _bytes(found.reason) for i, found in outcomes.items() if found.outputs is None}
        if failed:
            self.put("reason", part, failed)
        for task in {i // self.chunk: None for i in outcomes}:
            self._put_events(task, {i: found for i, found in outcomes.items() if i // self.chunk == task})
        self.put("status", part, {i: FAILED if found.outputs is None else DONE for i, found in outcomes.items()})

    def put(self, name: str, part: slice, values: Mapping[int, Any]) -> None:
        """Values of some points of a piece, by number; others stay."""
        array = self._array(name)
        whole = len(values) == part.stop - part.start
        chunk = np.empty((part.stop - part.start, *array.shape[1:]), array.dtype) if whole else np.array(array[part])
        for i, value in values.items():
            chunk[i - part.start] = value
        array[part] = chunk

    def _put_events(self, task: int, outcomes: Mapping[int, Outcome]) -> None:
        rows = [(i, *event) for i, found in sorted(outcomes.items()) for event in found.events]
        if not rows:
            return
        if self.path is None:
            self._events[task] = [row for row in self._events.get(task, []) if row[0] not in outcomes] + rows
            return
        pyarrow, parquet = extra("pyarrow", "study"), extra("pyarrow.parquet", "study")
        folder = self.path / "events.parquet"
        folder.mkdir(exist_ok=True)
        target = folder / f"{task:08d}.parquet"
        before = parquet.read_table(target).to_pylist() if target.exists() else []
        kept = [tuple(row[name] for name in EVENTS) for row in before if row["point"] not in outcomes]
        columns = [*zip(*sorted(kept + rows, key=lambda row: row[:2]), strict=True)]
        with written(target) as beside:
            parquet.write_table(pyarrow.table([*map(list, columns)], names=[*EVENTS]), beside)

    @contextmanager
    def spoken(self) -> Iterator[None]:
        """Errors of the disk in words. What was written before stays; what was not has no status."""
        try:
            yield
        except OSError as problem:
            raise _told(problem, self.path, self) from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time runs a study; the lock goes with it, however it ends."""
        if self.path is None:
            yield
            return
        try:
            import fcntl
        except ImportError:  # Windows: two that run the same study write the same
            yield
            return
        with self.spoken():
            handle = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StudyError(f"'{self.path}' is being run by another process. Wait for it, or end it.") from None
            yield
        finally:
            os.close(handle)


class Waiting:
    """Outcomes that wait to be written, together: to write takes longer than to compute what takes no time. Less than
    `TOGETHER` of computing waits, and no longer than that while more comes."""

    def __init__(self, store: Store) -> None:
        self._store, self._outcomes = store, dict[int, Outcome]()
        self._cost, self._wrote = 0.0, time.monotonic()

    def add(self, outcomes: Mapping[int, Outcome]) -> None:
        """Some more points, by number."""
        self._outcomes |= outcomes
        self._cost += sum([each.seconds for each in outcomes.values()])
        late = time.monotonic() - self._wrote > TOGETHER
        if late or self._cost > TOGETHER or len(self._outcomes) > MOST_WAITING:
            self.write()

    def write(self) -> None:
        """Write what waits."""
        some, self._outcomes, self._cost = self._outcomes, {}, 0.0
        if some:
            self._store.write(some)
        self._wrote = time.monotonic()


def _bytes(text: str) -> NDArray[np.uint8]:
    data = text.encode()[:REASON]
    return np.frombuffer(data + b"\0" * (REASON - len(data)), dtype=np.uint8)


def _told(problem: OSError, path: Path | None, store: Store | None = None) -> StudyError:
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        why, advice = "the disk is full", "Make room, and run the study again: it goes on from there"
    elif problem.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        why, advice = "it may not be written", "Give a store that may be, or change its permissions"
    else:
        why, advice = problem.strerror or str(problem), "Check the path"
    there = ""
    if store is not None:
        try:
            there = f" {int((store.status != MISSING).sum())} of {store.count} points are there, and nothing is lost."
        except Exception:  # what cannot be read either is not told
            there = ""
    return StudyError(f"the store '{path}' cannot be written: {why}.{there} {advice}.")


# --- opening ----------------------------------------------------------------------------------------------------------


def opened(path: Any, facts: Mapping[str, Any], points: Points, chunk: int | None) -> Store:
    """The store at a path: that of this study, to go on with, or a new one. None is in memory."""
    count = len(points)
    if path is None:
        return _made(None, Memory(), facts, points, chunk or usual_chunk(count))
    if not isinstance(path, str | os.PathLike):
        raise StudyError(f"the store is {path!r:.60}. Give the path of a folder: store=\"study.zarr\", or none.")
    zarr, place = extra("zarr", "study"), Path(os.fspath(path))
    if not (place / "zarr.json").exists():
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise StudyError(f"'{place}' is there, and is no store of a study. Give another path; nothing was changed.")
        try:
            place.mkdir(parents=True, exist_ok=True)
            return _made(place, zarr.open_group(str(place), mode="a"), facts, points, chunk or usual_chunk(count))
        except OSError as problem:
            raise _told(problem, place) from None
    try:
        group = zarr.open_group(str(place), mode="r" if not os.access(place, os.W_OK) else "r+")
        told = dict(group.attrs)
    except Exception as problem:
        raise StudyError(f"'{place}' cannot be read as a store: {problem}. Give another path.") from None
    _must_be_same(place, told, facts, points, group, chunk)
    return Store(place, group, int(told["chunk"]), count)


def usual_chunk(count: int) -> int:
    """Points of a task: about a hundred tasks of 32 to 512 points; of few points, eight tasks."""
    return max(1, min(max(32, count // 100), 512, -(-count // 8)))


def _made(path: Path | None, group: Any, facts: Mapping[str, Any], points: Points, chunk: int) -> Store:
    count = len(points)
    for name, shape, dtype, fill in (("status", (count,), "int8", MISSING), ("seconds", (count,), "float64", 0.0),
                                     ("reason", (count, REASON), "uint8", 0)):  # fmt: skip
        group.create_array(name, shape=shape, chunks=(chunk, *shape[1:]), dtype=dtype, fill_value=fill,
                           dimension_names=("point", "character")[: len(shape)])  # fmt: skip
    group.create_array("points", shape=points.values.shape, chunks=points.values.shape, dtype="float64",
                       fill_value=0.0, dimension_names=("point", "parameter"))[:] = points.values  # fmt: skip
    told = {"latchwork study": FORMAT, "chunk": chunk, "points": list(points.names), "kind": points.kind,
            "axes": [axis.tolist() for axis in points.axes], **facts}  # fmt: skip
    group.update_attributes({**told, "whole": True})  # last, at once: a store whose making was cut off has none
    return Store(path, group, chunk, count)


def _must_be_same(place: Path, told: Mapping[str, Any], facts: Mapping[str, Any], points: Points, group: Any,
                  chunk: int | None) -> None:  # fmt: skip
    """Refuse a store of something else; say of what, and what differs."""
    advice = "Give another path; nothing in it was changed."
    if told.get("latchwork study") != FORMAT or not told.get("whole"):
        raise StudyError(f"'{place}' is no store of a study that could be gone on with. {advice}")
    if told.get("subject") != facts["subject"]:
        raise StudyError(f"'{place}' holds a study of '{told.get('subject')}', and this one is of "
                         f"'{facts['subject']}'. {advice}")  # fmt: skip
    if told.get("version") != facts["version"]:
        raise StudyError(f"'{place}' was computed by Latchwork {told.get('version')}, and this is "
                         f"{facts['version']}: results of the two are not mixed. {advice}")  # fmt: skip
    if told.get("identity") != facts["identity"]:
        raise StudyError(f"'{place}' holds a study of '{told.get('subject')}' whose model, outputs or settings were "
                         f"others. {advice}")  # fmt: skip
    stored = np.asarray(group["points"][:])
    if tuple(told["points"]) != points.names or stored.shape != points.values.shape or (stored != points.values).any():
        raise StudyError(f"'{place}' holds this study at {len(stored)} other points of {', '.join(told['points'])}; "
                         f"these are {len(points)} of {', '.join(points.names)}. {advice}")  # fmt: skip
    if chunk is not None and chunk != told["chunk"]:
        raise StudyError(f"'{place}' has tasks of {told['chunk']} points, and chunk = {chunk} was asked for. Leave "
                         "chunk out, or give another path.")  # fmt: skip


def facts_of(subject: str, identity: str, version: str, outputs: Sequence[str]) -> dict[str, Any]:
    """What is written of a study besides its numbers."""
    return {"subject": subject, "identity": identity, "version": version, "asked": list(outputs)}
