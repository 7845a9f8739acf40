"""Model files: what they say, and that whatever is wrong gets one error with line and column."""

from __future__ import annotations

import re
import textwrap

import pytest

import latchwork as lw
from latchwork.formats import read_file
from latchwork.formats.model_file.yaml_reader import read_model

HEAD = "latchwork: 1\nname: x\n"


def refused(text: str, message: str) -> tuple[int, int]:
    """Line and column of the one error that a text gives."""
    with pytest.raises(lw.FileError, match=message) as caught:
        read_model(text, "bad.yaml")
    assert str(caught.value).startswith(f"bad.yaml:{caught.value.line}:{caught.value.column}: ")
    assert "\n" not in caught.value.message
    return caught.value.line, caught.value.column


PAGES = [
    ("empty", "", (1, 1), "the file is empty"),
    ("comment only", "# nothing\n", (1, 1), "the file is empty"),
    ("binary junk", HEAD + "parameters: {m: \x00\x01}\n", (3, 17), "unexpected character '.x00': .* plain text"),
    ("lone surrogate", HEAD + "a: \ud800\n", (3, 4), "unexpected character"),
    ("not YAML", HEAD + "frames: {A: [}\n", (3, 14), "this is not YAML"),
    ("bad indentation", HEAD + "frames:\n  A: {}\n B: {}\n", (5, 2), "this is not YAML"),
    ("a tab", HEAD + "frames:\n\tA: {}\n", (4, 1), "this is not YAML"),
    ("a list", "- 1\n- 2\n", (1, 1), "the file is a mapping with the keys latchwork, name, .*; found a list"),
    ("a word", "hello\n", (1, 1), "the file is a mapping .* found 'hello'"),
    ("two documents", HEAD + "---\n" + HEAD, (3, 1), "a second document starts here"),
    ("alias bomb", HEAD + "let: {a: &a [1,1], b: &b [*a,*a], c: [*b,*b]}\n", (3, 10), "'&a': anchors and aliases have"),
    ("alias", HEAD + "let: {a: *a}\n", (3, 10), "'.a': anchors and aliases have no place"),
    ("tag", HEAD + "let: {a: !!python/object/apply:os.system [ls]}\n", (3, 10), "the tag 'tag:yaml.org,2002:python"),
    ("local tag", HEAD + "let: {a: !x 1}\n", (3, 10), "the tag '!x' has no place"),
    ("merge key", HEAD + "<<: {a: 1}\n", (3, 1), "the file has no key '<<'"),
    ("deep nesting", HEAD + "loads: " + "[" * 10_000 + "]" * 10_000 + "\n", (3, 27), "nested more than 20 deep"),
    ("deep unclosed", HEAD + "loads: " + "[" * 50_000, (3, 27), "nested more than 20 deep"),
    ("deep mappings", HEAD + "loads: " + "{a: " * 10_000, (3, 84), "nested more than 20 deep"),
    ("deep blocks", HEAD + "".join(f"{' ' * i}a:\n" for i in range(100)), (23, 21), "nested more than 20 deep"),
    ("too large", HEAD + "# x\n" * 600_000, (1, 1), "the file has 2400021 characters; the limit is 2000000"),
    ("a long line", HEAD + "let: {a: " + "1+" * 500_000 + "1}\n", (3, 100_001), "this line has more than 100000"),
    ("a long text", HEAD + "let:\n  a: 1\n" + "    + 1\n" * 100_000, (4, 6), "this expression has 400001 characters"),
    ("a duplicate key", HEAD + "name: y\n", (3, 1), "'name' is given twice, first on line 2"),
    ("a duplicate entry", HEAD + "parameters: {m: 1, L: 2, m: 3}\n", (3, 26), "'m' is given twice"),
    ("a key that is a list", HEAD + "[a]: 1\n", (3, 1), "a key must be a name"),
    ("an unknown section", HEAD + "frame: {}\n", (3, 1), "the file has no key 'frame'. Did you mean 'frames'"),
    ("no version", "name: x\n", (1, 1), "the file needs the key 'latchwork'"),
    ("another version", "latchwork: 2\nname: x\n", (1, 12), "format version '2'; this program reads version 1"),
    ("no name", "latchwork: 1\n", (1, 1), "the file needs the key 'name'"),
    ("an empty name", "latchwork: 1\nname: ' '\n", (2, 7), "a model needs a name"),
    ("no value", "latchwork: 1\nname:\n", (2, 6), "name has no value"),
]  # fmt: skip

