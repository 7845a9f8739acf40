"""Memory images: blocks of memory that point into each other, as one array of words that can stand anywhere.

    word[i] = base + target      for every address of the image in itself (a relocation)
    word[i] = &kernel            for every address of machine code

Whoever writes an address into a record keeps the memory behind it alive, so that all blocks are found among the arrays
that some owners refer to. An address is known by its value: no count is as large, and no number of a model as small, as
the bits of an address are when they are read as one.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from ctypes import string_at
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel, executor_at
from latchwork.program.native import Native
from latchwork.program.records.view import address_of

WORD = 8  # bytes
LEAST, LARGE, MOST = 1 << 16, 1 << 40, 1 << 48  # addresses lie between the first and the last; counts below the second
NO_MEMORY = (ModuleType, type, FunctionType, MethodType, BuiltinFunctionType, Kernel, str, bytes, int, float)
Words = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MemoryImage:
    """Words, in which addresses are 0; words that are addresses, with the byte of the image that they mean; words that
    are entries of kernels, and of programs. ``start`` is the byte at which the first record begins."""

    words: Words
    addresses: dict[int, int]
    kernels: dict[int, Kernel[..., Any]]
    programs: dict[int, Function]
    start: int


class Block(NamedTuple):
    """Memory at an address; bytecode is made of short integers, of which two may look like an address."""

    address: int
    words: Words
    is_code: bool


class Memory:
    """The blocks of all arrays that some owners keep alive, and the machine code of programs among them."""

    def __init__(self, owners: Iterable[Any]) -> None:
        arrays, functions = _kept(owners)
        self.blocks, self.empty = [*_blocks(arrays)], {int(array.ctypes.data) for array in arrays if not array.nbytes}
        self._starts = [block.address for block in self.blocks]
        self._by_code = {function.where[0]: function for function in functions}
        self._entries = {function.entry: function for function in functions if isinstance(function.executor, Native)}

    def find(self, address: int) -> int | None:
        """The block that an address lies in, or just behind: there arrays of no length begin."""
        i = bisect_right(self._starts, address) - 1
        return i if i >= 0 and address <= self.blocks[i].address + WORD * len(self.blocks[i].words) else None

    def program(self, entry: int, code: int) -> Function | None:
        """The program that machine code, or the bytecode machine, runs by some bytecode."""
        found = self._by_code.get(code)
        if found is not None and (entry in self._entries or entry == found.entry):
            return found
        return self._entries.get(entry)


def memory_image(record: Any, *owners: Any) -> MemoryImage:
    """A record, and all memory that can be reached from it, which these owners keep alive."""
    memory = Memory(owners)
    first = memory.find(address_of(record))
    if first is None:
        raise ProgramError(f"the memory of '{type(record).__qualname__}' is not kept alive by its owners.")
    order, size, pending = dict[int, int](), 0, [first]
    while pending:
        i = pending.pop()
        if i not in order:
            order[i], size = size, size + WORD * len(memory.blocks[i].words)
            found = [memory.find(value) for _, value in _candidates(memory.blocks[i])]
            pending += [target for target in reversed(found) if target is not None]
    words = np.concatenate([memory.blocks[i].words for i in order])
    start = order[first] + address_of(record) - memory.blocks[first].address
    image = MemoryImage(words, {}, {}, {}, start)
    for i, place in order.items():
        _relocate(memory, order, memory.blocks[i], place // WORD, image)
    return image


def _relocate(memory: Memory, order: dict[int, int], block: Block, first: int, image: MemoryImage) -> None:
    """Enter the addresses of a block that begins at a word of an image."""
    for k, value in _candidates(block):
        target, at = memory.find(value), first + k
        code = int(block.words[k + 1]) if k + 1 < len(block.words) else 0
        program, kernel = memory.program(value, code), _kernel(value)
        if target is not None:
            image.addresses[at] = order[target] + value - memory.blocks[target].address
        elif program is not None:
            image.programs[at] = program
        elif kernel is not None:
            image.kernels[at] = kernel
        elif value >= LARGE and value not in memory.empty and not block.is_code:
            raise ProgramError(f"memory at {value:#x}, to which a record points, is not kept alive by its owners.")
        elif value not in memory.empty:
            continue
        image.words[at] = 0


def _kernel(address: int) -> Kernel[..., Any] | None:
    """The kernel whose machine code begins at an address."""
    try:
        found: Kernel[..., Any] = executor_at(address)
    except KeyError:
        return None
    return found


def _candidates(block: Block) -> Iterator[tuple[int, int]]:
    """Words that may be addresses, with their places."""
    places = np.flatnonzero((block.words >= LEAST) & (block.words < MOST))
    return zip(places.tolist(), block.words[places].tolist(), strict=True)


def _kept(owners: Iterable[Any]) -> tuple[list[NDArray[Any]], list[Function]]:
    """All arrays, and all functions, that some objects refer to."""
    seen, arrays, functions, pending = set[int](), list[NDArray[Any]](), list[Function](), list(owners)
    while pending:
        item = pending.pop()
        if id(item) in seen or isinstance(item, NO_MEMORY):
            continue
        seen.add(id(item))
        if not isinstance(item, np.ndarray):
            functions += [item] if isinstance(item, Function) else []
            pending += gc.get_referents(item)
        elif isinstance(item.base, np.ndarray):
            pending.append(item.base)
        else:
            arrays.append(item)
    return arrays, functions


def _blocks(arrays: Iterable[NDArray[Any]]) -> Iterator[Block]:
    """Blocks by their addresses: arrays, those that overlap as one."""
    spans = list[tuple[int, int, bool]]()
    for first, size, is_code in sorted({(int(a.ctypes.data), a.nbytes, a.dtype == np.int32) for a in arrays}):
        if size and spans and first < spans[-1][1]:
            start, end, was_code = spans[-1]
            spans[-1] = start, max(end, first + size), was_code and is_code
        elif size:
            spans.append((first, first + size, is_code))
    for first, end, is_code in spans:
        data = string_at(first, end - first)
        yield Block(first, np.frombuffer(data + bytes(-len(data) % WORD), dtype=np.int64), is_code)
