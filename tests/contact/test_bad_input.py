"""What a user can get wrong about contacts: each error names it, shows the values and says what to do."""

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import log, sqrt


class Ball:
    """A ball of mass 1 above a floor, free in the plane; it does not turn."""

    def __init__(self, name="toy", mass=1.0):
        self.model = model = lw.Model(name)
        self.N, self.O = model.frame, model.origin
        self.x, self.y = model.coordinates("x", "y")
        model.speeds()
        self.P = self.O.at("P", self.x * self.N.x + self.y * self.N.y)
        self.body = model.body("ball", frame=self.N, center=self.P, mass=mass, inertia=lw.inertia(self.N, zz=1.0))
        model.gravity(-9.8 * self.N.y)
        self.floor = lw.Line(point=self.O, direction=self.N.x, normal=self.N.y)

    def at(self, name, x, y=0.0):
        return self.O.at(name, x * self.N.x + y * self.N.y)

    def on_floor(self, **laws):
        return self.model.contact("floor", self.body.circle(1.0), self.floor, **laws)

    def meets(self, other, shape=None):
        return self.model.contact("it", shape or self.body.circle(1.0), other)

    def run(self, x=0.0, y=2.0, u=None, until=1.0, **settings):
        return lw.simulate(self.model, until, q={"x": x, "y": y}, u=u, **settings)

    def begun(self, y=1.0):
        """A simulation of the ball on the floor."""
        self.on_floor()
        sim = lw.Simulation(self.model, q={"x": 0.0, "y": y})
        sim.advance(0.1)
        return sim


OTHER = lw.Model("other")
FOREIGN = OTHER.parameter("mu", 0.5)
STRANGER = Ball("two")

SHAPES = {
    "radius as text": (lambda b: b.body.circle("1.0"), r"the radius of lw\.Circle is '1\.0'\. Give a number or a"),
    "no radius": (lambda b: b.body.circle(None), r"the radius of lw\.Circle is None\. Give a number"),
    "radius zero": (lambda b: b.body.circle(0), r"the radius of lw\.Circle is 0\. Give one above zero"),
    "radius nan": (lambda b: b.body.circle(math.nan), r"the radius of lw\.Circle is nan\. Give a number"),
    "radius moves": (lambda b: b.body.circle(b.x), r"the radius of lw\.Circle, x, changes with x\. Give one of param"),
    "radius of another model": (lambda b: b.body.circle(FOREIGN), "'mu' belongs to the model 'other', not to 'toy'"),
    "sizes as text": (lambda b: b.body.box("12"), r"the sizes of lw\.Box are '12'\. Give two in the plane"),
    "one size": (lambda b: b.body.box(1.0), r"the sizes of lw\.Box are 1\.0\. Give two in the plane"),
    "wrong body": (lambda b: b.body.circle(1.0, b.O), r"'O', where lw\.Circle is to be, moves with x, y as seen from "
                   r"'ball'\. Give a point of that body, such as 'P'"),
    "no point": (lambda b: lw.Line((0, 0), b.N.x, b.N.y), r"the point of lw\.Line is \(0, 0\)\. Give a point"),
    "skew": (lambda b: lw.Line(b.O, b.N.x, b.N.x + b.N.y), "make the cosine 0.707. Give two that are at right angles"),
    "belt as text": (lambda b: lw.Line(b.O, b.N.x, b.N.y, belt="fast"),
                     r"the belt of lw\.Line is 'fast'\. Give the speed"),
    "belt of a plane": (lambda b: lw.Plane(b.O, b.N.y, belt=3.0), r"lw\.Plane is 3\.0\. A plane has no direction"),
    "zero length": (lambda b: lw.Segment(b.O, b.at("E", 0.0), b.N.y),
                    r"lw\.Segment goes from 'O' to 'E', which are one"),
    "one corner": (lambda b: lw.Polyline([b.O]), r"lw\.Polyline has the corners 'O'\. Give two"),
    "no corners": (lambda b: lw.Polyline(b.O), r"the corners of lw\.Polyline are O\. Give a list of them"),
    "no pieces": (lambda b: lw.Boundary(None), r"the pieces of lw\.Boundary are None\. Give a list"),
    "pieces apart": (lambda b: lw.Boundary([lw.Segment(b.O, b.at("E", 1.0), b.N.y),
                                            lw.Segment(b.at("F", 2.0), b.at("G", 3.0), b.N.y)]),
                     r"piece 2 of lw\.Boundary begins 1 from where piece 1 ends\. Let each"),
    "no angle": (lambda b: lw.Arc(b.O, 1.0, start=b.N.x, angle=0.0), r"the angle of lw\.Arc at 'O' is 0\.0\. Give one"),
    "angle as text": (lambda b: lw.Arc(b.O, 1.0, start=b.N.x, angle="90"),
                      r"the angle of lw\.Arc at 'O' is '90'\. Give"),
    "start along the axis": (lambda b: lw.Arc(b.O, 1.0, start=b.N.z, angle=1.0),
                             "the axis and the start of lw.Arc make"),
    "hull on a line": (lambda b: b.body.hull([[0, 0], [1, 0], [2, 0]]), r"the 3 points of lw\.Hull lie on one line"),
    "hull of nan": (lambda b: b.body.hull([[0, 0], [1, math.nan], [2, 0]]), r"points of lw\.Hull are not all finite"),
    "hull of nothing": (lambda b: b.body.hull(3), r"the points of lw\.Hull are 3\. Give points of the body"),
    "no axis": (lambda b: b.body.rim("z", 1.0), r"the axis of lw\.Rim is 'z'\. Give a vector"),
    "no rod": (lambda b: b.body.capsule(b.P, b.P, 1.0), r"lw\.Capsule goes from 'P' to 'P', which are one place"),
}  # fmt: skip

