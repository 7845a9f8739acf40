"use strict";
// Plays a scene (latchwork/view/scene.py): tracks of numbers, frame by frame, drawn on a canvas in an orthographic view.

const scene = JSON.parse(document.getElementById("scene").textContent);
const byId = (id) => document.getElementById(id);
const picture = byId("picture"), strip = byId("strip"), slider = byId("slider");
const times = scene.t, first = times[0], last = times[times.length - 1], length = last - first || 1;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
const axisOf = (letter) => [0, 1, 2].map((k) => ("xyz"[k] === letter ? 1 : 0));

// --- numbers ----------------------------------------------------------------------------------------------------

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, x, b, y) => a.map((value, k) => value * x + b[k] * y);

let now = first, frame = 0, part = 0;

function seek(t) {
  // The frame before a time, and how far it is to the next.
  now = Math.min(Math.max(t, first), last);
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= now) low = middle; else high = middle;
  }
  frame = low;
  part = times[high] > times[low] ? Math.min(Math.max((now - times[low]) / (times[high] - times[low]), 0), 1) : 0;
}

function row(track, width) {
  // Where a track is now.
  const rows = scene.tracks[track];
  if (rows.length === width) return rows;
  const i = frame * width, j = Math.min(i + width, rows.length - width), out = new Array(width);
  for (let k = 0; k < width; k++) out[k] = rows[i + k] + part * (rows[j + k] - rows[i + k]);
  return out;
}

// --- the view ---------------------------------------------------------------------------------------------------

let right, up, out, zoom, shift, scale = 1, wide = 1, high = 1;
const middle = mix(scene.box[0], 0.5, scene.box[1], 0.5);

function reset() {
  right = axisOf(scene.view[0]);
  up = axisOf(scene.view[1]);
  out = cross(right, up);
  zoom = 1;
  shift = [0, 0];
}

function turn(a, b) {
  // The scene turned by a about what points up, and by b about what points right.
  [right, out] = [mix(right, Math.cos(a), out, Math.sin(a)), mix(out, Math.cos(a), right, -Math.sin(a))];
  [up, out] = [mix(up, Math.cos(b), out, -Math.sin(b)), mix(out, Math.cos(b), up, Math.sin(b))];
}

function fit() {
  const ratio = devicePixelRatio || 1;
  for (const canvas of [picture, strip]) {
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  wide = picture.clientWidth;
  high = picture.clientHeight;
  const span = scene.view.split("").map((axis) => {
    const k = "xyz".indexOf(axis);
    return scene.box[1][k] - scene.box[0][k];
  });
  const rough = Math.max(...scene.box[1].map((value, k) => value - scene.box[0][k]), 1e-12);
  scale = Math.min((wide - 90) / Math.max(span[0], 0.02 * rough), (high - 80) / Math.max(span[1], 0.02 * rough));
  scale = Math.max(scale, 1e-9);
}

function screen(p) {
  const d = [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
  return [wide / 2 + shift[0] + zoom * scale * dot(d, right), high / 2 + shift[1] - zoom * scale * dot(d, up)];
}

// --- drawing ----------------------------------------------------------------------------------------------------

const pen = picture.getContext("2d");
let colors = {};

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "paper", "rule", "soft", "rod", "ground", "force", "trail", "grid"]) {
    colors[name] = style.getPropertyValue("--" + name).trim();
  }
}