SYMBOLS = [
    ("parameters: [m, L]", (3, 13), "parameters is a mapping from names to values; found a list"),
    ("parameters: {m: [1]}", (3, 17), "parameters.m is a number, .*; found a list"),
    ("parameters: {m: heavy}", (3, 17), "parameters.m must be a number: unknown name 'heavy'"),
    ("parameters: {m: .nan}", (3, 17), "parameters.m must be a number: a value is missing before '.'"),
    ("parameters: {m: nan}", (3, 17), "parameters.m must be a number: unknown name 'nan'"),
    ("parameters: {m: 1e999}", (3, 17), "parameters.m must be a number: the number 1e999 is out of range"),
    ("parameters: {m: 2/0}", (3, 18), "division by zero"),
    ("parameters: {sin: 1}", (3, 14), "'sin' cannot name a parameter"),
    ("parameters: {__class__: 1}", (3, 14), "'__class__' cannot name a parameter"),
    ("parameters: {m: 1}\ncoordinates: [m]", (4, 15), "has a parameter named 'm' already"),
    ("inputs: {T: null}", (3, 13), "inputs.T has no value"),
    ("coordinates: q1", (3, 14), "coordinates is a list; found 'q1'. Write it in"),
    ("coordinates: [q1, 2q]", (3, 19), "'2q' cannot be a name"),
    ("coordinates: [q1, q1]", (3, 19), "has a coordinate named 'q1' already"),
    ("coordinates: [q]\nspeeds: {u: null}", (4, 10), "speed 'u' has no definition, and no joint defines it"),
    ("coordinates: [q]\nspeeds: {u: dt(p)}", (4, 16), "unknown name 'p'"),
    ("coordinates: [q]\nspeeds: {u: N.x}", (4, 13), "a scalar is needed here; 'N.x' is a vector"),
    ("zero: [N.x]", (3, 8), "a scalar is needed here"),
    ("let: {sin: 2}", (3, 7), "'sin' cannot be a name under 'let'"),
    ("parameters: {m: 1}\nlet: {m: 2}", (4, 7), "'m' is the name of something else already"),
    ("let: {a: b, b: c, c: a}", (3, 7), "'a' depends on itself: a needs b needs c needs a"),
    ("let: {a: a}", (3, 7), "'a' depends on itself: a needs a"),
]