LAWS = {
    "e below": (lambda b: {"restitution": -0.1}, r"the restitution of 'floor' is -0\.1\. Give a number from 0 to 1"),
    "e above": (lambda b: {"restitution": 1.5}, r"the restitution of 'floor' is 1\.5\. Give a number from 0 to 1"),
    "e nan": (lambda b: {"restitution": math.nan}, "the restitution of 'floor' is nan. Give a number"),
    "e as text": (lambda b: {"restitution": "0.5"}, r"the restitution of 'floor' is '0\.5'\. Give a number"),
    "e by zone": (lambda b: {"restitution": lw.zones(b.x, [1], [0.1, 1.2])}, r"the restitution of 'floor' is 1\.2"),
    "mu below": (lambda b: {"friction": -0.1}, r"contact 'floor': a coefficient of friction is -0\.1\. Give a finite"),
    "mu nan": (lambda b: {"friction": math.nan}, "contact 'floor': a coefficient of friction is nan. Give a finite"),
    "mu inf": (lambda b: {"friction": math.inf}, "contact 'floor': a coefficient of friction is inf. Give a finite"),
    "mu as text": (lambda b: {"friction": "rough"}, r"the friction of 'floor' is 'rough'\. Give a coefficient, or lw"),
    "mu by zone": (lambda b: {"friction": lw.zones(b.x, [1], [0.1, -0.2])},
                   r"'floor': a coefficient of friction is -0\.2"),
    "mu as pair": (lambda b: {"friction": (0.5, 0.4)},
                   r"the friction of 'floor' is \(0\.5, 0\.4\)\. Give a coefficient"),
    "mu of another model": (lambda b: {"friction": FOREIGN},
                            "'floor' has .* belongs to the model 'other', not to 'toy'. Make"),
    "law": (lambda b: {"impact": "newtom"}, r"contact 'floor' has the law of impact 'newtom'\. Did you mean 'newton'"),
    "no law": (lambda b: {"impact": ["newton"]}, r"has the law of impact \['newton'\]\. Did you mean"),
}  # fmt: skip

VALUES = {
    "text": (lambda x: lw.Coulomb("rough"), "a coefficient of friction is 'rough'. Give a finite number"),
    "nothing": (lambda x: lw.Coulomb(None), "a coefficient of friction is None. Give a finite number"),
    "dynamic as text": (lambda x: lw.Coulomb(0.5, "x"), "a coefficient of friction is 'x'. Give a finite number"),
    "of NumPy": (lambda x: lw.Coulomb(np.float32(-0.5)), r"a coefficient of friction is -0\.5\. Give a finite number"),
    "dynamic above": (lambda x: lw.Coulomb(0.3, 0.5), r"dynamic friction 0\.5 is above static friction 0\.3\. Give"),
    "zones out of order": (lambda x: lw.zones(x, [2, 1], [0, 1, 2]),
                           r"zones along x are \[2\.0, 1\.0\]\. Give them in"),
    "too many values": (lambda x: lw.zones(x, [2], [0, 1, 2]), "zones along x have 1 bounds and 3 values. Give one"),
    "zones of nothing": (lambda x: lw.zones("x", [2], [0, 1]), "zones lie along an expression of the model; got 'x'"),
    "bound as text": (lambda x: lw.zones(x, ["a"], [0, 1]), "zones along x are given 'a'. Give finite numbers"),
    "bound nan": (lambda x: lw.zones(x, [math.nan], [0, 1]), "zones along x are given nan. Give finite numbers"),
    "one bound": (lambda x: lw.zones(x, 1.0, [0, 1]), r"the bounds of zones along x are 1\.0\. Give a list: lw\.zones"),
}  # fmt: skip