function line(places, color, thick, dash = []) {
  pen.beginPath();
  places.forEach((p, k) => (k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
  pen.strokeStyle = color;
  pen.lineWidth = thick;
  pen.setLineDash(dash);
  pen.stroke();
  pen.setLineDash([]);
}

function disk(p, radius, fill, edge) {
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

function grid() {
  // Lines at round distances, where one looks along an axis; a bar that says how long.
  const raw = 90 / (zoom * scale), ten = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * ten).find((value) => value >= raw) || raw;
  const flat = (v) => Math.max(...v.map(Math.abs)) > 0.9999;
  if (flat(right) && flat(up)) {
    const zero = screen([0, 0, 0]), gap = step * zoom * scale;
    const from = (x) => x - gap * Math.floor(x / gap);
    for (let x = from(zero[0]); x < wide; x += gap) line([[x, 0], [x, high]], colors.grid, 1);
    for (let y = from(zero[1]); y < high; y += gap) line([[0, y], [wide, y]], colors.grid, 1);
  }
  const end = wide - 18, begin = end - step * zoom * scale, y = high - 18;
  line([[begin, y - 4], [begin, y], [end, y], [end, y - 4]], colors.soft, 1.2);
  text(String(Number(step.toPrecision(3))), (begin + end) / 2, y - 6, "center", colors.soft);
}

function text(words, x, y, align, color) {
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = align;
  pen.lineJoin = "round";
  pen.strokeStyle = colors.paper;
  pen.lineWidth = 3;
  pen.strokeText(words, x, y);
  pen.fillStyle = color;
  pen.fillText(words, x, y);
}

function triad() {
  const at = [34, high - 30];
  "xyz".split("").forEach((name) => {
    const axis = axisOf(name), end = [at[0] + 24 * dot(axis, right), at[1] - 24 * dot(axis, up)];
    if (Math.hypot(end[0] - at[0], end[1] - at[1]) < 3) return;
    line([at, end], colors.soft, 1.4);
    text(name, at[0] + 1.35 * (end[0] - at[0]), at[1] + 1.35 * (end[1] - at[1]) + 4, "center", colors.soft);
  });
}

function shape(item) {
  const at = row(item.at, 3), axes = row(item.turn, 6), x = axes.slice(0, 3), y = axes.slice(3), z = cross(x, y);
  const place = (n, k) => screen([0, 1, 2].map((i) => at[i] + x[i] * n[k] + y[i] * n[k + 1] + z[i] * n[k + 2]));
  const color = item.color || colors.ground;
  for (const [kind, numbers] of item.parts) {
    const places = [];
    for (let k = 0; k < numbers.length; k += 3) places.push(place(numbers, k));
    if (kind === "hatch") {
      pen.globalAlpha = 0.6;
      for (let k = 0; k + 1 < places.length; k += 2) line([places[k], places[k + 1]], color, 1);
    } else if (kind === "ball") {
      const radius = Math.hypot(...numbers.slice(3)) * zoom * scale;
      pen.globalAlpha = 0.16;
      disk(places[0], radius, color);
      pen.globalAlpha = 1;
      disk(places[0], radius, "transparent", color);
    } else {
      if (kind === "face") {
        pen.globalAlpha = 0.16;
        pen.beginPath();
        places.forEach((p, k) => (k ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
        pen.fillStyle = color;
        pen.fill();
      }
      pen.globalAlpha = 0.9;
      line(places, color, item.color ? 1.6 : 2);
    }
    pen.globalAlpha = 1;
  }
}

function trail() {
  const rows = scene.tracks[scene.trail.track];
  if (rows.length <= 3 || !byId("trail").checked) return;
  const all = [];
  for (let k = 0; k < rows.length; k += 3) all.push(screen([rows[k], rows[k + 1], rows[k + 2]]));
  const upTo = all.filter((_, k) => scene.trail.t[k] <= now);
  pen.globalAlpha = 0.16;
  line(all, colors.trail, 1);
  pen.globalAlpha = 0.7;
  line(upTo, colors.trail, 1.2);
  pen.globalAlpha = 1;
}

const LINES = { rod: ["rod", 3, []], way: ["soft", 1, [4, 4]], ground: ["ground", 2, []] };
const DOTS = { particle: 6, center: 3.5, joint: 4, point: 2 };
const strongest = Math.max(1e-300, ...scene.forces.map((item) => {
  const rows = scene.tracks[item.force], sizes = [];
  for (let k = 0; k < rows.length; k += 3) sizes.push(Math.hypot(rows[k], rows[k + 1], rows[k + 2]));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.98 * (sizes.length - 1))];
}));

function arrow(item) {
  const at = row(item.at, 3), force = row(item.force, 3), size = Math.hypot(...force);
  if (size < 1e-9 * strongest) return;
  const reach = 0.2 * Math.min(wide, high) * Math.min(size / strongest, 1.5) / (size * zoom * scale);
  const a = screen(at), b = screen(mix(at, 1, force, reach));
  const d = [b[0] - a[0], b[1] - a[1]], long = Math.hypot(...d);
  if (long < 2) return;
  const e = [d[0] / long, d[1] / long], tip = Math.min(9, long);
  line([a, b], colors.force, 2);
  pen.beginPath();
  pen.moveTo(b[0], b[1]);
  for (const side of [1, -1]) {
    pen.lineTo(b[0] - tip * e[0] + side * 0.45 * tip * e[1], b[1] - tip * e[1] - side * 0.45 * tip * e[0]);
  }
  pen.fillStyle = colors.force;
  pen.fill();
  if (byId("names").checked) text(item.name, b[0] + 5, b[1] - 5, "left", colors.force);
}

function dotOf(item) {
  const p = screen(row(item.at, 3)), radius = DOTS[item.kind];
  if (item.kind === "particle") disk(p, radius, colors.rod, colors.paper);
  else if (item.kind === "joint") disk(p, radius, colors.paper, colors.rod);
  else disk(p, radius, item.kind === "center" ? colors.rod : colors.soft);
  if (byId("names").checked) text(item.name, p[0] + 8, p[1] - 7, "left", colors.ink);
}

function draw() {
  pen.clearRect(0, 0, wide, high);
  pen.lineCap = pen.lineJoin = "round";
  grid();
  scene.shapes.forEach(shape);
  trail();
  for (const kind of ["way", "ground", "rod"]) {
    const [color, thick, dash] = LINES[kind];
    for (const item of scene.lines.filter((item) => item.kind === kind)) {
      line([screen(row(item.a, 3)), screen(row(item.b, 3))], colors[color], thick, dash);
    }
  }
  if (scene.chain.length) line(scene.chain.map((track) => screen(row(track, 3))), colors.rod, 3);
  scene.dots.forEach(dotOf);
  if (byId("forces").checked) scene.forces.forEach(arrow);
  triad();
  tell();
}

// --- what is said -----------------------------------------------------------------------------------------------

let shownMode = 0, shownEvent = -2;

function lastIndex(items) {
  // The last of some items, in the order of time, that has begun.
  let low = -1, high = items.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (items[middle][0] <= now + 1e-9 * length) low = middle; else high = middle;
  }
  return low;
}

function tell() {
  const clock = length >= 100 ? 1 : length >= 1 ? 3 : 6;
  byId("clock").value = "t = " + now.toFixed(clock) + " s of " + last.toFixed(clock);
  slider.value = String(Math.round((10000 * (now - first)) / length));
  const span = scene.spans[Math.max(lastIndex(scene.spans), 0)], number = span[2];
  if (number !== shownMode) {
    shownMode = number;
    const [words, color] = scene.modes[number - 1], box = document.createElement("b");
    box.style.background = color;
    const many = scene.modes.length > 1 || scene.events.length;
    byId("mode").replaceChildren(box, "mode " + number + ": " + words);
    byId("mode").hidden = !many;
  }
  const index = lastIndex(scene.events);
  if (index !== shownEvent) {
    shownEvent = index;
    const event = scene.events[index];
    byId("event").textContent = event
      ? index + 1 + " of " + scene.events.length + ": " + event[1] + ", " + event[2] + " at " + event[0].toPrecision(6) + " s"
      : "";
  }
}

function drawStrip() {
  // Modes as colours and events as ticks, above the slider, whose handle is 16 pixels wide.
  const pen = strip.getContext("2d"), room = strip.clientWidth - 16, tall = strip.clientHeight;
  const x = (t) => 8 + (room * (t - first)) / length;
  pen.clearRect(0, 0, strip.clientWidth, tall);
  pen.fillStyle = colors.rule;
  pen.fillRect(8, tall - 5, room, 5);
  if (scene.modes.length > 1) {
    for (const [begin, end, number] of scene.spans) {
      pen.fillStyle = scene.modes[number - 1][1];
      pen.fillRect(x(begin), tall - 5, Math.max(x(end) - x(begin), 1), 5);
    }
  }
  for (const [t, kind] of scene.events) {
    pen.fillStyle = kind === "impact" ? colors.force : colors.soft;
    pen.fillRect(x(t) - 0.75, 0, 1.5, tall - 6);
  }
}

// --- what the hand does -----------------------------------------------------------------------------------------

let playing = false, before = 0;
const speed = byId("speed");
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];
const usual = SPEEDS.reduce((a, b) => {
  const off = (value) => { const s = length / value; return s < 2 ? 2 / s : s > 30 ? s / 30 : 1; };
  return off(b) < off(a) || (off(b) === off(a) && Math.abs(Math.log(b)) < Math.abs(Math.log(a))) ? b : a;
});
for (const value of SPEEDS) {
  const option = document.createElement("option");
  option.value = String(value);
  option.textContent = value + " ×";
  option.selected = value === usual;
  speed.append(option);
}

