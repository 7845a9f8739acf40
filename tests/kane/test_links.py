"""Link by link: base moments give the same M, f, u̇ and inverse dynamics as the bodies themselves."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.kane.articulated import _from_bodies, _from_moments
from latchwork.kane.carriers import Carriers
from latchwork.kane.forces import mass_matrix, net_wrenches
from latchwork.kane.link_masses import mass_matrix_by_links
from latchwork.kane.moments import Links, base_links
from latchwork.kane.motion import Local, Motion
from latchwork.kane.newton_euler import link_forces
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import solve_speeds
from latchwork.kane.wrenches import generalized_forces
from random_trees import KINDS, build, build_by_hand, floating_mechanism, random_mechanism, relative_error
from robots.robot_data import URDF

TURNED = [kind for kind in KINDS if kind not in ("ball", "free")]  # without Euler parameters, which need unit length
SWAYING = (67, 183)  # a body welded to where it is shaken: its moments are no numbers
SEEDS = seeds(range(14), [seed for seed in range(400) if seed not in SWAYING])
ROBOTS = [name for name in ("ur_description/ur5_robot", "panda_description/panda", "solo_description/solo12")
          if name in URDF]  # fmt: skip


def motion_of(model: lw.Model) -> Motion:
    """The kinematics of a model."""
    system = model.system()
    return Motion(system, solve_speeds(system))


def with_links(model: lw.Model) -> tuple[Motion, Links]:
    """A motion and its links, which have to be there."""
    motion = motion_of(model)
    links = base_links(motion)
    assert links is not None
    return motion, links


def must_agree(model: lw.Model) -> None:
    """M, f and M u̇ + h - F_r by links and by bodies, at random states."""
    motion, links = with_links(model)
    system, settle = motion.system, Local(motion.system)
    columns = [numbers(system, [*chain(*M)]) for M in (mass_matrix_by_links(links), mass_matrix(motion, settle))]
    assert relative_error(*columns) < 1e-11
    found, true = link_forces(motion, links), generalized_forces(net_wrenches(motion, settle), settle)
    assert relative_error(numbers(system, found), numbers(system, true)) < 1e-11
    motion = motion.accelerating()
    found, true = link_forces(motion, links), generalized_forces(net_wrenches(motion, settle), settle)
    assert relative_error(numbers(system, found), numbers(system, true)) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_links_are_worth_their_bodies(seed):
    """Every joint, every load, motion prescribed in time, in random trees."""
    must_agree(build(random_mechanism(seed, aside=0.0), named=False).model)


@pytest.mark.parametrize("seed", seeds(range(3), range(40)))
def test_links_of_floating_trees_are_worth_their_bodies(seed):
    """Trees whose root floats."""
    must_agree(build(floating_mechanism(seed, bodies=5), named=False).model)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("floating", [False, True])
def test_links_of_robots_are_worth_their_bodies(name, floating):
    """Published robots, fixed and floating."""
    must_agree(lw.load(URDF[name], floating=floating))


@pytest.mark.parametrize("seed", seeds(range(6), range(60)))
def test_other_speeds_change_nothing(seed):
    """Frames and points by hand, speeds that mix the rates of all joints."""

    def sums(rates, q, t):
        return {f"w{i}": rate + sum(0.3 * other for other in rates[:i]) for i, rate in enumerate(rates)}

    mechanism = random_mechanism(seed, bodies=1 + seed % 3, kinds=TURNED, aside=0.0)
    must_agree(build_by_hand(mechanism, sums, named=False).model)


@pytest.mark.parametrize("seed", seeds(range(6), range(60)))
def test_sweeps_are_the_same_from_moments(seed):
    """u̇ by articulated bodies, from base moments and from the bodies."""
    motion, links = with_links(build(random_mechanism(seed, bodies=1 + seed % 6, aside=0.0), named=False).model)
    forms = _from_moments(links, ()), _from_bodies(Carriers(motion), ())
    assert relative_error(*(numbers(motion.system, form.udot) for form in forms)) < 1e-10


# --- which moments are left -------------------------------------------------------------------------------------------


def arm(second="revolute") -> lw.Model:
    """Two bodies in a row: the first turns about z, the second stands on it 0.5 further along x."""
    model = lw.Model("arm")
    A = model.joint("revolute", "A", axis=model.frame.z)
    model.body("a", A.frame, A.origin.at("ca", 0.2 * A.frame.x), 2.0, lw.inertia(A.frame, 0.1, 0.2, 0.25, zx=0.03))
    B = model.joint(second, "B", A, at=A.origin.at("elbow", 0.5 * A.frame.x), axis=A.frame.y)
    center = B.origin.at("cb", 0.3 * B.frame.x + 0.1 * B.frame.y)
    model.body("b", B.frame, center, 1.0, lw.inertia(B.frame, 0.1, 0.2, 0.25))
    model.gravity(-9.81 * model.frame.z)
    return model


def values(motion: Motion, links: Links) -> list[np.ndarray]:
    """Π of every carrier as numbers."""
    g = motion.g
    rows = [[*((*row, s) for row, s in zip(own.P, own.S, strict=True)), (*own.S, own.m)]
            for own in links.moments.values()]  # fmt: skip
    return [np.array([[g.value(node) for node in row] for row in each]) for each in rows]


def test_masses_on_the_axis_of_a_turn_go_to_the_parent():
    """m, S_k and P_kk of a body that turns about axis k are gone; the first body has the second's mass at its tip."""
    upper, lower = values(*with_links(arm()))
    assert not upper[np.ix_([2, 3], [2, 3])].any()
    assert not lower[np.ix_([1, 3], [1, 3])].any()
    assert upper[0, 3] == pytest.approx(2.0 * 0.2 + 1.0 * 0.5, rel=1e-15)


def test_zeros_stay_zeros():
    """What a body does not have does not appear: S_z of the lower body, and its products with x."""
    _, lower = values(*with_links(arm()))
    assert lower[2, 3] == lower[0, 2] == lower[1, 2] == 0.0


def test_a_body_that_slides_keeps_its_mass():
    """P goes to the parent, which turns alike; S and m stay."""
    _, kept, outboard = values(*with_links(arm(second="prismatic")))
    assert not kept[:3, :3].any()
    assert not outboard.any()
    assert kept[3] == pytest.approx([0.3, 0.1, 0.0, 1.0], rel=1e-15)


def test_parameters_are_not_regrouped():
    """A mass that has a name stays where it is."""
    model = lw.Model("pendulum")
    (q,) = model.coordinates("q")
    m = model.parameter("m", 2.0)
    A = model.frame.rotated("A", q, model.frame.z)
    model.body("rod", A, model.origin.at("c", 0.5 * A.x), m, lw.inertia(A, zz=0.1))
    assert base_links(motion_of(model)) is None


def test_forces_inside_joints_are_those_of_the_bodies():
    """At rest the first joint carries both bodies, although its own moments have no mass left."""
    model = arm()
    reactions = model.equations().reactions([0.3, 0.0], [0.0, 0.0])
    force, held = reactions["A"].force, reactions["B"].force
    down = model.equations().udot([0.3, 0.0], [0.0, 0.0])[1]
    assert force[2] - held[2] == pytest.approx(2.0 * 9.81, rel=1e-12)
    assert held[2] == pytest.approx(1.0 * 9.81 - 0.3 * down, rel=1e-12)