def curve(b, shape, span=(-1.0, 1.0)):
    return b.model.contact("it", b.body.circle(0.1), lw.Curve(b.O, shape, span))


CONTACTS = {
    "body": (lambda b: b.meets(b.floor, b.body),
             r"contact 'it' is given ball, which is no shape\. A body has no shape"),
    "nothing": (lambda b: b.model.contact("it", b.body.circle(1.0), None),
                "'it' is given None, which is no shape. Shapes"),
    "two lines": (lambda b: b.meets(b.floor, lw.Line(b.P, b.N.x, b.N.y, body=b.body)),
                  r"lw\.Line and lw\.Line, which no"),
    "itself": (lambda b: b.meets(b.body.circle(0.1, b.P.at("Z", 3 * b.N.x))),
               r"nothing can change the gap of 'it', which is always 1\.9: its shapes are fixed to each other"),
    "both fixed": (lambda b: b.meets(b.floor, lw.Circle(b.at("Z", 0.0, 3.0), 1.0)),
                   "which is always 2: its shapes are"),
    "too tight": (lambda b: b.meets(lw.Arc(b.O, 0.5, inside=True)),
                  "never touch: .* inside of the other and does not fit"),
    "no name": (lambda b: b.model.contact(3, b.body.circle(1.0), b.floor),
                "a contact needs a name .* got 3. Give it first"),
    "list": (lambda b: b.model.contact(["f"], b.body.circle(1.0), b.floor), r"a contact needs a name .* got \['f'\]"),
    "no name at all": (lambda b: b.model.contact(b.body.circle(1.0), b.floor, 0),
                       r"needs a name .* got Circle\(center=P"),
    "twice": (lambda b: (b.on_floor(), b.on_floor()),
              "'toy' has a contact or constraint named 'floor' already. Choose"),
    "two models": (lambda b: b.meets(STRANGER.floor), "'it' belong to two models, 'toy' and 'two'. Make both in one"),
    "all of another": (lambda b: b.meets(STRANGER.floor, STRANGER.body.circle(1)),
                       "belongs to the model 'two', not to 'toy'"),
    "curve nan": (lambda b: curve(b, lambda s: s * b.N.x + log(s) * b.N.y),
                  r"curve of 'it' has no place at s = -1: it is \[-1\.0, nan, 0\.0\]\. Change its expression"),
    "curve that is a point": (lambda b: curve(b, lambda s: 1.0 * b.N.y), "'it' has a cusp or stands still at s = -1"),
    "curve backwards": (lambda b: curve(b, lambda s: s * b.N.x, (1, -1)),
                        "s of the curve of 'it' goes from 1 to -1. Give"),
    "curve over a number": (lambda b: curve(b, lambda s: s * b.N.x, 3.0),
                            r"curve of 'it' goes over 3\.0\. Give two finite"),
    "curve of no function": (lambda b: curve(b, b.N.x),
                             "curve of 'it' is made of O and N.x. Give a point of its body, then"),
    "surface": (lambda b: b.model.contact("it", b.body.sphere(0.1), lw.Surface(
        b.O, lambda p, q: p * b.N.x + q * b.N.z + sqrt(p) * b.N.y, ((-1.0, 1.0), (-1.0, 1.0)))),
                "the surface of 'it' has no place at a = -1, b = -1: .* nan"),
}  # fmt: skip

