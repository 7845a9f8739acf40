"""The server: what it serves to whom, and what pages may do to each other."""

from __future__ import annotations

import http.client
import json
import socket as sockets
import time

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from latchwork.view.live import server as serving
from latchwork.view.live.files import FILES
from latchwork.view.live.frames import HEAD
from latchwork.view.live.gate import Gate
from live_house import House, Listener, Ticked, until


@pytest.fixture(scope="module")
def house():
    with House(looping=Ticked, idle=60.0) as made:
        yield made


def got(house: House, path: str, **headers: str) -> http.client.HTTPResponse:
    asked = http.client.HTTPConnection("127.0.0.1", house.port, timeout=10)
    asked.putrequest("GET", path, skip_host="Host" in headers)
    for name, value in headers.items():
        asked.putheader(name, value)
    asked.endheaders()
    answer = asked.getresponse()
    answer.body = answer.read()
    asked.close()
    return answer


@pytest.mark.parametrize("path", sorted(FILES))
def test_files_come_with_a_strict_policy(house, path):
    """Every file is there, loads nothing from elsewhere, and may not be framed."""
    answer = got(house, path)
    assert answer.status == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    text = answer.body.replace(b"http://www.w3.org", b"")
    assert not [word for word in (b"http://", b"https://", b"//cdn") if word in text]


@pytest.mark.parametrize(
    "path", ["/../draw.js", "/etc/passwd", "/live/../../x", "//draw.js", "/draw.js%00", "/x?" + "a=1&" * 99]
)
def test_nothing_else_is_served(house, path):
    """No path leads to a file that is not on the list."""
    assert got(house, path).status in (400, 404)


def test_names_that_only_lead_here_are_refused(house):
    """DNS rebinding: the page is not even served under a foreign name."""
    assert got(house, "/", Host=f"evil.example:{house.port}").status == 421


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null"])
def test_sockets_of_other_pages_are_refused(house, origin):
    """A page of another site cannot open a socket here."""
    with pytest.raises(InvalidStatus, match="403"), house.socket(origin=origin):
        pass


def test_a_token_opens_the_page_and_the_socket():
    """Without the token there is neither; its scripts, which hold no secret, are plain."""
    with House(gate=Gate("127.0.0.1", "secret"), looping=Ticked) as house:
        assert [got(house, path).status for path in ("/", "/?token=wrong", "/?token=secret", "/draw.js")] == [
            403, 403, 200, 200]  # fmt: skip
        with pytest.raises(InvalidStatus, match="403"), house.socket():
            pass
        with house.socket("/live?name=double_pendulum&token=secret") as made:
            assert made.recv()


def test_the_gallery_sends_a_card_for_each():
    """Names at once, then title and still picture of every mechanism; one that cannot be shown says why."""
    sources = {"caster": "caster", "broken": "no_such_example"}
    with House(sources, looping=Ticked) as house, house.socket("/gallery") as made:
        page = Listener(made)
        cards = page.wait(lambda: len(page.told("card")) == 2 and {card["name"]: card for card in page.told("card")})
        assert page.told("gallery")[0]["names"] == ["caster", "broken"]
        assert "there is no example" in cards["broken"]["why"]
        scene = cards["caster"]["scene"]
        assert len(scene["tracks"]) == len(scene["widths"])


def test_a_page_is_told_the_scene_and_shown_frames(house):
    """The scene first; then frames as long as it says, whose time goes on."""
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames > 3 and page.told("automaton"))
        (scene,) = page.told("scene")
        assert page.words[0]["kind"] == "house"
        assert scene["head"] == list(HEAD)
        assert len(page.frame) == len(HEAD) + sum(scene["scene"]["widths"]) + len(scene["plots"])
        assert page.head["t"] > 0.0


def test_frames_are_where_the_mechanism_is(house):
    """The elbow of the double pendulum is at L (sin q1, −cos q1), with q1 from the same frame."""
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames > 2 and page.told("scene"))
        scene = page.told("scene")[0]
        widths = scene["scene"]["widths"]
        elbow = next(dot for dot in scene["scene"]["dots"] if (dot["kind"], dot["name"]) == ("joint", "lower"))
        first = len(HEAD) + sum(widths[: elbow["at"]])
        q1 = page.frame[len(HEAD) + sum(widths) + scene["plots"].index("q1")]
        assert np.allclose(page.frame[first : first + 3], [np.sin(q1), -np.cos(q1), 0.0], atol=1e-12)


def test_commands_are_answered_to_whom_asked(house):
    """Two pages: the answer goes to one, with its own id; what it changed is told to both."""
    with house.socket() as one, house.socket() as two:
        a, b = Listener(one), Listener(two)
        for page in (a, b):
            page.wait(lambda page=page: page.frames)
        a.say(do="set", name="g", value=3.0, id="mine")
        assert a.wait(lambda: a.told("answer"))[0] | {"values": 0} == {
            "kind": "answer", "id": "mine", "ok": True, "do": "set", "values": 0}  # fmt: skip
        assert b.wait(lambda: b.told("values"))[-1]["values"]["g"] == 3.0
        assert not b.told("answer")
        a.say(do="set", name="g", value=1e9, id="no")
        assert "range" in a.wait(lambda: [w for w in a.told("answer") if w["id"] == "no"])[0]["why"]
        a.say(do="reset")


