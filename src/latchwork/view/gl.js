"use strict";
// Solids with light and soft shadow, by WebGL 2 on one canvas that is shown nowhere: drawings copy it. The numbers of
// the light are those of latchwork/view/film/shading.py.

const LOOK = { ambient: 0.36, sky: 0.22, sun: 0.52, shine: 0.22, dark: 0.34, line: 0.06, floor: 0.035 };
const SHADOW = 1024, HORIZON = 9, NET = 0.25, EDGE = 0.45; // texels; of the size of a scene; the shade of sharp edges
const SLOW = 40, COARSEST = 0.5; // ms that a picture may take before it is made coarser, and how coarse it may get

const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 look;
uniform mat3 turn, axes;
uniform vec3 at, middle, sag;
uniform vec2 stretch, shift, size, span;
uniform float pixels, eye, nearer;
out vec3 world, normal;
out float shade;
void main() {
  vec3 local = place, n = look.xyz;
  if (stretch.x > 0.0) {
    float z = clamp(place.z, 0.0, 1.0);
    local = vec3(stretch.x * place.xy, stretch.y * z + stretch.x * (place.z - z));
    n.z *= place.z == z ? stretch.x / stretch.y : 1.0;
    world = at + turn * local + 4.0 * z * (1.0 - z) * sag;
  } else world = at + turn * local;
  normal = turn * n;
  shade = look.w;
  vec3 c = (world - middle) * axes;
  float w = 1.0 - c.z * eye, far = 1.0 - span.x * eye, near = 1.0 - span.y * eye;
  float a = (far + near) / (span.x - span.y);
  gl_Position = vec4(2.0 * (shift * w + pixels * c.xy) / size, a * (c.z - span.y) - near - nearer * w, w);
}`;

const LIT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
in vec3 world, normal;
in float shade;
uniform vec3 color, light, up, middle, sunMiddle;
uniform mat3 axes, sunAxes;
uniform float sunScale, sunDeep, edge;
uniform sampler2DShadow shadow;
out vec4 pixel;
float arrives(vec3 p) {
  vec3 c = (p - sunMiddle) * sunAxes;
  vec3 at = vec3(0.5 + 0.5 * sunScale * c.xy, min(0.5 - 0.5 * c.z / sunDeep - 0.004, 1.0));
  if (any(greaterThan(abs(at.xy - 0.5), vec2(0.5)))) return 1.0;
  float seen = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) seen += texture(shadow, at + vec3(1.4 * vec2(i, j) / ${SHADOW}.0, 0.0));
  return seen / 9.0;
}
void main() {
  if (edge > 0.0) { pixel = vec4(edge * shade * color, 1.0); return; }
  vec3 out_ = axes[2], n = normalize(normal);
  if (dot(n, out_) < 0.0) n = -n;
  float s = arrives(world), sun = max(dot(n, light), 0.0);
  float bright = shade * (${LOOK.ambient} + ${LOOK.sky} * 0.5 * (1.0 + dot(n, up)) + ${LOOK.sun} * sun * s);
  pixel = vec4(min(color * bright + ${LOOK.shine} * s * pow(max(dot(n, normalize(light + out_)), 0.0), 32.0), 1.0), 1.0);
}`;

