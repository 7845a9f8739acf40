"""Rolling without slip: disks, balls and wheels, on ramps and on what moves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt

G = 9.8


def test_disk_on_a_ramp():
    """A disk on a ramp rolls with m g sin φ / (m + J/r²) and needs the friction J/r² of it.  [Gillespie Ex. 1]"""
    m, J, r, phi = 1.0, 0.5, 0.8, math.pi / 12
    model = lw.Model("disk")
    q1, q2 = model.coordinates("q1", "q2")
    A = model.frame.rotated("A", phi, model.frame.z)
    disk = A.rotated("B", q2, A.z)
    center = model.origin.at("Bo", q1 * A.x + r * A.y)
    body = model.body("disk", disk, center, m, lw.inertia(disk, zz=J))
    model.gravity(-G * model.frame.y)
    model.roll("rolling", body, -r * A.y, along=A.x)
    held = model.constrained()
    expected = -m * G * math.sin(phi) / (m + J / r**2)
    assert held.udot([3.0, 0.4], {"u1": 2.0}) == pytest.approx([expected, -expected / r])
    assert held.multipliers([3.0, 0.4], {"u1": 2.0})["rolling"] == pytest.approx([-J / r**2 * expected])


def test_ball_on_an_inclined_plane():
    """A solid ball rolls down at 5/7 g sin φ, whatever its spin; the plane bears m g cos φ."""
    m, r, phi = 2.0, 0.3, 0.4
    model = lw.Model("ball")
    ball = model.free("ball")
    body = model.body("ball", ball, ball.origin, m, lw.inertia(ball.frame, *[0.4 * m * r**2] * 3))
    N = model.frame
    model.gravity(-G * (math.cos(phi) * N.z + math.sin(phi) * N.x))
    model.roll("rolling", body, -r * N.z, along=[N.x, N.y], normal=N.z)
    held = model.constrained()
    turned = np.array([0.9, 0.1, -0.3, 0.2])
    q = [0.5, -0.2, r, *(turned / np.linalg.norm(turned))]
    u = {"u_ball_vx": 0.4, "u_ball_vy": -0.7, "u_ball_wz": 3.0}
    found = held.udot(q, held.velocities(q, u))
    assert found[:3] == pytest.approx([-5 / 7 * G * math.sin(phi), 0.0, 0.0], abs=1e-12)
    forces = held.multipliers(q, held.velocities(q, u))["rolling"]
    assert forces == pytest.approx([2 / 7 * m * G * math.sin(phi), 0.0, m * G * math.cos(phi)], abs=1e-12)


def thin_disk(m: float, r: float) -> tuple[lw.Model, lw.Body, lw.Frame]:
    """A disk in space by its centre, yaw about N.z, lean about the new x and spin about its axis y."""
    model = lw.Model("thin disk")
    x, y, z, yaw, lean, spin = model.coordinates("x", "y", "z", "yaw", "lean", "spin")
    disk = model.frame.body_fixed("disk", "zxy", yaw, lean, spin)
    center = model.origin.at("C", model.frame.vector(x, y, z))
    J = m * r**2 / 4
    body = model.body("disk", disk, center, m, lw.inertia(disk, J, 2 * J, J))
    model.gravity(-G * model.frame.z)
    return model, body, disk


def minimal_disk(m: float, r: float, tube: float) -> lw.Model:
    """The same disk in three angles, with ω in the leaned frame as speeds and the centre's velocity declared."""
    model = lw.Model("minimal disk")
    q = model.coordinates("yaw", "lean", "spin")
    N = model.frame
    tilted = N.body_fixed("L", "zx", q[0], q[1])
    disk = tilted.rotated("disk", q[2], tilted.y)
    w = disk.angular_velocity()
    u = model.speeds(u1=w.dot(tilted.x), u2=w.dot(tilted.y), u3=w.dot(tilted.z))
    ground = model.origin.at("ground", 0 * N.x)
    center = ground.at("C", 0 * N.x)
    up = r * tilted.z + tube * N.z
    center.moves(N, (u[0] * tilted.x + u[1] * tilted.y + u[2] * tilted.z).cross(up), located=False)
    J = m * r**2 / 4
    model.body("disk", disk, center, m, lw.inertia(tilted, J, 2 * J, J))
    model.force(center, -m * G * N.z)
    return model


