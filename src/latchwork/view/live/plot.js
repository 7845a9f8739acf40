"use strict";
// Some quantities against time, one strip each with its axis; the pointer reads them. The last seconds, or the whole run.

const SPAN = 10, LEAST = 2, STRIP = 74, LEFT = 52; // s; s that are shown at first; px
const MOST_KEPT = 60000; // rows of a run; then every second one is forgotten
const LINE_COLORS = ["--line-0", "--line-1", "--line-2", "--line-3"];

class Plot {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.names = [];
    this.units = []; // of names, where they are known
    this.chosen = [];
    this.whole = false; // whether all of the run is shown
    this.cursor = null; // where the pointer is, in pixels
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
    if (this.t.length > MOST_KEPT) {
      this.t = this.t.filter((_, k) => k % 2);
      this.rows = this.rows.filter((_, k) => k % 2);
    }
  }

  csv() {
    // The whole run as a table.
    const quoted = (name) => (/[",\n]/.test(name) ? '"' + name.replaceAll('"', '""') + '"' : name);
    return [["t", ...this.names.map(quoted)].join(","), ...this.t.map((t, k) => [t, ...this.rows[k]].join(","))].join("\n") + "\n";
  }

  get first() { // the first row that is shown
    if (this.whole) return 0;
    const begin = this.t[this.t.length - 1] - SPAN;
    let low = 0, high = this.t.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.t[middle] < begin) low = middle; else high = middle; }
    return low;
  }

  draw() {
    const { pen, canvas } = this, wide = canvas.clientWidth, high = canvas.clientHeight;
    const style = getComputedStyle(canvas), color = (name) => style.getPropertyValue(name).trim();
    pen.clearRect(0, 0, wide, high);
    pen.font = "11px system-ui, sans-serif";
    if (!this.t.length || !this.chosen.length) return;
    const now = this.t[this.t.length - 1], begin = this.whole ? this.t[0] : Math.max(now - SPAN, this.t[0]);
    const span = Math.max(now - begin, LEAST);
    const room = wide - LEFT - 8, x = (t) => LEFT + (room * (t - begin)) / span;
    const step = roundStep((span * 60) / Math.max(room, 60)), last = Math.floor((begin + span * (1 - 8 / room)) / step);
    pen.textAlign = "center";
    for (let k = Math.ceil(begin / step); k * step <= begin + span; k++) {
      pen.fillStyle = color("--rule");
      pen.fillRect(x(k * step), 0, 0.7, high - 16);
      pen.fillStyle = color("--soft");
      if (k >= 0 && k <= last) pen.fillText(Number((k * step).toPrecision(6)) + (k === last ? " s" : ""), x(k * step), high - 3);
    }
    pen.fillStyle = color("--force");
    for (const t of this.events) if (t >= begin) pen.fillRect(x(t) - 0.5, high - 16, 1, 4);
    const first = this.first, at = this.cursor === null ? null : this.nearest(begin + (span * (this.cursor - LEFT)) / room, first);
    this.chosen.forEach((name, k) => this.strip(name, k, first, x, color(LINE_COLORS[k]), color("--soft"), color("--rule"), wide, at));
    if (at !== null) {
      pen.fillStyle = color("--soft");
      pen.fillRect(x(this.t[at]) - 0.5, 0, 1, high - 16);
      pen.textAlign = x(this.t[at]) > wide / 2 ? "right" : "left";
      pen.fillText("t = " + this.t[at].toFixed(3) + " s", x(this.t[at]) + (pen.textAlign === "left" ? 4 : -4), high - 18);
    }
  }

  nearest(t, first) {
    if (this.cursor < LEFT) return null;
    let low = first, high = this.t.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.t[middle] < t) low = middle; else high = middle; }
    return t - this.t[low] < this.t[high] - t ? low : high;
  }

  strip(name, k, first, x, line, soft, rule, wide, at) {
    const { pen } = this, index = this.names.indexOf(name), top = k * STRIP + 16, tall = STRIP - 24;
    if (index < 0) return;
    let low = Infinity, high = -Infinity;
    for (let i = first; i < this.rows.length; i++) { const v = this.rows[i][index]; low = Math.min(low, v); high = Math.max(high, v); }
    const middle = (low + high) / 2, least = Math.max(1e-6 * Math.abs(middle), 1e-9), varies = (high - low) / 2 > least;
    const half = Math.max((high - low) / 2, least) * 1.08, step = roundStep(half * 0.9);
    const y = (value) => top + tall / 2 - (tall / 2) * ((value - middle) / half), heights = [];
    for (let j = Math.ceil((middle - half) / step); varies && j * step <= middle + half; j++) heights.push(j * step);
    pen.textAlign = "right";
    for (const height of varies ? heights : [middle]) { // what does not change has one height
      pen.fillStyle = rule;
      pen.fillRect(LEFT, y(height), wide - LEFT - 8, 0.7);
      pen.fillStyle = soft;
      pen.fillText(brief(height, 3, step), LEFT - 5, y(height) + 4);
    }
    pen.beginPath();
    const skip = Math.max(1, Math.floor((this.rows.length - first) / 1500));
    for (let i = first; i < this.rows.length; i += skip) {
      const px = x(this.t[i]), py = y(this.rows[i][index]);
      if (i === first) pen.moveTo(Math.max(px, LEFT), py); else if (px >= LEFT) pen.lineTo(px, py);
    }
    pen.strokeStyle = line;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.stroke();
    pen.fillStyle = line;
    pen.textAlign = "left";
    const shown = at === null ? this.rows.length - 1 : at;
    pen.fillText((name.length > 24 ? name.slice(0, 23) + "…" : name) + " = " + brief(this.rows[shown][index], 4, half) +
      (this.units[index] ? " " + this.units[index] : ""), LEFT + 4, top - 5);
    if (at !== null) { pen.beginPath(); pen.arc(x(this.t[at]), y(this.rows[at][index]), 3, 0, 7); pen.fill(); }
  }
}

const ROUNDING = 1e-10; // of the numbers that it stands beside: what is smaller is rounding

function brief(value, digits = 3, beside = 0) {
  // A number in few characters, the same width while it changes little; 0 where it is below rounding.
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value) < Math.max(ROUNDING * Math.abs(beside), 1e-13) ? 0 : Math.abs(value);
  if (!size) value = 0;
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1).replace("-", "−");
  return value.toFixed(Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(size || 1))))).replace("-", "−");
}

function alike(values) {
  // Components of one thing, to the decimals that the largest of them has.
  const most = Math.max(...values.map(Math.abs)), decimals = Math.max(0, 2 - Math.max(0, Math.floor(Math.log10(most || 1))));
  if (!(most < 1e5 && (most >= 1e-3 || !most))) return values.map((value) => brief(value, 3, most)).join(", ");
  return values.map((value) => value.toFixed(decimals).replace(/^-(?=[0.]*$)/, "").replace("-", "−")).join(", ");
}

function offer(name, text, kind) {
  // A file for whoever looks at the page.
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
