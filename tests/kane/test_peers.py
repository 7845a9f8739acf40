"""M and u̇ of random trees against Pinocchio and MuJoCo, built side by side through their own interfaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from campaign import seeds
from random_trees import (
    Dual,
    Mechanism,
    Part,
    about,
    build,
    of_quaternion,
    random_mechanism,
    random_state,
    relative_error,
    second_moments,
)  # fmt: skip

SEEDS = seeds(range(6), range(200))
KINDS = ["revolute", "prismatic", "ball", "revolute", "free"]


def depth_first(mechanism: Mechanism) -> Mechanism:
    """The same tree numbered branch by branch, as the peers number theirs."""
    order: list[int] = []

    def visit(parent: int) -> None:
        for i, part in enumerate(mechanism.parts):
            if part.parent == parent:
                order.append(i)
                visit(i)

    visit(-1)
    number = {-1: -1} | {old: new for new, old in enumerate(order)}
    parts = [replace(mechanism.parts[i], parent=number[mechanism.parts[i].parent]) for i in order]
    return replace(mechanism, parts=tuple(parts))


def tree(seed: int, free_inside: bool) -> Mechanism:
    """A tree without loads; free joints anywhere, or only on the ground and at its origin, as MuJoCo has them."""
    mechanism = depth_first(
        random_mechanism(seed, bodies=2 + seed % 7, kinds=KINDS, rheonomic=False, loads=False, aside=0.0)
    )
    inside = [part if part.kind != "free" or free_inside else grounded(part) for part in mechanism.parts]
    return replace(mechanism, parts=tuple(inside))


def grounded(part: Part) -> Part:
    """A free joint at the origin of the ground, or else a ball."""
    return replace(part, at=(0.0, 0.0, 0.0), tilt=None) if part.parent < 0 else replace(part, kind="ball")


def mounting(part: Part) -> np.ndarray:
    """The orientation of a joint's inboard frame in its parent."""
    if part.tilt is None:
        return np.eye(3)
    axis, angle, _, _ = part.tilt
    return about(np.eye(3)[axis], Dual(np.array(angle), np.array(0.0))).value


def inertia_of(part: Part) -> np.ndarray:
    """The central inertia matrix."""
    E = second_moments(part)
    return np.trace(E) * np.eye(3) - E


# --- Pinocchio --------------------------------------------------------------------------------------------------------


def pinocchio_answer(mechanism, state):
    """M and u̇ in our speeds; its free joint has the velocity of the origin in the body, ours in the inboard frame."""
    pin = pytest.importorskip("pinocchio")
    makers = {
        "revolute": lambda axis: pin.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda axis: pin.JointModelPrismaticUnaligned(axis),
        "ball": lambda axis: pin.JointModelSpherical(),
        "free": lambda axis: pin.JointModelFreeFlyer(),
    }
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    numbers = {-1: 0}
    for i, part in enumerate(mechanism.parts):
        placement = pin.SE3(mounting(part), np.array(part.at))
        joint = makers[part.kind](np.array(part.axis))
        numbers[i] = model.addJoint(numbers[part.parent], joint, placement, f"L{i}")
        body = pin.Inertia(part.mass, np.array(part.center), inertia_of(part))
        model.appendBodyToJoint(numbers[i], body, pin.SE3.Identity())
    q = np.concatenate([scalar_last(x) for x in state.q])
    T = [body_axes(x, len(u)) for x, u in zip(state.q, state.u, strict=True)]
    v = np.concatenate([block @ u for block, u in zip(T, state.u, strict=True)])
    data = model.createData()
    M = np.triu(pin.crba(model, data, q))
    M = M + np.triu(M, 1).T
    a = np.split(pin.aba(model, data, q, v, np.zeros(model.nv)), np.cumsum([len(u) for u in state.u])[:-1])
    udot = [block.T @ (x + transport(block @ u)) for block, x, u in zip(T, a, state.u, strict=True)]
    full = block_diagonal(T)
    return full.T @ M @ full, np.concatenate(udot)


def scalar_last(q):
    """Euler parameters in Pinocchio's order."""
    return np.array([*q[:-4], *q[-3:], q[-4]]) if len(q) in (4, 7) else q


def body_axes(q, n):
    """Our speeds of a joint to Pinocchio's: Rᵀ for the translation of a free joint."""
    T = np.eye(n)
    if n == 6:
        T[:3, :3] = of_quaternion(q[3:]).T
    return T


def transport(v):
    """ω × v, what the derivative of body measures leaves out."""
    extra = np.zeros(len(v))
    if len(v) == 6:
        extra[:3] = np.cross(v[3:], v[:3])
    return extra


def block_diagonal(blocks):
    size = sum(map(len, blocks))
    total, at = np.zeros((size, size)), 0
    for block in blocks:
        total[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return total


# --- MuJoCo -----------------------------------------------------------------------------------------------------------


def mujoco_answer(mechanism, state):
    """M column by column and u̇; its free joint has the velocity of the origin in the world, as ours on the ground."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(mjcf(mechanism))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = np.concatenate(state.q), np.concatenate(state.u)
    mujoco.mj_forward(model, data)
    columns = np.zeros((model.nv, model.nv))
    for row, unit in zip(columns, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    return columns, data.qacc.copy()


def mjcf(mechanism: Mechanism) -> str:
    """The tree as MuJoCo's XML."""
    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/><option gravity="0 0 -9.81"/><worldbody>'
        + "".join(body_text(mechanism, i) for i, part in enumerate(mechanism.parts) if part.parent < 0)
        + "</worldbody></mujoco>"
    )


def body_text(mechanism: Mechanism, i: int) -> str:
    part = mechanism.parts[i]
    R, I = mounting(part), inertia_of(part)
    kind = {"revolute": "hinge", "prismatic": "slide"}.get(part.kind, part.kind)
    axis = f' axis="{text(part.axis)}"' if kind in ("hinge", "slide") else ""
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return (
        f'<body pos="{text(part.at)}" xyaxes="{text([*R[:, 0], *R[:, 1]])}"><joint type="{kind}"{axis}/>'
        f'<inertial pos="{text(part.center)}" mass="{part.mass!r}" fullinertia="{text(six)}"/>'
        + "".join(body_text(mechanism, k) for k, child in enumerate(mechanism.parts) if child.parent == i)
        + "</body>"
    )


def text(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


# --- the law ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "free_inside"), [(pinocchio_answer, True), (mujoco_answer, False)], ids=["Pinocchio", "MuJoCo"]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_peer_finds_the_same_motion(seed, peer, free_inside):
    """M and u̇ of revolute, prismatic, ball and free joints under gravity; 1e-9 leaves room for the peer's rounding."""
    mechanism = tree(seed, free_inside)
    state = random_state(mechanism, seed)
    M, udot = peer(mechanism, state)
    eq = build(mechanism).model.equations()
    assert relative_error(eq.evaluate(eq.M, **state.arguments), M) < 1e-9
    assert relative_error(eq.udot(**state.arguments), udot) < 1e-9