function tick(stamp) {
  if (!playing) return;
  const seconds = Math.min((stamp - before) / 1000, 0.1);
  before = stamp;
  seek(now + seconds * Number(speed.value));
  draw();
  if (now >= last) play(false); else requestAnimationFrame(tick);
}

function play(on) {
  if (on === playing) return;
  playing = on;
  byId("play").textContent = on ? "Pause" : "Play";
  if (on) {
    if (now >= last) seek(first);
    before = performance.now();
    requestAnimationFrame(tick);
  }
}

function all() {
  readColors();
  fit();
  drawStrip();
  draw();
}

byId("play").addEventListener("click", () => play(!playing));
slider.addEventListener("input", () => { play(false); seek(first + (length * Number(slider.value)) / 10000); draw(); });
for (const id of ["trail", "names", "forces"]) byId(id).addEventListener("change", draw);
byId("forces-label").hidden = !scene.forces.length;
const touches = new Map();
picture.addEventListener("pointerdown", (event) => {
  touches.set(event.pointerId, [event.clientX, event.clientY]);
  picture.setPointerCapture(event.pointerId);
});
picture.addEventListener("pointermove", (event) => {
  const old = touches.get(event.pointerId);
  if (!old) return;
  const d = [event.clientX - old[0], event.clientY - old[1]];
  touches.set(event.pointerId, [event.clientX, event.clientY]);
  if (touches.size > 1) {
    const other = [...touches].find(([id]) => id !== event.pointerId)[1];
    const far = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
    zoom *= far([event.clientX, event.clientY]) / far(old);
  } else if (event.shiftKey || event.buttons & 4) {
    shift = [shift[0] + d[0], shift[1] + d[1]];
  } else turn(0.008 * d[0], 0.008 * d[1]);
  if (!playing) draw();
});
for (const name of ["pointerup", "pointercancel"]) {
  picture.addEventListener(name, (event) => touches.delete(event.pointerId));
}
picture.addEventListener("dblclick", () => { reset(); draw(); });
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom *= Math.exp(-0.0015 * event.deltaY);
  draw();
}, { passive: false });
document.addEventListener("keydown", (event) => {
  if (["SELECT", "BUTTON", "INPUT"].includes(event.target.tagName)) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === " ") play(!playing);
  else if (step) { play(false); seek(times[Math.min(Math.max(frame + (part > 0.999 ? 1 : 0) + step, 0), times.length - 1)]); draw(); }
  else return;
  event.preventDefault();
});
addEventListener("resize", all);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);

// #t=1.5 opens at a time, and does not play; &turn=30,20 turns the view by degrees; &names shows the names.
const asked = new URLSearchParams(location.hash.slice(1));
reset();
if (asked.has("turn")) turn(...asked.get("turn").split(",").map((x) => (Number(x) * Math.PI) / 180));
if (asked.has("names")) byId("names").checked = true;
seek(asked.has("t") ? Number(asked.get("t")) : first);
all();
if (!asked.has("t") && !reducedMotion) play(true);
