"""Packets between a device and the loop: two sizes, little-endian, nothing in them that is not checked.

    hand packet, device to loop, 192 bytes                 force packet, loop to device, 184 bytes
    0    4s   magic "LWHD"                                 0    4s   magic "LWFC"
    4    u16  version, 1                                   4    u16  version, 1
    6    u16  flags: 1 holds, 2 turn, 4 velocity           6    u16  flags: 1 coupled, 2 motion
    8    u32  sequence number                              8    u32  sequence number of the hand packet answered
    12   i32  body, by its number in the model; −1 none    12   i32  body that is held; −1 none
    16   3f64 arm, in the body's frame                     16   i64  tick
    40   3f64 place, in N                                  24   f64  t
    64   3f64 velocity                                     32   3f64 force that the hand feels, in N
    88   4f64 turn: unit quaternion, scalar first          56   3f64 torque that it feels
    120  3f64 spin                                         80   3f64 place of the handle
    144  3f64 force that the device measures               104  3f64 its velocity
    168  3f64 torque that it measures                      128  4f64 its orientation, a unit quaternion
                                                           160  3f64 its angular velocity

This module needs nothing but the standard library, and may be copied into a client.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

VERSION = 1
HAND = struct.Struct("<4sHHIi3d3d3d4d3d3d3d")
FORCE = struct.Struct("<4sHHIiqd3d3d3d3d4d3d")
HAND_MAGIC, FORCE_MAGIC = b"LWHD", b"LWFC"
HOLDS, TURNS, MOVES = 1, 2, 4  # flags of a hand packet
COUPLED, MOTION = 1, 2  # flags of a force packet
FARTHEST = 1e6  # m, m/s, N: beyond this no number is believed
ROUND = 1e-3  # how far from 1 the length of a quaternion may be

Triple = tuple[float, float, float]
Quadruple = tuple[float, float, float, float]
NULL: Triple = (0.0, 0.0, 0.0)
UPRIGHT: Quadruple = (1.0, 0.0, 0.0, 0.0)


class HandPacket(NamedTuple):
    """What a device says."""

    sequence: int
    body: int = -1  # −1: it holds nothing
    arm: Triple = NULL
    place: Triple = NULL
    velocity: Triple | None = None  # None: the loop works it out from the places
    turn: Quadruple | None = None
    spin: Triple = NULL
    force: Triple = NULL
    torque: Triple = NULL


class ForcePacket(NamedTuple):
    """What the loop says."""

    sequence: int
    tick: int
    t: float
    body: int = -1
    force: Triple = NULL
    torque: Triple = NULL
    place: Triple | None = None  # None: nothing is held, or the loop does not tell
    velocity: Triple = NULL
    turn: Quadruple = UPRIGHT
    omega: Triple = NULL


def pack_hand(hand: HandPacket) -> bytes:
    """The bytes of a hand packet."""
    flags = (HOLDS if hand.body >= 0 else 0) | (TURNS if hand.turn else 0) | (MOVES if hand.velocity else 0)
    return HAND.pack(HAND_MAGIC, VERSION, flags, hand.sequence & 0xFFFFFFFF, hand.body, *hand.arm, *hand.place,
                     *(hand.velocity or NULL), *(hand.turn or UPRIGHT), *hand.spin, *hand.force,
                     *hand.torque)  # fmt: skip


def unpack_hand(data: bytes, bodies: int) -> HandPacket | None:
    """A hand packet from bytes that anybody may have sent; None where anything about it is wrong."""
    if len(data) != HAND.size:
        return None
    magic, version, flags, sequence, body, *x = HAND.unpack(data)
    if magic != HAND_MAGIC or version != VERSION or flags > (HOLDS | TURNS | MOVES) or not _believable(x):
        return None
    holds, turns, moves = (bool(flags & flag) for flag in (HOLDS, TURNS, MOVES))
    if (holds and not 0 <= body < bodies) or (turns and abs(math.hypot(*x[9:13]) - 1.0) > ROUND):
        return None
    return HandPacket(sequence, body if holds else -1, (x[0], x[1], x[2]), (x[3], x[4], x[5]),
                      (x[6], x[7], x[8]) if moves else None, _unit(x[9:13]) if turns else None,
                      (x[13], x[14], x[15]), (x[16], x[17], x[18]), (x[19], x[20], x[21]))  # fmt: skip


def pack_force(told: ForcePacket) -> bytes:
    """The bytes of a force packet."""
    flags = (COUPLED if told.body >= 0 else 0) | (MOTION if told.place else 0)
    return FORCE.pack(FORCE_MAGIC, VERSION, flags, told.sequence & 0xFFFFFFFF, told.body, told.tick, told.t,
                      *told.force, *told.torque, *(told.place or NULL), *told.velocity, *told.turn,
                      *told.omega)  # fmt: skip


def unpack_force(data: bytes) -> ForcePacket | None:
    """A force packet from bytes; None where anything about it is wrong."""
    if len(data) != FORCE.size:
        return None
    magic, version, flags, sequence, body, tick, t, *x = FORCE.unpack(data)
    if magic != FORCE_MAGIC or version != VERSION or not all(map(math.isfinite, (t, *x))):
        return None
    place = (x[6], x[7], x[8]) if flags & MOTION else None
    return ForcePacket(sequence, tick, t, body if flags & COUPLED else -1, (x[0], x[1], x[2]), (x[3], x[4], x[5]),
                       place, (x[9], x[10], x[11]), (x[12], x[13], x[14], x[15]), (x[16], x[17], x[18]))  # fmt: skip


def newer(sequence: int, last: int) -> bool:
    """Whether a sequence number comes after another, around the end of 32 bits."""
    return 0 < (sequence - last) & 0xFFFFFFFF < 0x80000000


def _believable(x: list[float]) -> bool:
    return all(abs(value) <= FARTHEST for value in x)  # false for NaN


def _unit(e: list[float]) -> Quadruple:
    size = math.hypot(*e)
    return e[0] / size, e[1] / size, e[2] / size, e[3] / size