@pytest.mark.parametrize("tube", [0.0, 0.04])
def test_thin_disk_on_the_ground(tube):
    """A disk rolled by three rows, its contact at the rim, moves as a disk in three angles does."""
    m, r = 1.3, 0.5
    model, body, disk = thin_disk(m, r)
    N = model.frame
    model.roll("rolling", body, lw.wheel_foot(disk.y, N.z, r, tube), along=[N.x, N.y], normal=N.z)
    held = model.constrained(independent=["u_yaw", "u_lean", "u_spin"])
    yaw, lean, spin = 0.4, 0.3, 1.1
    rates = {"u_yaw": 0.7, "u_lean": -0.5, "u_spin": 4.0}
    q = {"x": 0.1, "y": 0.2, "z": r * math.cos(lean) + tube, "yaw": yaw, "lean": lean, "spin": spin}
    found = held.udot(q, rates)[3:]
    peer = minimal_disk(m, r, tube).equations()
    yaw_rate, lean_rate, spin_rate = rates.values()
    s, c = math.sin(lean), math.cos(lean)
    u = [lean_rate, spin_rate + s * yaw_rate, c * yaw_rate]
    a = peer.udot([yaw, lean, spin], u)
    yaw_2 = (a[2] + s * lean_rate * yaw_rate) / c
    assert found == pytest.approx([yaw_2, a[0], a[1] - s * yaw_2 - c * lean_rate * yaw_rate], rel=1e-10)


def test_the_row_of_a_leaned_disk():
    """At the rim of a disk leaned by λ the row is the velocity of the spot: v_C + ω × r, not that of a point of it."""
    model, body, disk = thin_disk(1.0, 0.5)
    N = model.frame
    leaned = N.body_fixed("L", "zx", model.symbols["yaw"], model.symbols["lean"])
    by_rim = model.roll("rim", body, lw.wheel_foot(disk.y, N.z, 0.5), along=N.x)
    by_hand = model.roll("hand", body, -0.5 * leaned.z, along=N.x)
    equations = model.equations()
    q, u = [0.1, 0.2, 0.4, 0.5, 0.6, 0.7], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    rows = equations.evaluate([*by_rim.zero, *by_hand.zero], q, u)
    assert rows[0] == pytest.approx(rows[1])


def test_roller_between_belt_and_carriage():
    """A roller on a carriage that is pushed: what it rolls on may move, and is pushed back by the same force."""
    m, J, r, M, F = 0.7, 0.02, 0.2, 3.0, 5.0
    model = lw.Model("roller")
    carriage = model.prismatic("carriage", axis=model.frame.x)
    x, theta = model.coordinates("x", "theta")
    model.speeds(v=dt(x), w=dt(theta))
    wheel = model.frame.rotated("wheel", theta, model.frame.z)
    center = model.origin.at("C", x * model.frame.x + r * model.frame.y)
    roller = model.body("roller", wheel, center, m, lw.inertia(wheel, zz=J))
    model.body("carriage", carriage, carriage.origin, M)
    model.force(carriage, F * model.frame.x)
    model.roll("rolling", roller, -r * model.frame.y, along=model.frame.x, on=carriage)
    held = model.constrained()
    share = 1 / (1 + m * r**2 / J)  # of the carriage's acceleration: m a = f, J α = f r, a + α r = A
    A = F / (M + m * share)
    assert held.udot([0.0, 0.1, 0.2], {}) == pytest.approx([A, share * A, (1 - share) * A / r])
    assert held.multipliers([0.0, 0.1, 0.2], {})["rolling"] == pytest.approx([m * share * A])


def test_the_angle_of_a_wheel_is_not_in_its_rows():
    """A round wheel rolls the same however far it has turned: its angle is in no row."""
    model, body, disk = thin_disk(1.0, 0.5)
    N = model.frame
    model.roll("rolling", body, lw.wheel_foot(disk.y, N.z, 0.5), along=[N.x, N.y], normal=N.z)
    held = model.constrained()
    entries = [*held.B, *held.C, *held.rows.c]
    assert all(entry.diff(model.symbols["spin"]) == 0.0 for entry in entries)
