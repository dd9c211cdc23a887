// Pages that are opened from the file system may not start workers, and the search of this site is one.
// There it runs in a hidden frame of the same page, which answers to what a worker answers to.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.address = new URL(address, document.baseURI);
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.ready = new Promise((ready) => {
        frame.onload = () => this.begin(frame.contentWindow).then(() => ready(frame.contentWindow));
      });
      frame.srcdoc = "<!doctype html><body></body>";
      document.body.appendChild(frame);
    }

    // The script in the frame believes to be in a worker: it is sent messages and posts them.
    begin(inside) {
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      };
      inside.importScripts = (...addresses) =>
        addresses.reduce(
          (before, address) => before.then(() => this.load(inside, address)),
          Promise.resolve(),
        );
      return this.load(inside, this.address);
    }

    load(inside, address) {
      return new Promise((loaded, failed) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, this.address);
        script.onload = loaded;
        script.onerror = failed;
        inside.document.body.appendChild(script);
      });
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {}
  };
}
