"""Trajectory: what a run gives, frozen. States, and anything that is a function of them, at and between the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.algebra.products import norm
from latchwork.constraint.consistency import Start
from latchwork.constraint.forces import forces_in, reactions_in
from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError, answering, spelled_methods
from latchwork.hybrid.audit import Audit as Audit
from latchwork.hybrid.event import Events as Events
from latchwork.hybrid.event import RunEvent as RunEvent
from latchwork.hybrid.gaps import Presence, gap_between, gaps_along, least_gap
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_dynamics import unresolved
from latchwork.hybrid.mode_history import ModeHistory, Span, mode_history
from latchwork.hybrid.path import Path
from latchwork.hybrid.start import times_of
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.hybrid.time_stepping.stepped_dynamics import contact_error, numerical, stretches
from latchwork.hybrid.timeline import Timeline
from latchwork.integrate.stiffness import Stiffness
from latchwork.kane.equations import Equations
from latchwork.kane.units import Label
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.hybrid.reactions import ReactionsAlong
    from latchwork.view.notebook import Player

Array = NDArray[np.float64]


def quantity(equations: Equations, what: Any, samples: Samples | None = None) -> tuple[list[int], tuple[int, ...]]:
    """The measure numbers of anything that a run can be asked for, and their shape.

    A scalar is one, a vector has its three in N, a point those of its position from O, a frame nine direction cosines.
    """
    tree = equations.system.tree
    if isinstance(what, str):
        what = look_up(equations, what, samples)
    if isinstance(what, Point):
        what = what.position(tree.origin)
    if isinstance(what, Vector):
        return [operand(tree.graph, e) for e in what.measures(tree.newtonian)], (3,)
    if isinstance(what, Frame):
        return [e.node for row in tree.newtonian.direction_cosines(what) for e in row], (3, 3)
    if isinstance(what, Expr):
        return [operand(tree.graph, what)], ()
    raise EvaluationError(
        f"a run cannot be asked for {what!r}. Ask for a name, an expression, a point, a vector or a frame."
    )


@answering
@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """States at some times, or at one. ``samples[what]`` gives any expression, point or vector there.

    At one time, where ``t`` is a number, a scalar is one number; at several it has one number for each.
    """

    driven: Driven = field(repr=False)
    t: Array
    x: Array = field(repr=False)  # (q, u, work), one row per sample
    rest: Array = field(repr=False)
    udot: Array | None = field(repr=False, default=None, kw_only=True)  # where constraints act
    path: Path | None = field(repr=False, default=None, kw_only=True)  # the run they were taken from
    contacts: tuple[Contact, ...] = field(repr=False, default=(), kw_only=True)  # what could touch in it
    colliding: tuple[Any, ...] = field(repr=False, default=(), kw_only=True)  # shapes of which any two could

    @property
    def equations(self) -> Equations:
        return self.driven.equations

    def __repr__(self) -> str:
        t = np.ravel(self.t)
        span = f"t = {t[0]:.6g} ... {t[-1]:.6g}" if len(t) else "no times"
        return f"<{type(self).__name__} of '{self.equations.name}': {len(t)} samples, {span}>"

    def __getitem__(self, what: Any) -> Any:
        """Numbers along the run: a name, an expression (or its text), a point, a vector (measures in N), or a frame.

        Names are those of symbols, points and meters: energy, work, momentum; texts may ask for ``reaction(joint)``,
        ``force(contact)``, ``load(spring)`` and ``motor(joint)`` (`latchwork.hybrid.meters`). Scalars give one number
        per sample, vectors and points three, frames nine direction cosines.
        """
        nodes, shape = quantity(self.equations, what, self)
        return self._evaluate(nodes).reshape((*np.shape(self.t), *shape))[()]  # one number where there is one

    def each(self, *what: Any) -> list[Any]:
        """``[samples[a], samples[b], ...]``, worked out together."""
        if not what:
            return []
        asked = [quantity(self.equations, item, self) for item in what]
        ends = np.cumsum([len(nodes) for nodes, _ in asked])[:-1]
        columns = np.split(self._evaluate([node for nodes, _ in asked for node in nodes]), ends, axis=-1)
        shape = np.shape(self.t)
        return [part.reshape((*shape, *own))[()] for part, (_, own) in zip(columns, asked, strict=True)]

    def _evaluate(self, nodes: list[int]) -> Array:
        system, driven = self.equations.system, self.driven
        times = np.ravel(self.t)
        states = self.x.reshape(len(times), self.x.shape[-1])
        held = driven.rest_at(self.rest, times) if self.path is None else self.path.rest_at(self.rest, times, states)
        columns = [times, states, held]
        if self.udot is None:
            closed, arguments = self.equations.in_states(nodes), driven.arguments
        else:
            closed = rebuild(system.graph, nodes, self.equations.derivation.kinematics.replaced)
            columns.append(self.udot.reshape(len(times), self.udot.shape[-1]))
            arguments = (*driven.arguments, *system.u_rates)
        closed = rebuild(system.graph, closed, driven.laws)
        forces = forces_in(system.graph, closed)
        if forces:
            from latchwork.hybrid.reactions import forces_along

            columns.append(forces_along(self, list(forces.values())))
            arguments = (*arguments, *(Expr(system.graph, node) for node in forces))
        reactions = reactions_in(system.graph, closed)
        if reactions:
            from latchwork.hybrid.reactions import components_along

            columns.append(components_along(self, list(reactions.values())))
            arguments = (*arguments, *(Expr(system.graph, node) for node in reactions))
        return Function(lower(system.graph, closed, arguments)).many(np.column_stack(columns))

    def reactions(self, at: Any = None, motors: bool = False) -> ReactionsAlong:
        """What every constraint and joint exerts at these times, by name.

        Torques are about where each acts, or about ``at``: a point, or points by name. What drives a joint
        (``model.actuate``, ``resist``, a torque between its two bodies) is a load of its own; with ``motors`` it is
        contained in what the joint exerts. The normal forces of all places of a contact together are
        ``samples[contact.force]``.
        """
        from latchwork.hybrid.reactions import reactions_along

        return reactions_along(self, at, motors)

    @property
    def energy(self) -> Any:
        """K + V along the run."""
        return self[self.equations.kinetic_energy + self.equations.potential_energy]

    @property
    def work(self) -> Any:
        """Work done on the mechanism since the start by loads without a potential and by prescribed motion."""
        return self.x[..., -1]

    @property
    def q(self) -> Array:
        """Coordinates, one row per sample."""
        return self.x[..., : len(self.equations.q)]

    @property
    def u(self) -> Array:
        """Speeds, one row per sample."""
        return self.x[..., len(self.equations.q) : -1]


@spelled_methods
@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Samples):
    """A run: its samples ``t``, what lies between them (``at``), its events, and its audit."""

    path: Path = field(repr=False)
    events: Events = Events()  # noqa: RUF009
    start: Start | None = field(repr=False, default=None)  # what had to be changed to meet the constraints
    timeline: Timeline = field(repr=False, default_factory=Timeline)  # what was worked on when, by the clock
    presence: Presence = field(repr=False, default_factory=Presence)
    listed: tuple[tuple[str, ...], ...] = field(repr=False, default=())  # modes made ready before they were met
    stiffness: Stiffness | None = field(repr=False, default=None)  # by which its method was chosen

    def __getitem__(self, what: Any) -> Any:
        return self.mode if isinstance(what, str) and self.means_mode(what) else super().__getitem__(what)

    def means_mode(self, what: str) -> bool:
        """Whether a text asks for the number of the mode: "mode", where nothing in the model is called so."""
        names = {symbol.name for symbol in self.equations.arguments} | self.equations.system.tree.points.keys()
        return what == "mode" and what not in names

    @cached_property
    def visited(self) -> ModeHistory:
        """Modes by number, spans of time in them, and transitions."""
        return mode_history(self.path, self.events)

    @property
    def modes(self) -> list[Span]:
        """What held when: (from, to, names)."""
        return list(self.visited.spans)

    @property
    def mode(self) -> NDArray[np.intp]:
        """The number of the mode at each sample, from 1, in the order of first visits."""
        return self.visited.at(self.t)

    def at(self, t: ArrayLike) -> Samples:
        """The run at any times between start and end; at one time, scalars are numbers."""
        when = times_of(t, "the times at which a run is asked")
        x, udot = self.path.at(np.ravel(when))
        shape = np.shape(when)
        return Samples(self.driven, when, x.reshape(*shape, x.shape[-1]), self.rest,
                       udot=None if udot is None else udot.reshape(*shape, udot.shape[-1]), path=self.path,
                       contacts=self.contacts, colliding=self.colliding)  # fmt: skip

    @property
    def audit(self) -> Audit:
        """The checks of this run."""
        full = Samples(self.driven, self.path.t, self.path.x, self.rest)
        energy, work = full.energy, full.work - full.work[0]  # what happened before the first step is no part of it
        names = [symbol.name for symbol in self.equations.arguments[1:]]
        norms = [
            np.abs(norm(full.x[:, [names.index(e.name) for e in four]], axis=1) - 1.0).max()
            for four in self.equations.system.quaternions
        ]
        stats = self.path.stats
        gap, whose = least_gap(full, self.presence) or (None, "")
        return Audit(
            float(energy[0]), float(energy[-1]), float(work[-1]),
            float(np.abs(energy - energy[0] - work).max()), float(max(norms, default=0.0)),
            self.path.constraint_error, stats.steps, stats.rejected, stats.evaluations,
            gap, whose, len(self.events), stretches(self.path), numerical(self.path), unresolved(self.path),
            self.stiffness if self.stiffness is not None and self.stiffness.implicit else None,
            contact_error(self.path),
        )  # fmt: skip

    def gaps(self) -> dict[str, Array]:
        """The gap of every place where contacts may touch, by name, along the run.

        nan where there is none: before the contact came and after it went, outside of the domain of the place, and for
        what is met from behind.
        """
        return gaps_along(self, self.presence)

    def interference(self, a: Any, b: Any) -> Array:
        """The signed distance of any two shapes along the run, contact or not: negative where they overlap.

        nan where the pair has none, as beyond the ends of a curve.
        """
        return gap_between(self, a, b)

    def label(self, what: Any) -> Label:
        """The unit and the description of what a run can be asked for, where the model was given any."""
        from latchwork.hybrid.meters import label

        return label(self, what)

    def plot(self, *what: Any, path: str | None = None) -> Any:
        """A figure of anything against time, one panel each; saved where ``path`` is given.

        A mapping gives panels names of their own: ``run.plot({"height": P.position(O).dot(N.y)}, "mode")``.
        """
        from latchwork.view.plots import plot_run

        panels: dict[str, Any] = {}
        for item in what or self.equations.q_names:
            panels.update(item if isinstance(item, Mapping) else {str(item): item})
        return plot_run(self, panels, path)

    def draw(self, *points: Any, view: str = "xy", path: str | None = None) -> Any:
        """A picture of the motion: the line through some points at even times, and the path of the last.

        Without points, the shapes of its contacts. ``view`` names the two axes of N that lie in the picture, to the
        right and upwards.
        """
        from latchwork.view.motion import draw_motion

        return draw_motion(self, points, view, path)

    def automaton(self, path: str | None = None) -> Any:
        """The automaton that the run went through, as the text of an SVG: modes, and transitions with their counts.

        Modes that were made ready and not visited (``lw.Automaton``) are drawn lightly.
        """
        from latchwork.view.automaton import draw_automaton

        return draw_automaton(self.visited, self.equations.name, path, self.listed)

    def animate(self, path: str | None = None, view: str | None = None, *, draw: Sequence[Any] = (),
                shapes: Sequence[Any] = (), forces: bool = False, at: float | None = None, fps: float | None = None,
                size: tuple[int, int] | None = None, speed: float | None = None,
                progress: Callable[[float], None] | None = None) -> Player | None:  # fmt: skip
        """The motion as a file, of a kind that its name chooses; without a name, a player that a notebook shows.

        ``.html`` is one page that plays in any browser without a network; ``.png`` a picture, of six moments or of the
        one ``at`` a time; ``.gif`` a moving picture, and ``.mp4`` a film, for which ffmpeg has to be there.

        ``view`` names the axes of N to the right and upwards; ``draw`` joins points by a line instead of every point
        with its parent; ``shapes`` are drawn besides those of the contacts; ``forces`` shows what constraints exert.
        Films have ``fps`` pictures a second (30), in which ``speed`` seconds of the run pass (1, if that takes from 2
        to 30 seconds); pictures and films are ``size`` pixels wide and high; ``progress`` hears the time drawn last.
        """
        from latchwork.view.animate import animate, player

        if path is None:
            return player(self, view, draw, shapes, forces, at=at, fps=fps, size=size, speed=speed)
        animate(self, path, view, draw, shapes, forces, progress, at=at, fps=fps, size=size, speed=speed)
        return None

    def to_dataframe(self, *what: Any) -> Any:
        """A pandas DataFrame over time: coordinates and speeds, or ``what``; units are in ``frame.attrs["units"]``."""
        from latchwork.hybrid.columns import data_frame

        return data_frame(self, what)

    def to_xarray(self, *what: Any) -> Any:
        """An xarray Dataset over time: coordinates and speeds, or ``what``; units are attributes."""
        from latchwork.hybrid.columns import dataset

        return dataset(self, what)

    def _repr_html_(self) -> str:
        from latchwork.hybrid.overview import run_html

        return run_html(self)

    def smooth(self, points: int = 600) -> Samples:
        """The run on an even grid, fine enough to draw."""
        if isinstance(points, bool) or not isinstance(points, int) or points < 1:
            raise EvaluationError(f"a run was asked for at {points!r} points. Give a whole number, 1 or more.")
        return self.at(np.linspace(self.t[0], self.t[-1], points))
