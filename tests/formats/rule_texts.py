"""A hatch with rules, and with contacts that they name, as pieces of model files."""

HEAD = """latchwork: 1
name: hatch
parameters: {limit: 5.0}
inputs: {closer: 3.0, gust: 0.0, since: 0.0}
joints: {hinge: {type: revolute, q: q1, u: u1}, lid: {type: revolute, q: q2, u: u2}}
bodies:
  hatch: {frame: hinge, center: hinge, mass: 5, inertia: {zz: 1.2}}
  lid: {frame: lid, center: lid, mass: 5, inertia: {zz: 1.2}}
loads:
  - actuate: {joint: hinge, effort: gust*(t - since) - closer}
"""
SWITCHED = "switched: {latch: {zero: q1}, bolt: {latch: q2}, both: {zero: [u1, u2]}}\n"
RULES = """rules:
  falls shut: {when: q1, hold: [latch, bolt], inputs: {closer: 0, gust: 2, since: t}}
  is torn open: {when: limit - abs(force(latch)), release: [latch, bolt], reset: {u2: 0.5*u1}, once: true}
  stops: {when: '2 - force(bolt) - force(`both[1]`)', hold: both, without: latch, needs: [bolt], stop: true}
"""
TOUCHING = """points: {P: {from: hinge, at: hinge.x}}
contacts:
  box:
    a: {box: {center: hinge, sizes: [1, 1], body: hatch}}
    b: {line: {point: O, direction: N.x, normal: N.y}}
  tip: {a: P, b: {line: {point: O, direction: N.x, normal: N.y}}}
rules:
  all: {when: 1 - force(box), stop: true}
  one: {when: 2 - force(tip), needs: 'tip: stick', stop: true}
"""
