"""Wrong calls over the whole public interface: each is answered in the house's words, and never by a raw error."""

from __future__ import annotations

import math
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import latchwork as lw


def given():
    """An arm with a ram, an input and a parameter; and another model, whose symbols are foreign."""
    model = lw.Model("arm")
    N, O = model.frame, model.origin
    (k,), (F,) = model.parameters(k=1.0), model.inputs(F=0.0)
    a = model.revolute("a", axis=N.z, q=["q1"], u=["u1"])
    b = model.prismatic("b", a, axis=a.frame.x, q=["q2"], u=["u2"])
    P = b.origin.at("P", 0.3 * b.frame.x)
    A = model.body("A", a, a.origin.at("Ac", 0.1 * a.frame.x), 1.0, lw.inertia(a.frame, zz=1.0))
    B = model.body("B", b, P, 1.0, lw.inertia(b.frame, zz=1.0))
    model.gravity(-9.81 * N.y)
    model.torque(a, F * N.z)
    line = lw.Line(O.at("low", -5.0 * N.y), N.x, N.y)
    return SimpleNamespace(m=model, N=N, O=O, k=k, F=F, a=a, b=b, P=P, A=A, B=B, q=a.q[0], u=a.u[0], line=line)


@cache
def derived():
    """The same with equations, a constraint embedded, and a run."""
    g = given()
    g.eq = g.m.equations()
    g.con = g.eq.embed(lw.Constraint("tie", g.a.q[0] - g.b.q[0]))
    g.run = lw.simulate(g.m, 0.1, q=[0.0, 1.0])
    return g


@cache
def simulated():
    """The same, ready to run; a call that is refused leaves it as it was."""
    g = given()
    g.sim = lw.Simulation(g.m, [0.0, 1.0])
    return g


@cache
def acting():
    """The same, live."""
    return lw.Live(lw.Exhibit(given().m, q={"q2": 1.0}))


@cache
def foreign():
    """What belongs to another model."""
    model = lw.Model("other")
    link = model.revolute("z", q=["z1"], u=["w1"])
    body = model.particle("Z", link.origin, 1.0)
    return SimpleNamespace(q=link.q[0], point=link.origin, frame=link.frame, vector=model.frame.x, link=link, body=body)


TEXT, NONE, NUMBER, LIST = "q1 + 1", None, 3, [1.0]
WORDS = (TEXT, "", NONE)
ANY = (TEXT, NONE, NUMBER, LIST)
NAN, INF = math.nan, math.inf