def test_the_hand_belongs_to_whom_took_hold_last(house):
    """A second page takes over; the first is told, and its moves do nothing; who leaves lets go."""
    with house.socket() as one:
        a = Listener(one)
        a.wait(lambda: a.frames)
        with house.socket() as two:
            b = Listener(two)
            b.wait(lambda: b.frames)
            a.say(do="grab", body="lower", at=[0.5, -1.0, 0.0])
            a.wait(lambda: a.head["hand"] == 1.0)
            b.say(do="grab", body="upper", at=[0.2, -0.3, 0.0])
            b.wait(lambda: b.head["hand"] == 0.0)
            assert a.wait(lambda: a.told("hand"))[0]["yours"] is False
            a.say(do="drop")
            b.say(do="move", to=[0.4, -0.2, 0.0])
            b.wait(lambda: abs(b.head["device x"] - 0.4) < 1e-9)
        a.wait(lambda: a.head["hand"] == -1.0)


def test_malformed_messages_are_dropped_counted_and_told(house):
    """Nothing that is no command gets through; the page hears how many there were."""
    wrong = ["", "{", "[]", "3", '{"do": "fly"}', '{"do": "set", "name": "g", "value": NaN}',
             '{"do": "move", "to": [1e999, 0, 0]}', "[" * 60000, '{"do": "record", "on": true}',
             '{"do": "step", "ticks": ' + "9" * 5000 + "}"]  # fmt: skip
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        for message in wrong:
            made.send(message)
        made.send(b"\x00\x01")
        page.wait(lambda: page.told("dropped") and page.told("dropped")[-1]["malformed"] == len(wrong) + 1)
        page.say(do="pause", id=1)
        page.wait(lambda: page.head["paused"] == 1.0)
        page.say(do="go")


def test_too_many_messages_are_dropped(house):
    """A flood passes at the rate of the bucket; the hand's last motion counts, and the page lives on."""
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        for k in range(3000):
            page.say(do="move", to=[k, 0, 0])
        page.wait(lambda: page.told("dropped") and page.told("dropped")[-1]["too many"] > 1000)
        frames = page.frames
        page.wait(lambda: page.frames > frames + 5)


def test_commands_that_take_long_are_few(house):
    """Of a burst of rewinds some are done; the others are refused with words, and the loop goes on."""
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        for k in range(40):
            page.say(do="rewind", seconds=0.1, id=k)
        answers = page.wait(lambda: len(page.told("answer")) == 40 and page.told("answer"))
        refused = [answer["why"] for answer in answers if not answer["ok"]]
        assert 20 <= len(refused) <= 32
        assert all("too often" in why for why in refused)
        frames = page.frames
        page.wait(lambda: page.frames > frames + 5)


def flooded(page: Listener) -> None:
    for _ in range(100_000):
        page.say(do="drop")


def test_a_flood_ends_its_page(house, monkeypatch):
    """Whoever goes on and on is let go."""
    monkeypatch.setattr("latchwork.view.live.visitor.PATIENCE", 500.0)
    monkeypatch.setattr("latchwork.view.live.visitor.FLOOD", 1.0)
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        with pytest.raises(ConnectionClosed, match="1013"):
            flooded(page)


def test_a_message_that_is_too_large_ends_its_page_only(house):
    """64 KiB is the most; others go on."""
    with house.socket() as made, house.socket() as other:
        page = Listener(other)
        page.wait(lambda: page.frames)
        made.send("x" * (serving.LARGEST + 1))
        with pytest.raises(ConnectionClosed, match="1009"):
            Listener(made).wait(lambda: False, 10.0)
        frames = page.frames
        page.wait(lambda: page.frames > frames + 5)