const FLOOR = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform mat3 axes, sunAxes, net;
uniform vec3 middle, sunMiddle, place, ink;
uniform vec2 shift, size, steps;
uniform float pixels, eye, sunScale, sunDeep;
uniform sampler2DShadow shadow;
in vec2 corner;
out vec4 pixel;
float arrives(vec3 p) {
  vec3 c = (p - sunMiddle) * sunAxes;
  vec3 at = vec3(0.5 + 0.5 * sunScale * c.xy, min(0.5 - 0.5 * c.z / sunDeep - 0.004, 1.0));
  if (any(greaterThan(abs(at.xy - 0.5), vec2(0.5)))) return 1.0;
  float seen = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) seen += texture(shadow, at + vec3(2.2 * vec2(i, j) / ${SHADOW}.0, 0.0));
  return seen / 9.0;
}
void main() {
  vec2 q = (0.5 * corner * size - shift) / pixels;
  vec3 across = axes[0] * q.x + axes[1] * q.y, ray = eye * across - axes[2], from = middle + across;
  float rate = dot(ray, net[2]), far = -dot(from - place, net[2]) / rate;
  vec3 hit = from + far * ray;
  vec2 ab = vec2(dot(hit - place, net[0]), dot(hit - place, net[1]));
  float fade = 1.0 - length(ab) / steps.y;
  if (abs(rate) < 1e-9 || (far < 0.0 && rate > 0.0) || fade <= 0.0) discard;
  vec2 cell = ab / steps.x, off = abs(cell - floor(cell + 0.5)) * steps.x;
  float line = max(1.0 - min(off.x, off.y) * pixels * max(abs(rate), 0.2), 0.0), dark = 1.0 - arrives(hit);
  float tone = fade * (${LOOK.floor} + ${LOOK.line} * line), gray = fade * ${LOOK.dark} * dark;
  pixel = vec4(ink * tone * (1.0 - gray), 1.0 - (1.0 - tone) * (1.0 - gray));
}`;

const CORNERS = `#version 300 es
out vec2 corner;
void main() {
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const DEEP = `#version 300 es
precision highp float;
in vec3 world, normal;
in float shade;
void main() {}`;

const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

function meshOf(data) {
  // Numbers of a mesh (latchwork/view/mesh.py).
  const whole = new Int16Array(fromBase64(data.places)), places = new Float32Array(whole.length);
  for (let k = 0; k < whole.length; k++) places[k] = data.middle[k % 3] + data.step * whole[k];
  const Whole = data.wide === 2 ? Uint16Array : Uint32Array;
  return { places, look: new Int8Array(fromBase64(data.look)), faces: new Whole(fromBase64(data.faces)),
    edges: new Whole(fromBase64(data.edges)) };
}

function meshesOf(scene) {
  if (!scene.read || scene.readFrom !== scene.meshes) {
    Object.defineProperty(scene, "read", { value: scene.meshes.map(meshOf), writable: true, configurable: true });
    Object.defineProperty(scene, "readFrom", { value: scene.meshes, writable: true, configurable: true });
  }
  return scene.read;
}

function frameAlong(way) {
  // Three unit vectors, the last along a way.
  const long = Math.hypot(...way), z = way.map((x) => x / (long || 1)), size = z.map(Math.abs);
  const k = size.indexOf(Math.min(...size)), x = cross(z, [0, 1, 2].map((i) => (i === k ? 1 : 0))), s = Math.hypot(...x) || 1;
  const e = x.map((value) => value / s);
  return [e, cross(z, e), z, long];
}

function placedSolids(drawing) {
  // Every solid where it is now: mesh, columns of its axes, origin, radius and length of members, how far ropes sag.
  const { scene } = drawing, list = [], down = drawing.upward.map((x) => -x);
  for (const item of scene.shapes) {
    if (item.mesh === undefined) continue;
    const at = drawing.row(item.at, 3), axes = drawing.row(item.turn, 6);
    const x = [axes[0], axes[1], axes[2]], y = [axes[3], axes[4], axes[5]];
    list.push({ item, mesh: item.mesh, at: [at[0], at[1], at[2]], turn: [x, y, cross(x, y)], stretch: [0, 0], sag: [0, 0, 0] });
  }
  for (const item of scene.members) {
    const a = drawing.row(item.a, 3), b = drawing.row(item.b, 3), [x, y, z, long] = frameAlong([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
    const sag = Math.sqrt(Math.max(0.375 * long * ((item.length || 0) - long), 0));
    list.push({ item, mesh: item.mesh, at: [a[0], a[1], a[2]], turn: [x, y, z], stretch: [item.radius, long || 1e-9],
      sag: down.map((d) => sag * d) });
  }
  return list;
}

function rgbOf(color) {
  const value = parseInt(color.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

class Renderer {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.canvas.width = this.canvas.height = 1;
    this.fine = 1; // pixels for one of a drawing: fewer where a machine without a graphics card is slow
    this.took = 0; // ms, of the last pictures
    this.canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); this.gl = null; });
    this.canvas.addEventListener("webglcontextrestored", () => this.begin());
    this.begin();
  }

  begin() {
    const gl = (this.gl = this.canvas.getContext("webgl2", { alpha: true, antialias: true, powerPreference: "low-power" }));
    this.buffers = new WeakMap();
    if (!gl) return;
    this.lit = this.program(VERTEX, LIT);
    this.deep = this.program(VERTEX, DEEP);
    this.floor = this.program(CORNERS, FLOOR);
    this.shadow = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW, SHADOW);
    for (const [name, value] of [[gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.under = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.under);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  program(vertex, fragment) {
    const { gl } = this, made = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || "no program");
    const at = {};
    for (let k = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
      const { name } = gl.getActiveUniform(made, k);
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  set(program, values) {
    const { gl } = this, { at } = program;
    for (const [name, value] of Object.entries(values)) {
      if (at[name] === undefined) continue;
      if (typeof value === "number") gl.uniform1f(at[name], value);
      else if (value.length === 2) gl.uniform2fv(at[name], value);
      else if (typeof value[0] === "number") gl.uniform3fv(at[name], value);
      else gl.uniformMatrix3fv(at[name], false, value.flat());
    }
  }

  buffer(mesh) {
    // A mesh in the memory of the screen.
    if (!this.buffers.has(mesh)) {
      const { gl } = this, array = gl.createVertexArray(), wide = mesh.faces.BYTES_PER_ELEMENT === 2;
      gl.bindVertexArray(array);
      const put = (target, data) => { gl.bindBuffer(target, gl.createBuffer()); gl.bufferData(target, data, gl.STATIC_DRAW); };
      put(gl.ARRAY_BUFFER, mesh.places);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      put(gl.ARRAY_BUFFER, mesh.look);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 4, gl.BYTE, true, 0, 0);
      const both = new mesh.faces.constructor(mesh.faces.length + mesh.edges.length);
      both.set(mesh.faces);
      both.set(mesh.edges, mesh.faces.length);
      put(gl.ELEMENT_ARRAY_BUFFER, both);
      gl.bindVertexArray(null);
      this.buffers.set(mesh, { array, kind: wide ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT, bytes: mesh.faces.BYTES_PER_ELEMENT });
    }
    return this.buffers.get(mesh);
  }

  draw(program, mesh, edges = false) {
    const { gl } = this, { array, kind, bytes } = this.buffer(mesh);
    gl.bindVertexArray(array);
    if (edges) gl.drawElements(gl.LINES, mesh.edges.length, kind, bytes * mesh.faces.length);
    else gl.drawElements(gl.TRIANGLES, mesh.faces.length, kind, 0);
  }

  picture(drawing) {
    // A canvas with all solids of a drawing as it is seen now; nothing where there is no WebGL.
    if (!this.gl) return null;
    const { gl, canvas } = this, { scene } = drawing, meshes = meshesOf(scene), solids = placedSolids(drawing);
    const wide = Math.max(1, Math.round(drawing.canvas.width * this.fine)), ratio = wide / drawing.wide;
    const high = Math.max(1, Math.round(drawing.canvas.height * this.fine));
    this.size = [wide, high];
    if (canvas.width < wide || canvas.height < high || canvas.width > 3 * wide) { canvas.width = wide; canvas.height = high; }
    const size = mix(scene.box[1], 1, scene.box[0], -1), rough = Math.hypot(...size), eye = drawing.eye;
    const sun = this.sun(drawing, solids, meshes, rough);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, wide, high);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const near = eye > 0 ? Math.min(4 * rough, 0.95 / eye) : 4 * rough;
    const camera = { axes: [drawing.right, drawing.up, drawing.out], middle: drawing.middle, eye, pixels: drawing.pixels * ratio,
      shift: [drawing.offset[0] * ratio, -drawing.offset[1] * ratio], size: [wide, high], span: [-12 * rough, near] };
    if (scene.ground) this.ground(drawing, camera, sun, rough);
    gl.useProgram(this.lit.made);
    this.set(this.lit, { ...camera, ...sun, light: scene.light, up: drawing.upward });
    for (const edges of [false, true]) {
      this.set(this.lit, { edge: edges ? EDGE : 0, nearer: edges ? 3e-4 : 0 });
      for (const solid of solids) {
        if (edges && !meshes[solid.mesh].edges.length) continue;
        this.set(this.lit, { at: solid.at, turn: solid.turn, stretch: solid.stretch, sag: solid.sag,
          color: rgbOf(solid.item.color || drawing.colors.ground) });
        this.draw(this.lit, meshes[solid.mesh], edges);
      }
    }
    return canvas;
  }

  sun(drawing, solids, meshes, rough) {
    // Depths as the light sees them; gives the camera that it saw them by.
    const { gl } = this, { light } = drawing.scene, [x, y, z] = frameAlong(light);
    const low = [Infinity, Infinity, Infinity], top = [-Infinity, -Infinity, -Infinity];
    for (const { at, stretch, turn, mesh } of solids) {
      const far = stretch[1] + reachOf(meshes[mesh]) * (stretch[0] || 1), end = stretch[1] ? mix(at, 1, turn[2], stretch[1]) : at;
      for (let k = 0; k < 3; k++) {
        const room = stretch[1] ? stretch[0] : far;
        low[k] = Math.min(low[k], at[k] - room, end[k] - room);
        top[k] = Math.max(top[k], at[k] + room, end[k] + room);
      }
    }
    const half = solids.length ? Math.max(0.5 * Math.hypot(...mix(top, 1, low, -1)), 1e-9) : rough;
    const middle = solids.length ? mix(low, 0.5, top, 0.5) : drawing.middle;
    const seen = { axes: [x, y, z], middle, eye: 0, pixels: 1, shift: [0, 0], size: [2 * half, 2 * half], span: [-half, half] };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.under);
    gl.viewport(0, 0, SHADOW, SHADOW);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.deep.made);
    this.set(this.deep, { ...seen, nearer: 0 });
    for (const { at, turn, stretch, sag, mesh } of solids) {
      this.set(this.deep, { at, turn, stretch, sag });
      this.draw(this.deep, meshes[mesh]);
    }
    return { sunAxes: [x, y, z], sunMiddle: middle, sunScale: 1 / half, sunDeep: half };
  }

  ground(drawing, camera, sun, rough) {
    const { gl } = this, { ground } = drawing.scene, [x, y, z] = frameAlong(ground.up);
    const step = roundStep(NET * rough), middle = drawing.middle, lift = dot(mix(ground.at, 1, middle, -1), z);
    const at = mix(middle, 1, z, lift), snap = (axis) => Math.round(dot(at, axis) / step) * step;
    const place = mix(mix(z, dot(at, z), x, snap(x)), 1, y, snap(y));
    gl.useProgram(this.floor.made);
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    this.set(this.floor, { ...camera, ...sun, net: [x, y, z], place, steps: [step, HORIZON * rough], ink: rgbOf(drawing.colors.ink) });
    gl.bindVertexArray(null);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }
}

