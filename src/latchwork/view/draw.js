"use strict";
// Draws a scene (latchwork/view/scene.py) on a canvas: solids by gl.js, lines and words over them. Whoever owns a
// drawing says where its tracks are: row(track, width) gives the numbers of a track now.
//
//     c = A (p - middle),   (x, y) = centre ± pixels · (c_x, c_y) / (1 - c_z / D)      (latchwork/view/film/sight.py)

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, x, b, y) => [a[0] * x + b[0] * y, a[1] * x + b[1] * y, a[2] * x + b[2] * y];
const axisOf = (letter) => [0, 1, 2].map((k) => ("xyz"[k] === letter ? 1 : 0));
const COLORS = ["ink", "paper", "rule", "soft", "rod", "ground", "force", "trail", "grid", "hand", "fence"];
const FAINT = { hatch: 0.6, net: 0.2 };
const LINE = 13; // px: of texts that do not cover each other
const BEHIND = 0.02; // of D: what is nearer to the eye is not seen

function roundStep(least) {
  // 1, 2 or 5 of a power of ten, not below something.
  const ten = Math.pow(10, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((k) => k * ten).find((value) => value >= least) || least;
}

function colorsOf(element) {
  // The colours that a style sheet gives, by name.
  const style = getComputedStyle(element);
  return Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
}

function fitCanvas(canvas) {
  // As many pixels as the screen has, counted in CSS pixels from then on.
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
}

class Drawing {
  constructor(canvas, scene, row) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.scene = scene;
    this.row = row;
    this.colors = {};
    this.names = false; // whether names are shown
    this.strongest = 1e-300; // the force whose arrow is a fifth of the picture
    this.hardest = 1e-300; // the torque whose arc goes three quarters around
    this.labels = []; // where texts beside arrows stand, in this frame
    this.bare = false; // without grid, triad and scale: a small picture
    this.wide = this.high = this.scale = this.ratio = 1;
    this.fitted = [0, 0];
    this.middle = mix(scene.box[0], 0.5, scene.box[1], 0.5);
    this.eye = scene.eye;
    this.upward = scene.ground ? scene.ground.up : axisOf(scene.view[1]);
    this.reset();
  }

  // --- the view -------------------------------------------------------------------------------------------------

  reset() {
    this.right = axisOf(this.scene.view[0]);
    this.up = axisOf(this.scene.view[1]);
    this.out = cross(this.right, this.up);
    this.zoom = 1;
    this.shift = [0, 0];
    this.turn(...this.scene.turn);
  }

  straight() {
    // Seen along the axis across the plane of the view.
    this.reset();
    this.right = axisOf(this.scene.view[0]);
    this.up = axisOf(this.scene.view[1]);
    this.out = cross(this.right, this.up);
  }

  turn(a, b) {
    // The scene turned by a about what points up, and by b about what points right.
    const { right, out } = this, c = Math.cos(a), s = Math.sin(a), d = Math.cos(b), e = Math.sin(b);
    this.right = mix(right, c, out, s);
    const turned = mix(out, c, right, -s);
    [this.up, this.out] = [mix(this.up, d, turned, -e), mix(turned, d, this.up, e)];
  }

  fit() {
    // As large as the corners of the box allow, as it is turned.
    const { canvas } = this, [low, top] = this.scene.box, margin = this.bare ? [40, 34] : [90, 80];
    fitCanvas(canvas);
    this.ratio = devicePixelRatio || 1;
    this.wide = canvas.clientWidth;
    this.high = canvas.clientHeight;
    const middle = mix(low, 0.5, top, 0.5), rough = Math.max(...mix(top, 1, low, -1), 1e-12), flat = [[], []];
    for (let k = 0; k < 8; k++) {
      const d = [0, 1, 2].map((i) => ((k >> i) & 1 ? top[i] : low[i]) - middle[i]);
      const w = Math.max(1 - dot(d, this.out) * this.eye, BEHIND);
      flat[0].push(dot(d, this.right) / w);
      flat[1].push(dot(d, this.up) / w);
    }
    const [x, y] = flat.map((values) => [Math.min(...values), Math.max(...values)]);
    const room = [this.wide - margin[0], this.high - margin[1]].map((size) => Math.max(size, 1));
    const span = [x[1] - x[0], y[1] - y[0]].map((size) => Math.max(size, 0.02 * rough));
    this.scale = Math.max(Math.min(room[0] / span[0], room[1] / span[1]), 1e-9);
    this.fitted = [(-this.scale * (x[0] + x[1])) / 2, (this.scale * (y[0] + y[1])) / 2];
    this.colors = colorsOf(canvas);
  }

  get pixels() { // of a unit of length
    return this.zoom * this.scale;
  }

  get offset() { // of the middle of the scene from the middle of the canvas, in pixels
    return [this.zoom * this.fitted[0] + this.shift[0], this.zoom * this.fitted[1] + this.shift[1]];
  }

  screen(p) {
    const d = mix(p, 1, this.middle, -1), w = Math.max(1 - dot(d, this.out) * this.eye, BEHIND), [a, b] = this.offset;
    return [this.wide / 2 + a + (this.pixels * dot(d, this.right)) / w, this.high / 2 + b - (this.pixels * dot(d, this.up)) / w];
  }

  ray(x, y) {
    // All places under a pixel: one of them, and the way from the eye.
    const [a, b] = this.offset, p = (x - this.wide / 2 - a) / this.pixels, q = (this.high / 2 + b - y) / this.pixels;
    const across = mix(this.right, p, this.up, q);
    return { at: mix(this.middle, 1, across, 1), way: mix(across, this.eye, this.out, -1) };
  }

  world(x, y, through) {
    // The place under a pixel, in the plane of the picture through a place.
    const { at, way } = this.ray(x, y);
    return mix(at, 1, way, -dot(mix(through, 1, this.middle, -1), this.out));
  }

  // --- strokes --------------------------------------------------------------------------------------------------

  path(places) {
    this.pen.beginPath();
    places.forEach((p, k) => (k ? this.pen.lineTo(p[0], p[1]) : this.pen.moveTo(p[0], p[1])));
  }

  line(places, color, thick, dash = []) {
    this.path(places);
    this.pen.strokeStyle = color;
    this.pen.lineWidth = thick;
    this.pen.setLineDash(dash);
    this.pen.stroke();
    this.pen.setLineDash([]);
  }

  disk(p, radius, fill, edge) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(p[0], p[1], radius, 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    if (edge) {
      pen.strokeStyle = edge;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  }

  text(words, x, y, align, color) {
    const { pen } = this;
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = align;
    pen.lineJoin = "round";
    pen.strokeStyle = this.colors.paper;
    pen.lineWidth = 3;
    pen.strokeText(words, x, y);
    pen.fillStyle = color;
    pen.fillText(words, x, y);
  }

  label(words, x, y, color) {
    // A text beside an arrow, left out where one stands already.
    this.pen.font = "12px system-ui, sans-serif";
    const right = x + this.pen.measureText(words).width;
    if (this.labels.some((at) => x < at.right && right > at.x && Math.abs(y - at.y) < LINE)) return;
    this.labels.push({ x, right, y });
    this.text(words, x, y, "left", color);
  }

  // --- around the mechanism -------------------------------------------------------------------------------------

  grid() {
    // Lines at round distances, where one looks along an axis; a bar that says how long.
    const { colors, wide, high } = this, step = roundStep(90 / this.pixels), gap = step * this.pixels;
    const flat = (v) => Math.max(...v.map(Math.abs)) > 0.9999;
    if (this.eye) return;
    if (flat(this.right) && flat(this.up)) {
      const zero = this.screen([0, 0, 0]), from = (x) => x - gap * Math.floor(x / gap);
      for (let x = from(zero[0]); x < wide; x += gap) this.line([[x, 0], [x, high]], colors.grid, 1);
      for (let y = from(zero[1]); y < high; y += gap) this.line([[0, y], [wide, y]], colors.grid, 1);
    }
    const end = wide - 18, begin = end - gap, y = high - 18;
    this.line([[begin, y - 4], [begin, y], [end, y], [end, y - 4]], colors.soft, 1.2);
    this.text(String(Number(step.toPrecision(3))), (begin + end) / 2, y - 6, "center", colors.soft);
  }

  triad() {
    const at = [34, this.high - 30], { soft } = this.colors;
    for (const name of "xyz") {
      const axis = axisOf(name), end = [at[0] + 24 * dot(axis, this.right), at[1] - 24 * dot(axis, this.up)];
      if (Math.hypot(end[0] - at[0], end[1] - at[1]) < 3) continue;
      this.line([at, end], soft, 1.4);
      this.text(name, at[0] + 1.35 * (end[0] - at[0]), at[1] + 1.35 * (end[1] - at[1]) + 4, "center", soft);
    }
  }

  // --- the mechanism --------------------------------------------------------------------------------------------

  placed(item, numbers) {
    // The places of a part of a shape on the screen.
    const at = this.row(item.at, 3), axes = this.row(item.turn, 6), places = [];
    const x = [axes[0], axes[1], axes[2]], y = [axes[3], axes[4], axes[5]], z = cross(x, y);
    for (let k = 0; k < numbers.length; k += 3) {
      const [a, b, c] = [numbers[k], numbers[k + 1], numbers[k + 2]];
      places.push(this.screen([0, 1, 2].map((i) => at[i] + x[i] * a + y[i] * b + z[i] * c)));
    }
    return places;
  }

  lines(item) {
    // The lines of a shape: its edge, where it is no solid, and strokes.
    const { pen } = this, color = item.color || this.colors.ground;
    for (const [kind, numbers] of item.parts) {
      const places = this.placed(item, numbers);
      if (FAINT[kind]) {
        pen.globalAlpha = FAINT[kind];
        for (let k = 0; k + 1 < places.length; k += 2) this.line([places[k], places[k + 1]], color, 1);
      } else {
        pen.globalAlpha = 0.9;
        this.line(places, color, item.color ? 1.6 : 2);
      }
      pen.globalAlpha = 1;
    }
  }

  arrow(at, force, name, number = "") {
    // From a place along a force, as long as it is strong.
    const size = Math.hypot(...force), { colors, pen } = this;
    if (size < 1e-9 * this.strongest) return;
    const reach = 0.2 * Math.min(this.wide, this.high) * Math.min(size / this.strongest, 1.5) / (size * this.pixels);
    const a = this.screen(at), b = this.screen(mix(at, 1, force, reach));
    const d = [b[0] - a[0], b[1] - a[1]], long = Math.hypot(...d);
    if (long < 2) return;
    const e = [d[0] / long, d[1] / long], tip = Math.min(9, long);
    this.line([a, b], colors.force, 2);
    pen.beginPath();
    pen.moveTo(b[0], b[1]);
    for (const side of [1, -1]) {
      pen.lineTo(b[0] - tip * e[0] + side * 0.45 * tip * e[1], b[1] - tip * e[1] - side * 0.45 * tip * e[0]);
    }
    pen.fillStyle = colors.force;
    pen.fill();
    const words = [this.names ? name : "", number].filter(Boolean).join(" ");
    if (words) this.label(words, b[0] + 5, b[1] - 5, colors.force);
  }

  turning(at, torque, name, number = "") {
    // A torque as an arc around its joint, as far as it is strong; one that lies in the picture, as an arrow.
    const size = Math.hypot(...torque), along = dot(torque, this.out);
    if (!(size > 1e-9 * this.hardest)) return;
    const a = this.screen(at), { colors, pen } = this, way = along > 0 ? -1 : 1, radius = 20;
    if (Math.abs(along) < 0.5 * size) {
      const reach = 0.12 * Math.min(this.wide, this.high) * Math.min(size / this.hardest, 1.5) / (size * this.pixels);
      this.line([a, this.screen(mix(at, 1, torque, reach))], colors.hand, 2, [5, 3]);
    } else {
      const sweep = Math.max(0.3, 4.7 * Math.min(size / this.hardest, 1.2)), end = -Math.PI / 2 + way * sweep;
      const tip = [a[0] + radius * Math.cos(end), a[1] + radius * Math.sin(end)];
      const ahead = [-way * Math.sin(end), way * Math.cos(end)], out = [Math.cos(end), Math.sin(end)];
      pen.beginPath();
      pen.arc(a[0], a[1], radius, -Math.PI / 2, end, way < 0);
      pen.strokeStyle = colors.hand;
      pen.lineWidth = 2;
      pen.stroke();
      pen.beginPath();
      pen.moveTo(tip[0] + 6 * ahead[0], tip[1] + 6 * ahead[1]);
      for (const side of [1, -1]) pen.lineTo(tip[0] + side * 4 * out[0], tip[1] + side * 4 * out[1]);
      pen.fillStyle = colors.hand;
      pen.fill();
    }
    const words = [this.names ? name : "", number].filter(Boolean).join(" ");
    if (words) this.label(words, a[0] + radius + 6, a[1] + 14, colors.hand);
  }

  dotOf(item) {
    const p = this.screen(this.row(item.at, 3)), { colors } = this;
    this.disk(p, item.kind === "point" ? 2 : 3, colors.ink, colors.paper);
    this.text(item.name, p[0] + 8, p[1] - 7, "left", colors.ink);
  }

  draw(under = () => {}) {
    // Grid, lines, what the owner puts under the solids (a path), solids, names.
    const { pen, scene } = this;
    pen.clearRect(0, 0, this.wide, this.high);
    this.labels = [];
    pen.lineCap = pen.lineJoin = "round";
    if (!this.bare) this.grid();
    for (const item of scene.shapes) this.lines(item);
    under();
    drawSolids(this);
    if (this.names) for (const item of scene.dots) this.dotOf(item);
    if (!this.bare) this.triad();
  }
}