# How it is made, the call with one wrong value, the wrong values, and what is said of each.
MAKING = [
    (lambda g, x: lw.Model(x), (NONE, "", " ", 3, "a\x1b"), "a model (needs a name|cannot be named)"),
    (lambda g, x: g.m.coordinate(x), (NONE, "", "q 9", "t", "sin", "q1", 3), "cannot name a coordinate|'q1' already"),
    (lambda g, x: g.m.parameter("p", x), (TEXT, NAN, INF, [1.0, 2.0]), "must be a number|not finite|nan|inf"),
    (lambda g, x: g.m.speeds(w=x), (TEXT, NONE, foreign().q), "is neither a number|belongs to"),
    (lambda g, x: g.m.speeds(zero=x), (TEXT, NONE, 3), "'zero' of the speeds of 'arm' is"),
    (lambda g, x: g.N.rotated("R", 0.1, x), (*ANY, foreign().vector), "turns about a vector|belongs to"),
    (lambda g, x: g.N.rotated("R", x, g.N.z), (TEXT, NONE, NAN, foreign().q), "neither a number|belongs|finite|nan"),
    (lambda g, x: g.N.body_fixed("R", x, 0.1, 0.2), (NONE, 3, "x", "abc", ["x", "y"]), "a sequence is made of x, y, z"),
    (lambda g, x: g.N.space_fixed("R", x, 0.1), (NONE, 3, "", "xy"), "a sequence is made of x, y, z"),
    (lambda g, x: g.N.body_fixed(x, "x", 0.1), (NONE, 3, "", "A\n"), "a frame (needs a name|cannot be named)"),
    (lambda g, x: g.N.cosines("R", x), (NONE, 3, [1, 2, 3], [[1.0]], "abc"), "direction cosines|three rows"),
    (lambda g, x: g.a.frame.angular_velocity(x), (TEXT, 3, "P"), "what 'a' turns in is"),
    (lambda g, x: g.a.frame.direction_cosines(x), ANY, "what the axes of 'a' are compared with"),
    (lambda g, x: g.a.frame.spin(x, g.N.z), ANY, "the frame in which the angular velocity of 'a' is declared"),
    (lambda g, x: g.a.frame.spin(g.N, x), ANY, "the angular velocity of 'a' is"),
    (lambda g, x: g.O.at("R", x), (*ANY, foreign().vector), "located by a vector|belongs to"),
    (lambda g, x: g.P.position(x), (TEXT, 3, LIST, foreign().point), "where the position of 'P'|belongs to"),
    (lambda g, x: g.P.velocity(x), (TEXT, 3, LIST), "where the velocity of 'P' is seen from"),
    (lambda g, x: g.P.moves(x, g.N.x), ANY, "the frame in which the velocity of 'P' is declared"),
    (lambda g, x: g.P.moves(g.N, x), ANY, "the velocity of 'P' is"),
    (lambda g, x: g.m.body("R", x, g.P, 1.0), ANY, "a frame, link or rigid body of 'arm' is needed"),
    (lambda g, x: g.m.body("R", g.a, x, 1.0), (*ANY, foreign().point), "a point, link or body of 'arm' is needed"),
    (lambda g, x: g.m.body("R", g.a, g.P, x), (TEXT, NONE, NAN, -1.0, foreign().q), "neither|finite|nan|not n|belong"),
    (lambda g, x: g.m.body("R", g.a, g.P, 1.0, x), (TEXT, 3, LIST), "the inertia of 'R' must be a dyadic"),
    (lambda g, x: g.m.body("R", g.a, g.P, 1.0, lw.inertia(g.a.frame, 1.0), x), (TEXT, 3), "a point, link or body"),
    (lambda g, x: g.m.body(x, g.a, g.P, 1.0), (NONE, 3, "", "A"), "a body needs a name|named 'A' already"),
    (lambda g, x: g.m.particle("R", x, 1.0), ANY, "the centre of 'R' must be a point"),
    (lambda g, x: g.m.joint(x, "j"), (NONE, 3, LIST, "revolut"), "the type of joint 'j'|Did you mean 'revolute'"),
    (lambda g, x: g.m.revolute("j", q=x), (3, [], ["a", "b"], {"q": 1}), "q of joint 'j' is|has 1 q's"),
    (lambda g, x: g.m.revolute("j", axis=x), (TEXT, 3, LIST, foreign().vector), "the axis of joint|belongs to"),
    (lambda g, x: g.m.revolute("j", x), (TEXT, 3, foreign().link), "a frame, link or rigid body of 'arm' is needed"),
    (lambda g, x: g.m.revolute(x), (NONE, 3, "", "a"), "a joint needs a name|the name is taken"),
    (lambda g, x: g.m.revolute(*x), ((), ("j", None, 3)), "revolute: .*argument.* It takes name, inboard"),
    (lambda g, x: g.m.body(*x), ((), ("R",)), "body: missing a required argument: .* It takes name, frame, center"),
    (lambda g, x: lw.inertia(x, zz=1.0), ANY, "frame"),
    (lambda g, x: lw.inertia(g.N, zz=x), (TEXT, NONE, NAN), "neither a number|finite|nan"),
]
LOADING = [
    (lambda g, x: g.m.gravity(x), (*ANY, "N.y"), "gravity is a vector|has gravity already"),
    (lambda g, x: g.m.force(x, g.N.x), (*ANY, foreign().point), "a point, link or body of 'arm' is needed"),
    (lambda g, x: g.m.force(g.P, x), ANY, "a force is a vector"),
    (lambda g, x: g.m.force(g.P, g.N.x, name=x), (NONE, 3, "\x07"), "a load (needs a name|cannot be named)"),
    (lambda g, x: g.m.torque(x, g.N.x), ANY, "a frame, link or rigid body of 'arm' is needed"),
    (lambda g, x: g.m.torque(g.a, x), ANY, "a torque is a vector"),
    (lambda g, x: g.m.spring(g.P, x, 1.0), (*ANY, foreign().body), "a point, link or body of 'arm' is needed"),
    (lambda g, x: g.m.actuate(x, 1.0), (*ANY, "a"), "a joint of 'arm' is needed here"),
    (lambda g, x: g.m.resist(x, 1.0), ANY, "a joint of 'arm' is needed here"),
    (lambda g, x: g.m.limit("l", g.a, x), (NONE, 3, "ab", (1.0, 0.0), (NAN, 1.0)), "limit"),
    (lambda g, x: g.m.limit("l", x, (0.0, 1.0)), ANY, "'l'"),
    (lambda g, x: g.m.contact("c", x, g.line), ANY, "'c'|shape"),
    (lambda g, x: g.m.contact("c", g.P, g.line, restitution=x), (TEXT, -0.1, 1.1, NAN), "restitution"),
    (lambda g, x: g.m.contact("c", g.P, g.line, friction=x), (TEXT, -0.1, NAN, INF), "friction"),
    (lambda g, x: g.m.contact("c", g.P, g.line, impact=x), (NONE, 3, "newtn"), "the law of impact"),
    (lambda g, x: g.m.contact(x, g.P, g.line), (NONE, 3, "", "\x1b"), "a contact (needs a name|cannot be named)"),
    (lambda g, x: g.m.constraint("c", x), (TEXT, NONE, 3, []), "constraint 'c'|'c'"),
    (lambda g, x: g.m.constraint(x, g.q), (NONE, 3, ""), "a constraint needs a name"),
    (lambda g, x: lw.Constraint("c", g.q, x), (TEXT, NONE, 3), "the pulls of 'c'"),
    (lambda g, x: g.m.rule(x, g.q, stop=True), (NONE, 3, "", []), "a rule needs a name"),
    (lambda g, x: g.m.rule("r", x, stop=True), (NONE, [], {}), "rule 'r' watches"),
    (lambda g, x: g.m.rule("r", g.q, hold=x), (NONE, 3, "c", [1]), "'r' holds|is to hold"),
    (lambda g, x: g.m.rule("r", g.q, needs=x), (NONE, 3, [1]), "'needs' of"),
    (lambda g, x: g.m.rule("r", g.q, reset=x), (3, [1], "u1"), "'reset' of rule 'r'"),
    (lambda g, x: lw.Latch("l", x), ANY, "the latch 'l' keeps"),
    (lambda g, x: lw.Coulomb(x), (TEXT, -1.0, NAN), "friction"),
    (lambda g, x: lw.wheel_foot(x, g.N.z, 1.0), ANY, "the axis of a wheel is"),
    (lambda g, x: lw.Segment(g.O, g.P, depth=x), (TEXT, LIST, -1.0, 0.0), "depth|Segment|way"),
    (lambda g, x: g.m.contact("c", g.P, lw.Curve(g.O, x, (0.0, 1.0))), (NONE, 3, lambda: 1, lambda s: 2), "the curve"),
    (lambda g, x: g.m.contact("c", g.P, lw.Curve(g.O, lambda s: s * g.N.x, x)), (NONE, 3, (1.0, 0.0)), "'c'"),
]
READING = [
    (lambda g, x: g.q + x, (TEXT, NONE, LIST, 1j, object()), "'q1' cannot be combined with"),
    (lambda g, x: g.q**x, (TEXT, NONE, "N.y", object()), "'q1' cannot be combined with"),
    (lambda g, x: g.q.diff(x), ANY, "derivatives are taken with respect to symbols"),
    (lambda g, x: g.q.subs(x), ANY, "what is put in for symbols is"),
    (lambda g, x: g.q.subs({x: 1.0}), (TEXT, 3), "only symbols can be replaced"),
    (lambda g, x: lw.sin(x), (TEXT, NONE, LIST), "is neither a number nor an expression"),
    (lambda g, x: lw.where(x, 1.0, g.q), (TEXT, NONE), "neither a number|condition"),
    (lambda g, x: lw.gradient(x, [g.q]), ANY, "what is differentiated is"),
    (lambda g, x: lw.gradient(g.q, x), (TEXT, NONE, 3), "what it is differentiated by is"),
    (lambda g, x: lw.jacobian([g.q], x), (TEXT, NONE, 3), "by what is"),
    (lambda g, x: lw.Matrix(x), (TEXT, NONE, 3, [1.0]), "a (row of a )?matrix is"),
    (lambda g, x: g.N.x.dot(x), ANY, "the other factor of a scalar product"),
    (lambda g, x: g.N.x.cross(x), ANY, "the other factor of a vector product"),
    (lambda g, x: g.N.x.measures(x), ANY, "what a vector is measured in"),
    (lambda g, x: g.N.x.dt_in(x), ANY, "what a vector is differentiated in"),
    (lambda g, x: (g.q * g.N.x).diff(x), ANY, "derivatives are taken with respect to symbols"),
    (lambda g, x: (g.q * g.N.x).subs(x), ANY, "what is put in for symbols is"),
    (lambda g, x: g.N.x + x, (TEXT, NONE, 3, np.zeros(3)), "can only be added to a vector"),
    (lambda g, x: g.N.x - x, ANY, "what is taken from a vector is"),
    (lambda g, x: lw.loads(x), (NONE, 3, LIST, b"x"), "the text of a model file is"),
    (lambda g, x: lw.dump(x), (NONE, 3, TEXT), "what is to be written is"),
    (lambda g, x: lw.Table(x, [1.0]), (TEXT, NONE, 3, [1.0, 2.0]), "table"),
    (lambda g, x: lw.RK4(x), (TEXT, NONE, [0.1], -1.0, 0.0, NAN), "lw.RK4|cannot step"),
    (lambda g, x: lw.DormandPrince(rtol=x), (TEXT, NONE, [0.1], -1.0), "lw.DormandPrince|cannot step"),
    (lambda g, x: lw.BackwardDifferences(0.1, x), (NONE, 3, "index 4"), "there is no form"),
    (lambda g, x: lw.simulate(g.m, x), (TEXT, NONE, NAN, -1.0, [1.0, 2.0]), "time|until"),
    (lambda g, x: lw.simulate(x, 1.0), (TEXT, NONE, 3, LIST), "a mechanism is needed"),
    (lambda g, x: lw.simulate(g.m, 1.0, q=x), (TEXT, 3, [NAN, 0.0], {"q3": 1.0}, [1.0]), "coordinates q"),
    (lambda g, x: lw.simulate(g.m, 1.0, constraints=x), (TEXT, NONE, 3, [1]), "constraints'? of 'arm'"),
    (lambda g, x: lw.simulate(g.m, 1.0, thick=x), (True, 1e-3, TEXT), "thick is"),
    (lambda g, x: lw.simulate(g.m, 1.0, progress=x), (3, TEXT), "progress is"),
    (lambda g, x: lw.simulate(g.m, 1.0, method=x), (3, "RK4", lw.RK4), "method of integration"),
    (lambda g, x: lw.simulate(g.m, 1.0, inputs=x), (3, {"G": 1.0}, {"F": math.sin}), "input"),
    (lambda g, x: lw.simulate(g.m, 1.0, keep=x), (NONE, 3, "samples"), "keep"),
]  # fmt: skip
ASKING = [
    (lambda g, x: g.eq.forward_jacobian(x), (TEXT, NONE, 3, LIST), "what it is differentiated by is"),
    (lambda g, x: g.eq.joint_forces(x), (NONE, 3, LIST, {}), "the joint or body of 'arm' that is asked for is"),
    (lambda g, x: g.eq.linearize([0, 1], [0, 0]).frequency_response(x), (TEXT, NONE, NAN, 1j), "frequencies of 'arm'"),
    (lambda g, x: g.eq.linearize([0, 1], [0, 0]).plot(x), (TEXT, NONE, NAN, -1.0, []), "the frequencies of 'arm' are"),
    (lambda g, x: lw.plot_eigenvalues(x, [g.eq.linearize([0, 1], [0, 0])]), (TEXT, NONE, NAN), "plotted against are"),
    (lambda g, x: lw.plot_campbell([1.0], x), (NONE, 3, LIST, TEXT), "what is plotted is"),
    (lambda g, x: lw.plot_beam_modes(x), ANY, "what modes are plotted of is"),
    (lambda g, x: lw.plot_deflection(g.run, x, [0.0]), ANY, "what deflection is plotted of is"),
    (lambda g, x: g.con.operator([0.5, 0.5], [0, 0], metric=x), (TEXT, {}, [NAN, 1.0]), "the weights of a metric are"),
    (lambda g, x: lw.Matrix([[g.q]])[x], (TEXT, NONE, 2.5, (0,), (0.5, 0)), "entries of a 1 × 1 matrix are counted"),
    (lambda g, x: g.eq.evaluate(x, [0, 1], [0, 0]), (TEXT, "", b"x", {}, {"a": 1}), "is no expression. Give one"),
    (lambda g, x: g.eq.evaluate(x, [0, 1], [0, 0]), (NONE, foreign().q), "neither a number|belongs to"),
    (lambda g, x: g.eq.program(x), (TEXT, ["q1"]), "is no expression. Give one"),
    (lambda g, x: g.eq.udot(x, [0, 0]), (TEXT, 3, [NAN, 0], [1.0], {"q9": 1.0}, {"q1": NONE}), "coordinates q"),
    (lambda g, x: g.eq.udot([0, 1], [0, 0], t=x), (TEXT, NONE, NAN), "time t"),
    (lambda g, x: g.eq.velocity(x), (*ANY, "P", foreign().point), "'arm' has no point"),
    (lambda g, x: g.eq.acceleration(x), (*ANY, foreign().point), "'arm' has no point"),
    (lambda g, x: g.eq.angular_velocity(x), (*ANY, foreign().frame), "'arm' has no frame"),
    (lambda g, x: g.eq.angular_acceleration(x), ANY, "'arm' has no frame"),
    (lambda g, x: g.eq.with_loads(x), ANY, "an added load is"),
    (lambda g, x: g.eq.reaction_of(x, g.N.x), (*ANY, foreign().body), "nothing holds|another model"),
    (lambda g, x: g.eq.reaction_of(g.a, x), ANY, "the direction of a reaction of 'arm' is"),
    (lambda g, x: g.eq.reaction_torque_of(g.a, g.N.x, x), (TEXT, 3), "what a torque is taken about"),
    (lambda g, x: g.eq.reactions([0, 1], [0, 0], at=x), (TEXT, 3, LIST, foreign().point, {"a": 3}), "asked for about"),
    (lambda g, x: g.eq.reactions([0, 1], [0, 0])[x], (3, "c", NONE), "no constraint, joint or body with a reaction"),
    (lambda g, x: g.eq.embed(x), (TEXT, NONE, 3), "onstraint"),
    (lambda g, x: g.eq.embed(lw.Constraint("t", g.q), independent=x), (3, TEXT, ["u9"]), "independent|not a speed"),
    (lambda g, x: g.eq.linearize([0, 1], [0, 0], keep=x), (TEXT, NONE, 3, ["q9"]), "what is to be kept|'q9' is no"),
    (lambda g, x: g.eq.equilibrium([0, 1], hold=x), (TEXT, NONE, 3, ["q9"]), "what is held or found|'q9' is no"),
    (lambda g, x: g.eq.steady([0, 1], [0, 0], vanish=x), (TEXT, 3, ["u9"]), "what is held or found|'u9' is no"),
    (lambda g, x: g.eq.linearize([0, 1], [0, 0], outputs=x), (TEXT, 3, LIST), "the outputs of 'arm'"),
    (lambda g, x: g.con.udot([0, 0], x), (TEXT, 3, [1.0, 2.0, 3.0]), "speeds u"),
    (lambda g, x: g.con.assemble([0, 0], weights=x), (TEXT, 3, [1.0]), "weights of the speeds"),
    (lambda g, x: g.con.reactions([0, 0], [0.0], at=x), (TEXT, 3), "were asked for about"),
    (lambda g, x: g.run[x], (NONE, 3, LIST, "q9", "q1 +", ""), "asked|not in the run|expected|empty|expression"),
    (lambda g, x: g.run.at(x), (TEXT, NAN, 9.0, [[1.0], [1.0, 2.0]]), "no times|lies outside"),
    (lambda g, x: g.run.smooth(x), (TEXT, NONE, 0, -1, 2.5, True), "a run was asked for at"),
    (lambda g, x: g.run.events[x], (TEXT, NONE, 2.5, 99, -99), "events are counted|there is no event"),
    (lambda g, x: g.run.reactions()[x], (NONE, 3, "c", LIST), "'arm' has no reaction named"),
    (lambda g, x: g.run.reactions(at=x), (TEXT, 3, {"c": 3}), "were asked for about"),
    (lambda g, x: g.run.plot("q1", path=x), (3, LIST, "", "no/such/a.png"), "where to write|no folder|no file"),
    (lambda g, x: g.run.plot(x), ({}, 3, "q9"), "nothing to show|cannot be asked|not in the run"),
    (lambda g, x: g.run.draw(x), (3, "q1"), "cannot be asked|no place in the picture"),
    (lambda g, x: g.run.animate(x), (3, "a.txt"), "where to write a motion|cannot be written as"),
    (lambda g, x: g.run.animate("a.html", draw=x), (3, "P", NONE), "draw is"),
    (lambda g, x: g.run.interference(g.P, x), (TEXT, NONE, 3), "shape|point|P"),
]  # fmt: skip
CHANGING = [
    (lambda g, x: g.sim.rule("r", g.q, **x), ({"holdd": 1},), "rule takes no argument 'holdd'"),
    (lambda g, x: acting().set(x, 1.0), (TEXT, NONE, 3, LIST), "no parameter or input of 'arm'|what is to be set of"),
    (lambda g, x: acting().set("k", x), (TEXT, NONE, NAN, INF, LIST), "the value of 'k' is"),
    (lambda g, x: acting().couple(x, 1.0), (TEXT, NONE, NAN, -1.0, LIST), "stiffness of a coupler is"),
    (lambda g, x: acting().rewind(x), (TEXT, NONE, NAN, LIST), "how far to go back is"),
    (lambda g, x: acting().constraint(x), (NONE, 3, LIST), "the name of a button is"),
    (lambda g, x: g.sim.advance(x), (TEXT, NONE, -1.0, NAN), "time|cannot be advanced"),
    (lambda g, x: g.sim.advance(1.0, samples=x), (TEXT, [[1.0]], {}), "the samples of a run"),
    (lambda g, x: g.sim.advance(1.0, stop_when=x), (TEXT, 3, {"s": 3}), "stop_when"),
    (lambda g, x: g.sim.tick(x), (TEXT, NONE, -1.0, 0.0, NAN), "tick|step|time"),
    (lambda g, x: g.sim.constrain("c", x), (TEXT, NONE, 3), "constraint 'c'"),
    (lambda g, x: g.sim.constrain("c", g.q, limit=x), (TEXT, 0.0, -1.0, NAN), "the force limit of 'c'"),
    (lambda g, x: g.sim.release(x), (NONE, 3, LIST, "c"), "does not hold now"),
    (lambda g, x: g.sim.weld("w", g.B, x), (*ANY, foreign().body), "needed here"),
    (lambda g, x: g.sim.remove(x), (NONE, 3, LIST, "c"), "has no contact"),
    (lambda g, x: g.sim.reshape(x), (NONE, 3, LIST, "c"), "has no contact"),
]

