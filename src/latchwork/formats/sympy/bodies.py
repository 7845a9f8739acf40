"""Bodies and loads of a SymPy model, with the frames and points they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from latchwork.errors import ModelError
from latchwork.formats.sympy.frames import Frames
from latchwork.formats.sympy.model import SympyModel
from latchwork.formats.sympy.points import Points
from latchwork.formats.sympy.symbols import Names
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.vector import Dyadic
from latchwork.symbolic.expr import Expr


def take_body(model: SympyModel, points: Points, names: Names, body: Any) -> None:
    """A rigid body or a particle; one that is fixed in N has no part in the motion and is left out."""
    from sympy.physics.mechanics import RigidBody

    rigid, frames = isinstance(body, RigidBody), points.frames
    if rigid and body.frame is frames.newtonian:
        return
    what = f"the mass of body '{body.name}'"
    (mass,) = frames.symbols.motion([body.mass], what)
    _must_be_constant([mass], what)
    name, center = names.new(body.name, "body"), points.point(body.masscenter)
    if not rigid:
        model.particle(name, center, mass)
        return
    frame = frames.frame(body.frame)
    model.body(name, frame, center, mass, None if frames.omega(body.frame).is_zero else _inertia(frames, body))


def _inertia(frames: Frames, body: Any) -> Dyadic:
    """Central inertia; a body that does not turn needs none."""
    what = f"the inertia of body '{body.name}'"
    inertia = frames.dyadic(body.central_inertia, what)
    measures = [x for rows in inertia.parts.values() for row in rows for x in row]
    _must_be_constant([Expr(frames.tree.graph, x) for x in measures], what)
    return inertia


def _must_be_constant(values: Sequence[Expr], what: str) -> None:
    varying = {s.name for value in values for s in value.free_symbols if s.kind != "parameter"}
    if varying:
        raise ModelError(
            f"{what} varies with {', '.join(sorted(varying))}. Bodies here have constant mass and inertia; write the "
            "inertia in a frame in which it is constant."
        )


def take_load(model: SympyModel, points: Points, load: Any) -> None:
    """A force (point, vector) or a torque (frame, vector); one that acts on what is fixed in N is left out."""
    from sympy.physics.mechanics import Point, ReferenceFrame

    location, value = load
    frames = points.frames
    what = f"the load on '{getattr(location, 'name', location)}'"
    if location is frames.newtonian or (isinstance(location, Point) and points.at_rest(location)):
        return
    if isinstance(location, Point):
        model.force(points.point(location), frames.vector(value, what, frames.symbols.loads))
    elif isinstance(location, ReferenceFrame):
        model.torque(frames.frame(location), frames.vector(value, what, frames.symbols.loads))
    else:
        raise ModelError(f"{what} acts on {location!r}. Loads act on a Point or a ReferenceFrame.")


def must_meet(frames: Frames, points: Points, model: SympyModel) -> None:
    """Vectors that are dotted are written in frames whose orientation to each other is known."""
    for what, used in _meetings(frames, points, model):
        homes = sorted({frames.home(frame).name for frame in used})
        if len(homes) > 1:
            raise ModelError(
                f"{what} needs frames whose orientation to each other SymPy does not know: {', '.join(homes)}. "
                "Orient them, or write the vectors in frames that are oriented."
            )


def _meetings(frames: Frames, points: Points, model: SympyModel) -> Iterator[tuple[str, list[Frame]]]:
    """What brings vectors together, and the frames these are written in."""
    velocity = {point: points.velocity[item] for item, point in points.made.items()}
    for body in model.bodies.values():
        if body.frame is not None and body.inertia is not None:
            tensor = [frame for pair in body.inertia.parts for frame in pair]
            yield f"body '{body.name}'", [*frames.omega(frames.items[body.frame]).parts, *tensor]
    for load in model.loads:
        for point, force in load.forces:
            yield f"the force on '{point.name}'", [*velocity[point].parts, *force.parts]
        for frame, torque in load.torques:
            yield f"the torque on '{frame.name}'", [*frames.omega(frames.items[frame]).parts, *torque.parts]