def test_whoever_does_not_read_is_not_waited_for(house):
    """A page that takes nothing costs at most one frame and a few words; another has all of its frames."""
    plain = sockets.create_connection(("127.0.0.1", house.port))
    plain.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    plain.sendall((f"GET /live?name=double_pendulum HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\n"
                   f"Origin: {house.origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                   ).encode())  # fmt: skip
    with house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames > 30)
        room = house.server.rooms["double_pendulum"]
        assert len(room.visitors) == 2
        assert all(len(visitor._words) < 50 for visitor in room.visitors.values())
    plain.close()


def test_at_most_so_many_pages(house, monkeypatch):
    """One more is refused with words."""
    until(lambda: house.server._pages == 0)
    monkeypatch.setattr(serving, "MOST_PAGES", 1)
    with house.socket(), pytest.raises(InvalidStatus, match="503"), house.socket():
        pass


def test_loops_are_few_and_end_when_nobody_looks(monkeypatch):
    """With room for one mechanism, a second waits until the first is left; an idle loop is stopped."""
    monkeypatch.setattr(serving, "MOST_ROOMS", 1)
    with House(looping=Ticked, idle=0.3) as house:
        with house.socket() as made:
            page = Listener(made)
            page.wait(lambda: page.frames)
            with house.socket("/live?name=caster") as other:
                second = Listener(other)
                second.wait(lambda: second.told("trouble"))
                assert "run already" in second.told("trouble")[0]["why"]
        until(lambda: not house.server.rooms)
        with house.socket("/live?name=caster") as other:
            second = Listener(other)
            second.wait(lambda: second.frames)


def test_a_mechanism_nobody_has_put_up_is_not_opened(house):
    """Names are those of the server; no path of a page is ever opened."""
    for name in ("../../etc/passwd", "latchwork", ""):
        with house.socket(f"/live?name={name}") as made:
            page = Listener(made)
            page.wait(lambda page=page: page.told("trouble"))


def test_it_is_paused_while_nobody_looks(monkeypatch):
    """A page in the background gets no frames, and after a while the mechanism waits; then it goes on."""
    monkeypatch.setattr("latchwork.view.live.room.AWAY", 0.2)
    with House(looping=Ticked) as house, house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        page.say(looks=False)
        room = house.server.rooms["double_pendulum"]
        until(lambda: room.state is not None and room.state.paused)
        page.say(looks=True)
        page.wait(lambda: page.head["paused"] == 0.0 and page.frames > 3)


class Late(Ticked):
    """A loop that takes commands a while after they were sent, and has room for few."""

    late, refused = 0.0, 0

    def __init__(self, source):
        super().__init__(source)
        self.waiting = []

    def send(self, command):
        if self.refused:
            self.refused -= 1
            return False
        self.waiting.append((time.monotonic() + self.late, command))
        return True

    def news(self):
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            self.live.do(self.waiting.pop(0)[1])
        return super().news()


def test_a_rest_is_no_pause_of_a_page(monkeypatch):
    """Whoever comes to a mechanism that rests since nobody looked never sees it paused, however late it goes on: a
    button that would say "go" would pause it a moment later. A pause that a page asks for is seen, also at once."""
    monkeypatch.setattr("latchwork.view.live.room.AWAY", 0.1)
    monkeypatch.setattr("latchwork.view.live.room.SELDOM", 0.0)
    with House(looping=Late) as house:
        with house.socket() as made:
            page = Listener(made)
            page.wait(lambda: page.frames)
        room = house.server.rooms["double_pendulum"]
        until(lambda: room.state.paused)
        room.desk.loop.late = 0.4
        with house.socket() as made:
            page = Listener(made)
            paused, t = set(), room.state.t
            page.wait(lambda: page.frames)
            page.wait(lambda: paused.add(page.head["paused"]) or page.head["t"] > t + 0.1)
            assert paused == {0.0}
        until(lambda: room.state.paused)
        with house.socket() as made:
            page = Listener(made)
            page.say(do="pause")
            page.wait(lambda: page.frames and page.head["paused"] == 1.0)
            page.hear(0.6)
            assert room.state.paused


def test_letting_go_is_never_lost():
    """A hand that lets go after too many messages, or while the loop has no room for commands, holds nothing; nor does
    that of a page that has gone."""
    with House(looping=Late) as house, house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames)
        loop = house.server.rooms["double_pendulum"].desk.loop
        for more, refused in ((1000, 0), (0, 3)):
            page.say(do="grab", body="lower", at=[0.5, -1.0, 0.0])
            page.wait(lambda: page.head["hand"] == 1.0)
            for k in range(more):
                page.say(do="move", to=[0.5 + 1e-6 * k, -1.0, 0.0])
            loop.refused = refused
            page.say(do="drop")
            page.wait(lambda: page.head["hand"] == -1.0)
            page.wait(lambda: page.told("dropped"))
            page.hear(0.1)
        with house.socket() as made:
            other = Listener(made)
            other.wait(lambda: other.frames)
            other.say(do="grab", body="lower", at=[0.5, -1.0, 0.0])
            page.wait(lambda: page.head["hand"] == 1.0)
            loop.refused = 3
        page.wait(lambda: page.head["hand"] == -1.0)


def test_a_loop_that_dies_is_started_again():
    """Its pages are told, and see another one from its start."""
    with House(looping=Ticked) as house, house.socket() as made:
        page = Listener(made)
        page.wait(lambda: page.frames > 10)
        before = page.head["t"]
        house.server.rooms["double_pendulum"].desk.loop.alive = False
        page.wait(lambda: page.told("trouble"))
        page.wait(lambda: page.head["t"] < before)
        assert json.dumps(page.told("trouble")[0]).count("started again") == 1


def test_a_script_that_fails_is_told_of(tmp_path):
    """A mistake in the user's own script is the page's banner, with the line, and not a page that waits for ever."""
    script = tmp_path / "mine.py"
    script.write_text("def live():\n    return nothing_of_this_name\n")
    with House({"mine": str(script)}, looping=Ticked) as house, house.socket("/live?name=mine") as made:
        page = Listener(made)
        page.wait(lambda: page.told("trouble"))
        words = "NameError: name 'nothing_of_this_name' is not defined (mine.py, line 2)"
        assert page.told("trouble")[0]["why"] == words
