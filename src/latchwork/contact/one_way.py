"""A one-way clutch: the rate of a joint, or a relative speed, is never negative.

    0 ≤ λ ⟂ q̇ ≥ 0          on speeds: it locks where q̇ comes to zero, and lets go where λ would pull

It is a contact whose gap is a speed: what would turn it backwards at once, as an impact elsewhere, meets a plastic
impact of its own, or one with a restitution.  [Pfeiffer, Glocker 1996, §4.3: unilateral constraints of velocities]
"""

from __future__ import annotations

from typing import Any

from latchwork.contact.joint_friction import freedoms_of, rate_feature
from latchwork.contact.law import Contact, restitution_of
from latchwork.errors import ModelError
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point


def one_way(name: str, what: Any, restitution: Any, origin: Point) -> Contact:
    """The contact that keeps the rate of a joint with one axis, or a speed, from being negative."""
    found = freedoms_of(what, name, "lets run one way", origin)
    if len(found) > 1:
        raise ModelError(f"'{name}' lets run one way a joint with one speed, or a speed; '{what.name}' is a "
                         f"{what.joint.name} joint with {len(found)}. Give one of them: model.one_way(name, "
                         "dt(q)).")  # fmt: skip
    features = (rate_feature(name, found[0], found, found[0].rate),)
    recipe = {"one_way": {"joint" if isinstance(what, Link) else "rate": what}}
    return Contact(name, features, restitution_of(name, restitution), recipe=recipe)
