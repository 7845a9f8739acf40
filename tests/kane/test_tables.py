"""The books' tables of partial velocities entry by entry, and why accelerations are not finite."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import latchwork as lw
import paper_models
from latchwork import dt
from latchwork.errors import EvaluationError
from latchwork.symbolic.tidy import tidy


def names_of(model: lw.Model) -> dict[str, object]:
    """Frames and symbols by name, for the tables below."""
    return {**model.frames, **model.symbols}


TABLES = [
    (
        paper_models.two_revolutes,  # Buffinton, Table 6.1
        {
            "w_r^A": ["A.z", "0*A.z"],
            "w_r^B": ["B.z", "B.z"],
            "v_r^P1": ["L*A.y", "0*A.z"],
            "v_r^P2": ["L*(A.y + B.y)", "L*B.y"],
        },
    ),
    (
        paper_models.revolute_and_prismatic,  # Buffinton, Table 6.2; s stands for q2 until P passes
        {
            "w_r^A": ["A.z", "0*A.z"],
            "w_r^B": ["A.z", "0*A.z"],
            "w_r^C": ["A.z", "0*A.z"],
            "v_r^P": ["-LT*A.x + LP*A.y", "0*A.z"],
            "v_r^As": ["-LA*A.x", "0*A.z"],
            "v_r^Bs": ["-LT*A.x + (LP + q2 - L/2)*A.y", "A.x"],
            "v_r^Cs": ["-LT*A.x + (LP + q2 + LC)*A.y", "A.x"],
            "v_r^Phat": ["-LT*A.x + (LP + q2 - s)*A.y", "A.x"],
        },
    ),
    (
        paper_models.disk_on_a_ramp,  # Gillespie, Example 1
        {"w_r^B": ["0*A.z", "A.z/r"], "v_r^Bo": ["A.x", "0*A.z"]},
    ),
    (
        paper_models.wrist,  # Gillespie, Example 2, with u_i = ω · c_i
        {"w_r^C": ["C.x", "C.y", "C.z"], "v_r^Co": ["-L*C.y", "L*C.x", "0*C.z"]},
    ),
]


@pytest.mark.parametrize(("model", "expected"), TABLES, ids=lambda item: getattr(item, "__name__", ""))
def test_partial_velocities_are_those_of_the_books(model, expected):
    """Every entry equals the book's, as a vector."""
    built = model()
    rows = built.equations().partial_velocities().rows
    names = names_of(built)
    pairs = [pair for label, row in expected.items() for pair in zip(rows[label], row, strict=True)]
    differences = [(cell - eval(entry, {}, names)).measures(built.frame) for cell, entry in pairs]
    assert rows.keys() == expected.keys()
    assert {e == 0.0 for difference in differences for e in tidy(difference)} == {True}


def test_the_table_prints_as_in_the_book():
    """Aligned text; a component along a shared axis is written with the row's own frame."""
    assert str(paper_models.two_revolutes().equations().partial_velocities()) == (
        "Partial velocities of 'two revolutes'\n"
        "r       u1             u2\n"
        "------  -------------  -----\n"
        "w_r^A   A.z            0\n"
        "w_r^B   B.z            B.z\n"
        "v_r^P1  L*A.y          0\n"
        "v_r^P2  L*A.y + L*B.y  L*B.y"
    )


def test_loads_added_later_add_rows():
    """A force added after derivation brings the point it acts on into the table."""
    model = paper_models.two_revolutes()
    middle = model.points["P1"].at("middle", 0.25 * model.frames["B"].x)
    equations = model.equations()
    added = equations.with_loads(lw.Force(middle, model.frame.x))
    assert added.partial_velocities().rows.keys() - equations.partial_velocities().rows.keys() == {"v_r^middle"}