STARTS = {
    "overlap": (lambda b: b.on_floor(), {"y": 0.5},
                r"'floor' overlaps at t = 0: the gap of 'floor' is -0\.5\. Start with"),
    "circles": (lambda b: b.meets(lw.Circle(b.O, 1.0)), {"y": 0.5},
                r"'it' overlaps at t = 0: the gap of 'it' is -1\.5"),
    "one centre": (lambda b: b.meets(lw.Circle(b.O, 1.0)), {"y": 0.0}, "'it' overlaps at t = 0: the gap of 'it' is -2"),
    "corner below": (lambda b: b.meets(lw.Segment(b.O, b.at("E", 1.0), b.N.y), b.body.box((1, 1))),
                     {"x": 0.5, "y": 0.2}, r"overlaps at t = 0: the gap of 'it: side -y on end p' is -0\.3"),
    "flush": (lambda b: b.meets(lw.Box(b.O, (1, 1)), b.body.box((1, 1))), {"y": 0.2},
              r"'it' .* lie 0\.8 deep in each other"),
    "same place": (lambda b: b.meets(lw.Box(b.O, (1, 1)), b.body.box((1, 1))), {"y": 0.0},
                   "lie 1 deep in each other. Start"),
    "cross": (lambda b: b.meets(lw.Box(b.O, (0.5, 3)), b.body.box((3, 0.5))), {"y": 0.0},
              r"lie 1\.75 deep in each other"),
    "in space": (lambda b: b.meets(lw.Box(b.O, (1, 4, 1)), b.body.box((4, 1, 1.5))), {"y": 0.0},
                 r"lie 1\.25 deep in each"),
    "on a wire": (lambda b: b.meets(lw.Segment(b.at("A", -5.0), b.at("E", 5.0))), {"y": 0.2}, r"'it: edge' is -0\.8"),
    "through a wire": (lambda b: b.meets(lw.Segment(b.at("A", -5.0), b.at("E", 5.0)),
                                         b.body.capsule(b.P.at("p", -1 * b.N.y), b.P.at("q", 1 * b.N.y), 0.1)),
                       {"y": 0.2}, r"'it' overlaps at t = 0: its shapes lie 0\.8 deep"),
    "normal into the material": (lambda b: b.meets(lw.Line(b.O, b.N.x, -b.N.y)), {}, "is -3. .*turn the normal around"),
    "outline the wrong way": (lambda b: b.meets(lw.Polyline([b.at("E", 1.0), b.at("A", -1.0)])), {},
                              "'it: edge 1' is -3"),
    "name of a constraint": (lambda b: (b.on_floor(), b.model.constraint("floor", b.x)), {}, "named 'floor' already"),
    "names twice": (lambda b: (b.meets(b.floor, b.body.box((1, 1))), b.model.contact("it: corner +x+y", b.P, b.floor)),
                    {}, r"has a contact or constraint named 'it: corner \+x\+y' already"),
    "no value": (lambda b: b.on_floor(restitution=b.model.parameter("e")), {}, "no value for e. Give one for each"),
    "nan": (lambda b: b.on_floor(), {"y": math.nan}, r"y \(coordinates q\) is nan\. Give a finite number"),
    "design": (lambda b: b.on_floor(), {"design": lw.Multipliers()},
               r"Multipliers\(.* contact 'floor' needs some: .* Use lw\.Embedded\(\)"),
    "at once": (lambda b: b.on_floor(), {"at_once": "yes"}, r"at_once is 'yes'\. Give True \(together\)"),
    "stop_when of another model": (lambda b: b.on_floor(), {"stop_when": {"hard": 5.0 - FOREIGN}},
                                   "belongs to the model 'other', not to 'toy'"),
    "released by a rule": (lambda b: (b.on_floor(), b.model.rule("go", 0.5 - b.model.time, release="floor")), {},
                           "rule 'go' is to release 'floor', a contact, which opens by itself .* Only constraints"),
}  # fmt: skip

RUNS = {
    "e by time": (lambda b: b.on_floor(restitution=1 + b.model.time), {},
                  r"'floor' has restitution 1\.45.* at t = 0\.45.*in \[0, 1\]"),
    "e nan": (lambda b: b.on_floor(restitution=sqrt(-b.model.time)), {}, "'floor' has restitution nan"),
    "mu by time, sliding": (lambda b: b.on_floor(friction=0.3 - b.model.time), {"y": 1.0, "u": {"u_x": 10.0}},
                            r"static friction -1.*e-09 .* at t = 0\.3\. .*friction is not negative"),
    "mu by time, at rest": (lambda b: b.on_floor(friction=0.3 - b.model.time), {"y": 1.0},
                            r"at t = 0\.3\. .*not negative"),
    "mu nan": (lambda b: b.on_floor(friction=sqrt(0.3 - b.model.time)), {"y": 1.0, "u": {"u_x": 10.0}},
               r"not finite .*What holds there is 'floor'|friction nan"),
    "dynamic above, by zone": (lambda b: b.on_floor(friction=lw.Coulomb(lw.zones(b.x, [1], [0.3, 0.5]), 0.4)), {},
                               r"static friction 0\.3 and dynamic friction 0\.4 .*not above static"),
    "driven into the floor": (lambda b: (b.model.constraint("down", b.y - 2 + 4 * b.model.time), b.on_floor()), {},
                              "'floor' approaches at 4 m/s, and no impulse there changes that: constraints hold both"),
}  # fmt: skip

