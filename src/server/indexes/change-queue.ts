// Makes the changes of all requests to one index, one request at a time. A request is committed as a whole or rolled back
// as a whole. Uncommitted changes form a transaction; without its name, other requests can neither join nor break it.

import { randomUUID } from "node:crypto";
import type { Progress, Sluice } from "../../index.ts";
import { rejectOnAbort } from "../../support/work/turns.ts";
import { HttpError } from "../wire/http-errors.ts";
import type { Limits } from "../wire/limits.ts";

interface ChangeOptions {
  /** False leaves the changes in a transaction. */
  readonly commit: boolean;
  /** The transaction to join. */
  readonly transaction?: string | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Aborted before the request's turn, the change never starts. */
  readonly signal: AbortSignal;
}

interface Transaction {
  readonly name: string;
  readonly timer: NodeJS.Timeout;
}

export class ChangeQueue {
  readonly #index: Sluice;
  readonly #transactionMs: number;
  readonly #waitMs: number;
  #queue: Promise<void> = Promise.resolve();
  #open: Transaction | undefined;
  #commits = 0;
  /** Whether the index has uncommitted changes. */
  #hasChanges = false;

  constructor(index: Sluice, { transactionMs, waitMs }: Pick<Limits, "transactionMs" | "waitMs">) {
    this.#index = index;
    this.#waitMs = waitMs;
    this.#transactionMs = transactionMs;
  }

  get commits(): number {
    return this.#commits;
  }

  /** Takes the lock of the index, without waiting for a change that does so now. Throws if another process has it. */
  async takeLock(): Promise<void> {
    if (!this.#isNewest) await this.#index.lock();
  }

  /** Whether no newer commit is to be loaded: no other process can commit, or changes wait that belong to the commit before. */
  get #isNewest(): boolean {
    return this.#index.hasLock || this.#open !== undefined || this.#hasChanges;
  }

  /** Makes changes, then commits them or returns the name of their transaction. An error rolls the transaction back. */
  change<T>(work: () => Promise<T>, options: ChangeOptions): Promise<{ result: T; transaction?: string }> {
    const { commit, transaction, onProgress, signal } = options;
    return this.#runInTurn(async () => {
      this.#checkTransaction(transaction);
      await this.#rollBackStray();
      if (!this.#isNewest) await this.#index.refresh(); // what another process committed is counted as there before
      this.#hasChanges = true;
      try {
        const result = await work();
        signal.throwIfAborted();
        if (!commit) return { result, transaction: this.#keepOpen() };
        await this.#index.commit(onProgress ? { onProgress } : {});
        this.#commits++;
        this.#hasChanges = false;
        this.#endTransaction();
        return { result };
      } catch (error) {
        this.#endTransaction();
        await this.#rollBackStray().catch(() => {}); // the next change tries again; the first error is the one to report
        throw error;
      }
    }, signal);
  }

  /** Commits an open transaction. */
  async commit(transaction: string, signal: AbortSignal): Promise<void> {
    await this.change(async () => {}, { commit: true, transaction, signal });
  }

  /** Rolls an open transaction back. */
  rollback(transaction: string, signal?: AbortSignal): Promise<void> {
    return this.#runInTurn(async () => {
      this.#checkTransaction(transaction);
      this.#endTransaction();
      await this.#rollBackStray();
    }, signal);
  }

  /**
   * Merges all segments. Like a change outside a transaction, it is refused while one is open. Aborted, it keeps the merges that
   * are done.
   */
  optimize(onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<void> {
    return this.#runInTurn(async () => {
      this.#checkTransaction(undefined);
      await this.#rollBackStray();
      await this.#index.optimize({ onProgress, signal });
      this.#commits++;
    }, signal);
  }

  /** Loads the newest commit of another process. */
  refresh(): Promise<void> {
    return this.#runInTurn(async () => {
      if (!this.#isNewest) await this.#index.refresh();
    });
  }

  /** Waits for all requested changes. An open transaction is left uncommitted: closing the index drops it. */
  async finish(): Promise<void> {
    await this.#queue;
    this.#endTransaction();
  }

  #checkTransaction(transaction: string | undefined): void {
    if (this.#open?.name === transaction) return;
    if (transaction !== undefined) {
      throw new HttpError(
        409,
        "no_transaction",
        "the transaction has ended: it was committed or rolled back",
        {
          hint: "an error or a long pause rolls a transaction back; send its changes again",
        },
      );
    }
    throw new HttpError(409, "transaction_open", "a transaction is open, and this change does not name it", {
      hint: "commit it first, or wait until it is rolled back",
      headers: { "Retry-After": "1" },
    });
  }

  /** Opens a transaction, or restarts the timer of the open one. Returns its name. */
  #keepOpen(): string {
    const name = this.#open?.name ?? randomUUID();
    this.#endTransaction();
    const forget = () => this.rollback(name).catch(() => {}); // it was committed at the last moment
    this.#open = { name, timer: setTimeout(forget, this.#transactionMs).unref() };
    return name;
  }

  /** Rolls back uncommitted changes that belong to no open transaction. */
  async #rollBackStray(): Promise<void> {
    if (!this.#hasChanges || this.#open) return;
    await this.#index.rollback();
    this.#hasChanges = false;
  }

  #endTransaction(): void {
    clearTimeout(this.#open?.timer);
    this.#open = undefined;
  }

  /**
   * Runs the work after all earlier work. Aborted before its turn, or after `waitMs`, it never starts, and rejects at once. Without
   * a signal it waits for as long as it takes.
   */
  #runInTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#queue;
    const result = (signal ? this.#waitFor(turn, signal) : turn).then(work);
    const ended = result.then(ignore, ignore);
    this.#queue = turn.then(() => ended);
    return result;
  }

  async #waitFor(turn: Promise<void>, signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(otherChangesError()), this.#waitMs);
    try {
      await rejectOnAbort(turn, AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }
}

function otherChangesError(): HttpError {
  return new HttpError(503, "busy", "other changes of the index take long, and this one was not made", {
    headers: { "Retry-After": "5" },
  });
}

function ignore(): void {}
