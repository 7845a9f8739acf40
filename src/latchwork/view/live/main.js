"use strict";
// Gallery or bench, by what stands behind # in the address.

const app = { gallery: new Gallery(), bench: null };

function asked() {
  // The mechanism that the address names, if it names one well.
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function route() {
  const name = asked(), at = (id) => document.getElementById(id);
  if (app.bench) app.bench.close();
  app.bench = null;
  app.gallery.close();
  at("gallery").hidden = Boolean(name);
  at("bench").hidden = !name;
  document.title = "Latchwork";
  if (name) {
    const card = app.gallery.cards.get(name);
    app.bench = new Bench(name);
    if (card && card.scene) app.bench.still(card.scene);
  }
  else {
    app.gallery.open();
    app.gallery.drawAll();
  }
}

function again() {
  if (app.bench) app.bench.fit();
  else app.gallery.drawAll();
}

document.getElementById("back").addEventListener("click", (event) => {
  event.preventDefault();
  location.hash = "";
});
addEventListener("hashchange", route);
addEventListener("resize", again);
new ResizeObserver(() => { if (app.bench) app.bench.fit(); }).observe(document.getElementById("picture"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
route();
