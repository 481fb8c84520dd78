// The cross-encoders that an index has opened, by folder. Each is opened once and closed with the index.

import { CrossEncoder } from "./cross-encoder.ts";

export class CrossEncoders {
  readonly #opening = new Map<string, Promise<CrossEncoder>>();

  /** Opens the model in a folder, or returns the open one. */
  openFolder(folder: string): Promise<CrossEncoder> {
    const held = this.#opening.get(folder) ?? CrossEncoder.open(folder);
    this.#opening.set(folder, held);
    // A folder that could not be opened may be corrected.
    held.catch(() => this.#opening.delete(folder));
    return held;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opening.values());
    this.#opening.clear();
    await Promise.all(opened.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }
}
