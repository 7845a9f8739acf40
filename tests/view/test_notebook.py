"""What a notebook shows: pictures, players, tables, data frames; short errors."""

from __future__ import annotations

import html
import re
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid import progress
from latchwork.view import gallery


@cache
def run() -> lw.Trajectory:
    example = gallery.load("bouncing_ball")
    return example.run(example.models()[0])


@cache
def linkage() -> lw.Trajectory:
    example = gallery.load("four_bar")
    return example.module.run(example.models()[0], until=0.2)


def test_figures_are_pictures():
    """A figure has a picture of itself, of the size that it is drawn in, whatever Matplotlib's backend."""
    png, size = run().plot("energy")._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert size == {"width": 800, "height": 240}


def test_a_player_is_one_frame_that_needs_nothing():
    """A whole page in a sandboxed frame: nothing is loaded, and the page is the one that a file would have."""
    player = run().animate()
    shown = player._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in shown
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert inside == player.page
    assert not re.search(r"""(?:src|href)=["']http|@import|fetch\(""", inside)
    assert "save('motion.html')" in repr(player)


def test_a_player_is_saved(tmp_path):
    """The page of a player is a file like any other."""
    run().animate().save(tmp_path / "motion.html")
    run().animate(str(tmp_path / "same.html"))
    assert (tmp_path / "motion.html").read_bytes() == (tmp_path / "same.html").read_bytes()


def test_a_player_has_no_options_of_films():
    """fps= without a name of a file is a mistake that is said."""
    with pytest.raises(lw.EvaluationError, match=r"a player in a notebook has no fps=. Leave it out, or name a file"):
        run().animate(fps=20)


@pytest.mark.parametrize("shown", [
    lambda: run(), lambda: run().events, lambda: run().audit, lambda: linkage().reactions(),
    lambda: linkage().at(0.1).reactions(), lambda: gallery.load("four_bar").models()[0].equations().report(),
    lambda: gallery.load("double_pendulum").models()[0].equations().linearize(q=[0.1, 0.2], u=[0, 0]),
    lambda: gallery.load("double_pendulum").models()[0].equations().partial_velocities(),
])  # fmt: skip
def test_what_is_shown_is_a_table(shown):
    """Runs, events, audits, reactions, reports, linear equations: whole tables, with texts escaped."""
    text = shown()._repr_html_()
    assert text.count("<table") == text.count("</table>") >= 1
    assert "<script" not in text


def test_names_are_texts():
    """A name is shown as it is, never as markup."""
    model = lw.Model("<b>cart</b>")
    x = model.coordinate("x")
    model.particle("P", model.origin.at("P", x * model.frame.x), 1.0)
    text = lw.simulate(model, 0.1, q={"x": 0.0}, u=[1.0])._repr_html_()
    assert "<b>cart</b>" not in text.replace("<b>&lt;b&gt;", "")
    assert "&lt;b&gt;cart" in text


def test_a_data_frame_has_names_and_units():
    """Coordinates and speeds unless told otherwise, over time; vectors as three columns; units beside it."""
    pandas = pytest.importorskip("pandas")
    frame = linkage().to_dataframe()
    assert list(frame.columns) == ["q1", "q2", "q3", "u1", "u2", "u3"]
    assert isinstance(frame, pandas.DataFrame)
    assert np.array_equal(frame.index, linkage().t)
    asked = linkage().to_dataframe("q1", {"pin": "C"}, "reaction(crank)")
    assert list(asked.columns) == ["q1", "pin.x", "pin.y", "pin.z", *(f"reaction(crank).{axis}" for axis in "xyz")]
    assert asked.attrs["units"]["q1"] == "rad"
    assert np.array_equal(asked["pin.y"], linkage()["C"][:, 1])


def test_a_dataset_has_dimensions_and_units():
    """Vectors have a dimension of their own; units and descriptions are attributes of variables."""
    pytest.importorskip("xarray")
    data = linkage().to_xarray("q1", "C")
    assert dict(data.sizes) == {"t": len(linkage().t), "axis": 3}
    assert data["q1"].attrs["units"] == "rad"
    assert float(data["C"].sel(axis="y")[3]) == linkage()["C"][3, 1]


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_what_is_not_installed_is_said(monkeypatch, library):
    """The name of the library, and how to install it."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(lw.EvaluationError, match=f"needs {library}, which is not installed. Install it: pip install"):
        run().to_dataframe() if library == "pandas" else run().to_xarray()


def test_a_frame_is_no_column():
    """Nine numbers at a time have no place in a table."""
    pytest.importorskip("pandas")
    with pytest.raises(lw.EvaluationError, match="is a frame, nine numbers at a time, and no column"):
        linkage().to_dataframe({"turn": linkage().equations.system.tree.frames["crank"]})


def test_a_wrong_name_gives_a_short_error():
    """A notebook shows the line of the user and the message, not the inside of the package."""
    with pytest.raises(lw.EvaluationError, match="'q9' is not in the run") as caught:
        run()["q9"]
    shown = caught.value._render_traceback_()
    assert shown[-1].startswith("EvaluationError: 'q9' is not in the run of")
    assert 'run()["q9"]' in "".join(shown)
    assert "trajectory.py" not in "".join(shown)


# --- progress ---------------------------------------------------------------------------------------------------------


def falling(**options: object) -> lw.Trajectory:
    model = lw.Model("stone")
    y = model.coordinate("y")
    model.particle("P", model.origin.at("P", y * model.frame.y), 1.0)
    model.gravity(-9.81 * model.frame.y)
    return lw.simulate(model, 1.0, q=[0.0], u=[0.0], method=lw.RK4(1e-4), **options)


def test_a_bar_at_a_terminal(capsys, monkeypatch):
    """progress=True writes one line on stderr, and clears it at the end; the run is the same."""
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    with_bar = falling(progress=True)
    written = capsys.readouterr().err
    assert written == "" or (written.startswith("\r\x1b[Kstone: [") and written.endswith("\r\x1b[K"))
    assert with_bar["y"].tolist() == falling()["y"].tolist()


def test_a_bar_in_a_notebook(monkeypatch):
    """In a notebook a long run shows a bar by itself; it is gone at the end."""
    told = []
    handle = SimpleNamespace(update=lambda shown: told.append(shown))
    display = SimpleNamespace(HTML=lambda text: text, display=lambda shown, display_id: told.append(shown) or handle)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    bar = progress.listener(None, "stone", 0.0, 2.0)
    bar(0.5)
    assert told == [], "a short run shows none"
    bar.next = 0.0
    bar(1.0)
    bar(2.0)
    assert told[0].startswith('<progress value="0.5000"')
    assert told[-1] == ""
    assert progress.listener(False, "stone", 0.0, 2.0) is None


def test_a_wrong_listener_is_refused():
    """Neither a function nor a truth."""
    with pytest.raises(lw.ArgumentError, match=r"progress is .yes.\. Give a function"):
        falling(progress="yes")
