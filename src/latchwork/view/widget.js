// The live page in a frame of its own; what it says goes to the kernel through the notebook.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-downloads";
  frame.style = `width:100%;height:${model.get("height")}px;border:1px solid #8884;border-radius:6px`;
  const open = new Set(); // sockets of the page
  const up = (event) => {
    const said = event.source === frame.contentWindow && event.data;
    if (!said || !said.latchwork) return;
    if (said.latchwork === "open") open.add(said.id);
    model.send(said);
  };
  const down = (message, buffers) => {
    if (!frame.contentWindow || !message.latchwork) return;
    const bytes = buffers && buffers[0];
    const data = bytes && (bytes.buffer ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : bytes);
    frame.contentWindow.postMessage({ ...message, data }, "*");
  };
  addEventListener("message", up);
  model.on("msg:custom", down);
  frame.srcdoc = model.get("page");
  el.append(frame);
  return () => {
    removeEventListener("message", up);
    for (const id of open) model.send({ latchwork: "close", id }); // the cell is gone, and its page cannot say so
    model.off("msg:custom", down);
  };
}

export default { render };