function reachOf(mesh) {
  if (mesh.reach === undefined) {
    mesh.reach = 0;
    for (let k = 0; k < mesh.places.length; k += 3) {
      mesh.reach = Math.max(mesh.reach, Math.hypot(mesh.places[k], mesh.places[k + 1], mesh.places[k + 2]));
    }
  }
  return mesh.reach;
}

function vertexOf(solid, mesh, i) {
  // Where a vertex is, as the shader has it.
  let [x, y, z] = [mesh.places[3 * i], mesh.places[3 * i + 1], mesh.places[3 * i + 2]];
  const { at, turn, stretch, sag } = solid, part = Math.min(Math.max(z, 0), 1), bend = stretch[0] ? 4 * part * (1 - part) : 0;
  if (stretch[0]) [x, y, z] = [stretch[0] * x, stretch[0] * y, stretch[1] * part + stretch[0] * (z - part)];
  return [0, 1, 2].map((k) => at[k] + turn[0][k] * x + turn[1][k] * y + turn[2][k] * z + bend * sag[k]);
}

function paintSolids(drawing) {
  // Without WebGL: faces from far to near, each of one colour.
  const meshes = meshesOf(drawing.scene), faces = [], { pen } = drawing, { light } = drawing.scene;
  for (const solid of placedSolids(drawing)) {
    const mesh = meshes[solid.mesh], base = rgbOf(solid.item.color || drawing.colors.ground);
    const places = Array.from({ length: mesh.places.length / 3 }, (_, i) => vertexOf(solid, mesh, i));
    for (let k = 0; k < mesh.faces.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((j) => places[mesh.faces[k + j]]), n = cross(mix(b, 1, a, -1), mix(c, 1, a, -1));
      const size = Math.hypot(...n), depth = dot(mix(mix(a, 1, b, 1), 1 / 3, c, 1 / 3), drawing.out);
      if (!size || dot(n, drawing.out) < 0) continue;
      const bright = LOOK.ambient + LOOK.sky / 2 + LOOK.sun * Math.max(dot(n, light) / size, 0);
      const tone = base.map((x) => Math.round(255 * Math.min(x * bright, 1)));
      faces.push([depth, [a, b, c].map((p) => drawing.screen(p)), "rgb(" + tone + ")"]);
    }
  }
  faces.sort((a, b) => a[0] - b[0]);
  for (const [, places, color] of faces) {
    drawing.path(places);
    pen.fillStyle = pen.strokeStyle = color;
    pen.lineWidth = 0.6;
    pen.fill();
    pen.stroke();
  }
}