GEOMETRY = [
    ("frames: {A: {}}", (3, 13), "frames.A needs exactly one of rotate, body, space, .*; found none of them"),
    ("frames: {A: {rotate: {angle: 1, axis: N.x}, cosines: []}}", (3, 45), "found rotate and cosines"),
    ("frames: {A: {rotate: {angle: 1}}}", (3, 22), "frames.A.rotate needs the key 'axis': axis of the turn"),
    ("frames: {A: {rotate: {angle: 1, axes: N.x}}}", (3, 33), "frames.A.rotate has no key 'axes'. Did you mean 'axis'"),
    ("frames: {A: {rotate: {angle: 1, axis: 2}}}", (3, 39), "a vector is needed here; '2' is a scalar"),
    ("frames: {A: {rotate: {angle: 1, axis: 0*N.x}}}", (3, 10), "division by zero|axis"),
    ("frames: {A: {rotate: {angle: N.x, axis: N.x}}}", (3, 30), "a scalar is needed here"),
    ("frames: {A: {parent: M, rotate: {angle: 1, axis: N.x}}}", (3, 22), "there is no frame 'M'. Known: N, A"),
    ("frames: {N: {rotate: {angle: 1, axis: N.x}}}", (3, 10), "has a frame named 'N' already"),
    ("frames: {A: {quaternion: [1, 0, 0]}}", (3, 26), "frames.A.quaternion is a list of 4; found 3"),
    ("frames: {A: {cosines: [[1, 0, 0], [0, 1], [0, 0, 1]]}}", (3, 35), "frames.A.cosines.2 is a list of 3; found 2"),
    ("frames: {A: {body: {sequence: zxw, angles: [1, 2, 3]}}}", (3, 10), "a sequence is made of x, y, z"),
    ("frames: {A: {body: {sequence: zxz, angles: [1, 2]}}}", (3, 10), "got 'zxz' with 2 angles"),
    (
        "frames:\n  A: {parent: C, rotate: {angle: 1, axis: N.x}}\n  B: {parent: A, rotate: {angle: 1, axis: N.x}}\n"
        "  C: {parent: B, rotate: {angle: 1, axis: N.x}}",
        (4, 3), "'A' depends on itself: A needs C needs B needs A. Break the circle",
    ),
    ("frames: {A: {rotate: {angle: 1, axis: A.x}}}", (3, 10), "'A' depends on itself: A needs A"),
    ("points: {P: {from: Q, at: N.x}, Q: {from: P, at: N.x}}", (3, 10), "'P' depends on itself: P needs Q needs P"),
    ("points: {P: {at: 3}}", (3, 18), "a vector is needed here"),
    ("points: {P: {at: N.x, located: no}}", (3, 32), "points.P.located is true or false; found 'no'"),
    ("points: {P: {at: N.x, located: false}}", (3, 10), "'P' is not located: declare its velocity with 'moves'"),
    (
        "coordinates: [q]\npoints: {P: {at: 0, moves: dt(q)*N.x, located: false}}\n"
        "speeds: {u: 'dot(velocity(P), N.x)'}",
        (5, 18), "the position of 'P' from 'O' is not known",
    ),
    ("points: {P: {at: B.x}}", (3, 18), "there is no frame 'B'"),
    ("points: {P: {from: R, at: N.x}}", (3, 20), "there is no point 'R'. Known: O, P"),
    ("points: {O: {at: N.x}}", (3, 10), "has a point named 'O' already"),
    ("joints: {a: {type: revolut}}", (3, 20), "there is no joint type 'revolut'. Did you mean 'revolute'"),
    ("joints: {a: {type: ball, axis: N.x}}", (3, 10), "a ball joint has no axis of its own"),
    ("joints: {a: {type: revolute, q: [a, b]}}", (3, 10), "joint 'a' has 1 q's"),
    ("joints: {a: {type: revolute, inboard: b}, b: {type: revolute, inboard: a}}", (3, 10), "a needs b needs a"),
    ("joints: {a: {type: revolute, q: q1}, b: {type: revolute, q: q1}}", (3, 38), "has a coordinate named 'q1'"),
    (
        "coordinates: [q_a, x]\nframes: {F: {rotate: {angle: x, axis: N.z}}}\n"
        "joints: {a: {type: revolute, inboard: F}}",
        (3, 20), "'x' depends on itself: x needs a needs F needs x",
    ),
]  # fmt: skip

