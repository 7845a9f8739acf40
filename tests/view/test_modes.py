"""What a run says about its modes, and how plots show it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hybrid_runs import NASTY, bounced, grasped, pendulum, rolled
from latchwork.errors import EvaluationError
from latchwork.hybrid.mode_history import mode_history
from latchwork.hybrid.timeline import Timeline, Work
from latchwork.hybrid.trajectory import RunEvent
from latchwork.view.flashes import STANDING
from latchwork.view.marks import times_to_draw


def test_modes_cover_the_run_without_gaps():
    """Each span begins where the one before it ends, the first at the start and the last at the end of the run."""
    for run in (grasped().run, bounced(), rolled(), pendulum()):
        spans = run.modes
        assert spans[0].begin == run.t[0]
        assert spans[-1].end == run.t[-1]
        assert [s.end for s in spans[:-1]] == [s.begin for s in spans[1:]]


def test_modes_of_what_was_constrained_and_released():
    """The spans are those in which the script imposed and released its constraints."""
    held, still = {NASTY}, {NASTY, "still"}
    spans = grasped().run.modes
    assert [set(s.names) for s in spans] == [set(), held, set(), held, set(), held, still, set()]
    assert [s.end for s in spans] == pytest.approx([1.0, 1.5, 2.5, 3.0, 4.0, 4.5, 4.75, 5.25])


def test_mode_numbers_go_by_first_visit():
    """run.mode is a step function: free is 1, then what came first; a jump has the old and the new number."""
    run = grasped().run
    assert run.mode[0] == 1
    assert sorted(set(run.mode.tolist())) == [1, 2, 3]
    assert run["mode"].tolist() == run.mode.tolist()
    for span in run.modes:
        inside = (run.t > span.begin) & (run.t < span.end)
        assert (run.mode[inside] == run.visited.number(span.names)).all()
    doubled = np.flatnonzero(np.diff(run.t) == 0.0)
    assert len(doubled) >= 3
    assert (run.mode[doubled] != run.mode[doubled + 1]).all()


def test_a_disk_slides_and_rolls_as_published():
    """Patoglu Fig. 7: k = 1, 2, 1, 2, with rolling from 0.365 s until friction no longer holds, closed form."""
    run = rolled()
    assert run.mode[[0, -1]].tolist() == [1, 2]
    assert [run.visited.number(span.names) for span in run.modes] == [1, 2, 1, 2]
    g, s, c = 9.8, np.sin(np.pi / 12), np.cos(np.pi / 12)
    slip, rate = 3.0, g * s + 3 * 0.2 * g * c  # u1 + u2 falls at g sin φ + μ g cos φ (1 + m r²/J)
    assert run.modes[0].end == pytest.approx(slip / rate, rel=1e-9)


def test_what_stands_is_drawn_and_takes_no_room():
    """The ramp lies under the path of the centre, from edge to edge; the picture shows no more of it than without."""
    panel = rolled().draw("Bo").axes[0]
    (ramp,) = [line for line in panel.lines if line.get_color() == STANDING]
    x, y = ramp.get_data()
    assert np.ptp(y) / np.ptp(x) == pytest.approx(np.tan(np.pi / 12), rel=1e-9)
    assert panel.dataLim.width < np.ptp(x)


def test_figures_have_a_kind_that_can_be_written(tmp_path):
    """A name that says no known kind is refused before anything is written."""
    for write in (pendulum().plot, pendulum().draw):
        with pytest.raises(EvaluationError, match=r"cannot be written as .*foo'. Give a name that ends in \.png"):
            write("O", path=str(tmp_path / "motion.foo"))
    assert list(tmp_path.iterdir()) == []


def test_order_of_names_makes_no_other_mode():
    """What holds is a set: {a, b} is the mode that {b, a} is."""
    path = pendulum().path
    events = [RunEvent(0.5, "a", (), ("a", "b"), kind="constrain"), RunEvent(1.0, "b", ("a", "b"), (), kind="release"),
              RunEvent(1.5, "b", (), ("b", "a"), kind="constrain")]  # fmt: skip
    assert mode_history(path, events).modes == ((), ("a", "b"))


def test_modes_that_last_no_time_are_passed_through():
    """Free, then touching for no time, then stuck: two modes and one transition, by both events."""
    path = pendulum().path
    events = [RunEvent(2.0, "p", (), ("p: slide",), kind="impact"),
              RunEvent(2.0, "p", ("p: slide",), ("p: stick",), kind="stick")]  # fmt: skip
    seen = mode_history(path, events)
    assert seen.modes == ((), ("p: stick",))
    assert [(c.before, c.after, c.label) for c in seen.transitions] == [(1, 2, "impact, stick: p")]


def test_stops_are_no_transitions():
    """A guard that only ends a run changes no mode; a bounce does, to the mode it came from."""
    path = pendulum().path
    seen = mode_history(path, [RunEvent(1.0, "there"), RunEvent(1.5, "floor", kind="impact")])
    assert [(c.before, c.after, c.label) for c in seen.transitions] == [(1, 1, "impact: floor")]


def test_without_events_there_is_one_mode():
    """A run to which nothing happens is in mode 1 all along, with no transition."""
    run = pendulum()
    assert run.modes == [(0.0, 2.0, ())]
    assert (run.mode == 1).all()
    assert run.visited.transitions == ()


# --- plots ---------------------------------------------------------------------------------------------------------


def test_plots_mark_modes_and_events(tmp_path):
    """Every panel has a tint for each mode and lines for the events; a legend names the modes as they are written."""
    file = tmp_path / "marked.png"
    made = grasped().run.plot("x", "u", "mode", path=str(file))
    assert file.read_bytes().startswith(b"\x89PNG")
    assert [len(panel.collections) for panel in made.axes] == [4, 4, 4]  # three tints, one set of lines
    (legend,) = made.legends
    assert [text.get_text().replace(r"\$", "$") for text in legend.get_texts()] == [
        "1  free", f"2  {NASTY}", f"3  {NASTY}, still",
    ]  # fmt: skip


def test_mode_panel_shows_steps():
    """The panel of "mode" takes the values of run.mode and nothing between them."""
    made = grasped().run.plot("mode")
    (line,) = made.axes[0].lines
    assert sorted(set(np.asarray(line.get_ydata()).tolist())) == [1, 2, 3]
    assert line.get_drawstyle() == "steps-post"


def test_many_bounces_are_lines_of_one_collection(tmp_path):
    """A plot of a ball that comes to rest has one collection of impacts, with as many lines as there were."""
    run = bounced()
    impacts = {event.t for event in run.events if event.kind == "impact"}
    assert len(impacts) > 30
    made = run.plot("y", path=str(tmp_path / "ball.svg"))
    assert len(impacts) in [len(item.get_paths()) for item in made.axes[0].collections]


def test_jumps_are_drawn_as_jumps():
    """The grid of a plot has the instant of every event, and the number before it."""
    run = bounced()
    times = times_to_draw(run)
    when = np.array([event.t for event in run.events])
    assert np.isin(when, times).all()
    assert np.isin(np.nextafter(when, -np.inf), times).all()


def test_plots_of_runs_without_events_are_as_they_were():
    """No tints, no lines, no legend, and the even grid of 600 points."""
    run = pendulum()
    made = run.plot("q")
    (panel,) = made.axes
    assert (len(panel.collections), len(made.legends), len(panel.texts)) == (0, 0, 0)
    assert np.array_equal(panel.lines[0].get_xdata(), np.linspace(0.0, 2.0, 600))


def test_a_symbol_named_mode_keeps_its_meaning():
    """"mode" asks for the number of the mode only where the model has nothing of that name."""
    run = pendulum()
    assert run.means_mode("mode")
    assert not run.means_mode("q")


# --- timelines -----------------------------------------------------------------------------------------------------


def test_a_simulation_keeps_time():
    """Pieces of work follow each other by the clock, one of integration for each time that the run was advanced."""
    timeline = grasped().timeline
    assert [work.name for work in timeline if work.lane == "integrate"][:2] == ["free", NASTY]
    assert len([work for work in timeline if work.lane == "integrate"]) == 8
    assert len([work for work in timeline if work.lane == "embed"]) == 8
    assert all(work.began <= work.ended for work in timeline)
    assert grasped().run.timeline == timeline


def test_timeline_stacks_lanes_on_one_axis(tmp_path):
    """Patoglu Fig. 11: embedding of the fence, from 7.0 to 7.4 s, stands under the integration it runs beside."""
    entries = (Work("integrate", "ramp $", 0.0, 0.0, 7.7), Work("embed", "fence", 7.0, 7.0, 7.4),
               Work("integrate", "fence", 7.7, 7.7, 9.0), Work("compile", "fence", 7.4, 7.4, 8.2))  # fmt: skip
    file = tmp_path / "chart.png"
    made = Timeline(entries).plot(str(file))
    assert file.read_bytes().startswith(b"\x89PNG")
    bars = {(bar.get_y() + 0.33, bar.get_x(), bar.get_width()) for bar in made.axes[0].patches}
    assert {(round(y), round(x, 6), round(w, 6)) for y, x, w in bars} == {
        (0, 0.0, 7.7), (0, 7.7, 1.3), (1, 7.0, 0.4), (2, 7.4, 0.8),
    }  # fmt: skip
    assert Timeline(entries).seconds("integrate") == pytest.approx(9.0)


def test_an_empty_timeline_says_what_to_do():
    """A run that was not timed cannot draw its timeline."""
    run = dataclasses.replace(pendulum(), timeline=Timeline())
    with pytest.raises(EvaluationError, match="nothing was timed"):
        run.timeline.plot()
