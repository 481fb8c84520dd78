// The part of a browser's workers that is used here; no other type of a browser should be in reach.

declare class Worker {
  constructor(url: URL, options: { type: "module" });
  postMessage(message: unknown): void;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  terminate(): void;
}
