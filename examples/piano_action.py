"""The action of a grand piano: an escapement of shapes, pins and springs. Nobody lists its modes.

The key lifts the whippen by its capstan, the jack on the whippen throws the hammer by its knuckle, and just below the
string the let-off button trips the jack: the hammer flies on alone, strikes once, and falls into the backcheck of the
key. Where the key comes up a little, the repetition lever bears the hammer, the jack slips back under the knuckle, and
the next blow sounds. The damper leaves the string half way down. Five levers turn on pins, as in Hirschkorn, McPhee and
Birkett (2006); the finger is a mass behind a spring, and what it feels is the force at the key.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import latchwork as lw

MM, G = 1e-3, 9.81
DIP, BLOW, SLOPE = 10.0, 46.0, 0.08  # mm of the key at the finger, mm of the hammer; slope of the shank at rest
KEY, WHIPPEN, JACK, LEVER, HAMMER = (0.0, 0.0), (172.0, 40.0), (73.5, 40.0), (118.0, 78.0), (60.0, 112.0)  # the pins
FINGER, DAMPER, KNUCKLE, SHANK = (-220.0, 18.0), (228.0, 0.0), (76.5, 105.0), 130.0
LEVERS = {  # pin, mass centre, kg, kg m² about it
    "key": (KEY, (-30.0, 0.0), 0.140, 2.3e-3),  # with its leads
    "whippen": (WHIPPEN, (115.0, 45.0), 0.016, 2.5e-5),
    "jack": (JACK, (73.5, 60.0), 0.004, 2e-6),
    "lever": (LEVER, (90.0, 90.0), 0.005, 4e-6),
    "hammer": (HAMMER, (162.5, 110.0), 0.013, 4e-5),
    "damper": (DAMPER, (228.0, 200.0), 0.040, 1e-5),
    "finger": (FINGER, FINGER, 0.050, 1e-5),
}
DAMPING = {"key": 2e-2, "whippen": 1e-4, "jack": 2e-5, "lever": 4e-3, "hammer": 2e-4, "damper": 2.0}  # N m s, N s/m
DOWN = DIP / -FINGER[0]  # the angle of the key
LEAN = 0.436  # of the backcheck, from upright


def head(along: float, above: float) -> tuple[float, float]:
    """A place on the head of the hammer at rest: along its shank from where this ends, and above it."""
    c, s = math.cos(SLOPE), math.sin(SLOPE)
    return HAMMER[0] + (SHANK + along) * c + above * s, HAMMER[1] - (SHANK + along) * s + above * c


def as_key_is_down(x: float, y: float) -> tuple[float, float]:
    """Where a place of the key is at rest that is here when the key is down."""
    c, s = math.cos(DOWN), math.sin(DOWN)
    return x * c + y * s, y * c - x * s


STRING = head(0.0, 45.0)[1] + BLOW
CHECK = as_key_is_down(202.6 + 12.0 * math.cos(LEAN), 109.5 - 12.0 * math.sin(LEAN))  # middle of the backcheck


class Action:
    """A model under construction: its levers by name, places in mm as they lie at rest."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.model, self.links, self.bodies = lw.Model("piano action"), dict[str, lw.Link](), dict[str, lw.Body]()
        for name in names:
            pin, centre, mass, inertia = LEVERS[name]
            link = self.links[name] = self._joint(name, pin)
            self.bodies[name] = self.model.body(name, link, self.at(name, "centre", *centre), mass,
                                                lw.inertia(link.frame, zz=inertia))  # fmt: skip
            if name in DAMPING:
                self.model.resist(link, damping=DAMPING[name])

    def _joint(self, name: str, pin: tuple[float, float]) -> lw.Link:
        slides = name in ("damper", "finger")
        inboard = self.links["whippen"] if name in ("jack", "lever") else None
        at = self.at("whippen", f"{name} pin", *pin) if inboard else self.fixed(f"{name} pin", *pin)
        names = {"q": [name], "u": [f"v_{name}" if slides else f"w_{name}"]}
        if slides:
            return self.model.prismatic(name, at=at, axis=self.model.frame.y, **names)
        return self.model.revolute(name, inboard, at=at, **names)

    def fixed(self, name: str, x: float, y: float) -> lw.Point:
        """A point of the frame of the piano."""
        N = self.model.frame
        return self.model.origin.at(name, MM * x * N.x + MM * y * N.y)

    def at(self, lever: str, name: str, x: float, y: float) -> lw.Point:
        """A point of a lever."""
        link, (px, py) = self.links[lever], LEVERS[lever][0]
        return link.origin.at(f"{lever} {name}", MM * (x - px) * link.frame.x + MM * (y - py) * link.frame.y)

    def circle(self, lever: str, name: str, x: float, y: float, radius: float) -> lw.Circle:
        """A round part of a lever."""
        return self.bodies[lever].circle(MM * radius, self.at(lever, name, x, y))

    def rod(self, lever: str, name: str, p: tuple[float, float], q: tuple[float, float], radius: float) -> lw.Capsule:
        """A straight part of a lever, with round ends."""
        ends = [self.at(lever, f"{name} {k}", *place) for k, place in enumerate((p, q))]
        return self.bodies[lever].capsule(*ends, MM * radius)

    def edge(self, lever: str, name: str, p: tuple[float, float], q: tuple[float, float]) -> lw.Segment:
        """The upper side of a lever."""
        ends = [self.at(lever, f"{name} {k}", *place) for k, place in enumerate((p, q))]
        return lw.Segment(*ends, normal=self.links[lever].frame.y, body=self.bodies[lever])

    def hull(self, lever: str, *corners: tuple[float, float]) -> lw.Hull:
        """A part of a lever with corners."""
        places = [[MM * (place[k] - LEVERS[lever][0][k]) for k in (0, 1)] + [0.0] for place in corners]
        return self.bodies[lever].hull(places, self.links[lever].origin)

    def button(self, name: str, x: float, y: float, radius: float) -> lw.Circle:
        """A round part of the frame."""
        return lw.Circle(self.fixed(name, x, y), MM * radius)


