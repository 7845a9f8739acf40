"""Small numbers by which contacts are judged: what is closed, at rest, slow or brief. Units of the model, or parts."""

from __future__ import annotations

CLOSED_GAP = 1e-10  # a gap this small, in units of the model, is closed
REACH = 4.0  # a gap of so many TOUCH takes part in what happens
BOUND = 1e-12  # what moves along the very bound of two domains, up to rounding, is in both
CLEAR = 8.0  # further than so many TOUCH, and a contact that opened is watched as all others
AT_REST = 1e-10  # of the fastest approach so far: slower normal velocities are none
ROUNDING = 1e-12  # of the fastest motion of the same energy: this much of a normal velocity is rounding
CAPTURE = 1e-6  # and slower rebounds end in contact
FASTEST = 1e-3  # of the fastest motion: but none faster than this, however hard it is pressed
LIVELY = 0.99  # a restitution with which rebounds hardly become slower
RISE, BRIEF = 1e-16, 1e-6  # in units of the model: a hop lower than this, and slower than that, is none
TENSILE = 1e-9  # of the forces at work: less of a pull is rounding
CONE = 1e-11  # a cone is left where the force is beyond it by half of this part: then it slips for sure
CONE_IN_SPACE = 1e-9  # the same in space, where the forces of several contacts are found by planes about their cones
WIDER, CHATTER = 100, 1e-2  # so many times wider is the cone of a contact that slipped and stuck again within, in s
NO_SLIP = 1e-9  # of the fastest speed: slower slip is none
STIRS = 1e-3  # s: slip is measured by no less than the accelerations at work give in this time
LEFT = 1e-3  # of the fastest motion so far: slip is measured by no less, for some rounding is left of it