BODIES = [
    ("bodies: {b: {frame: N, center: O}}", (3, 13), "bodies.b needs the key 'mass'"),
    ("bodies: {b: {frame: N, center: O, mass: -1}}", (3, 10), "the mass of 'b' is -1"),
    ("bodies: {b: {frame: N, center: O, mass: 1, inertia: {xx: 1, xz: 2}}}", (3, 61), "has no key 'xz'"),
    ("bodies: {b: {frame: N, center: C, mass: 1}}", (3, 32), "there is no point 'C'"),
    ("particles: {b: {point: O, mass: 1}}\nbodies: {b: {frame: N, center: O, mass: 1}}", (3, 13), "has a body named"),
    ("loads: {gravity: N.x}", (3, 8), "loads is a list; found a mapping"),
    ("loads: [{}]", (3, 9), "loads.1 needs exactly one of gravity, force, .*; found none of them"),
    ("loads: [{gravity: 9.81}]", (3, 19), "a vector is needed here; '9.81' is a scalar"),
    ("loads: [{gravity: N.x}, {gravity: N.y}]", (3, 25), "has gravity already"),
    ("loads: [{force: {at: O, vector: q*N.x}}]", (3, 33), "unknown name 'q'"),
    ("loads: [{spring: {between: [O]}}]", (3, 28), "loads.1.spring.between is a list of 2; found 1"),
    ("loads: [{actuate: {joint: hip, effort: 1}}]", (3, 27), "there is no joint 'hip'"),
    ("joints: {hip: {type: ball}}\nloads: [{actuate: {joint: hip, effort: 1}}]", (4, 9), "an actuator needs one axis"),
    ("run: {until: soon}", (3, 14), "run.until must be a number"),
    ("coordinates: [q1]\nrun: {q: {q2: 1}}", (4, 11), "'x' has no coordinate 'q2'"),
    ("run: {method: {Euler: {}}}", (3, 16), "run.method has no key 'Euler'"),
    ("run: {method: {RK4: {step: -1}}}", (3, 15), "cannot step. Give a positive step"),
    ("run: {plot: [enrgy]}", (3, 14), "unknown name 'enrgy'"),
    ("run: {method: {RK4: {step: 1, every: 1.5}}}", (3, 38), "run.method.RK4.every is a whole number, .*; found '1.5'"),
    ("run: {method: {RK4: {step: 1, max_steps: 0}}}", (3, 42), "run.method.RK4.max_steps is a whole number, 1 or more"),
    ("run: {method: {SciPy: {name: RK45}}}", (3, 30), "there is no stiff method 'RK45'. Known: Radau, BDF, LSODA"),
    ("run: {method: {SciPy: {atol: [1, x]}}}", (3, 34), "run.method.SciPy.atol.2 must be a number: unknown name 'x'"),
    ("run: {method: {Sundials: {rtol: -1}}}", (3, 15), "cannot step"),
    ("run: {keep: nothing}", (3, 13), "there is no kind of record 'nothing'. Known: steps, samples"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {times: [0]}}}", (4, 19), "run.inputs.T needs the key 'values'"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {times: [0, 0], values: [1, 2]}}}", (4, 19), "times of a table grow"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {times: [0], values: [1, 2]}}}", (4, 19), "are no table. Give a value"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {times: [0], values: [t]}}}", (4, 41), "values.1 must be a number: unknown"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {times: [0], values: [1], kind: cubic}}}", (4, 51), "no kind of table 'cubic'"),
    ("inputs: {T: 0}\nrun: {inputs: {T: {path: /etc/passwd}}}", (4, 20), "run.inputs.T has no key 'path'"),
    ("inputs: {T: 0}\nrun: {inputs: {T: [1, 2]}}", (4, 19), "run.inputs.T is a scalar expression; found a list"),
    ("coordinates: [q]\nrun: {stop_when: {low: q < 0}}", (4, 24), "a guard is a scalar .* 'q < 0' is a condition"),
    ("coordinates: [q]\nrun: {stop_when: {low: N.x}}", (4, 24), "a scalar is needed here; 'N.x' is a vector"),
    ("coordinates: [q]\nrun: {stop_when: {low: z}}", (4, 24), "unknown name 'z'"),
    ("coordinates: [q]\nrun: {stop_when: [q]}", (4, 18), "run.stop_when is a mapping from names to values"),
    ("coordinates: [q]\nrun: {outputs: {q: 2*q}}", (4, 17), "'q' is a coordinate of 'x' already. Choose another"),
    ("run: {outputs: {'a b': 1}}", (3, 17), "'a b' cannot name an output"),
    ("run: {outputs: {a: b}}", (3, 20), "unknown name 'b'"),
    ("run: {outputs: {a: 1 < 2}}", (3, 20), "a scalar is needed here; '1 < 2' is a condition"),
    ("run: {outputs: {a: t.__class__}}", (3, 22), "'t.__class__' means nothing"),
]


@pytest.mark.parametrize(("text", "place", "message"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES])
def test_pages(text, place, message):
    """What is no model file at all, or meant to do harm."""
    assert refused(text, message) == place


@pytest.mark.parametrize(("text", "place", "message"), SYMBOLS + GEOMETRY + BODIES, ids=lambda value: str(value)[:50])
def test_entries(text, place, message):
    """Every entry that contradicts itself or the rest."""
    assert refused(HEAD + text + "\n", message) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("let: {a: 1 + foo}", (3, 14)),
        ("let: {a: '1 + foo'}", (3, 15)),
        ('let: {a: "1 + foo"}', (3, 15)),
        ("let:\n  a: >\n     1 +\n\n     foo\n", (7, 6)),
        ("let:\n  a: |-\n     1 +\n     2*foo\n", (6, 8)),
        ("let:\n  a: 1\n    + 2*\n    foo\n", (6, 5)),
        ("let:\n  a: 'cross(B''.x,\n    foo)'\n", (4, 13)),
        ("# é\nlet: {'ä': 1, b: foo}", (4, 7)),
    ],
)
def test_columns_in_every_style(text, place):
    """Plain, quoted, folded and literal scalars: the column is where the name stands in the file."""
    assert refused(HEAD + text, "unknown name 'foo'|there is no frame|cannot be a name") == place


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_breaks(newline):
    """Lines count the same, however they end."""
    assert refused(newline.join(["latchwork: 1", "name: x", "let: {a: foo}", ""]), "unknown name") == (3, 10)