let shared = null;

function drawSolids(drawing) {
  // The solids of a drawing onto its canvas.
  shared ||= new Renderer();
  const begin = performance.now(), picture = shared.picture(drawing);
  if (!picture) { paintSolids(drawing); return; }
  const [wide, high] = shared.size;
  drawing.pen.drawImage(picture, 0, picture.height - high, wide, high, 0, 0, drawing.wide, drawing.high);
  shared.took += 0.2 * (performance.now() - begin - shared.took);
  if (shared.took > SLOW && shared.fine > COARSEST) { shared.fine = Math.max(COARSEST, 0.8 * shared.fine); shared.took = SLOW / 2; }
  else if (shared.took < SLOW / 8 && shared.fine < 1) shared.fine = Math.min(1, 1.1 * shared.fine);
}

function hitSolid(drawing, x, y) {
  // The body under a pixel and the place of it, by a ray through all faces.
  const from = drawing.ray(x, y), meshes = meshesOf(drawing.scene);
  let best = null, least = Infinity;
  for (const solid of placedSolids(drawing)) {
    if (!solid.item.body) continue;
    const mesh = meshes[solid.mesh], reach = reachOf(mesh);
    if (!solid.stretch[0]) { // far from the ray, its faces need not be looked at
      const d = mix(solid.at, 1, from.at, -1), along = dot(d, from.way) / dot(from.way, from.way);
      if (Math.hypot(...mix(d, 1, from.way, -along)) > reach) continue;
    }
    const places = Array.from({ length: mesh.places.length / 3 }, (_, i) => vertexOf(solid, mesh, i));
    for (let k = 0; k < mesh.faces.length; k += 3) {
      const t = hitFace(from, places[mesh.faces[k]], places[mesh.faces[k + 1]], places[mesh.faces[k + 2]]);
      if (t !== null && t < least) { least = t; best = { body: solid.item.body, through: mix(from.at, 1, from.way, t) }; }
    }
  }
  return best;
}

function hitFace({ at, way }, a, b, c) {
  // Möller and Trumbore: how far along a ray it meets a triangle.
  const e = mix(b, 1, a, -1), f = mix(c, 1, a, -1), p = cross(way, f), det = dot(e, p);
  if (Math.abs(det) < 1e-300) return null;
  const s = mix(at, 1, a, -1), u = dot(s, p) / det;
  if (u < 0 || u > 1) return null;
  const q = cross(s, e), v = dot(way, q) / det;
  return v < 0 || u + v > 1 ? null : dot(f, q) / det;
}