PARAMETERS = {
    "radius": (lambda b, p: b.meets(b.floor, b.body.circle(p)), -1.0,
               r"radius of lw\.Circle of contact 'it', p, is -1 in"),
    "length": (lambda b, p: b.meets(lw.Segment(b.O, b.at("E", p), b.N.y)), 0.0,
               r"the length of lw\.Segment of contact 'it',"),
    "restitution": (lambda b, p: b.on_floor(restitution=p), 2.0, "'floor' has restitution 2, .* lies in"),
    "bounds": (lambda b, p: b.on_floor(friction=lw.zones(b.x, [p, 1.0], [0.1, 0.2, 0.3])), 3.0,
               "the bounds of zones along x of 'floor' are 3, 1 in this run. Give parameters"),
}  # fmt: skip

CHANGES = {
    "twice": (lambda b, sim: sim.contact("floor", b.body.circle(0.5), b.floor),
              "named 'floor' already. Name the new one"),
    "twice, other features": (lambda b, sim: sim.contact("floor", b.body.box((0.5, 0.5)), b.floor),
                              "named 'floor' already"),
    "overlap": (lambda b, sim: sim.contact("wall", b.body.circle(1.0), lw.Line(b.O, b.N.y, b.N.x)),
                "'wall' overlaps at t = 0.1"),
    "two models": (lambda b, sim: sim.contact("it", STRANGER.body.circle(1), STRANGER.floor),
                   "belongs to the model 'two', not"),
    "released": (lambda b, sim: sim.release("floor"),
                 "'floor' is a contact of 'toy', which opens by itself .* Only constr"),
    "released, as it stands": (lambda b, sim: sim.release("floor: slide"), "'floor: slide' is a contact of 'toy'"),
    "constraint of its name": (lambda b, sim: sim.constrain("floor", b.x),
                               "'floor' is a contact of 'toy'. Name the constr"),
    "removed, of no name": (lambda b, sim: sim.remove(["floor"]), r"'toy' has no contact '\['floor'\]' now\. Did you"),
    "reshaped into nothing": (lambda b, sim: sim.reshape("floor", 3), "is given 3, which is no shape"),
    "late coordinate": (lambda b, sim: sim.contact("it", b.O.at("Z", b.model.coordinates("z")[0] * b.N.y), b.floor),
                        "'z' of 'toy' have no value here"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), SHAPES.values(), ids=SHAPES)
def test_shapes(make, message):
    """A shape of no size, at no place or on the wrong body is refused when it is made."""
    with pytest.raises(lw.LatchworkError, match=message):
        make(Ball())


@pytest.mark.parametrize(("laws", "message"), LAWS.values(), ids=LAWS)
def test_laws(laws, message):
    """Restitution, friction and laws of impact out of bounds are refused with the name of the contact."""
    ball = Ball()
    with pytest.raises(lw.ModelError, match=message):
        ball.on_floor(**laws(ball))


@pytest.mark.parametrize(("make", "message"), VALUES.values(), ids=VALUES)
def test_coefficients_by_themselves(make, message):
    """Coulomb's law and zones refuse what is no coefficient."""
    with pytest.raises(lw.ModelError, match=message):
        make(Ball().x)


@pytest.mark.parametrize(("make", "message"), CONTACTS.values(), ids=CONTACTS)
def test_contacts(make, message):
    """Contacts of what is no shape, cannot touch, has no name, or belongs elsewhere are refused."""
    with pytest.raises(lw.ModelError, match=message):
        make(Ball())


