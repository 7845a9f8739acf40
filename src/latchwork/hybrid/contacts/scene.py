"""Scene: the contact points of a run with their states, as records that the reset reads and writes.

A contact point is compiled when it is described: its gap, its rows B u + C = 0, their bias and its laws are programs of
(t, q, u, rest). Its state is integers and a few numbers. A mode is a list of contact points with their states.
"""

from __future__ import annotations

from latchwork.contact.complementarity.problem import OPEN as OPEN
from latchwork.contact.complementarity.problem import SLIDE as SLIDE
from latchwork.contact.complementarity.problem import STICK as STICK
from latchwork.contact.complementarity.problem import ContactProblem
from latchwork.contact.impact.problem import ImpactProblem
from latchwork.contact.tolerances import Tolerances
from latchwork.hybrid.contacts.delassus_operator import Delassus
from latchwork.program.evaluator import Evaluator
from latchwork.program.kernel import f64, f64p, i64, i64p, kernel
from latchwork.program.records.record import array, pointer, record

MOST_ZONES = 3  # of one contact: of its restitution, of static and of dynamic friction

# What the guards say of a contact point
CLEARED, TOUCHED, AROUND, LEAVES, LETS_GO, RESTS, SLIPS = 1, 2, 4, 8, 16, 32, 64


@record
class Coefficients:
    """e, μ_s and μ_d of a contact in its zones: numbers, or a program of (t, q, u, rest)."""

    steady: i64  # 1 where they are numbers
    e: f64
    mu_s: f64
    mu_d: f64
    program: Evaluator


@record
class ContactRecord:
    """A contact point as it was described."""

    contact: i64  # which contact it is a feature of
    tangents: i64
    without_normal: i64  # 1 where it has no normal row: enforced or bounded
    enforced: i64  # 1 where the coordinates themselves keep its gap at zero
    bounded: i64  # 1 where coefficients are limits of its force, and it has no gap: dry friction of a joint
    presser: i64  # the contact point by whose normal force its limits are multiplied, as of rolling; else −1
    attracts: i64  # the contact point with which it is closed, as its attraction; else −1
    adhesion: i64  # the attraction of this contact point; −1 where it has none
    one_way: i64  # 1 where its gap is a speed
    bounds: i64  # of the domain of its feature
    unit: f64  # of its gap, over the length of the run: other than 1 where it is an angle
    row_unit: f64  # of velocities along its rows, in the same way
    impact: i64  # its law of impact
    end: i64  # 1 where it is a corner or an edge, met by what is round
    sharp: i64  # 1 where both shapes are convex, with edges; 2 where these may be round: see `separating_normal`
    turns: i64  # 1 where its normal may turn towards the axis that its tangents are made from
    ready: i64  # 1 where its rows are compiled
    first_law: i64
    zones: i64
    zone: i64p = array(3)
    stride: i64p = array(3)
    gap: Evaluator  # its gap, then how far inside its bounds it is
    place: Evaluator  # Φ, B, C of its rows: the normal one, unless enforced, then the tangents
    bias: Evaluator  # c = Ḃ u + Ċ
    force: Evaluator  # N1, N0 of N = N0 + N1 · u̇, where the coordinates enforce it
    upright: Evaluator  # 1 − (n · axis)²
    normal: Evaluator  # n in N, of a sharp one


@record
class ContactStateRecord:
    """How a contact point is now, and what is remembered of it."""

    kind: i64  # OPEN, SLIDE or STICK
    leaving: i64  # where it has just opened: one more than how deep it is, in whole closed gaps; else 0
    behind: i64  # 1 where its feature is met from behind
    cone_margin: i64  # of STICK: how often its cone is widened
    unloaded: i64  # 1 where it is closed and carries nothing yet, as a load begins
    slip_size: i64  # numbers that its slip direction has: 0 without friction, 1 in the plane, 4 in space
    impending_size: i64  # numbers of ``impending``: in this direction it would slide if others did not stick
    force_size: i64  # numbers of ``force`` that are known
    slipped_margin: i64  # its cone margin when it slipped last
    slipped_at: f64
    slip: f64p = array(4)
    impending: f64p = array(2)
    force: f64p = array(3)


@record
class ContactEvent:
    """What happens to a contact point at one instant."""

    flags: i64  # what guards say of it
    onset: f64p = array(2)  # the direction in which slip begins, where it does
    doubled: i64  # 1 where another feature is met at its place, or nothing can be held there
    passed: i64  # 1 where what approaches along it passes it by
    entered: i64  # 1 where its guard would fall on: a gap below zero as its domain is entered, or a slow parting
    left: i64  # 1 where a guard says that it leaves its cone
    widened: i64  # 1 where it sticks at the very edge of its cone
    stays: i64  # 1 where it does not part
    idle: i64  # 1 where it does as others do
    kept: i64  # 1 where others keep it from slipping
    jammed: i64  # 1 where it slides, and can neither stay closed nor open
    struck: i64  # its place among those that impacts have struck, from 1 on
    slip_direction: f64p = array(2)  # the direction of slip, before and after
    slips: i64  # 1 where it slips
    impulse: f64p = array(3)
    torn: i64  # 1 where its adhesion has given way
    unloaded: i64  # 1 where it has nothing to carry yet, and a load begins


