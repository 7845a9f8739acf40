"use strict";
// The last seconds of some quantities, one strip each, with what they are now.

const SPAN = 10, STRIP = 62; // s; px
const LINE_COLORS = ["--line-0", "--line-1", "--line-2", "--line-3"];

class Plot {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.names = [];
    this.chosen = [];
    this.clear();
  }

  clear() {
    this.t = [];
    this.rows = [];
    this.events = [];
  }

  choose(names) {
    this.chosen = names.slice(0, LINE_COLORS.length);
    this.canvas.style.height = Math.max(1, this.chosen.length) * STRIP + 18 + "px";
    fitCanvas(this.canvas);
    this.draw();
  }

  add(t, values) {
    const last = this.t.length - 1;
    if (last >= 0 && t < this.t[last] - 1e-9) { // the run was taken back
      while (this.t.length && this.t[this.t.length - 1] >= t) { this.t.pop(); this.rows.pop(); }
      this.events = this.events.filter((event) => event < t);
    } else if (last >= 0 && t === this.t[last]) {
      this.rows[last] = values;
      return;
    }
    this.t.push(t);
    this.rows.push(values);
    let old = 0;
    while (old < this.t.length && this.t[old] < t - SPAN - 0.1) old++;
    if (old) { this.t.splice(0, old); this.rows.splice(0, old); }
    while (this.events.length && this.events[0] < t - SPAN) this.events.shift();
  }

  draw() {
    const { pen, canvas } = this, wide = canvas.clientWidth, high = canvas.clientHeight;
    const style = getComputedStyle(canvas), color = (name) => style.getPropertyValue(name).trim();
    pen.clearRect(0, 0, wide, high);
    pen.font = "11px system-ui, sans-serif";
    if (!this.t.length || !this.chosen.length) return;
    const now = this.t[this.t.length - 1], begin = now - SPAN, left = 4, room = wide - 70;
    const x = (t) => left + (room * (t - begin)) / SPAN;
    pen.fillStyle = color("--rule");
    for (let t = Math.ceil(begin); t <= now; t++) pen.fillRect(x(t), 0, t % 5 ? 0.5 : 1, high - 16);
    pen.fillStyle = color("--force");
    for (const t of this.events) pen.fillRect(x(t) - 0.5, high - 16, 1, 4);
    pen.fillStyle = color("--soft");
    pen.textAlign = "center";
    for (let t = Math.ceil(begin / 5) * 5; t <= now; t += 5) if (t >= 0) pen.fillText(t + " s", Math.max(x(t), 14), high - 2);
    this.chosen.forEach((name, k) => this.strip(name, k, x, color(LINE_COLORS[k]), color("--soft"), wide));
  }

  strip(name, k, x, line, soft, wide) {
    const { pen } = this, index = this.names.indexOf(name), top = k * STRIP + 4, tall = STRIP - 12;
    if (index < 0) return;
    let low = Infinity, high = -Infinity;
    for (const row of this.rows) { low = Math.min(low, row[index]); high = Math.max(high, row[index]); }
    const middle = (low + high) / 2, half = Math.max((high - low) / 2, 1e-6 * Math.abs(middle), 1e-9) * 1.08;
    const y = (value) => top + tall / 2 - (tall / 2) * ((value - middle) / half);
    pen.beginPath();
    this.rows.forEach((row, i) => (i ? pen.lineTo(x(this.t[i]), y(row[index])) : pen.moveTo(x(this.t[i]), y(row[index]))));
    pen.strokeStyle = line;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.stroke();
    pen.textAlign = "right";
    pen.fillStyle = soft;
    pen.fillText(brief(high), wide - 2, top + 8);
    pen.fillText(brief(low), wide - 2, top + tall + 2);
    pen.fillStyle = line;
    pen.fillText(name.length > 10 ? name.slice(0, 9) + "…" : name, wide - 2, top + tall / 2 - 2);
    pen.fillText(brief(this.rows[this.rows.length - 1][index]), wide - 2, top + tall / 2 + 10);
  }
}

function brief(value, digits = 3) {
  // A number in few characters, the same width while it changes little.
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1).replace("-", "−");
  return value.toFixed(Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(size || 1))))).replace("-", "−");
}