WITH_NUMBERS = ("1 m", NONE, LIST, 1j, np.zeros(3), {})
OTHERS = [
    *[(lambda g, x, k=k: g.m.spring(g.O, g.P, **{"stiffness": 1.0, k: x}), WITH_NUMBERS, f"{k} of the spring is")
      for k in ("stiffness", "length", "damping")],
    *[(lambda g, x, k=k: g.m.resist(g.a, **{k: x}), WITH_NUMBERS, f"{k} of the resistance of 'a' is")
      for k in ("stiffness", "rest", "damping")],
    (lambda g, x: g.m.torsion(g.a, None, x, g.q), ANY, "the axis of the torsion spring is"),
    (lambda g, x: g.m.torsion(g.a, None, g.N.z, x), (*ANY, {}), "the angle of the torsion spring is"),
    (lambda g, x: g.m.torsion(g.a, None, g.N.z, g.q, x), (foreign().q,), "belongs to the model 'other'"),
    (lambda g, x: g.m.implicit("d", g.P, x), (lambda a: 1, lambda a, b, c: 1 / 0), "cannot be evaluated at x, y, z"),
    (lambda g, x: g.m.roll("d", g.a, -g.N.y, x), (NONE, 3, TEXT, foreign().q), "what 'd' rolls along is"),
    (lambda g, x: g.m.mesh("d", g.a, g.b, 2.0, x), (NONE, 3, TEXT, {}, LIST, []), "the axis of 'd' is"),
    (lambda g, x: lw.Rim(g.P, g.N.z, 0.1, tube=x), (TEXT, NONE, np.zeros(3), np.zeros(0), NAN, -1.0), "the tube of"),
    (lambda g, x: lw.ShapeServer(x), (TEXT, NONE, 3, LIST), "what a server answers for is"),
    (lambda g, x: lw.joined(x), ANY, "what is joined is"),
    (lambda g, x: lw.joined(*x), ([],), "no curves are joined"),
    (lambda g, x: lw.dt(x), (TEXT, NONE, LIST, {}), "what is differentiated by time is"),
    *[(lambda g, x, make=make: make(atol=x), ([], np.zeros(0)), "atol of lw.* has no values")
      for make in (lw.DormandPrince, lw.Radau, lw.SciPy, lw.Sundials)],
    *[(lambda g, x, make=make: make(max_steps=x), (TEXT, NONE, NAN, 0, -1, 2.5), "max_steps of lw.* is")
      for make in (lw.DormandPrince, lw.Radau, lw.SciPy, lw.Sundials)],
    (lambda g, x: lw.RK4(1e-3, x), (TEXT, NONE, NAN, 0, 2.5), "every of lw.RK4 is"),
    *[(lambda g, x, make=make, k=k: make(**{k: x}), (TEXT, NONE, [], {}, NAN, -1.0), f"{k} of lw.* is")
      for make in (lw.NullSpace, lw.Operator, lw.Multipliers, lw.Penalty) for k in ("alpha", "beta")],
    (lambda g, x: lw.Multipliers(weights=x), (TEXT, 3, {}, [NAN], [0.0], ["a"]), "weights of lw.Multipliers"),
    (lambda g, x: lw.NullSpace(basis=x), (TEXT, NONE, 3, LIST), "there is no design|the kind of design"),
    (lambda g, x: lw.Operator(inertia=x), (TEXT, NONE, 3), "there is no design"),
    (lambda g, x: lw.Penalty(omega=x), (TEXT, NONE, NAN, 0.0, np.zeros(3)), "omega of lw.Penalty is"),
    (lambda g, x: lw.AugmentedLagrangian(iterations=x), (TEXT, NONE, 0.5), "iterations of lw.AugmentedLagrangian is"),
    (lambda g, x: lw.Automaton(x), (TEXT, NONE, NAN, 0, 2.5), "most of lw.Automaton is"),
    (lambda g, x: lw.TimeStepping(always=x), (TEXT, NONE, 3), "always of lw.TimeStepping is"),
    (lambda g, x: lw.simulate(g.m, 1.0, q=[0.0, 1.0], stop_when={x: g.q}), (3, "", NONE), "a condition of stop_when"),
    (lambda g, x: lw.simulate_many(g.m, {"q1": [0.0]}, 0.1, outputs={"a": x}), (NONE,), "output 'a' of 'arm' is None"),
    (lambda g, x: lw.grid(x), (TEXT, 3, LIST), "the axes of a grid"),
    (lambda g, x: lw.sampled(4, x), (TEXT, 3, LIST), "the bounds of points"),
    (lambda g, x: lw.sampled(4, {"a": (0, 1)}, sequence=x), (NONE, 3, LIST, {}), "the sequence of points"),
    (lambda g, x: lw.sampled(4, {"a": (0, 1)}, seed=x), (TEXT, NONE, -1, 2.5), "the seed of points"),
    (lambda g, x: lw.Study(g.m, {"q1": [0.0]}, x, until=0.1), ({"a": NONE}, [NONE], 3), "outputs are"),
    (lambda g, x: lw.minimize(g.m, x, {"q1": (0, 1)}, outputs={"a": "q1"}, until=0.1), (NONE, 3, []), "to be least is"),
    (lambda g, x: lw.minimize(g.m, "a", {"q1": (0, 1)}, outputs={"a": "q1"}, until=0.1, method=x),
     (lw.NelderMead, 3, {}, []), "looks for no minimum"),
    (lambda g, x: lw.DifferentialEvolution(x), (TEXT, NONE, NAN, 0, 2.5), "generations of lw.DifferentialEvolution is"),
    (lambda g, x: lw.NelderMead(tolerance=x), (TEXT, NONE, NAN, -1.0), "tolerance of lw.NelderMead is"),
    (lambda g, x: lw.exciting(g.m, x), WITH_NUMBERS, "the period of an exciting motion is|speeds of 'arm' are not"),
    (lambda g, x: lw.exciting(g.m, 1.0, harmonics=x), (TEXT, NONE, 0, 2.5), "harmonics of an exciting motion is"),
    (lambda g, x: lw.exciting(g.m, 1.0, reach=x), (*WITH_NUMBERS, {"q9": 1.0}), "reach of an exciting motion is"),
    (lambda g, x: lw.identify(g.m, *np.zeros((4, 10, 2)), loads=x), (TEXT, 3, {}), "loads is"),
    (lambda g, x: lw.craig_bampton(np.eye(4), np.eye(4), x, 1), ([0.5], [0, 0], TEXT, [9]), "the interface of craig"),
    (lambda g, x: lw.export_c(g.m.equations(), "x", outputs=x), (TEXT, 3, LIST, {3: "q1"}), "the outputs of|an output"),
    (lambda g, x: lw.exhibit_of(x), (NONE, 3, LIST), "what is to be shown is"),
    (lambda g, x: lw.Live(x), ANY, "what is to run live is"),
    (lambda g, x: lw.Live(lw.Exhibit(g.m), step=x), (TEXT, NAN, 0.0, -1.0), "the step of 'arm' is"),
    (lambda g, x: lw.Exhibit(x), ANY, "the model of an exhibit is"),
    *[(lambda g, x, k=k: lw.Exhibit(g.m, **{k: x}), (TEXT, 3, LIST), f"{k} of the exh|looked at")
      for k in ("q", "u", "inputs", "sliders", "view")],
    (lambda g, x: lw.Exhibit(g.m, sliders={"F": x}), (3, TEXT, (1.0,), (1, 0), (0, NAN), (0, 1, 2)), "slider of 'F'"),
    *[(lambda g, x, k=k: lw.Exhibit(g.m, **{k: x}), (TEXT, 3, (3,)), f"{k} of the exhibit 'arm' is")
      for k in ("draw", "targets", "plots")],
    (lambda g, x: lw.Exhibit(g.m, step=x), (TEXT, NONE, NAN), "the step of the exhibit 'arm' is"),
    (lambda g, x: lw.replay(x), (NONE, 3, LIST), "a session is"),
]  # fmt: skip

TABLE = [(make, call, value, match) for make, rows in ((given, MAKING), (given, LOADING), (given, READING),
         (given, OTHERS), (derived, ASKING), (simulated, CHANGING))
         for call, values, match in rows for value in values]  # fmt: skip


@pytest.mark.parametrize(("make", "call", "value", "match"), TABLE)
def test_a_wrong_call_is_answered_in_words(make, call, value, match):
    """An error of the house that names the thing, whatever is put in for it."""
    with pytest.raises(lw.LatchworkError, match=match):
        call(make(), value)


def test_there_are_enough_of_them():
    """Several hundred wrong calls are tried."""
    assert len(TABLE) > 900
