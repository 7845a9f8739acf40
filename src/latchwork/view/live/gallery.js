"use strict";
// The gallery: a card for each mechanism, with a still picture from its start.

class Gallery {
  constructor() {
    this.cards = new Map();
    this.list = document.getElementById("cards");
    this.wire = null;
  }

  open() {
    const banner = document.getElementById("gallery-banner");
    this.wire = new Wire("/gallery", {}, {
      message: (message) => this.heard(message),
      frame: () => {},
      state: (state) => {
        banner.hidden = state !== "lost";
        banner.textContent = "The connection is lost. Trying again.";
      },
    });
  }

  close() {
    if (this.wire) this.wire.close();
    this.wire = null;
  }

  heard(message) {
    if (message.kind === "gallery") {
      for (const name of message.names) this.card(name);
      if (message.names.length === 1 && !location.hash) location.hash = "#" + encodeURIComponent(message.names[0]);
    } else if (message.kind === "card") this.fill(this.card(message.name), message);
  }

  card(name) {
    if (!this.cards.has(name)) {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = "#" + encodeURIComponent(name);
      const canvas = document.createElement("canvas"), title = document.createElement("h2");
      canvas.setAttribute("aria-hidden", "true");
      title.textContent = name.replaceAll("_", " ");
      const story = document.createElement("p");
      link.append(canvas, title, story);
      item.append(link);
      item.className = "waiting";
      this.list.append(item);
      this.cards.set(name, { item, canvas, title, story, scene: null, drawing: null });
    }
    return this.cards.get(name);
  }

  fill(card, message) {
    card.item.className = message.why ? "failed" : "";
    card.title.textContent = message.title || card.title.textContent;
    card.story.textContent = message.why || message.about || "";
    if (!message.scene) return;
    card.scene = message.scene;
    const near = { ...card.scene, box: card.scene.snug };
    card.drawing = new Drawing(card.canvas, near, (track) => card.scene.tracks[track]);
    card.drawing.bare = true;
    this.draw(card);
  }

  draw(card) {
    if (!card.drawing) return;
    card.drawing.reset();
    card.drawing.fit();
    card.drawing.draw();
  }

  drawAll() {
    for (const card of this.cards.values()) this.draw(card);
  }
}
