"use strict";
// Everything beside the picture: sliders, buttons, readings, plot, automaton, equations, and how the loop keeps time.

const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const STIFF = [1, 1e5], DAMP = [0.01, 1e3]; // ranges of the coupler's sliders
const COUPLER = [["stiffness", STIFF, " N/m"], ["damping", DAMP, " N s/m"]];
const KEPT_EVENTS = 6;
const LONG = 10; // letters of a name that stands on a line of its own

const between = ([low, high], part) => low * Math.pow(high / low, part / 100);
const partOf = ([low, high], value) => (100 * Math.log(Math.max(value, low) / low)) / Math.log(high / low);

class Panels {
  constructor(bench) {
    this.bench = bench;
    this.plot = new Plot(byId("plot"));
    this.mode = null;
    this.busy = new Set(); // sliders that a hand is on
    this.told = 0;
    this.empty();
    this.listen();
  }

  on(id, name, what) {
    byId(id).addEventListener(name, what, { signal: this.bench.off.signal });
  }

  empty() {
    for (const id of ["sliders", "buttons", "plots", "automaton", "events", "equations"]) byId(id).replaceChildren();
    byId("reactions").tBodies[0].replaceChildren();
    for (const id of ["dropped", "mode", "coupler-note", "hint", "about"]) byId(id).textContent = "";
    byId("title").textContent = "…";
    byId("banner").hidden = true;
    byId("hint").hidden = false;
    byId("speed").replaceChildren(...SPEEDS.map((value) => new Option(value + " ×", value, value === 1, value === 1)));
    for (const id of ["names", "trail", "fence"]) byId(id).setAttribute("aria-pressed", "false");
    byId("forces").setAttribute("aria-pressed", "true");
    byId("unfence").disabled = true;
  }

  listen() {
    const { bench } = this, say = (command) => bench.say(command);
    this.on("play", "click", () => say({ do: bench.head.paused ? "go" : "pause" }));
    this.on("step", "click", () => say({ do: "step", ticks: 1 }));
    this.on("reset", "click", () => say({ do: "reset", id: "reset" }));
    this.on("speed", "change", () => say({ do: "speed", value: Number(byId("speed").value) }));
    this.on("rewind", "input", () => {
      byId("rewind-value").value = Math.abs(byId("rewind").value) + " s";
      bench.preview(-Number(byId("rewind").value));
    });
    this.on("rewind", "change", () => {
      const seconds = -Number(byId("rewind").value);
      bench.preview(0);
      if (seconds > 0) { say({ do: "pause" }); say({ do: "rewind", seconds, id: "rewind" }); }
      byId("rewind").value = 0;
      byId("rewind-value").value = "0 s";
    });
    for (const name of ["names", "forces", "trail", "turn", "fence"]) {
      this.on(name, "click", () => this.tool(name, !bench.options[name]));
    }
    this.on("gauges", "click", () => {
      const on = document.body.classList.toggle("gauges");
      byId("gauges").setAttribute("aria-pressed", String(on));
    });
    this.on("enlarge", "click", () => {
      const on = byId("equations-panel").classList.toggle("large");
      byId("enlarge").setAttribute("aria-pressed", String(on));
      byId("enlarge").textContent = on ? "close" : "enlarge";
    });
    this.on("plot-all", "click", () => {
      this.plot.whole = !this.plot.whole;
      byId("plot-all").setAttribute("aria-pressed", String(this.plot.whole));
      byId("plot-title").textContent = this.plot.whole ? "Whole run" : "Last 10 s";
      this.plot.draw();
    });
    this.on("plot-csv", "click", () => offer(bench.name + ".csv", this.plot.csv(), "text/csv"));
    this.on("plot", "pointermove", (event) => { this.plot.cursor = event.offsetX; this.plot.draw(); });
    this.on("plot", "pointerleave", () => { this.plot.cursor = null; this.plot.draw(); });
    this.on("download", "click", () => say({ do: "save" }));
    this.on("home", "click", () => bench.home());
    this.on("unfence", "click", () => say({ do: "unfence" }));
    for (const [id, range, unit] of COUPLER) {
      this.on(id, "input", () => { this.busy.add(id); byId(id + "-value").value = brief(between(range, byId(id).value)) + unit; });
      this.on(id, "change", () => {
        this.busy.delete(id);
        const [stiffness, damping] = [between(STIFF, byId("stiffness").value), between(DAMP, byId("damping").value)];
        say({ do: "coupler", stiffness, damping, id: "coupler" });
      });
    }
  }

  tool(name, on) {
    const { bench } = this;
    bench.options[name] = on;
    byId(name).setAttribute("aria-pressed", String(on));
    if (name === "fence") {
      byId("picture").classList.toggle("fencing", on);
      if (on) bench.drawing.straight();
      this.hint(on ? "Draw a line: what runs into it must follow it. Draw again to reshape it." : "");
    }
    if (name === "trail") bench.path = [];
    bench.ask();
  }

