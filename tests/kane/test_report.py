"""The information report, the equations to read, and the page."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import latchwork as lw
import paper_models

MODELS = [
    paper_models.disk_on_a_ramp,
    paper_models.two_revolutes,
    paper_models.revolute_and_prismatic,
    paper_models.wrist,
]


def hinged_ball() -> lw.Model:
    """A ball joint by Euler parameters, a hinge and a slide on it, a spring, a damper and a motor."""
    model = lw.Model("hinged <ball> & co")
    k, c = model.parameters(k=3.0, c=0.1)
    (T,) = model.inputs(T=0.0)
    ball = model.ball("ball")
    hinge = model.revolute("hinge", ball, axis=ball.frame.x)
    slide = model.prismatic("slide", hinge, axis=hinge.frame.y)
    for link in (ball, hinge, slide):
        center = link.origin.at(f"{link.name}_c", 0.1 * link.frame.z)
        model.body(link.name, link.frame, center, 1.0, lw.inertia(link.frame, 1.0, 2.0, 3.0))
    model.gravity(-9.81 * model.frame.z)
    model.spring(slide, model.origin, k, 0.3, c, name="tether")
    model.resist(hinge, stiffness=k, damping=c, name="return")
    model.actuate(hinge, T, name="motor")
    return model


def test_the_report_of_the_disk():
    """Sizes, bodies with L(k), the q/u map, loads, equations, counts, the picture of M, energies."""
    report = paper_models.disk_on_a_ramp().equations().report()
    expected = [
        "disk on a ramp\n==============",
        "coordinates q  2       q1, q2",
        "1  disk  0     -      B      Bo      m     J*(B.z|B.z)",
        "1  disk  q1, q2  u1, u2",
        "1  gravity  every body  -gravity*N.y",
        "  u2 = r*dt(q2)",
        "  dt(q2) = u2/r",
        "Mass matrix: 2 x 2, diagonal, constant, 2 of 4 entries not zero\n  x .\n  . x",
        "  V = gravity*m*(r*cos(phi) + sin(phi)*q1)",
    ]
    assert [line for line in expected if line not in report] == []


def test_the_report_names_joints_and_loads():
    """Joint types, who brings which coordinates, and every load by its name."""
    report = hinged_ball().equations().report()
    expected = [
        "2  hinge  1     revolute hinge",
        "3  slide  2     prismatic slide",
        "2  hinge  q_hinge",
        "spring tether",
        "stiffness k, length 0.3, damping c",
        "torsion return",
        "hinge, reaction on ball",
        "torque motor",
    ]
    assert [line for line in expected if line not in report] == []


def test_loads_added_later_are_listed():
    """The report of equations with loads added afterwards says so."""
    model = paper_models.two_revolutes()
    load = lw.Force(model.points["P2"], model.frame.x, name="push")
    assert "force push, added" in model.equations().with_loads(load).report()


def test_the_report_is_plain():
    """Nothing in the report needs more than ASCII."""
    assert hinged_ball().equations().report().isascii()


def test_equations_to_read_with_a_diagonal_mass_matrix():
    """Where M is diagonal the equations are solved: dt(u3) = ..."""
    assert "\n  dt(u3) = ((I1 - I2)*u1*u2 + T3)/I3" in str(paper_models.wrist().equations())


def test_equations_to_read_with_a_full_mass_matrix():
    """Otherwise they are rows of M u̇ = f, terms in the order of the speeds."""
    written = str(paper_models.two_revolutes().equations())
    assert "\n  m*L**2*(3 + 2*cos(q2))*dt(u1) + m*L**2*(1 + cos(q2))*dt(u2) = " in written


def test_long_equations_become_a_list_of_assignments():
    """Each z is defined before it is used, and M u̇ = f stands last."""
    lines = [line.strip() for line in str(paper_models.wrist(rates=True).equations()).splitlines() if " = " in line]
    assert [line for line in lines if line.startswith("z1 = ")]
    assert lines[-1] == "M*dt(u) = f"


def test_motion_constraints_built_in_are_shown():
    """A definition with zero= shows what must vanish."""
    model = lw.Model("skate")
    x, y, q = model.coordinates("x", "y", "q")
    B = model.frame.rotated("B", q, model.frame.z)
    center = model.origin.at("Bo", x * model.frame.x + y * model.frame.y)
    v = center.velocity()
    model.speeds(u1=v.dot(B.x), u2=lw.dt(q), zero=[v.dot(B.y)])
    model.body("B", B, center, 1.0, lw.inertia(B, zz=1.0))
    assert "cos(q)*dt(y) - sin(q)*dt(x) = 0" in str(model.equations())


def test_latex_is_one_aligned_environment():
    """As many lines as equations, each aligned at its sign of equality."""
    written = paper_models.disk_on_a_ramp().equations().latex()
    assert written.startswith(r"\begin{aligned}")
    assert written.endswith(r"\end{aligned}")
    assert written.count("&=") == 6


@pytest.mark.parametrize("model", [*MODELS, hinged_ball])
def test_the_page_is_well_formed_and_needs_no_network(model):
    """The page is XML as well as HTML, and fetches nothing."""
    page = model().equations().html()
    tree = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    assert tree.find("head/title").text == model().name
    assert len(tree.findall(".//section")) >= 8
    assert [word for word in ("http:", "https:", "<script", "<link", "url(", "@import") if word in page] == []


def test_the_page_closes_what_it_opens():
    """An HTML parser sees every section closed."""
    depth: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            depth.append(tag)

        def handle_endtag(self, tag):
            assert depth.pop() == tag

        def handle_startendtag(self, tag, attrs):
            pass

    Reader().feed(paper_models.wrist().equations().html())
    assert depth == []