def build(finger: bool = True) -> lw.Model:
    """All parts, their springs, and which of them may touch."""
    action = Action(tuple(LEVERS) if finger else tuple(LEVERS)[:-1])
    model, links, N = action.model, action.links, action.model.frame
    model.gravity(-G * N.y)
    jack_spring, repetition = model.parameters(jack_spring=0.01, repetition=0.050)  # N m at rest
    model.describe(jack_spring="torque of the jack spring at rest [N m]",
                   repetition="torque of the repetition spring at rest [N m]")  # fmt: skip
    model.actuate(links["jack"], -jack_spring - 0.02 * links["jack"].q[0], name="jack spring")
    model.actuate(links["lever"], -repetition - 0.03 * links["lever"].q[0], name="repetition spring")
    model.limit("jack stop", links["jack"], (0.0, None))
    model.limit("lever stop", links["lever"], (0.0, None))
    _touch(action)
    _draw(action)
    if finger:
        hand = model.input("hand")
        k, c = model.parameters(k=1500.0, c=8.0)  # N/m, N s/m
        model.describe(hand="where the hand would be [m]", k="stiffness of the finger [N/m]", c="its damping [N s/m]")
        (y,), (v,) = links["finger"].q, links["finger"].u
        model.force(links["finger"].origin, (k * (hand - y) - c * v) * N.y)
        model.contact("fingertip", action.circle("finger", "tip", *FINGER, 6.0),
                      action.circle("key", "ivory", FINGER[0], 4.0, 8.0))  # fmt: skip
    return model


def _touch(action: Action) -> None:
    """What touches what. All is felt and leather: nothing rebounds, but the hammer from the string."""
    contact, N, circle, button = action.model.contact, action.model.frame, action.circle, action.button
    front, back = -215.0 * math.sin(DOWN) - 6.0 * math.cos(DOWN) - 11.0, -6.0 - 11.0
    contact("front rail", circle("key", "front", -215.0, -6.0, 6.0), button("front rail", -215.0, front, 5.0))
    contact("back rail", circle("key", "back", 190.0, -6.0, 6.0), button("back rail", 190.0, back, 5.0))
    contact("capstan", circle("key", "capstan", 105.0, 26.0, 4.0), circle("whippen", "heel", 105.0, 38.0, 8.0))
    knuckle = circle("hammer", "knuckle", *KNUCKLE, 5.0)
    contact("jack", knuckle, action.edge("jack", "fly", (71.0, 99.8), (77.0, 99.8)), friction=0.2)
    contact("repetition lever", knuckle, action.edge("lever", "top", (62.0, 100.0), (88.0, 100.0)))
    contact("let-off button", circle("jack", "toe", 50.0, 44.0, 3.0), button("let-off", 50.0, 55.5, 4.0))
    contact("drop screw", circle("lever", "end", 50.5, 97.0, 3.0), button("drop screw", 54.0, 108.6, 2.0))
    string = [action.fixed(f"string {k}", x, STRING) for k, x in enumerate((120.0, 270.0))]
    contact("string", circle("hammer", "nose", *head(0.0, 39.0), 6.0), lw.Segment(*string, normal=-N.y),
            restitution=0.6)  # fmt: skip
    contact("backcheck", circle("hammer", "tail", *head(6.0, -26.0), 4.0), circle("key", "check", *CHECK, 12.0),
            friction=0.6)  # fmt: skip
    contact("damper", circle("damper", "felt", 228.0, STRING + 5.0, 5.0), lw.Segment(*string, normal=N.y))
    contact("damper lift", circle("damper", "foot", 228.0, 20.0, 3.0), circle("key", "tail", 228.0, 6.0, 6.0))