@pytest.mark.parametrize(("make", "start", "message"), STARTS.values(), ids=STARTS)
def test_starts(make, start, message):
    """A run does not begin with shapes that overlap, names that are taken, or settings without a meaning."""
    ball = Ball()
    make(ball)
    with pytest.raises(lw.LatchworkError, match=message):
        ball.run(**start)


@pytest.mark.parametrize(("make", "settings", "message"), RUNS.values(), ids=RUNS)
def test_what_goes_wrong_in_the_run(make, settings, message):
    """Laws that leave their bounds, and motion that is forced into a surface, end a run."""
    ball = Ball()
    make(ball)
    with pytest.raises(lw.LatchworkError, match=message):
        ball.run(**settings)


@pytest.mark.parametrize(("make", "value", "message"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_of_a_run(make, value, message):
    """Parameters that make a length negative, or a law impossible, in one run are refused there."""
    ball = Ball()
    make(ball, ball.model.parameter("p", 0.5))
    with pytest.raises(lw.ModelError, match=message):
        ball.run(parameters={"p": value})


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_changes_in_the_run(change, message):
    """A change that is refused leaves the run as it was."""
    ball = Ball()
    sim = ball.begun()
    with pytest.raises(lw.LatchworkError, match=message):
        change(ball, sim)
    sim.advance(0.2)
    assert sim.active == ("floor: slide",)
    assert sim.q["y"] == pytest.approx(1.0, abs=1e-12)


def test_equations_of_a_model_with_contacts():
    """Contacts are not left out in silence where equations are given in place of the model."""
    ball = Ball()
    ball.on_floor()
    for given in (ball.model.equations(), ball.model.constrained()):
        with pytest.raises(lw.ModelError, match=r"which do not hold its contacts \('floor'\)\. Give the model itself"):
            lw.simulate(given, 1.0, q={"x": 0.0, "y": 2.0})


def test_body_without_mass():
    """What has no inertia is refused where a run begins, naming its speeds: at rest on the floor, and falling."""
    ball = Ball(mass=0.0)
    ball.on_floor(friction=0.3)
    for start in ({}, {"y": 1.0, "u": {"u_y": -1.0}}):
        with pytest.raises(lw.EvaluationError, match=r"'toy' is singular: no mass or inertia resists u_x and u_y toge"):
            ball.run(**start)


def test_stop_on_a_force():
    """A condition on a force is a rule, and stop_when says so."""
    ball = Ball()
    contact = ball.on_floor()
    with pytest.raises(lw.EvaluationError, match=r"stop_when 'hard' depends on the force of 'floor'.*Say it as a rule"):
        ball.run(stop_when={"hard": 5.0 - contact.force})


def test_names_that_are_not_wrong():
    """Conditions and rules may have the names of contacts, or of guards: kinds tell them apart."""
    ball = Ball()
    ball.on_floor()
    ball.model.rule("floor", 0.6 - ball.model.time, stop=True)
    first = ball.run(stop_when={"floor": ball.y - 1.5}).events
    second = ball.run(stop_when={"1: touch": ball.y - 1.5, "touch 0": ball.y - 1.7}).events
    third = ball.run().events
    assert [(event.kind, event.name) for event in (*first, *second)] == [("stop", "floor"), ("stop", "touch 0")]
    assert [(event.kind, event.name) for event in third] == [("impact", "floor"), ("rule", "floor")]


def test_numbers_of_any_kind():
    """Whole numbers and those of NumPy are numbers."""
    ball = Ball()
    box = ball.body.box(np.array([2.0, 2.0]))
    ball.model.contact("floor", box, ball.floor, restitution=np.float32(0.5), friction=np.int64(1))
    run = ball.run(until=0.6)
    assert -run.at(0.5)["u_y"] < 0.0


def test_start_into_the_floor():
    """A start that touches and approaches begins with an impact."""
    ball = Ball()
    ball.on_floor(restitution=0.5)
    event = ball.run(y=1.0, u={"u_y": -2.0}, until=0.1).events[0]
    assert (event.t, event.kind, event.energy) == (0.0, "impact", pytest.approx(1.5, rel=1e-12))


def test_body_that_cannot_move():
    """A body that constraints hold may touch; nothing happens."""
    ball = Ball()
    ball.model.constraint("x", ball.x)
    ball.model.constraint("y", ball.y - 1.0)
    ball.on_floor(friction=0.3)
    run = ball.run(y=1.0)
    assert run.events == ()
    assert np.abs(run["y"] - 1.0).max() < 1e-12