def test_a_byte_order_mark_is_no_character():
    """A file that an editor marked as UTF-8 reads like any other."""
    assert read_model("\ufeff" + HEAD)[0].name == "x"


def test_nothing_is_guessed():
    """Names that YAML takes for booleans are names, and numbers may be names of bodies."""
    model, _ = read_model(HEAD + "coordinates: [y, n, on, off, yes]\nparticles: {12: {point: O, mass: 1}}\n")
    assert list(model.symbols) == ["t", "y", "n", "on", "off", "yes"]
    assert list(model.bodies) == ["12"]


def test_order_does_not_matter():
    """Entries may mention what comes later, across sections."""
    text = """
        latchwork: 1
        name: backwards
        loads: [{gravity: -g*N.y}, {resist: {joint: elbow, damping: c}}]
        bodies: {rod: {frame: elbow, center: C, mass: 1, inertia: {zz: J}}}
        let: {J: K/2, K: m*r**2}
        points: {C: {from: elbow, at: r*elbow.x}, E: {from: shoulder_o, at: r*F.x}}
        joints: {elbow: {type: revolute, inboard: F, at: E}, shoulder: {type: revolute, q: q1, u: u1}}
        frames: {F: {parent: shoulder, rotate: {angle: phi, axis: shoulder.z}}}
        parameters: {c: 1, g: 9.81, phi: pi/6, r: 1, m: 2}
    """
    model, _ = read_model(textwrap.dedent(text))
    assert model.equations().udot(q=[0.1, 0.2], u=[0.3, 0.4]).shape == (2,)


def test_names_of_joints_and_bodies_stand_for_their_parts():
    """A joint is its frame and origin, a body its frame and mass centre."""
    text = """
        latchwork: 1
        name: names
        joints: {hip: {type: revolute}}
        points: {C: {from: hip, at: hip.x}}
        bodies: {leg: {frame: hip, center: C, mass: 1}}
        loads: [{force: {at: leg, vector: leg.x}}, {torque: {on: leg, vector: hip.z}}]
    """
    force, torque = read_model(textwrap.dedent(text))[0].loads
    assert (force.point.name, str(force.vector), torque.frame.name) == ("C", "hip.x", "hip")


def test_order_of_coordinates_and_speeds_can_be_fixed():
    """Listing what joints bring puts it in its place."""
    text = """
        latchwork: 1
        name: order
        coordinates: [q_b, x, q_a]
        speeds: {u_b: null, v: dt(x), u_a: null}
        joints: {a: {type: revolute}, b: {type: revolute}}
    """
    system = read_model(textwrap.dedent(text))[0].system()
    assert ([q.name for q in system.q], [u.name for u in system.u]) == (["q_b", "x", "q_a"], ["u_b", "v", "u_a"])


def test_a_chain_of_many_frames_reads():
    """Three thousand frames in a row, last first, are no deeper than one."""
    rows = [f"  F{i}: {{parent: F{i - 1}, rotate: {{angle: {i}, axis: F{i - 1}.x}}}}\n" for i in range(3000, 0, -1)]
    text = HEAD + "frames:\n" + "".join(rows) + "  F0: {rotate: {angle: 0, axis: N.x}}\n"
    assert len(read_model(text)[0].frames) == 3002