  hint(words) {
    byId("hint").textContent = words;
    byId("hint").hidden = !words;
    clearTimeout(this.hinted);
    this.hinted = setTimeout(() => { byId("hint").hidden = true; }, 8000); // it stands where mechanisms may go
  }

  fit() {
    fitCanvas(this.plot.canvas);
    this.plot.draw();
  }

  // --- what is told ---------------------------------------------------------------------------------------------

  heard(message) {
    const known = { scene: "begin", mode: "enter", automaton: "automaton", equations: "equations", event: "happened",
      values: "values", answer: "answered", trouble: "trouble", session: "session", dropped: "dropped", house: "house" };
    if (known[message.kind]) this[known[message.kind]](message);
  }

  session({ text }) {
    offer(this.bench.name + ".jsonl", text, "application/jsonl");
  }

  house(message) {
    byId("back").hidden = message.count < 2;
  }

  begin(message) {
    byId("title").textContent = message.title;
    byId("about").textContent = message.about;
    byId("banner").hidden = true;
    this.hint("Drag any body to pull it.");
    this.sliders(message.sliders);
    this.buttons(message.constraints);
    byId("controls").hidden = !message.sliders.length && !message.constraints.length;
    this.chips(message);
  }

  sliders(sliders) {
    this.inputs = {};
    byId("sliders").replaceChildren(...sliders.map(({ name, low, high, value, unit, description }) => {
      const label = document.createElement("label"), words = document.createElement("span");
      const input = document.createElement("input"), shown = document.createElement("output");
      label.className = "slider";
      words.textContent = unit ? name + " [" + unit + "]" : name;
      if (name.length > LONG) label.classList.add("long"); // a line of its own
      label.title = description;
      Object.assign(input, { type: "range", min: low, max: high, step: (high - low) / 500, value });
      input.setAttribute("aria-label", name);
      shown.value = brief(value);
      let waiting = 0;
      input.addEventListener("input", () => {
        this.busy.add(name);
        shown.value = brief(Number(input.value));
        if (!waiting) waiting = setTimeout(() => { waiting = 0; this.set(name, Number(input.value)); }, 60);
      });
      input.addEventListener("change", () => { this.busy.delete(name); this.set(name, Number(input.value)); });
      this.inputs[name] = { input, shown };
      label.append(words, input, shown);
      return label;
    }));
  }

  set(name, value) {
    this.bench.say({ do: "set", name, value, id: "set" });
  }

  values({ values }) {
    for (const [name, value] of Object.entries(values)) {
      const found = this.inputs[name];
      if (!found || this.busy.has(name)) continue;
      found.input.value = value;
      found.shown.value = brief(value);
    }
  }

