"""The board and the mailboxes: shared memory with one writer and one reader."""

import os
import sys
import threading

import numpy as np
import pytest

from latchwork.realtime.board import MOST_FORCES, Beat, Board, Hand, State
from latchwork.realtime.link import Link
from latchwork.realtime.mailbox import HEAD, Mailbox


def state(k: int) -> State:
    """A state all of whose numbers follow from one."""
    x = float(k)
    hand = Hand(k % 3, (x, x, x), (x, x, x), (x, x, x), (x, x, x), x, x)
    beat = Beat(*(k if isinstance(usual, int) else x for usual in Beat()))
    return State(k, x, np.full(4, x), k % 5, np.full(k % 7, x), hand, x, x, k % 2 == 0, x, k % 2 == 1, beat)


@pytest.mark.parametrize("k", [0, 1, 12, 123456])
def test_a_state_comes_back_as_it_was_written(k):
    """numbers_of and state_of are inverse to each other."""
    board = Board(memoryview(bytearray(Board.size(4))), 4)
    assert board.read() is None
    board.write(state(k))
    found = board.read()
    assert found is not None
    assert [str(part) for part in found] == [str(part) for part in state(k)]


def test_of_very_many_forces_the_first_are_kept():
    """The board has a fixed length."""
    board = Board(memoryview(bytearray(Board.size(4))), 4)
    board.write(state(3)._replace(lam=np.arange(1000.0)))
    found = board.read()
    assert found is not None
    assert np.array_equal(found.lam, np.arange(float(MOST_FORCES)))


@pytest.mark.skipif(sys.platform == "win32", reason="it is no file there")
def test_shared_memory_has_no_name():
    """No folder has it, so that it goes with the last process that has it."""
    link = Link.made(4)
    found = os.fstat(link.memory)
    link.close()
    assert found.st_nlink == 0
    assert found.st_size > Board.size(4)


def test_what_is_read_while_it_is_written_is_whole():
    """Read beside the writer, every state is one that was written, and they never go back."""
    link, usual = Link.made(4), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        reader, ended = Link(link.memory, 4), threading.Event()

        def write() -> None:
            k = 0
            while not ended.is_set():
                k += 1
                link.board.write(state(k))

        writer = threading.Thread(target=write)
        writer.start()
        found: list[State] = []
        while len(found) < 3000:
            found += [each] if (each := reader.board.read()) is not None else []
        ended.set()
        writer.join()
        reader.close()
    finally:
        sys.setswitchinterval(usual)
        link.close()
    assert found[-1].tick > found[0].tick
    assert all(str(each) == str(state(each.tick)) for each in found[::10])
    assert [each.tick for each in found] == sorted(each.tick for each in found)


def test_messages_come_in_order_around_the_ring():
    """However often the ring is gone around, messages come whole and in order."""
    box = Mailbox(memoryview(bytearray(HEAD + 500)))
    sent, found = 0, []
    for k in range(400):
        sent += box.send({"k": k, "text": "ä" * (k % 40)})
        if k % 3 == 0:
            found += box.take(most=1 + k % 4)
    found += box.take()
    assert len(found) == sent
    assert [each["k"] for each in found] == sorted(each["k"] for each in found)


def test_a_full_mailbox_refuses_and_keeps_what_it_has():
    """Whoever sends never waits: there is room, or there is none."""
    box = Mailbox(memoryview(bytearray(HEAD + 200)))
    taken = [box.send("0123456789") for _ in range(20)]
    assert taken == sorted(taken, reverse=True)
    assert 0 < sum(taken) < 20
    assert box.take() == ["0123456789"] * sum(taken)
    assert box.send("again")


def test_a_message_that_is_damaged_is_not_believed():
    """A checksum goes with every message."""
    memory = bytearray(HEAD + 200)
    box = Mailbox(memoryview(memory))
    box.send("hello")
    memory[HEAD + 10] ^= 1
    assert box.take() == []
