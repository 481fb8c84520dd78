// A client that keeps changing documents, merges segments now and then, and remembers what the index must hold after every change.

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

/** A committed change, as what it replaced. */
type Step = readonly (readonly [id: string, before: Given | undefined])[];

export class Changes {
  readonly #url: string;
  readonly #key: string;
  readonly #expected: Map<string, Given>;
  readonly #ids: string[];
  readonly #random = mulberry32(7);
  readonly #steps: Step[] = [];
  readonly times: number[] = [];
  #next = 0;
  added = 0;
  replaced = 0;
  deleted = 0;
  merges = 0;
  /** Requests that the server refused because it was busy; they were sent again. */
  shed = 0;

  /** `url` is that of the index. */
  constructor(
    url: string,
    key: string,
    documents: readonly { readonly id: string; readonly text: string }[],
  ) {
    this.#url = url;
    this.#key = key;
    this.#expected = new Map(documents.map(({ id, text }) => [id, { id, text, version: 0 }]));
    this.#ids = documents.map(({ id }) => id);
  }

  get size(): number {
    return this.#expected.size;
  }

  /** How many changes were committed. */
  get committed(): number {
    return this.#steps.length;
  }

  /** Adds, replaces and deletes documents again and again until the signal aborts, and merges all segments every so often. */
  async repeatUntil(signal: AbortSignal, mergeEveryMs: number): Promise<void> {
    let mergeAt = performance.now() + mergeEveryMs;
    while (!signal.aborted) {
      await this.#add();
      await this.#replace();
      await this.#delete();
      if (performance.now() >= mergeAt) {
        await this.#send("POST", "optimize", undefined, {});
        this.merges++;
        mergeAt = performance.now() + mergeEveryMs;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Returns the ids of documents that are in the folder but should not be, are missing, or have an old version. */
  async findDifferences(folder: string): Promise<string[]> {
    return [...differing(await readDocumentsIn(folder), this.#expected)];
  }

  /**
   * Whether a folder holds exactly what was committed after one of the changes numbered `first` to `last`. Takes the changes back
   * one by one; call it when no more are made.
   */
  async holdsStateBetween(folder: string, first: number, last: number): Promise<boolean> {
    const found = await readDocumentsIn(folder);
    const model = new Map(this.#expected);
    const wrong = differing(found, model);
    for (let at = this.#steps.length; at >= first; at--) {
      if (at <= last && wrong.size === 0) return true;
      for (const [id, before] of this.#steps[at - 1] ?? []) {
        if (before) model.set(id, before);
        else model.delete(id);
        if (isSame(found.get(id), before)) wrong.delete(id);
        else wrong.add(id);
      }
    }
    return false;
  }

  async #add(): Promise<void> {
    const documents = Array.from({ length: AT_ONCE }, () => {
      const { text } = this.#expected.get(this.#anyId())!;
      return {
        id: `new ${this.#next++}`,
        text: text.endsWith(" again") ? text : `${text} again`,
        version: 0,
      };
    });
    await this.#send("POST", "documents", { documents }, { added: AT_ONCE, committed: true });
    this.#keep(documents.map((document) => [document.id, document]));
    for (const { id } of documents) this.#ids.push(id);
    this.added += AT_ONCE;
  }

  async #replace(): Promise<void> {
    const ids = new Set(Array.from({ length: AT_ONCE }, () => this.#anyId()));
    const documents = Array.from(ids, (id) => {
      const { text, version } = this.#expected.get(id)!;
      return { id, text: text.split(" ").reverse().join(" "), version: version + 1 };
    });
    await this.#send("PUT", "documents", { documents }, { added: ids.size, committed: true });
    this.#keep(documents.map((document) => [document.id, document]));
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
    await this.#send("DELETE", "documents", { ids }, { deleted: AT_ONCE, committed: true });
    this.#keep(ids.map((id) => [id, undefined]));
    this.deleted += AT_ONCE;
  }

  #keep(changed: readonly (readonly [id: string, now: Given | undefined])[]): void {
    this.#steps.push(changed.map(([id]) => [id, this.#expected.get(id)]));
    for (const [id, now] of changed) {
      if (now) this.#expected.set(id, now);
      else this.#expected.delete(id);
    }
  }

  #anyId(): string {
    return this.#ids[Math.floor(this.#random() * this.#ids.length)];
  }

  /** Sends a change, and again as long as the server is too busy for it. */
  async #send(method: string, path: string, body: object | undefined, expected: object): Promise<void> {
    for (;;) {
      const started = performance.now();
      const response = await fetch(`${this.#url}/${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${this.#key}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (await waitIfShed(response)) {
        this.shed++;
        continue;
      }
      if (path === "documents") this.times.push(performance.now() - started);
      if (!response.ok || Object.entries(expected).some(([name, value]) => answer[name] !== value))
        throw new Error(`${method}: ${response.status} ${JSON.stringify(answer)}`);
      return;
    }
  }
}

/** Whether a server refused a request because it was busy. If so, waits as long as it asks. */
export async function waitIfShed({ status, headers }: Response): Promise<boolean> {
  if (status !== 503 && status !== 429) return false;
  const seconds = Number(headers.get("retry-after") ?? 1);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return true;
}

async function readDocumentsIn(folder: string): Promise<Map<string, Given>> {
  const index = await Sluice.open(folder, { readOnly: true });
  const found = new Map<string, Given>();
  for (const id of await index.listIds()) {
    const { text, version = 0 } = await index.document(id);
    found.set(id, { id, text: String(text), version: Number(version) });
  }
  await index.close();
  return found;
}

function differing(found: ReadonlyMap<string, Given>, expected: ReadonlyMap<string, Given>): Set<string> {
  const ids = [...found.keys(), ...expected.keys()];
  return new Set(ids.filter((id) => !isSame(found.get(id), expected.get(id))));
}

function isSame(a: Given | undefined, b: Given | undefined): boolean {
  return a?.text === b?.text && a?.version === b?.version;
}
