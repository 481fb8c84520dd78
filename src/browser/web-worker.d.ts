// The type of a browser's Worker, as far as it is used here. The other browser types are left out on purpose.

declare class Worker {
  constructor(url: URL, options: { type: "module" });
  postMessage(message: unknown): void;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  terminate(): void;
}
