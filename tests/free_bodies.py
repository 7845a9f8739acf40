"""Bodies cut free: what acts on each, collected in NumPy, against its rates of momentum."""

from __future__ import annotations

import numpy as np

from random_trees import Coil, G, H, Hinge, Lagrange, axial


class FreeBodies:
    """The resultant on each part: force, and moment about the origin of N, collected load by load in NumPy."""

    def __init__(self, mechanism, state, udot):
        self.mechanism, self.state = mechanism, state
        self.lagrange = Lagrange(mechanism, state)
        self.poses = self.lagrange.moving(udot)
        self.total = np.zeros((len(mechanism.parts) + 1, 6))  # the last row is the ground

    def push(self, part, x, force):
        self.total[part] += np.concatenate([force, np.cross(x, force)])

    def at(self, place):
        return self.lagrange.place(self.poses, place).value[0].real

    def vector(self, part, a):
        return np.asarray(a) if part < 0 else self.poses[part][0].value[0].real @ np.asarray(a)

    def inertia(self):
        """Take away the rates of momentum, and add gravity."""
        for i, (part, x) in enumerate(zip(self.mechanism.parts, self.lagrange.centers(self.poses), strict=True)):
            R = self.poses[i][0]
            spin = axial(R.rate @ np.swapaxes(R.value, -1, -2))[0]
            w, alpha = spin.real, spin.imag / H
            xx, yy, zz, xy, yz, zx = part.inertia
            I = R.value[0].real @ np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) @ R.value[0].real.T
            weight = np.array([0.0, 0.0, -G * part.mass * self.mechanism.gravity])
            self.push(i, x.value[0].real, weight - part.mass * x.rate[0].imag / H)
            self.total[i, 3:] -= I @ alpha + np.cross(w, I @ w)

    def loads(self, built, equations, arguments):
        for load in self.mechanism.loads:
            if isinstance(load, Coil):
                self.coil(load)
            elif isinstance(load, Hinge):
                self.hinge(load, built.links[load.part], equations, arguments)
            else:
                self.load(load)

    def load(self, load):
        law = {"one": 1.0, "input": self.state.r, "time": np.cos(2.0 * self.state.t)}[load.law]
        vector = law * self.vector(*load.vector)
        for sign, place in ((1.0, load.on), (-1.0, load.reaction or (-1, (0.0, 0.0, 0.0)))):
            if load.twist:
                self.total[place[0], 3:] += sign * vector
            else:
                self.push(place[0], self.at(place), sign * vector)

    def coil(self, coil):
        p, q = self.at(coil.p), self.at(coil.q)
        d = self.lagrange.distance(self.poses, coil)
        pull = coil.stiffness * (d.value[0].real - coil.length) + coil.damping * d.rate[0].real
        along = pull * (q - p) / np.linalg.norm(q - p)
        self.push(coil.p[0], p, along)
        self.push(coil.q[0], q, -along)

    def hinge(self, hinge, link, equations, arguments):
        """A motor, spring and damper along the axis; where its two ends are, the model says."""
        part = self.mechanism.parts[hinge.part]
        q, u = self.state.q[hinge.part][0], self.state.u[hinge.part][0]
        axis = equations.evaluate(link.axis, **arguments)
        effort = (0.5 * self.state.r - hinge.stiffness * (q - hinge.rest) - hinge.damping * u) * axis
        if part.kind == "revolute":
            self.total[hinge.part, 3:] += effort
            self.total[part.parent, 3:] -= effort
        else:
            self.push(hinge.part, equations.evaluate(link.origin, **arguments), effort)
            self.push(part.parent, equations.evaluate(link.base, **arguments), -effort)

    def joints(self, reactions, equations, arguments, letter="L"):
        """Add what the joints (or, letter B, the coordinates) exert, by the names of the bodies that get it."""
        for i, part in enumerate(self.mechanism.parts):
            reaction = reactions[f"{letter}{i}"]
            assert (reaction.on, reaction.other) == (f"B{i}", "N" if part.parent < 0 else f"B{part.parent}")
            self.pair(reaction, i, part.parent, equations, arguments)

    def pair(self, reaction, on, other, equations, arguments):
        """A reaction and its opposite."""
        x = equations.evaluate(reaction.at, **arguments)
        for sign, body in ((1.0, on), (-1.0, other)):
            self.push(body, x, sign * reaction.force)
            self.total[body, 3:] += sign * reaction.torque


def imbalance(equations, reactions, udot, **arguments):
    """The largest resultant on any body of a model, relative to the largest force: gravity, reactions, inertia.

    Moments are about the mass centre; accelerations follow from u̇.
    """
    given = dict(zip(equations.system.u_rates, udot.tolist(), strict=True))

    def number(vector):
        return equations.evaluate(vector.subs(given), **arguments)

    total, largest = {}, 1.0
    for body in equations.system.bodies:
        weight = number(equations.system.gravity * body.mass)
        force = weight - number(equations.acceleration(body.center) * body.mass)
        total[body.name] = [equations.evaluate(body.center, **arguments), force, np.zeros(3)]
        if body.inertia is not None:
            w, alpha = equations.angular_velocity(body.frame), equations.angular_acceleration(body.frame)
            total[body.name][2] = -number(body.inertia.dot(alpha) + w.cross(body.inertia.dot(w)))
    for reaction in reactions.values():
        for sign, name in ((1.0, reaction.on), (-1.0, reaction.other)):
            if reaction.force is not None and name in total:
                arm = equations.evaluate(reaction.at, **arguments) - total[name][0]
                total[name][1] = total[name][1] + sign * reaction.force
                total[name][2] = total[name][2] + sign * (reaction.torque + np.cross(arm, reaction.force))
                largest = max(largest, np.abs(reaction.force).max(), np.abs(reaction.torque).max())
    return max(max(np.abs(force).max(), np.abs(moment).max()) for _, force, moment in total.values()) / largest
