"use strict";
// Plays a scene (latchwork/view/scene.py): tracks of numbers, frame by frame, drawn by draw.js.

const scene = JSON.parse(document.getElementById("scene").textContent);
const byId = (id) => document.getElementById(id);
const picture = byId("picture"), strip = byId("strip"), slider = byId("slider");
const times = scene.t, first = times[0], last = times[times.length - 1], length = last - first || 1;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

// --- frames -----------------------------------------------------------------------------------------------------

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

// --- drawing ----------------------------------------------------------------------------------------------------

const drawing = new Drawing(picture, scene, row);
drawing.strongest = Math.max(1e-300, ...scene.forces.map((item) => {
  const rows = scene.tracks[item.force], sizes = [];
  for (let k = 0; k < rows.length; k += 3) sizes.push(Math.hypot(rows[k], rows[k + 1], rows[k + 2]));
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.98 * (sizes.length - 1))];
}));

function trail() {
  const rows = scene.tracks[scene.trail.track], { pen, colors } = drawing;
  if (rows.length <= 3 || !byId("trail").checked) return;
  const all = [];
  for (let k = 0; k < rows.length; k += 3) all.push(drawing.screen([rows[k], rows[k + 1], rows[k + 2]]));
  const upTo = all.filter((_, k) => scene.trail.t[k] <= now);
  pen.globalAlpha = 0.16;
  drawing.line(all, colors.trail, 1);
  pen.globalAlpha = 0.7;
  drawing.line(upTo, colors.trail, 1.2);
  pen.globalAlpha = 1;
}

function draw() {
  if (scene.follow !== undefined) drawing.middle = row(scene.follow, 3);
  drawing.names = byId("names").checked;
  drawing.draw(trail);
  if (byId("forces").checked) {
    for (const item of scene.forces) drawing.arrow(row(item.at, 3), row(item.force, 3), item.name);
  }
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
      ? index + 1 + " of " + scene.events.length + ": " + event[1] + (event[2] === event[1] ? "" : ", " + event[2]) + " at " + event[0].toPrecision(6) + " s"
      : "";
  }
}

function drawStrip() {
  // Modes as colours and events as ticks, above the slider, whose handle is 16 pixels wide.
  const { colors } = drawing, pen = strip.getContext("2d"), room = strip.clientWidth - 16, tall = strip.clientHeight;
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

const REST = 900; // ms at the end, before it is played again
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
  if (now < last) requestAnimationFrame(tick);
  else if (byId("repeat").checked) setTimeout(again, REST);
  else play(false);
}

function again() {
  // From the beginning, after a moment at the end.
  if (!playing) return;
  if (now >= last) seek(first);
  before = performance.now();
  requestAnimationFrame(tick);
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
  drawing.fit();
  fitCanvas(strip);
  drawStrip();
  draw();
}

byId("play").addEventListener("click", () => play(!playing));
slider.addEventListener("input", () => { play(false); seek(first + (length * Number(slider.value)) / 10000); draw(); });
for (const id of ["trail", "names", "forces"]) byId(id).addEventListener("change", draw);
byId("forces-label").hidden = !scene.forces.length;
byId("trail-label").hidden = scene.tracks[scene.trail.track].length <= 3;
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
    drawing.zoom *= far([event.clientX, event.clientY]) / far(old);
  } else if (event.shiftKey || event.buttons & 4) {
    drawing.shift = [drawing.shift[0] + d[0], drawing.shift[1] + d[1]];
  } else drawing.turn(0.008 * d[0], 0.008 * d[1]);
  if (!playing) draw();
});
for (const name of ["pointerup", "pointercancel"]) {
  picture.addEventListener(name, (event) => touches.delete(event.pointerId));
}
picture.addEventListener("dblclick", () => { drawing.reset(); draw(); });
picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  drawing.zoom *= Math.exp(-0.0015 * event.deltaY);
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
new ResizeObserver(all).observe(picture); // a frame in a notebook gets its size when it is looked at
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);

// #t=1.5 opens at a time, and does not play; &turn=30,20 turns the view by degrees; &names shows the names.
const asked = new URLSearchParams(location.hash.slice(1));
if (asked.has("turn")) drawing.turn(...asked.get("turn").split(",").map((x) => (Number(x) * Math.PI) / 180));
if (asked.has("names")) byId("names").checked = true;
seek(asked.has("t") ? Number(asked.get("t")) : first);
all();
if (!asked.has("t") && !reducedMotion) play(true);
