"""The automaton of a run, as SVG."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from hybrid_runs import NASTY, bounced, grasped, rolled
from latchwork.hybrid.mode_history import ModeHistory, Span, Transition
from latchwork.hybrid.trajectory import RunEvent
from latchwork.view.automaton import MANY, draw_automaton
from latchwork.view.ring import Box, arranged

SVG = "{http://www.w3.org/2000/svg}"


def made(modes: int, per_mode: int = 2) -> ModeHistory:
    """A chain of modes that returns to its start, with bounces in every mode."""
    names = [(), *((f"contact {k} on <floor> & wall: slide +",) for k in range(1, modes))]
    bounce = [Transition(k, k, (RunEvent(0.0, "floor", kind="impact"),)) for k in range(1, modes + 1)] * per_mode
    onward = [Transition(k, k % modes + 1, (RunEvent(0.0, f"guard {k}", kind="touch"),)) for k in range(1, modes + 1)]
    spans = tuple(Span(float(k), k + 1.0, held) for k, held in enumerate(names))
    return ModeHistory(tuple(names), spans, (*bounce, *onward))


def drawn(svg: str) -> tuple[list[str], Counter[tuple[str, str]], list[str]]:
    """Modes, arrows and the words at them, as they stand in the picture."""
    root = ElementTree.fromstring(svg)
    modes = [item.attrib["data-mode"] for item in root.iter(f"{SVG}g") if "data-mode" in item.attrib]
    paths = [item for item in root.iter(f"{SVG}path") if "data-from" in item.attrib]
    arrows = Counter((item.attrib["data-from"], item.attrib["data-to"]) for item in paths)
    return modes, arrows, [item.findtext(f"{SVG}title") or "" for item in paths]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 12])
def test_every_mode_and_transition_appears_once(count):
    """As many boxes as modes; one arrow for each pair of modes between which there was a change, with its count."""
    seen = made(count)
    modes, arrows, words = drawn(draw_automaton(seen, "made"))
    assert modes == [str(k) for k in range(1, count + 1)]
    assert set(arrows) == {(str(t.before), str(t.after)) for t in seen.transitions}
    assert set(arrows.values()) == {1}
    assert sum("impact: floor ×2" in text for text in words) == count


def test_counts_are_those_of_the_run():
    """Arrows of a run that was constrained and released: three times there, three times back, once further."""
    svg = grasped().run.automaton()
    _, arrows, words = drawn(svg)
    assert set(arrows) == {("1", "2"), ("2", "1"), ("2", "3"), ("3", "1")}
    told = dict(zip(arrows, words, strict=True))
    assert told["1", "2"] == f"constrain: {NASTY} ×3"
    assert told["2", "1"] == f"release: {NASTY} ×2"
    assert told["2", "3"] == "constrain: still"
    assert told["3", "1"] == f"release: still + release: {NASTY}"


def test_bounces_are_a_loop_with_their_number():
    """A ball that comes to rest: one loop in the free mode, and one arrow to the mode in which it lies."""
    run = bounced()
    impacts = sum(event.kind == "impact" for event in run.events)
    _, arrows, words = drawn(run.automaton())
    assert list(arrows) == [("1", "1"), ("1", "2")]
    assert words[0] == f"impact: ball on floor ×{impacts - 1}"


def test_the_disk_has_the_automaton_of_the_paper():
    """Patoglu Fig. 6: sliding and rolling, one arrow there and one back, and the zone in which nothing holds it."""
    _, arrows, _ = drawn(rolled().automaton())
    assert set(arrows) == {("1", "2"), ("2", "1"), ("1", "1")}


def test_names_are_escaped(tmp_path):
    """Whatever a name says, it is text: the file is well-formed, has no script, and reads back as it was."""
    file = tmp_path / "automaton.svg"
    svg = grasped().run.automaton(str(file))
    assert file.read_text(encoding="utf-8") == svg
    root = ElementTree.fromstring(svg)
    assert {item.tag for item in root.iter()} <= {
        SVG + tag for tag in ("svg", "style", "defs", "marker", "path", "rect", "text", "g", "title", "circle")
    }
    shown = "".join(text for item in root.iter(f"{SVG}g") for text in item.itertext())
    assert "</script>" in shown
    assert "beads <i>&</i>" in [item.text for item in root.iter(f"{SVG}text")]
    ElementTree.fromstring(draw_automaton(made(2), "bad \x00 \x1b \ufffe"))


def test_more_modes_than_a_ring_shows_are_a_table():
    """Every mode and every transition has a line."""
    count = MANY + 3
    root = ElementTree.fromstring(draw_automaton(made(count), "many"))
    lines = [item.text or "" for item in root.iter(f"{SVG}text")]
    assert f"{count} modes" in lines
    assert sum(line.startswith(f"{count}  contact") for line in lines) == 1
    assert sum("→" in line for line in lines) == 2 * count
    assert "1 → 1  impact: floor ×2" in lines


@pytest.mark.parametrize("count", range(2, 13))
def test_boxes_keep_apart(count):
    """No two boxes of a ring overlap, with room between them for an arrow."""
    nodes = arranged([["a name of some length"] * (1 + k % 3) for k in range(count)], [["a label"]])
    boxes = [Box(*node.box[:2], node.box.w + 60, node.box.h + 60) for node in nodes]
    assert max(a.overlap(b) for a, b in itertools.combinations(boxes, 2)) == 0.0
