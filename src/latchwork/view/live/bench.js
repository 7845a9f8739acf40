"use strict";
// The bench: a mechanism that runs elsewhere, drawn from frames, and pulled by a pointer through a spring.

const NEAR = { mouse: 14, pen: 18, touch: 30 }; // px within which something is taken
const REACH = 2; // px: how far a line drawn by hand may be off when it is simplified
const GLIDE = 0.15; // s in which the eye follows
const RIM = 0.14; // of the picture: bodies that have all gone so far out are followed
const TURNS = " ↻", AIM = "◎ "; // behind the names of torques, in front of those of targets
const FEW = 6; // arrows that all have a number; of more, the strong ones
const PATH = 400; // places of a path
const BETWEEN = 10; // ms between two places that the pointer is said to be at: the server hears some hundred a second
const PAST = 2600; // frames that are kept: about a minute

const byId = (id) => document.getElementById(id);

function segmentDistance(p, a, b) {
  // How far a pixel is from a line, and where along it the nearest place is.
  const d = [b[0] - a[0], b[1] - a[1]], long = d[0] * d[0] + d[1] * d[1];
  const s = long ? Math.min(Math.max(((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / long, 0), 1) : 0;
  return [Math.hypot(p[0] - a[0] - s * d[0], p[1] - a[1] - s * d[1]), s];
}

function simplified(places) {
  // Douglas and Peucker: corners stay where a line without them would be off.
  if (places.length < 3) return places;
  const [first, last] = [places[0], places[places.length - 1]];
  let far = 0, index = 0;
  for (let k = 1; k < places.length - 1; k++) {
    const distance = segmentDistance(places[k], first, last)[0];
    if (distance > far) [far, index] = [distance, k];
  }
  if (far <= REACH) return [first, last];
  return [...simplified(places.slice(0, index + 1)).slice(0, -1), ...simplified(places.slice(index))];
}

class Bench {
  constructor(name) {
    this.name = name;
    this.scene = null;
    this.drawing = null;
    this.frame = null;
    this.head = {};
    this.arrows = [];
    this.fence = [];
    this.path = [];
    this.past = []; // frames that were shown, for a look back
    this.back = null; // the one that is looked back at
    this.held = null; // what the pointer holds: { body, through, to, pointer }
    this.stroke = null; // a fence that is being drawn, in pixels
    this.touches = new Map();
    this.options = { names: false, forces: true, trail: false, fence: false, turn: false };
    this.off = new AbortController();
    this.panels = new Panels(this);
    this.listen();
    this.wire = new Wire("/live", { name }, {
      message: (message) => this.heard(message),
      frame: (frame) => this.shown(frame),
      state: (state, wait) => this.connection(state, wait),
    });
  }

  close() {
    this.off.abort();
    this.wire.close();
    cancelAnimationFrame(this.asked);
  }

  say(command) {
    return this.wire.send(command);
  }

  connection(state, wait) {
    const words = { open: "live", wait: "connecting", lost: "connection lost" }[state];
    byId("status").textContent = words;
    byId("status").dataset.state = state;
    const banner = byId("banner");
    if (state === "lost") {
      this.held = null;
      banner.hidden = false;
      banner.textContent = "The connection to the mechanism is lost. Trying again" +
        (wait > 900 ? " in " + Math.round(wait / 1000) + " s." : ".");
    } else if (state === "open") banner.hidden = true;
    this.ask();
  }

  // --- what is told ---------------------------------------------------------------------------------------------

  heard(message) {
    if (message.kind === "scene") this.begin(message);
    else if (message.kind === "still" && !this.drawing) this.still(message.scene);
    else if (message.kind === "shapes") {
      for (const key of ["shapes", "members", "meshes"]) this.scene[key] = message[key];
      this.ask();
    }
    else if (message.kind === "fence") {
      this.fence = message.points;
      byId("unfence").disabled = !message.points.length;
      this.ask();
    } else if (message.kind === "hand" && !message.yours) this.held = null;
    else if (message.kind === "answer" && !message.ok && message.do === "grab") this.held = null;
    if (message.kind === "answer" && message.do === "pose") this.posed(message);
    if (message.kind === "mode") this.arrows = message.arrows;
    this.panels.heard(message);
  }

  begin(message) {
    const same = this.scene && this.scene.name === message.scene.name;
    this.scene = message.scene;
    this.described = message;
    let offset = message.head.length;
    this.index = Object.fromEntries(message.head.map((name, k) => [name, k]));
    this.offsets = this.scene.widths.map((width) => (offset += width) - width);
    this.plotsAt = offset;
    this.arrowsAt = offset + message.plots.length;
    this.frame = null;
    this.path = [];
    const row = (track, width) => {
      const frame = this.back || this.frame, at = this.offsets[track];
      return frame ? frame.subarray(at, at + width) : this.scene.tracks[track];
    };
    this.past = [];
    const old = this.drawing;
    this.drawing = new Drawing(byId("picture"), this.scene, row);
    if (same && old) for (const key of ["right", "up", "out", "zoom", "shift", "strongest"]) this.drawing[key] = old[key];
    else {
      this.drawing.strongest = 1;
      this.options.turn = !this.scene.flat;
    }
    this.ahead = mix(this.middle(), 1, this.drawing.middle, -1); // of the eye, where the bodies are
    byId("turn").setAttribute("aria-pressed", String(this.options.turn));
    byId("fence").hidden = byId("unfence").hidden = !message.fence;
    document.title = message.title + " – Latchwork";
    this.fit();
  }

  still(scene) {
    // The start, until the first frame comes.
    this.drawing = new Drawing(byId("picture"), scene, (track) => scene.tracks[track]);
    this.drawing.fit();
    this.drawing.draw();
    byId("hint").textContent = "starting";
    byId("title").textContent = scene.name;
    performance.mark("first picture");
  }

  shown(frame) {
    if (!this.scene || frame.length < this.arrowsAt) return;
    const head = this.head, before = head.t;
    this.frame = frame;
    for (const [name, k] of Object.entries(this.index)) head[name] = frame[k];
    if (this.held && this.held.posing && head.paused === 0) this.goOn();
    if (head.t < before) {
      this.path = [];
      while (this.past.length && this.past[this.past.length - 1][this.index.t] >= head.t) this.past.pop();
    }
    this.past.push(frame);
    if (this.past.length > PAST) this.past.shift();
    this.panels.shown(head, frame.subarray(this.plotsAt, this.arrowsAt), this.lam());
    if (this.options.trail) this.follow();
    this.ask();
  }

  preview(seconds) {
    // A look at how it was so many seconds ago, before the run is taken back; 0 ends it.
    const at = this.index && this.index.t, then = this.head.t - seconds;
    this.back = seconds > 0 ? this.past.find((frame) => frame[at] >= then) || null : null;
    this.ask();
  }

  lam() {
    const at = this.arrowsAt + 6 * this.head.arrows;
    return this.frame.subarray(at, at + this.head.forces);
  }

  triple(name) {
    return ["x", "y", "z"].map((axis) => this.head[name + " " + axis]);
  }

  follow() {
    // The path of what the hand holds, or of the last dot.
    const dots = this.scene.dots.filter((dot) => dot.body), dot = dots[dots.length - 1];
    const track = this.scene.end !== null ? this.scene.end : dot && dot.at;
    if (track === undefined) return;
    this.path.push([...this.drawing.row(track, 3)]);
    if (this.path.length > PATH) this.path.shift();
  }

  // --- drawing --------------------------------------------------------------------------------------------------

  ask() {
    if (this.asked || this.off.signal.aborted) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }

  fit() {
    if (this.drawing) this.drawing.fit();
    this.panels.fit();
    this.ask();
  }

  draw() {
    const { drawing, options } = this;
    if (!drawing) return;
    drawing.names = options.names;
    if (!this.frame) {
      drawing.draw();
      return;
    }
    this.keepInView();
    drawing.draw(() => {
      if (options.trail && this.path.length > 1) {
        drawing.line(this.path.map((p) => drawing.screen(p)), drawing.colors.trail, 1.2);
      }
      this.drawFence();
    });
    if (this.back) drawing.text("as it was", 14, drawing.high - 60, "left", drawing.colors.force);
    else {
      if (options.forces) this.drawForces();
      this.drawHand();
    }
    if (this.stroke) drawing.line(this.stroke, drawing.colors.fence, 4);
  }

  drawFence() {
    const { drawing } = this, places = this.fence.map((p) => drawing.screen(p));
    if (places.length < 2) return;
    drawing.line(places, drawing.colors.fence, 5);
    drawing.line(places, drawing.colors.paper, 1.2, [1, 7]);
  }

  drawForces() {
    // The strongest first: of numbers that would cover each other, the largest is told.
    const at = this.arrowsAt, { drawing } = this, found = [];
    this.rings = [];
    for (let k = 0; k < this.head.arrows; k++) {
      const six = this.frame.subarray(at + 6 * k, at + 6 * k + 6), name = this.arrows[k] || "", place = [six[0], six[1], six[2]];
      if (name.startsWith(AIM)) this.drawTarget(name.slice(AIM.length), place);
      else found.push({ name, place, vector: [six[3], six[4], six[5]], size: Math.hypot(six[3], six[4], six[5]) });
    }
    found.sort((one, other) => other.size - one.size);
    let largest = 0, hardest = 0;
    for (const { name, place, vector, size } of found) {
      const few = found.length <= FEW || drawing.names;
      if (name.endsWith(TURNS)) {
        hardest = Math.max(hardest, size);
        drawing.turning(place, vector, name.slice(0, -TURNS.length), few || found.length <= 2 * FEW ? brief(size) + " N m" : "");
        continue;
      }
      largest = Math.max(largest, size);
      const told = few || size > 0.5 * drawing.strongest;
      if (size > 0) drawing.arrow(place, vector, name, told ? brief(size) + " N" : "");
    }
    if (largest > drawing.strongest) drawing.strongest = largest;
    else if (largest > 0) drawing.strongest += 0.01 * (largest - drawing.strongest); // what was strong fades
    drawing.hardest = Math.max(hardest, 0.99 * drawing.hardest);
  }

  drawTarget(name, at) {
    // A ring that can be dragged; while it is, it is where the pointer is.
    const { drawing } = this, mine = this.aim && this.aim.name === name, p = drawing.screen(mine ? this.aim.to : at);
    this.rings.push({ name, at, p });
    drawing.disk(p, 15, "transparent", drawing.colors.fence);
    drawing.disk(p, 3, drawing.colors.fence, drawing.colors.fence);
    if (drawing.names) drawing.text(name, p[0] + 14, p[1] + 4, "left", drawing.colors.fence);
  }

  drawHand() {
    const { drawing, head } = this;
    if (!(head.hand >= 0)) return;
    const handle = this.triple("handle"), mine = this.held && this.held.sent;
    const device = mine ? this.held.to : this.triple("device"), force = this.triple("force");
    const a = drawing.screen(handle), b = drawing.screen(device), { colors } = drawing;
    drawing.line(coil(a, b), colors.hand, 1.8);
    drawing.disk(a, 5, colors.paper, colors.hand);
    drawing.disk(b, 8, "transparent", colors.hand);
    const size = Math.hypot(...force);
    if (size > 1e-9) {
      const far = Math.hypot(b[0] - a[0], b[1] - a[1]);
      drawing.text(brief(size) + " N", b[0] + (b[0] >= a[0] ? 13 : -13), b[1] + (far > 4 && b[1] < a[1] ? -9 : 15),
        b[0] >= a[0] ? "left" : "right", colors.hand);
    }
  }

  middle() {
    // Of all bodies, where they are now.
    const { drawing, scene } = this, dots = scene.dots.filter((dot) => dot.body);
    const places = dots.map((dot) => drawing.row(dot.at, 3));
    return [0, 1, 2].map((k) => places.reduce((sum, p) => sum + p[k], 0) / Math.max(places.length, 1));
  }

  keepInView() {
    // What may go anywhere takes the eye with it, along the ground; else it glides after bodies that have all left.
    const { drawing, scene } = this, dots = scene.dots.filter((dot) => dot.body);
    if (!dots.length || this.held || this.touches.size || this.stroke) return;
    if (scene.follows) {
      const now = this.middle(), step = mix(now, 1, mix(drawing.middle, 1, this.ahead, 1), -1);
      const along = scene.ground ? mix(step, 1, scene.ground.up, -dot(step, scene.ground.up)) : step;
      if (Math.hypot(...along) * drawing.pixels < 1) return;
      drawing.middle = mix(drawing.middle, 1, along, this.glide());
      this.ask();
      return;
    }
    const places = dots.map((dot) => drawing.screen(drawing.row(dot.at, 3)));
    const off = [0, 1].map((k) => {
      const values = places.map((p) => p[k]), size = [drawing.wide, drawing.high][k], edge = RIM * size;
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return high < edge ? edge - high : low > size - edge ? size - edge - low : 0;
    });
    if (!off[0] && !off[1]) return;
    const way = this.glide();
    drawing.shift = [drawing.shift[0] + way * off[0], drawing.shift[1] + way * off[1]];
    this.ask();
  }

  glide() {
    // How much of its way the eye goes now, since it was last asked; it starts gently.
    const now = performance.now(), since = (now - (this.glided || 0)) / 1000; // s
    this.glided = now;
    return 1 - Math.exp(-Math.min(since, GLIDE) / GLIDE);
  }

  // --- what the pointer does ------------------------------------------------------------------------------------

  pick(p, near) {
    // What is under a pixel: its body, and the place of it that is taken. Near by, members come before centres.
    const { drawing, scene } = this, hit = hitSolid(drawing, p[0], p[1]);
    if (hit) return hit;
    let best = null, least = near;
    const offer = (distance, body, through) => {
      if (body && distance <= least) [least, best] = [distance, { body, through }];
    };
    const three = (track) => [...drawing.row(track, 3)];
    for (const item of scene.dots) {
      const at = drawing.screen(three(item.at));
      offer(Math.hypot(p[0] - at[0], p[1] - at[1]), item.body, three(item.at));
    }
    for (const { a, b, body } of scene.members) {
      const [from, to] = [three(a), three(b)], [distance, s] = segmentDistance(p, drawing.screen(from), drawing.screen(to));
      offer(distance, body, mix(from, 1 - s, to, s));
    }
    return best || this.around(p, near);
  }

  around(p, near) {
    // The nearest solid on circles around a pixel.
    for (const reach of [near / 3, (2 * near) / 3, near]) {
      for (let k = 0; k < 8; k++) {
        const a = (k * Math.PI) / 4, hit = hitSolid(this.drawing, p[0] + reach * Math.cos(a), p[1] + reach * Math.sin(a));
        if (hit) return hit;
      }
    }
    return null;
  }

  grab(body, through, pointer) {
    const posing = this.head.paused === 1 && pointer !== "keys"; // while it is paused, it is put where it is drawn to
    this.held = { body, through, to: through, pointer, posing, at: through, waits: false,
      told: 0, timer: 0, sent: posing ? false : this.say({ do: "grab", body, at: through }) };
    byId("hint").hidden = true;
    this.ask();
  }

  pull(to) {
    this.held.to = to;
    if (this.held.posing) this.pose();
    else this.move();
    this.ask();
  }

  move() {
    // Where the pointer is now; on a screen of many frames a second not each of its places, but always the last.
    const { held } = this, now = performance.now(), wait = held.told + BETWEEN - now;
    if (held.timer) return;
    if (wait <= 0) {
      held.told = now;
      this.say({ do: "move", to: held.to });
    } else {
      held.timer = setTimeout(() => {
        held.timer = 0;
        if (this.held === held) this.move();
      }, wait);
    }
  }

  pose() {
    // One place after the other: the next is asked for when the last was answered.
    const { held } = this;
    if (!held || held.waits) return;
    held.waits = this.say({ do: "pose", body: held.body, at: held.at, to: held.to, id: "pose" });
    held.asked = held.to;
  }

  posed(message) {
    const { held } = this;
    if (!held || !held.posing) return;
    held.waits = false;
    if (message.ok) held.at = message.at;
    if (message.ok && Math.hypot(...mix(held.to, 1, held.asked, -1)) > 0) this.pose();
  }

  goOn() {
    // The run goes on while a body is being placed: the pointer has hold of it from now on.
    const { held } = this;
    held.posing = false;
    held.through = held.at;
    held.sent = this.say({ do: "grab", body: held.body, at: held.at });
    this.move();
  }

  drop() {
    if (this.held && !this.held.posing) this.say({ do: "drop" });
    this.held = null;
    this.ask();
  }

  listen() {
    const picture = byId("picture"), on = (target, name, what, more = {}) =>
      target.addEventListener(name, what, { signal: this.off.signal, ...more });
    const local = (event) => {
      const box = picture.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    on(picture, "pointerdown", (event) => {
      if (!this.drawing || !this.frame) return;
      const p = local(event);
      picture.setPointerCapture(event.pointerId);
      if (this.options.fence && event.button === 0) { this.stroke = [p]; return; }
      const ring = (this.rings || []).find((each) => Math.hypot(p[0] - each.p[0], p[1] - each.p[1]) < 16);
      if (ring && !this.held && event.button === 0) {
        this.aim = { name: ring.name, through: ring.at, to: ring.at, pointer: event.pointerId, told: 0 };
        return;
      }
      const found = this.touches.size || event.button ? null : this.pick(p, NEAR[event.pointerType] || NEAR.mouse);
      if (found && !this.held) this.grab(found.body, found.through, event.pointerId);
      else this.touches.set(event.pointerId, p);
      picture.classList.toggle("held", Boolean(this.held));
    });
    on(picture, "pointermove", (event) => this.moved(event, local(event)));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      on(picture, name, (event) => {
        this.touches.delete(event.pointerId);
        if (this.stroke) this.drawn();
        if (this.aim && this.aim.pointer === event.pointerId) this.aimed(true);
        if (this.held && this.held.pointer === event.pointerId) this.drop();
        picture.classList.remove("held");
      });
    }
    on(picture, "wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-0.0015 * event.deltaY), local(event));
    }, { passive: false });
    on(picture, "contextmenu", (event) => event.preventDefault());
    on(picture, "dblclick", () => this.home());
    on(picture, "keydown", (event) => this.key(event));
    on(picture, "blur", () => { if (this.held && this.held.pointer === "keys") this.drop(); });
  }

  moved(event, p) {
    const { drawing } = this;
    if (this.stroke) { this.stroke.push(p); this.ask(); return; }
    if (this.aim && this.aim.pointer === event.pointerId) {
      this.aim.to = drawing.world(p[0], p[1], this.aim.through);
      this.aimed(false);
      return;
    }
    if (this.held && this.held.pointer === event.pointerId) {
      this.pull(drawing.world(p[0], p[1], this.held.through));
      return;
    }
    const old = this.touches.get(event.pointerId);
    if (!old) {
      if (drawing && this.frame && event.pointerType === "mouse" && !event.buttons) {
        event.target.classList.toggle("over", Boolean(!this.options.fence && hitSolid(drawing, p[0], p[1])));
      }
      return;
    }
    const d = [p[0] - old[0], p[1] - old[1]];
    this.touches.set(event.pointerId, p);
    if (this.touches.size > 1) {
      const other = [...this.touches].find(([id]) => id !== event.pointerId)[1];
      const far = (q) => Math.hypot(q[0] - other[0], q[1] - other[1]) || 1;
      this.zoom(far(p) / far(old), [(p[0] + other[0]) / 2, (p[1] + other[1]) / 2]);
      drawing.shift = [drawing.shift[0] + d[0] / 2, drawing.shift[1] + d[1] / 2];
    } else if (this.options.turn !== (event.shiftKey || Boolean(event.buttons & 6))) {
      drawing.turn(0.008 * d[0], 0.008 * d[1]);
    } else drawing.shift = [drawing.shift[0] + d[0], drawing.shift[1] + d[1]];
    this.ask();
  }

  aimed(last) {
    // The target goes where the pointer is, now and then, and at last.
    const now = performance.now(), { aim } = this;
    if (last || now - aim.told > 60) {
      aim.told = now;
      this.say({ do: "aim", name: aim.name, to: aim.to, id: "aim" });
    }
    if (last) this.aim = null;
    this.ask();
  }

  zoom(factor, at) {
    // What is under a pixel stays there.
    const { drawing } = this, old = drawing.zoom;
    drawing.zoom = Math.min(Math.max(old * factor, 0.02), 200);
    const k = drawing.zoom / old, middle = [drawing.wide / 2, drawing.high / 2];
    drawing.shift = [0, 1].map((i) => (1 - k) * (at[i] - middle[i]) + k * drawing.shift[i]);
    this.ask();
  }

  home() {
    if (!this.drawing) return;
    this.drawing.reset();
    this.fit();
  }

  drawn() {
    // A stroke of the pointer becomes a fence, in the plane of the view.
    const stroke = this.stroke, { drawing, scene } = this;
    this.stroke = null;
    let places = simplified(stroke);
    while (places.length > 200) places = places.filter((_, k) => k % 2 === 0);
    const axes = [...scene.view].map(axisOf);
    const points = places.map((p) => drawing.world(p[0], p[1], [0, 0, 0])).map((w) => axes.map((axis) => dot(w, axis)));
    if (points.length > 1 && Math.hypot(stroke[0][0] - stroke.at(-1)[0], stroke[0][1] - stroke.at(-1)[1]) + stroke.length > 6) {
      this.say({ do: "fence", points, id: "fence" });
    }
    this.ask();
  }

  key(event) {
    if (!this.frame) return;
    const step = 0.04 * Math.min(this.drawing.wide, this.drawing.high) / this.drawing.pixels;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, way = ways[event.key];
    if (event.key === " ") this.say({ do: this.head.paused ? "go" : "pause" });
    else if (event.key === "Escape") this.held ? this.drop() : this.panels.tool("fence", false);
    else if (event.key === "g" || event.key === "G") {
      if (this.held) this.drop();
      else {
        const body = this.described.hold, found = this.scene.dots.find((item) => item.name === body) ||
          this.scene.dots.find((item) => item.body === body);
        if (found) this.grab(body, [...this.drawing.row(found.at, 3)], "keys");
      }
    } else if (event.key === ".") this.say({ do: "step", ticks: 1 });
    else if (event.key === "+" || event.key === "-") {
      this.zoom(event.key === "+" ? 1.2 : 1 / 1.2, [this.drawing.wide / 2, this.drawing.high / 2]);
    } else if (way && this.held) {
      const { right, up } = this.drawing;
      this.pull(mix(this.held.to, 1, mix(right, way[0] * step, up, way[1] * step), 1));
    } else if (way) {
      this.drawing.shift = [this.drawing.shift[0] - 40 * way[0], this.drawing.shift[1] + 40 * way[1]];
      this.ask();
    } else return;
    event.preventDefault();
  }
}

function coil(a, b) {
  // A spring between two pixels.
  const d = [b[0] - a[0], b[1] - a[1]], long = Math.hypot(...d), turns = 9;
  if (long < 14) return [a, b];
  const e = [d[0] / long, d[1] / long], n = [-e[1], e[0]], wide = Math.min(7, 0.12 * long), end = Math.min(10, 0.15 * long);
  const at = (s, w) => [a[0] + s * e[0] + w * n[0], a[1] + s * e[1] + w * n[1]];
  const places = [a, at(end, 0)];
  for (let k = 0; k < 2 * turns; k++) {
    places.push(at(end + ((long - 2 * end) * (k + 0.5)) / (2 * turns), k % 2 ? wide : -wide));
  }
  return [...places, at(long - end, 0), b];
}