def test_remainders_stand_in_a_last_column_where_there_are_any():
    """With ω = W t prescribed, ω_t = W A.z and v_t = W (position)."""
    model = lw.Model("turntable")
    (W,) = model.parameters(W=2.0)
    q1 = model.coordinate("q1")
    A = model.frame.rotated("A", W * model.time, model.frame.z)
    model.body("slider", A, model.origin.at("S", q1 * A.x), 1.0, lw.inertia(A, zz=1.0))
    table = model.equations().partial_velocities()
    assert table.heads[-1] == "t"
    assert table.rows == {"w_r^A": (0 * A.z, W * A.z), "v_r^S": (A.x, W * q1 * A.y)}


@pytest.mark.parametrize("model", [model for model, _ in TABLES])
def test_other_forms_of_the_table(model):
    """HTML is well formed, LaTeX has a line for each row."""
    table = model().equations().partial_velocities()
    assert len(ElementTree.fromstring(table._repr_html_()).findall(".//tr")) == len(table.labels) + 1
    assert table.latex().count(r"\\") == len(table.labels) + 1
    assert r"$\boldsymbol{\omega}_{r}^{" in table.latex()


# --- why u̇ is not finite ------------------------------------------------------------------------------------------


def gimballed(damping: float) -> lw.Model:
    """A body held by angles z, y, z, with speeds that do not determine them at q2 = 0."""
    model = lw.Model("gimballed")
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    C = model.frame.body_fixed("C", "zyz", q1, q2, q3)
    w = C.angular_velocity(model.frame)
    model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    model.body("C", C, model.origin, 1.0, lw.inertia(C, 1.0, 2.0, 3.0))
    model.torque(C, -damping * dt(q1) * model.frame.z)
    return model


def test_singular_kinematics_are_named():
    """The coordinate whose rate is infinite, the divisor that vanishes, and where."""
    message = r"dt\(q1\) is not finite, division by sin\(q2\) = 0 at q2 = 0\. Choose another set of angles"
    with pytest.raises(EvaluationError, match=message):
        gimballed(damping=1.0).equations().udot(q=[0.1, 0.0, 0.3], u=[1.0, 2.0, 3.0])


def massless(inertia: float) -> lw.Model:
    """Two hinges with a motor in the outer one, whose body may have no inertia."""
    model = lw.Model("massless")
    first = model.revolute("first")
    second = model.revolute("second", first)
    model.body("A", first.frame, first.origin, 1.0, lw.inertia(first.frame, zz=1.0))
    model.body("B", second.frame, second.origin, 1.0, lw.inertia(second.frame, zz=model.parameter("J", inertia)))
    model.actuate(second, model.input("T", 1.0))
    return model


def test_a_massless_speed_is_named():
    """The speeds in the null vector of M, and what to give."""
    message = r"singular: no mass or inertia resists u_second at J = 0\. Give mass or inertia to what moves with"
    with pytest.raises(EvaluationError, match=message):
        massless(0.0).equations().udot(q=[0.0, 0.0], u=[1.0, 1.0])


def test_speeds_that_are_massless_together_are_named():
    """At q2 = 0 two axes of the wrist line up: M is singular for u1 and u3 together, not for each."""
    message = r"no mass or inertia resists u1 and u3 together at .*q2 = 0.*choose another set of angles"
    with pytest.raises(EvaluationError, match=message):
        paper_models.wrist(rates=True).equations().udot(q=[0.1, 0.0, 0.2], u=[0.0, 0.0, 0.0])


def test_an_infinite_load_is_named():
    """The generalized active force that is not finite, and the operation where that begins."""
    model = massless(1.0)
    q, link = model.symbols["q_second"], model.links["second"]
    model.torque(link, link.frame.z / q)
    message = r"F_r of 'massless' for u_first is not finite: division by q_second = 0\. Keep away from this state"
    with pytest.raises(EvaluationError, match=message):
        model.equations().udot(q=[0.0, 0.0], u=[1.0, 1.0])


def test_overflow_is_told_from_singularity():
    """Numbers that are merely too large are not blamed on the model."""
    message = r"accelerations of 'massless' are not finite .* check units"
    with pytest.raises(EvaluationError, match=message):
        massless(1e-10).equations().udot(q=[0.0, 0.0], u=[1.0, 1.0], r={"T": 1e308})
