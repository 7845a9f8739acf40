"use strict";
// Small pictures that move: one for each scene of a page, played over and over while it is in sight; and a search.

const thumbs = [], inSight = new Set(), slow = matchMedia("(prefers-reduced-motion: reduce)").matches;

for (const element of document.querySelectorAll("script[type='application/json'][data-thumb]")) {
  const scene = JSON.parse(element.textContent), canvas = document.getElementById("thumb-" + element.dataset.thumb);
  const thumb = { canvas, scene, frame: 0, drawing: null };
  const row = (track, width) => {
    const rows = scene.tracks[track], at = rows.length === width ? 0 : thumb.frame * width;
    return rows.slice(at, at + width);
  };
  thumb.drawing = new Drawing(canvas, scene, row);
  thumb.drawing.bare = true;
  canvas.thumb = thumb;
  thumbs.push(thumb);
}

function drawThumb(thumb) {
  if (thumb.scene.follow !== undefined) thumb.drawing.middle = thumb.drawing.row(thumb.scene.follow, 3);
  thumb.drawing.draw();
}

const watch = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (isIntersecting) { target.thumb.drawing.fit(); drawThumb(target.thumb); inSight.add(target.thumb); } else inSight.delete(target.thumb);
  }
});
for (const { canvas } of thumbs) watch.observe(canvas);

let before = 0;
function play(stamp) {
  if (stamp - before > 45) {
    before = stamp;
    for (const thumb of inSight) { thumb.frame = (thumb.frame + 1) % thumb.scene.t.length; drawThumb(thumb); }
  }
  requestAnimationFrame(play);
}
if (!slow) requestAnimationFrame(play);
addEventListener("resize", () => { for (const thumb of inSight) { thumb.drawing.fit(); drawThumb(thumb); } });

const search = document.getElementById("search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll("[data-words]")) {
    item.hidden = !words.every((word) => item.dataset.words.includes(word));
  }
});
