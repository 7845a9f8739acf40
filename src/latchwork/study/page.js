const $ = id => document.getElementById(id), axes = S.axes.length > 0, n = S.points.length;
const values = axes ? S.axes : S.names.map((_, k) => [...new Set(S.points.map(p => p[k]))].sort((a, b) => a - b));
let at = 0;
const tell = v => v === null ? "none" : String(+v.toPrecision(5));
const index = place => place.reduce((sum, k, i) => sum * S.axes[i].length + k, 0);
const place = i => { const p = []; for (let k = S.axes.length - 1; k >= 0; k--) { const m = S.axes[k].length;
  p.unshift(i % m); i = (i - i % m) / m; } return p; };
function sliders() {
  const box = $("sliders"); box.textContent = "";
  const make = (name, most, value, told, moved) => { const label = document.createElement("label"),
    out = document.createElement("output"), input = document.createElement("input");
    label.textContent = name; out.textContent = told(value); label.append(out);
    Object.assign(input, {type: "range", min: 0, max: most, step: 1, value}); input.setAttribute("aria-label", name);
    input.oninput = () => { moved(+input.value); out.textContent = told(+input.value); draw(); }; box.append(label, input); };
  if (axes) S.names.forEach((name, k) => make(name, S.axes[k].length - 1, place(at)[k], v => tell(S.axes[k][v]),
    v => { const p = place(at); p[k] = v; at = index(p); }));
  else make("point", n - 1, at, v => v + ": " + S.names.map((s, k) => s + " " + tell(S.points[v][k])).join(", "),
    v => { at = v; });
}
function curve() {
  const out = S.outputs[$("output").value];
  if (out.times) return {x: out.times, y: out.values[at], label: "time", here: null};
  const k = +$("along").value;
  if (!axes) return {x: S.points.map(p => p[k]), y: out.values, label: S.names[k], here: S.points[at][k], dots: true};
  const p = place(at), y = S.axes[k].map((_, v) => out.values[index(p.map((w, i) => i === k ? v : w))]);
  return {x: S.axes[k], y, label: S.names[k], here: S.axes[k][p[k]]};
}
function draw() {
  const out = S.outputs[$("output").value], c = curve(), W = 700, H = 380, L = 70, B = 40;
  const all = (out.times ? out.values.flat() : out.values).filter(v => v !== null);
  let [lo, hi] = all.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  if (!(hi > lo)) { hi = lo + 1; lo -= 1; }
  let [x0, x1] = [Math.min(...c.x), Math.max(...c.x)]; if (!(x1 > x0)) { x1 = x0 + 1; }
  const X = x => L + (W - L - 30) * (x - x0) / (x1 - x0), Y = y => 10 + (H - B - 10) * (hi - y) / (hi - lo);
  const part = [];
  for (let k = 0; k <= 4; k++) { const y = lo + (hi - lo) * k / 4, x = x0 + (x1 - x0) * k / 4;
    part.push(`<line x1="${L}" x2="${W - 30}" y1="${Y(y)}" y2="${Y(y)}" stroke="var(--line)"/>`,
      `<text x="${L - 8}" y="${Y(y) + 4}" text-anchor="end">${tell(y)}</text>`,
      `<text x="${X(x)}" y="${H - 20}" text-anchor="middle">${tell(x)}</text>`); }
  const pairs = c.x.map((x, i) => [x, c.y[i]]).filter(([, y]) => y !== null);
  if (c.dots) part.push(...pairs.map(([x, y]) => `<circle cx="${X(x)}" cy="${Y(y)}" r="2" fill="var(--far)"/>`));
  else part.push(`<polyline fill="none" stroke="var(--mark)" stroke-width="2" points="${
    pairs.map(([x, y]) => X(x) + "," + Y(y)).join(" ")}"/>`);
  const now = out.times ? null : out.values[at];
  if (c.here !== null && now !== null) part.push(`<circle cx="${X(c.here)}" cy="${Y(now)}" r="5" fill="var(--mark)"/>`);
  part.push(`<text x="${(L + W) / 2}" y="${H - 4}" text-anchor="middle">${esc(c.label)}</text>`);
  $("picture").setAttribute("viewBox", `0 0 ${W} ${H}`); $("picture").innerHTML = part.join("");
  const told = Object.entries(S.outputs).filter(([, o]) => !o.times).map(([name, o]) => [name, tell(o.values[at])]);
  $("here").innerHTML = `<tr><th>point</th>${told.map(([name]) => `<th>${esc(name)}</th>`).join("")}</tr>` +
    `<tr><td>${at}</td>${told.map(([, v]) => `<td>${v}</td>`).join("")}</tr>`;
  $("along").parentElement.hidden = Boolean(out.times);
  worst(out);
}
const esc = s => s.replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}[c]));
function worst(out) {
  if (out.times) { $("worst").innerHTML = ""; return; }
  const order = out.values.map((v, i) => [v, i]).filter(([v]) => v !== null).sort((a, b) => b[0] - a[0]);
  const rows = order.length > 10 ? [...order.slice(0, 5), ...order.slice(-5)] : order;
  const cells = (kind, texts) => texts.map(text => `<${kind}>${text}</${kind}>`).join("");
  $("worst").innerHTML = `<tr>${cells("th", ["point", ...S.names.map(esc), esc($("output").value)])}</tr>` +
    rows.map(([v, i]) => `<tr class="pick" data-i="${i}">${cells("td", [i, ...S.points[i].map(tell), tell(v)])}</tr>`)
      .join("");
  for (const row of document.querySelectorAll("tr.pick")) row.onclick = () => { at = +row.dataset.i; sliders(); draw(); };
}
for (const name of Object.keys(S.outputs)) $("output").add(new Option(name, name));
S.names.forEach((name, k) => $("along").add(new Option(name, k)));
$("output").onchange = $("along").onchange = draw; sliders(); draw();
