"use strict";
// Sockets of a page that is shown inside another: what they say goes to the window around it.

class RelayedSocket {
  static OPEN = 1;
  static sockets = new Map();
  constructor(address) {
    this.readyState = 0;
    this.id = Math.random().toString(36).slice(2);
    RelayedSocket.sockets.set(this.id, this);
    this.tell("open", { path: address.slice(address.indexOf("//") + 2).replace(/^[^/]*/, "") });
  }
  tell(what, more) { parent.postMessage({ latchwork: what, id: this.id, ...more }, "*"); }
  send(text) { this.tell("send", { text }); }
  close() { this.tell("close", {}); }
  heard(message) {
    if (message.latchwork === "opened") {
      this.readyState = RelayedSocket.OPEN;
      this.onopen();
    }
    else if (message.latchwork === "text") this.onmessage({ data: message.text });
    else if (message.latchwork === "frame") this.onmessage({ data: message.data });
    else if (message.latchwork === "closed") {
      this.readyState = 3;
      RelayedSocket.sockets.delete(this.id);
      this.onclose();
    }
  }
}
window.WebSocket = RelayedSocket;
setInterval(() => { for (const socket of RelayedSocket.sockets.values()) socket.tell("alive", {}); }, 5000); // ms
addEventListener("message", (event) => {
  const socket = event.source === parent && event.data && RelayedSocket.sockets.get(event.data.id);
  if (socket) socket.heard(event.data);
});
