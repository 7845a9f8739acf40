// The live page in a frame of its own; what it says goes to the kernel through the notebook.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-downloads";
  frame.style = `width:100%;height:${model.get("height")}px;border:1px solid #8884;border-radius:6px`;
  const up = (event) => {
    if (event.source === frame.contentWindow && event.data && event.data.latchwork) model.send(event.data);
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
    model.off("msg:custom", down);
  };
}

export default { render };
