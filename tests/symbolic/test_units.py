"""Units: read from text, written again, and those of expressions; what is no unit is refused."""

from __future__ import annotations

import pytest

import latchwork as lw
from latchwork.symbolic.units import pretty, read, same, written

WRITTEN = {
    "kg m^2/s": "kg m^2/s", "N m": "N m", "N*m": "N m", "kg·m²": "kg m^2", "m/s/s": "m/s^2", "rad/s": "rad/s",
    "1/s": "1/s",
    "Hz": "1/s", "J": "N m", "N s/m": "kg/s", "mm": "mm", "": "", "kg m/s**2": "N", "m rad/s": "m/s", "W": "W",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items())
def test_units_are_written_as_they_are_said(text, expected):
    """One way to write each, which reads as the same unit."""
    assert written(read(text)) == expected
    assert same(read(written(read(text))), read(text))


@pytest.mark.parametrize("text", ["kg/", "m^x", "3 kg", "m^2.5", "<b>"])
def test_what_is_no_unit_is_refused(text):
    """The text, and how to write it."""
    with pytest.raises(lw.ModelError, match=r"is no unit: .* Write it as 'kg m"):
        lw.quantity(1.0, text)


def test_units_for_people():
    """Exponents are raised."""
    assert pretty("kg m^2/s^2") == "kg m²/s²"


def test_texts_describe():
    """"what it is [unit]", either of which may be left out."""
    model = lw.Model("cart")
    x, m, k = model.coordinate("x"), model.parameter("m", 1.0), model.parameter("k", 1.0)
    model.describe(x="along the rail [m]", m="[kg]", k="how often")
    assert [(s.unit, s.description) for s in (x, m, k)] == [("m", "along the rail"), ("kg", ""), ("", "how often")]


def test_quantities_are_values_with_units():
    """Parameters, inputs and coordinates take them; joints' coordinates are described; files carry them."""
    model = lw.Model("cart")
    m, = model.parameters(m=lw.quantity(2.0, "kg", "mass of the basket"))
    F = model.input("F", lw.quantity(unit="N", description="push"))
    (x,) = model.coordinates(x=lw.quantity(unit="m", description="along the rail"))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("P", P, m)
    model.force(P, F * model.frame.x)
    assert (m.unit, m.description, x.unit, F.unit) == ("kg", "mass of the basket", "m", "N")
    again = lw.loads(lw.dump(model))
    assert {n: (s.unit, s.description) for n, s in again.symbols.items()} == {
        n: (s.unit, s.description) for n, s in model.symbols.items()
    }
    report = model.equations().report()
    assert "mass of the basket" in report
    assert "along the rail" in model.equations().html()


@pytest.mark.parametrize(("act", "said"), [
    (lambda model: model.describe(y=lw.quantity(unit="m")), "'cart' has no symbol 'y' to describe"),
    (lambda model: model.describe(x=lw.quantity(1.0, "m")), "'x' is a coordinate and has no value of its own"),
    (lambda model: model.describe(x=3), "'x' is described by 3. Give a text such as 'mass .kg.'"),
    (lambda model: model.describe(x="place [m^^2]"), "is no unit"),
    (lambda model: model.parameter("k", lw.quantity("two")), "the value of a quantity is 'two', which is no number"),
    (lambda model: lw.quantity("2", "kg"), "the value of a quantity is '2', which is no number. Write lw.quantity"),
    (lambda model: lw.quantity(True, "kg"), "the value of a quantity is True, which is no number"),
    (lambda model: lw.quantity(1.0, "m", "two\nlines"), "is longer than 200 characters or no plain text"),
    (lambda model: lw.quantity(1.0, 3), "a quantity is a value, a unit and a description"),
])  # fmt: skip
def test_wrong_quantities_are_refused(act, said):
    """The name, what was given, and what to give."""
    model = lw.Model("cart")
    model.coordinates("x")
    with pytest.raises(lw.ModelError, match=said):
        act(model)