def test_errors_are_short():
    """A message never carries a megabyte of its cause."""
    with pytest.raises(lw.FileError, match=re.escape("unknown name 'aaaa")) as caught:
        read_model(HEAD + f"let: {{b: {'a' * 30_000}}}\n")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("model.txt", b"", "this is not a model file: names of those end in .yaml or .yml"),
        ("model.yaml", b"latchwork: 1\nname: \xff\n", r"model.yaml:2:7: this is not UTF-8 text"),
        ("model.yaml", b"\x89PNG\r\n\x1a\n\x00\x00", "this is not UTF-8 text"),
    ],
)
def test_files(tmp_path, name, data, message):
    """A file that is no text, or no model file."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(lw.FileError, match=message):
        lw.load(path)


def test_a_missing_file(tmp_path):
    """A missing file is named, with the one that was perhaps meant."""
    (tmp_path / "disk.yaml").write_text(HEAD)
    with pytest.raises(lw.FileError, match=r"dsk.yaml: there is no such file. Did you mean 'disk.yaml'"):
        read_file(tmp_path / "dsk.yaml")


def test_a_folder(tmp_path):
    """A folder is not a file."""
    (tmp_path / "model.yaml").mkdir()
    with pytest.raises(lw.FileError, match="it is a folder"):
        lw.load(tmp_path / "model.yaml")


@pytest.mark.parametrize("source", [3, None, object(), ["a.yaml"]])
def test_other_sources(source):
    """What is neither a path nor a model of SymPy is refused."""
    with pytest.raises(lw.FileError, match="a model cannot be loaded from"):
        lw.load(source)


RUN = """\
coordinates: [q1]
inputs: {T: 0}
let: {a: 2*q1}
points: {P: {at: q1*N.x}, left arm: {at: a*N.y}}
run:
  until: 3
  start: 1
  inputs: {T: {times: [0, pi], values: [1, 2], kind: linear}}
  stop_when: {far away: 1 - a}
  every: 0.5
  keep: samples
  method: {SciPy: {name: BDF, rtol: 1e-5, atol: [1e-7, 1e-8, 1e-9]}}
  outputs: {P: P, reach: left arm, v: velocity(P), a: a, twice: 2*a}
  plot: [twice, P, a + 1]
"""


def test_a_run_is_the_arguments_of_simulate():
    """Start, samples, method, guards, tables and outputs, with names under let; a point is an output by its name."""
    model, run = read_model(HEAD + RUN)
    q1, points = model.symbols["q1"], model.points
    assert (run.until, run.start, run.every, run.keep) == (3.0, 1.0, 0.5, "samples")
    assert run.method == lw.SciPy("BDF", 1e-5, (1e-7, 1e-8, 1e-9))
    assert run.stop_when == {"far away": 1 - 2 * q1}
    assert (run.inputs["T"].times.tolist(), run.inputs["T"].kind) == ([0.0, 3.141592653589793], "linear")
    assert (run.outputs["P"], run.outputs["reach"]) == (points["P"], points["left arm"])
    assert (run.outputs["a"], run.outputs["twice"], str(run.outputs["v"])) == (2 * q1, 4 * q1, "dt(q1)*N.x")
    assert (run.plot["twice"], run.plot["P"], run.plot["a + 1"]) == (4 * q1, points["P"], 2 * q1 + 1)


def test_a_file_runs_from_python():
    """Settings are arguments of simulate; coordinates that the file leaves out start at zero."""
    moved = "particles: {P: {point: P, mass: 1}}\nloads: [{force: {at: P, vector: T*N.x}}]\n"
    model, run = read_model(HEAD + RUN + moved)
    equations = model.equations()
    found = lw.simulate(equations, **run.arguments(equations))
    assert [event.name for event in found.events] == ["far away"]
    assert found[run.outputs["twice"]][-1] == pytest.approx(2.0, abs=1e-5)


def test_more_may_be_said_of_a_run():
    """What is given besides goes before what the file says: by name in a mapping, whole otherwise."""
    more = ["every: 0.25", "{stop_when: {near: a, far away: 2 - a}, method: {RK4: {step: 0.1}}}"]
    model, run = read_model(HEAD + RUN, run=more)
    q1 = model.symbols["q1"]
    assert (run.every, run.until, run.method) == (0.25, 3.0, lw.RK4(0.1))
    assert run.stop_when == {"far away": 2 - 2 * q1, "near": 2 * q1}


def test_more_of_a_run_is_judged_alike():
    """Line and column of what is wrong in it."""
    with pytest.raises(lw.FileError, match=r"--run:1:8: run\.every must be a number: unknown name 'often'"):
        read_model(HEAD + RUN, run=["every: often"])