  buttons(names) {
    byId("buttons").replaceChildren(...names.map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.name = name;
      button.textContent = name;
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") === "true";
        this.bench.say({ do: on ? "release" : "hold", name, id: "hold" });
      });
      return button;
    }));
    this.press();
  }

  press() {
    const held = this.mode ? this.mode.names : [];
    for (const button of byId("buttons").children) {
      button.setAttribute("aria-pressed", String(held.includes(button.dataset.name)));
    }
  }

  chips(message) {
    this.plot.names = message.plots;
    this.plot.units = message.units;
    const chosen = new Set(message.chosen);
    byId("plots").replaceChildren(...message.plots.map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.setAttribute("aria-pressed", String(chosen.has(name)));
      button.addEventListener("click", () => {
        if (chosen.has(name)) chosen.delete(name); else chosen.add(name);
        while (chosen.size > LINE_COLORS.length) chosen.delete(chosen.values().next().value);
        for (const other of byId("plots").children) other.setAttribute("aria-pressed", String(chosen.has(other.textContent)));
        this.plot.choose(message.plots.filter((each) => chosen.has(each)));
      });
      return button;
    }));
    this.plot.choose(message.plots.filter((each) => chosen.has(each)));
  }

  enter(message) {
    this.mode = message;
    const box = document.createElement("b"), words = message.names.join(", ") || "free";
    box.dataset.tint = (message.number - 1) % 12;
    byId("mode").replaceChildren(box, "mode " + message.number + ": " + words);
    byId("mode").title = words;
    this.light();
    this.press();
    const rows = message.rows.map(([name, count]) => {
      const row = document.createElement("tr"), head = document.createElement("th"), value = document.createElement("td");
      head.scope = "row";
      head.textContent = name;
      row.append(head, value);
      row.dataset.count = count;
      return row;
    });
    byId("reactions").tBodies[0].replaceChildren(...rows);
    byId("reactions-panel").hidden = !rows.length;
  }

  light() {
    for (const node of byId("automaton").querySelectorAll("[data-mode]")) {
      node.classList.toggle("lit", this.mode !== null && node.dataset.mode === String(this.mode.number));
    }
  }

  automaton({ svg }) {
    const parsed = new DOMParser().parseFromString(svg || "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml");
    const picture = document.importNode(parsed.documentElement, true);
    picture.style.maxWidth = (picture.getAttribute("width") || 0) + "px";
    byId("automaton").replaceChildren(picture);
    this.light();
  }

  equations({ html }) {
    const parsed = new DOMParser().parseFromString(html || "<p>being typeset …</p>", "text/html");
    byId("equations").replaceChildren(...parsed.body.childNodes);
  }

  happened(event) {
    this.plot.events.push(event.t);
    const item = document.createElement("li"), time = document.createElement("span");
    time.textContent = event.t.toFixed(3) + " s ";
    const lost = Math.abs(event.energy) > 1e-9 ? ", " + brief(event.energy) + " J" : "";
    item.append(time, event.what + ": " + event.name + lost);
    byId("events").prepend(item);
    while (byId("events").children.length > KEPT_EVENTS) byId("events").lastChild.remove();
  }

  answered(message) {
    if (message.do === "coupler") {
      byId("coupler-note").textContent = message.why || (message.ok ? "" : "refused");
    } else if (!message.ok) this.banner(message.why);
    if (message.ok && ["reset", "rewind"].includes(message.do)) byId("banner").hidden = true;
  }

  banner(words) {
    const banner = byId("banner");
    banner.textContent = words;
    banner.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { banner.hidden = true; }, 6000);
  }

  trouble({ why, final }) {
    clearTimeout(this.timer);
    if (!this.bench.scene) byId("title").textContent = this.bench.name.replaceAll("_", " ");
    if (final) { // there is nothing to try again
      this.bench.wire.close();
      byId("title").textContent = "Not here";
      byId("status").textContent = "";
      byId("hint").hidden = true;
    }
    byId("banner").textContent = why;
    byId("banner").hidden = false;
  }

  dropped(message) {
    const parts = [[message.malformed, "malformed"], [message["too many"], "too many"]].filter(([count]) => count);
    byId("dropped").textContent = parts.length
      ? "Messages of this page that were dropped: " + parts.map(([count, why]) => count + " " + why).join(", ") + "." : "";
  }

  // --- what is read ---------------------------------------------------------------------------------------------

  shown(head, values, lam) {
    this.plot.add(head.t, Array.from(values));
    const now = performance.now();
    if (now - this.told < 90) return; // ten times a second is enough to read
    this.told = now;
    this.plot.draw();
    byId("clock").value = "t = " + head.t.toFixed(2) + " s";
    byId("play").textContent = head.paused ? "Go" : "Pause";
    byId("play").dataset.state = head.paused ? "paused" : "running";
    byId("rewind").min = -Math.max(0.1, Math.min(60, head.t)).toFixed(1);
    if (document.activeElement !== byId("speed") && SPEEDS.includes(head.speed)) byId("speed").value = String(head.speed);
    const force = Math.hypot(head["force x"], head["force y"], head["force z"]);
    byId("m-force").textContent = head.hand >= 0 ? brief(force) + " N on " + this.bench.described.bodies[head.hand] : "nothing held";
    byId("m-force").classList.toggle("idle", !(head.hand >= 0));
    byId("m-energy").textContent = brief(Math.abs(head.energy) < 1e-9 ? 0 : head.energy, 4) + " J";
    byId("m-generated").textContent = brief(head.generated) + " J";
    byId("m-generated").classList.toggle("bad", head.generated > 1e-3);
    for (const [id, range, unit] of COUPLER) {
      if (this.busy.has(id)) continue;
      byId(id).value = partOf(range, head[id]);
      byId(id + "-value").value = brief(head[id]) + unit;
    }
    this.reactions(lam);
    this.beat(head);
  }

  reactions(lam) {
    let first = 0;
    for (const row of byId("reactions").tBodies[0].rows) {
      const count = Number(row.dataset.count), own = lam.subarray(first, first + count);
      first += count;
      row.lastChild.textContent = own.length ? alike(Array.from(own)) : "–";
    }
  }

  beat(head) {
    const period = (1e6 * this.bench.described.step) / head.speed, part = (value) => Math.min((100 * value) / period, 100);
    byId("budget-busy").style.width = part(head.median) + "%";
    byId("budget-p99").style.width = part(head.p99) + "%";
    byId("budget").setAttribute("aria-valuenow", part(head.median).toFixed(0));
    byId("budget").classList.toggle("over", head.p99 > period);
    const text = head.paused ? "paused" : "tick " + brief(head.median / 1000) + " of " + brief(period / 1000) + " ms";
    byId("budget-text").textContent = text;
    const shown = {
      ticks: head.ticks, "busy, 99 of 100": brief(head.p99) + " µs", longest: brief(head.most) + " µs",
      late: head.late, missed: head.missed, jitter: brief(head.jitter) + " µs", switches: head.switches,
      "last switch": head.switches ? brief(head.switch) + " µs" : "–", memory: (head.rss / 1048576).toFixed(0) + " MB",
    };
    if (byId("beat").children.length !== Object.keys(shown).length) {
      byId("beat").replaceChildren(...Object.keys(shown).map((name) => {
        const pair = document.createElement("div"), term = document.createElement("dt");
        term.textContent = name;
        pair.append(term, document.createElement("dd"));
        return pair;
      }));
    }
    Object.values(shown).forEach((value, k) => { byId("beat").children[k].lastChild.textContent = value; });
  }
}
