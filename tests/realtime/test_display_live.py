"""The three displays on live mechanisms: whatever mode they are in, and through the network device."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import EvaluationError
from latchwork.realtime.devices.device import NULL, Reading
from latchwork.realtime.devices.network import network_device
from latchwork.realtime.devices.paths import Formulas
from latchwork.realtime.devices.scripted import Grasp, Scripted
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.realtime.live import Live
from latchwork.realtime.replay import replay
from realtime_mechanisms import block, two_links

STEP = 1e-3
TIP = (0.0, -0.4, 0.0)


class Pusher:
    """A device that measures a steady force of the hand, and notes what it is shown."""

    damping = None
    display = "admittance"

    def __init__(self):
        self.shown, self.felt = [], []

    def read(self, tick, t):
        return Reading("block", force=(3.0, 0.0, 0.0))

    def show(self, tick, t, motion):
        self.shown.append((t, motion.place[0], motion.velocity[0]))

    def write(self, tick, t, force, torque):
        self.felt.append(force)

    def close(self):
        """There is nothing to give back."""


def test_admittance_of_a_live_block():
    """½ f t²/m under a measured force, shown to the device after each tick; no force is displayed."""
    device = Pusher()
    live = Live(Exhibit(block(2.0), {"x": 0.0}, {"v": 0.0}), device=device)
    for _ in range(200):
        live.tick()
    t = 200 * STEP
    assert live.x == pytest.approx([0.5 * 1.5 * t**2, 1.5 * t], rel=1e-9)
    assert device.shown[-1] == pytest.approx((t, *live.x))
    assert set(device.felt) == {NULL}
    assert live.grip.observer.generated == pytest.approx(0.0, abs=1e-12)


def driven(seconds, latched=False):
    """The two links, their tip led along a path that begins where it is; with the elbow latched if asked for."""
    model, q1, q2 = two_links(), 0.5, 0.8
    x0, y0 = 0.8 * (math.sin(q1) + math.sin(q1 + q2)), -0.8 * (math.cos(q1) + math.cos(q1 + q2))
    path = Formulas(f"{x0} + 0.1*(1 - cos(4*t))", f"{y0} + 0.05*(4*t - sin(4*t))", "0")
    device = Scripted(Grasp("lower", path, TIP))
    latch = lw.Latch("elbow", model.symbols["q2"])
    exhibit = Exhibit(model, {"q1": q1, "q2": q2}, {"u1": 0.0, "u2": 0.0}, constraints=(latch,))
    live = Live(exhibit, device=device, display="inverse dynamics")
    assert not latched or live.do({"do": "hold", "name": "elbow"})["ok"]
    for _ in range(round(seconds / STEP)):
        live.tick()
    return live, device, path


def test_inverse_dynamics_leads_the_handle():
    """The tip goes where the device goes, and what is felt is λ of a constraint that does the same."""
    live, device, path = driven(0.3)
    model = two_links()
    equations, N, t, lower = model.equations(), model.frame, model.time, model.bodies["lower"]
    tip = lower.center.at("P", -0.4 * lower.frame.y).position()
    start = path(0.0).place
    goal = (start[0] + 0.1 * (1.0 - lw.cos(4.0 * t)), start[1] + 0.05 * (4.0 * t - lw.sin(4.0 * t)))
    along = lw.Constraint("driven", [tip.dot(N.x) - goal[0], tip.dot(N.y) - goal[1]])
    lam = equations.embed(along, at=live.x[:2]).reactions(live.x[:2], live.x[2:], t=0.3)["driven"].lam
    assert live.grip.pose("lower", TIP, live.x).place == pytest.approx(path(0.3).place, abs=2e-6)
    assert device.force[:2] == pytest.approx(-lam, rel=0.02)


def test_inverse_dynamics_in_a_mode():
    """With the elbow latched the tip can only turn about the pivot: it stays beside the device, pulled its way."""
    live, device, path = driven(0.2, latched=True)
    assert live.x[1] == pytest.approx(0.8, abs=1e-9)
    pose = live.grip.pose("lower", TIP, live.x)
    along = np.array(pose.velocity) / np.linalg.norm(pose.velocity)
    force = np.array(device.force)
    assert abs(force @ along) == pytest.approx(np.linalg.norm(force), rel=1e-3)
    assert np.dot(np.array(path(0.2).place) - pose.place, along) == pytest.approx(0.0, abs=1e-3)
    assert np.linalg.norm(force) > 1.0


def test_a_session_knows_its_display_and_the_damping_of_its_device(tmp_path):
    """Recorded under inverse dynamics with a damped device, replayed bit for bit."""
    source = "double_pendulum"
    exhibit = exhibit_of(source)
    device = Scripted(Grasp(exhibit.taken, Formulas("0.3*sin(5*t)", "-1.2", "0.1*t"), end=0.2), damping=5.0)
    live = Live(exhibit, device=device, source=source, record=True, display="inverse dynamics")
    for _ in range(300):
        live.tick()
    again = replay(live.save(tmp_path / "session.jsonl"))
    assert again.checksum == live.log.checksum
    assert again.x[-1].tolist() == live.x.tolist()
    head = json.loads((tmp_path / "session.jsonl").read_text().splitlines()[0])
    assert (head["display"], head["damping"]) == ("inverse dynamics", [5.0, None])


def test_a_device_on_the_network_is_named_with_its_options():
    """Port, damping, silence and display in one text; a live mechanism uses that display."""
    device = network_device("0, damping=2.5, damping_turn=0.1, stale=0.3, display=admittance", ["block"])
    live = Live(Exhibit(block(), {"x": 0.0}, {"v": 0.0}), device=device)
    live.tick()
    device.close()
    assert (device.damping, device.damping_turn, device.stale, live.display) == (2.5, 0.1, 0.3, "admittance")
    assert type(live.grip.display).__name__ == "Admittance"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http", "port of a network device is 'http'. Give a number from 0 to 65535"),
        ("70000", "port of a network device is '70000'"),
        ("0,damping=-1", "damping of a network device is '-1'. Give a number from 0 to 1e"),
        ("0,dampin=1", "a network device has no option 'dampin'. Did you mean 'damping'"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, words):
    """Which option, what it says, and what it may be."""
    with pytest.raises(EvaluationError, match=words):
        network_device(text, ["block"])


def test_a_display_that_is_not_there_is_named():
    """With the one that was meant."""
    with pytest.raises(EvaluationError, match=r"there is no display 'impedence'. Did you mean 'impedance'"):
        Live(Exhibit(block(), {"x": 0.0}, {"v": 0.0}), display="impedence")