@kernel
def has_flag(event: ContactEvent, flag: i64) -> i64:
    """1 where guards say something of a contact point."""
    return 1 if event.flags & flag != 0 else 0


@kernel
def set_flag(event: ContactEvent, flags: i64) -> None:
    """Guards say something of a contact point, whatever they said before."""
    event.flags = event.flags | flags


@kernel
def clear_flag(event: ContactEvent, flags: i64) -> None:
    """What guards have said of a contact point is done with."""
    event.flags = event.flags & ~flags


@record
class EnforcedContact:
    """A contact point that the coordinates enforce, while it is decided whether it sticks or slides."""

    point: i64
    slips: i64  # 1 where it slides along ``slip``, or has no friction
    slip_direction: f64p = array(2)
    slip: f64p = array(2)
    row: i64  # the first of its rows among those that hold besides, where it sticks


@record
class SupportTriangle:
    """The corners on which a rim that lies flat stands, and what is known of where its load is."""

    azimuth: i64  # where its azimuth stands in (t, q, u, rest)
    level: i64  # bounds of a corner, its first ones, that say whether the rim lies flat
    turns: i64  # of this event
    halved: i64  # how often it has turned in search of the place that carries, 0 where it is not on its way,
    aimed: i64  # and 1 where it has turned to the center of pressure
    rocks: i64  # 1 where the rim moves across itself, and one place of it stays at most
    low: f64  # the azimuths between which that place is
    high: f64
    corner: i64p = array(3)  # contact points: the second a third of a turn further than the first, the third before it


@record
class Scene:
    """Contact points, their states, and what happens to them."""

    contacts: i64
    groups: i64  # contacts that they are features of
    zones: i64
    laws: i64
    n_out: i64
    enforced: i64
    n_speeds: i64
    watched: i64  # how many of them are watched
    triangles: i64  # support triangles, those whose corners are watched
    most_triangles: i64
    at_once: i64  # how several act in one impact: 1 together, 0 one after the other, −1 as they come
    shortest_hop: f64  # s: hops shorter than this are none
    approach_scale: f64  # the fastest approach so far
    motion_scale: f64  # the fastest motion at contacts so far
    shared: f64  # when a load was shared otherwise last
    begun: i64  # 1 where guards were taken; 2 where support triangles are where they come down
    rounds: i64  # impacts and contact problems of this event
    impacts: i64
    struck: i64  # contact points that they struck
    energy: f64  # lost in impacts
    work: f64  # gained by all that changed speeds
    jams: i64  # 1 where the last impact was one without collision
    trouble: i64  # the contact point that something is to be said of
    number: f64  # and a number with it
    slip_scale: f64  # what slip is measured by
    tolerances: Tolerances = pointer()
    delassus: Delassus = pointer()
    problem: ContactProblem = pointer()
    impact: ImpactProblem = pointer()
    contact: list[ContactRecord] = array("contacts")
    law: list[Coefficients] = array("laws")
    state: list[ContactStateRecord] = array("contacts")
    event: list[ContactEvent] = array("contacts")
    zone: i64p = array("zones")
    zone_step: i64p = array("zones")
    watch: i64p = array("contacts")  # which are watched
    ends: i64p = array("groups")  # 1 where a feature of the contact ends here
    gap: f64p = array("contacts")
    inside: f64p = array("contacts")
    near: i64p = array("contacts")  # of those near: which are kept, as flags, then their places in order
    kept_state: i64p = array("contacts")  # the answer of the contact problem while another one is tried
    kept_directed: i64p = array("contacts")
    e: f64p = array("contacts")
    mu_s: f64p = array("contacts")
    mu_d: f64p = array("contacts")
    out: f64p = array("n_out")
    triangle: list[SupportTriangle] = array("most_triangles")
    corner: f64p = array("3 * n_speeds + 6")  # normal rows of the corners of a triangle, then C and c of each
    pressing: f64p = array("contacts")  # normal forces of those near with which none of them would open
    accelerated: f64p = array("n_speeds")  # u̇ by the forces of the contacts that stay
    side: list[EnforcedContact] = array("enforced")  # those that the coordinates enforce
    side_rows: f64p = array("enforced * (3 * n_speeds + 4)")  # B and c of two tangents, N1 and N0 of each


@kernel
def forget_turns(scene: Scene) -> None:
    """No support triangle has turned yet at this instant."""
    for i in range(scene.triangles):
        triangle = scene.triangle[i]
        triangle.turns, triangle.halved, triangle.aimed, triangle.rocks = 0, 0, 0, 0


@kernel
def has_turned(scene: Scene) -> i64:
    """1 where a support triangle has turned at this instant."""
    for i in range(scene.triangles):
        if scene.triangle[i].turns > 0:
            return 1
    return 0