def _draw(action: Action) -> None:
    """Parts that touch nothing."""
    action.bodies["key"].box((0.465, 0.024), action.at("key", "middle", 2.5, 0.0))
    action.rod("whippen", "beam", WHIPPEN, JACK, 3.0)
    action.rod("whippen", "post", (118.0, 40.0), LEVER, 2.5)
    action.hull("jack", (71.0, 99.8), (77.0, 99.8), (77.0, 44.0), (71.0, 44.0))
    action.rod("jack", "arm", JACK, (50.0, 44.0), 2.5)
    action.hull("lever", (50.5, 100.0), (88.0, 100.0), (130.0, 80.0), (130.0, 74.0), (50.5, 94.0))
    action.rod("hammer", "shank", HAMMER, head(0.0, 0.0), 2.5)
    action.hull("hammer", head(-4.0, 38.0), head(4.0, 38.0), head(10.0, 12.0), head(8.0, -26.0), head(-4.0, -4.0),
                head(-10.0, 14.0))  # fmt: skip
    action.rod("key", "wire", (218.0, 12.0), CHECK, 1.0)
    action.rod("key", "capstan wire", (105.0, 12.0), (105.0, 26.0), 1.5)
    action.rod("damper", "wire", (228.0, 20.0), (228.0, STRING + 5.0), 1.0)


SHOW = ("key", "jack", "hammer")
DRAW = ("hammer pin", "hammer shank 1")
Way = tuple[tuple[float, float], ...]
TWICE = ((0.05, 0.0), (0.11, -0.014), (0.25, -0.014), (0.30, -0.004), (0.40, -0.004), (0.45, -0.016), (0.60, -0.016),
         (0.70, 0.002))  # fmt: skip
TOUCHES = {"forte": (0.03, 0.020), "mezzo forte": (0.06, 0.014), "piano": (0.10, 0.014), "too slow": (0.50, 0.0125)}


def press(within: float, depth: float) -> Way:
    """The hand goes down once, from 0.05 s on, and stays."""
    return (0.05, 0.0), (0.05 + within, -depth)


def run(model: lw.Model, until: float = 0.15, hand: Way | None = None) -> lw.Trajectory:
    """A blow, or another way of the hand: times and heights (s, m)."""
    hand = hand or press(*TOUCHES["mezzo forte"])
    times, places = zip((0.0, 0.0), *hand, (until + 1.0, hand[-1][1]), strict=True)
    return lw.simulate(model, until, inputs={"hand": lw.Table(times, places, "linear")})


def closes(moved: lw.Trajectory, contact: str) -> list[float]:
    """When a contact closes, or is struck."""
    return [event.t for event in moved.events
            if (event.kind == "impact" and contact in event.name) or (_in(contact, event.after) and not
                                                                        _in(contact, event.before))]  # fmt: skip


def opens(moved: lw.Trajectory, contact: str) -> list[float]:
    """When a contact opens."""
    return [event.t for event in moved.events if _in(contact, event.before) and not _in(contact, event.after)]


def _in(contact: str, names: tuple[str, ...]) -> bool:
    return any(name.startswith(f"{contact}:") for name in names)


def strikes(moved: lw.Trajectory) -> list[float]:
    """When the hammer strikes the string."""
    return closes(moved, "string")


def arrives(moved: lw.Trajectory, t: float) -> float:
    """The speed of the hammer just before it strikes, m/s."""
    return float(moved.at(t - 1e-7)["w_hammer"]) * math.dist(head(0.0, 45.0), HAMMER) * MM


def below_string(moved: lw.Trajectory, t: float) -> float:
    """How far the hammer is below the string, mm."""
    return STRING - 6.0 - float(moved.at(t)["hammer nose"][1]) / MM


def live() -> lw.Exhibit:
    """To be pressed with the pointer at the front of the key; or taken at any other part."""
    model = build(finger=False)
    shapes = tuple(shape for body in model.bodies.values() for shape in body.shapes)
    return lw.Exhibit(model, q=dict.fromkeys(model.links, 0.0), draw=DRAW, shapes=shapes, hold="key",
                      grip=(1000.0, 10.0), sliders={"repetition": (0.0, 0.08), "jack_spring": (0.0, 0.03)})  # fmt: skip


