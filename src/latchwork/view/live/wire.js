"use strict";
// A socket that comes back by itself: later and later, and at once when the page is looked at again.

const FIRST = 300, LAST = 5000; // ms between tries

class Wire {
  constructor(path, parameters, heard) {
    // heard.message(object), heard.frame(Float64Array), heard.state("open" | "wait" | "lost", ms)
    const asked = new URLSearchParams(parameters), token = new URLSearchParams(location.search).get("token");
    if (token) asked.set("token", token);
    this.address = location.protocol.replace("http", "ws") + "//" + location.host + path + "?" + asked;
    this.heard = heard;
    this.pause = FIRST;
    this.closed = false;
    this.again = () => { if (!document.hidden && !this.socket) this.open(); };
    this.looked = () => this.send({ looks: !document.hidden });
    addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
    document.addEventListener("visibilitychange", this.looked);
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.heard.state("wait", 0);
    const socket = (this.socket = new WebSocket(this.address));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.pause = FIRST;
      this.heard.state("open", 0);
      if (document.hidden) this.looked();
    };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.heard.message(JSON.parse(event.data));
      else this.heard.frame(new Float64Array(event.data));
    };
    socket.onclose = () => {
      if (this.socket === socket) this.socket = null;
      if (this.closed) return;
      const wait = this.pause * (0.8 + 0.4 * Math.random());
      this.pause = Math.min(2 * this.pause, LAST);
      this.heard.state("lost", wait);
      this.timer = setTimeout(() => this.open(), wait);
    };
  }

  send(message) {
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
    document.removeEventListener("visibilitychange", this.looked);
    if (this.socket) this.socket.close();
  }
}
