// A client that keeps changing documents and remembers what the index must hold at the end.

import { Sluice } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

/** Documents per request. */
const AT_ONCE = 25;
/** Pause after each round of changes. */
const PAUSE_MS = 100;

interface Given {
  readonly id: string;
  readonly text: string;
  readonly version: number;
}

export class Changes {
  readonly #url: string;
  readonly #expected: Map<string, Given>;
  readonly #ids: string[];
  readonly #random = mulberry32(7);
  readonly #times: number[] = [];
  #next = 0;
  added = 0;
  replaced = 0;
  deleted = 0;

  constructor(url: string, documents: readonly { readonly id: string; readonly text: string }[]) {
    this.#url = url;
    this.#expected = new Map(documents.map(({ id, text }) => [id, { id, text, version: 0 }]));
    this.#ids = documents.map(({ id }) => id);
  }

  get requests(): number {
    return this.#times.length;
  }

  get size(): number {
    return this.#expected.size;
  }

  /** The times of changes, in milliseconds. */
  get times(): readonly number[] {
    return this.#times;
  }

  /** Adds, replaces and deletes documents again and again until the signal aborts. */
  async repeatUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#add();
      await this.#replace();
      await this.#delete();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Returns the ids of documents that are in the folder but should not be, are missing, or have an old version. */
  async differences(folder: string): Promise<string[]> {
    const index = await Sluice.open(folder, { readOnly: true });
    const there = new Set(await index.listIds());
    const wrong = [...there].filter((id) => !this.#expected.has(id));
    for (const [id, { text, version }] of this.#expected) {
      const document = there.has(id) ? await index.document(id) : {};
      if (document.text !== text || (document.version ?? 0) !== version) wrong.push(id);
    }
    await index.close();
    return wrong;
  }

  async #add(): Promise<void> {
    const documents = Array.from({ length: AT_ONCE }, () => {
      const { text } = this.#expected.get(this.#anyId())!;
      return { id: `new ${this.#next++}`, text: `${text} again`, version: 0 };
    });
    await this.#send("POST", { documents }, { added: AT_ONCE });
    for (const document of documents) {
      this.#expected.set(document.id, document);
      this.#ids.push(document.id);
    }
    this.added += AT_ONCE;
  }

  async #replace(): Promise<void> {
    const ids = new Set(Array.from({ length: AT_ONCE }, () => this.#anyId()));
    const documents = Array.from(ids, (id) => {
      const { text, version } = this.#expected.get(id)!;
      return { id, text: text.split(" ").reverse().join(" "), version: version + 1 };
    });
    await this.#send("PUT", { documents }, { added: ids.size });
    for (const document of documents) this.#expected.set(document.id, document);
    this.replaced += ids.size;
  }

  async #delete(): Promise<void> {
    const ids = Array.from({ length: AT_ONCE }, () => {
      const at = Math.floor(this.#random() * this.#ids.length);
      const id = this.#ids[at];
      this.#ids[at] = this.#ids.at(-1)!;
      this.#ids.pop();
      return id;
    });
    await this.#send("DELETE", { ids }, { deleted: AT_ONCE });
    for (const id of ids) this.#expected.delete(id);
    this.deleted += AT_ONCE;
  }

  #anyId(): string {
    return this.#ids[Math.floor(this.#random() * this.#ids.length)];
  }

  async #send(method: string, body: object, expected: object): Promise<void> {
    const started = performance.now();
    const response = await fetch(this.#url, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    this.#times.push(performance.now() - started);
    for (const [name, value] of Object.entries({ ...expected, committed: true })) {
      if (answer[name] !== value) throw new Error(`${method}: ${response.status} ${JSON.stringify(answer)}`);
    }
  }
}