def drawing(axes: Any, moved: lw.Trajectory, model: lw.Model, t: float, faint: bool) -> None:
    """All parts at a time."""
    from latchwork.view.posing import framed

    inks = ("#1d4e9e", "#d99a2b", "#c0392b", "#6b4f9e", "#2a8f6d", "#7a7a4a", "#444444")
    colors = dict(zip(LEVERS, inks, strict=True))
    at = moved.at(t)
    for name, body in model.bodies.items():
        for made in framed(moved, list(body.shapes), "xy", moved.at([t]))[2]:
            place, cosines = np.asarray(at[made.at]), np.asarray(at[made.frame])
            for part in made.parts:
                x, y, _ = (place + np.asarray(part.places) @ cosines.T).T / MM
                axes.fill(x, y, facecolor=colors[name], alpha=0.12 if faint else 0.35, linewidth=0.0)
                axes.plot(x, y, color=colors[name], linewidth=0.8, alpha=0.25 if faint else 1.0)


def picture(path: str) -> None:
    """The action at rest and as it strikes; what the finger feels and what the hammer does, at four levels."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    figure = Figure(figsize=(8.4, 10.0), layout="constrained")
    side, force, dip, hammer, speed = figure.subplots(5, height_ratios=(3.2, 1, 1, 1, 1))
    model = build()
    shown = run(model)
    drawing(side, shown, model, 0.0, faint=True)
    drawing(side, shown, model, strikes(shown)[0], faint=False)
    side.plot((120.0, 270.0), (STRING, STRING), color="black", linewidth=1.6)
    for x, y, r in ((50.0, 55.5, 4.0), (54.0, 108.6, 2.0), (-215.0, -27.0, 5.0), (190.0, -17.0, 5.0)):
        side.add_patch(Circle((x, y), r, color="#555555"))
    side.set(aspect="equal", xlabel="mm")
    tip = next(contact.force for contact in model.contacts if contact.name == "fingertip")
    for level, color in zip(TOUCHES, ("#c0392b", "#1d4e9e", "#2a8f6d", "#8a8a8a"), strict=True):
        moved = run(model, 0.3, press(*TOUCHES[level]))
        at = moved.at(np.linspace(0.04, 0.3, 3000))
        force.plot(at.t, at[tip], color=color, label=level)
        dip.plot(at.t, -FINGER[0] * at["key"], color=color)
        hammer.plot(at.t, STRING - 6.0 - at["hammer nose"][:, 1] / MM, color=color)
        speed.plot(at.t, at["w_hammer"] * math.dist(head(0.0, 45.0), HAMMER) * MM, color=color)
        for strike in strikes(moved):
            force.axvline(strike, color=color, linewidth=0.6, linestyle=":")
    force.set(ylabel="force at the key (N)", ylim=(0.0, 20.0))
    force.legend(loc="upper right", ncols=4)
    dip.set(ylabel="dip (mm)")
    dip.invert_yaxis()
    hammer.set(ylabel="to the string (mm)")
    hammer.invert_yaxis()
    speed.set(ylabel="hammer (m/s)", xlabel="t (s)")
    figure.savefig(path)


def main() -> None:
    model = build()
    for level, touch in TOUCHES.items():
        moved = run(model, 0.05 + touch[0] + 0.3, press(*touch))
        (letoff, *_), (bottom, *_) = closes(moved, "let-off button"), closes(moved, "front rail")
        hits = strikes(moved)
        assert moved.audit.energy_error < 1e-8
        if level == "too slow":
            assert not hits
            print(f"{level}: let off at {1e3 * letoff:.1f} ms, the hammer sinks back without a sound")
            continue
        (strike,), catch = hits, closes(moved, "backcheck")[0]
        escape = max(t for t in opens(moved, "jack") if t < strike)
        assert max(letoff, escape) < strike < catch
        assert moved.at(strike)["jack"] > 0.03  # tripped
        assert 10.0 < below_string(moved, moved.t[-1]) < 20.0
        print(f"{level}: let off at {1e3 * letoff:.1f} ms, free at {1e3 * escape:.1f}, strikes at {1e3 * strike:.1f} "
              f"with {arrives(moved, strike):.2f} m/s, key down {1e3 * (bottom - strike):+.1f} ms from there, caught "
              f"at {1e3 * catch:.1f}, {below_string(moved, moved.t[-1]):.1f} mm below the string")  # fmt: skip
    twice = run(model, 1.0, TWICE)
    first, second = strikes(twice)
    least = -FINGER[0] * twice.at(np.linspace(first, second, 500))["key"].min()
    assert least > 0.3 * DIP
    print(f"again at {1e3 * second:.1f} ms; in between the key came up to {least:.1f} mm of its {DIP:.0f}")
    modes = {tuple(mode.names) for mode in twice.modes}
    print(f"{len(twice.events)} events in 1 s, in {len(modes)} modes, none of them listed")


if __name__ == "__main__":
    main()
