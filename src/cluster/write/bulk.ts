// Changes of documents → bulk requests, some at a time. A full queue makes the caller wait. If the cluster is too busy, changes are
// sent again. An error names the documents that it refuses.

import { setTimeout as pause } from "node:timers/promises";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { Sequence } from "../commit/cluster-record.ts";
import { type Connection, isLost } from "../connect/connection.ts";

/** A change of one document. */
interface BulkChange {
  /** The id that the caller knows, for errors. */
  readonly id: string;
  /** OpenSearch's id. */
  readonly key: string;
  /** The line of JSON that stores it; undefined deletes it. */
  readonly line: string | undefined;
  /** The version that it replaces; refused if there is another one. */
  readonly replaces?: Sequence;
}

/** A bulk request is sent when it has this many bytes. Larger: fewer requests, more memory, and longer pauses when one fails. */
const REQUEST_BYTES = 4 * 1024 * 1024;
const REQUEST_CHANGES = 1000;
/** The most requests at the same time. More: faster until the cluster refuses them. */
const IN_FLIGHT = 4;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** How often changes are sent again if the cluster is too busy. */
const MOST_TRIES = 12;
/** How many refused documents an error names. */
const NAMED = 5;
const BUSY = new Set([429, 503]);

interface Refused {
  readonly change: BulkChange;
  readonly status: number;
  readonly reason: string;
  /** Whether the cluster may accept it later. */
  readonly isBusy: boolean;
}

export class BulkRequests {
  readonly #connection: Connection;
  readonly #index: string;
  #waiting: BulkChange[] = [];
  #bytes = 0;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #refused: Refused[] = [];
  #failure: unknown;
  /** Changes that the cluster has acknowledged. */
  done = 0;

  constructor(connection: Connection, index: string) {
    this.#connection = connection;
    this.#index = index;
  }

  /** Takes a change. Waits while too many requests are under way. Throws if an earlier one failed. */
  async add(change: BulkChange): Promise<void> {
    this.#waiting.push(change);
    this.#bytes += change.line?.length ?? 0;
    if (this.#bytes >= REQUEST_BYTES || this.#waiting.length >= REQUEST_CHANGES) await this.#send();
  }

  /** Sends the rest, and waits until all are answered. Returns the changes whose document had another version. */
  async finish(): Promise<BulkChange[]> {
    await this.#send();
    await Promise.all(this.#inFlight);
    this.#throwFailure();
    const refused = this.#refused.filter(({ status }) => status !== 409);
    if (refused.length > 0) throw this.#refusedError(refused);
    return this.#refused.splice(0).map(({ change }) => change);
  }

  async #send(): Promise<void> {
    this.#throwFailure();
    if (this.#waiting.length === 0) return;
    const changes = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    while (this.#inFlight.size >= IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const sent: Promise<void> = this.#sendAll(changes)
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(() => this.#inFlight.delete(sent));
    this.#inFlight.add(sent);
  }

  /** Sends changes until each is made or refused. */
  async #sendAll(changes: readonly BulkChange[]): Promise<void> {
    let left = changes;
    for (
      let tries = 1, pauseMs = FIRST_PAUSE_MS;
      ;
      tries++, pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    ) {
      const refused = await this.#sendOnce(left);
      const busy = refused.filter(({ isBusy }) => isBusy);
      this.#refused.push(...refused.filter(({ isBusy }) => !isBusy));
      this.done += left.length - refused.length;
      if (busy.length === 0) return;
      if (tries === MOST_TRIES) throw this.#refusedError(busy);
      left = busy.map(({ change }) => change);
      await pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }

  async #sendOnce(changes: readonly BulkChange[]): Promise<Refused[]> {
    const answer = await this.#connection.ask<BulkAnswer>({
      method: "POST",
      path: `/${this.#index}/_bulk`,
      query: { filter_path: "errors,items.*.status,items.*.error" },
      lines: changes.map(linesOf).join(""),
    });
    if (!answer.errors) return [];
    return answer.items.flatMap((item, i) => {
      const { status, error } = Object.values(item)[0];
      const change = changes[i];
      // A deleted document that is not there is deleted.
      if (!error || (change.line === undefined && status === 404)) return [];
      const isBusy = BUSY.has(status) || isLost(error.type);
      return [{ change, status, reason: `${error.type}: ${error.reason}`, isBusy }];
    });
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #refusedError(refused: readonly Refused[]): SluiceError {
    const named = refused
      .slice(0, NAMED)
      .map(({ change, reason }) => `${JSON.stringify(change.id)} (${reason})`);
    const others = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : "";
    return new SluiceError(
      `${this.#connection.address.text}: the cluster refused ${refused.length} of the documents: ${named.join(", ")}${others}`,
      "nothing was committed; roll back, and look at the health of the cluster",
      "ERR_SLUICE_CLUSTER",
    );
  }
}

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Record<
    string,
    { readonly status: number; readonly error?: { readonly type: string; readonly reason: string } }
  >[];
}

function linesOf({ key, line, replaces }: BulkChange): string {
  const action = line === undefined ? "delete" : "index";
  return `${JSON.stringify({ [action]: { _id: key, ...replaces } })}\n${line === undefined ? "" : `${line}\n`}`;
}
