// Changes to one index, one request after the other. A request is committed whole, or forgotten whole; changes that wait
// for a commit are a transaction, which others can neither join nor spoil without its name.

import { randomUUID } from "node:crypto";
import type { Progress, Sluice } from "../index.ts";
import { unlessAborted } from "./abort.ts";
import { HttpError } from "./http-errors.ts";

export interface ChangeOptions {
  /** False: leave the changes in a transaction. */
  readonly commit: boolean;
  /** The transaction to join. */
  readonly transaction: string | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Given up before it is this request's turn, nothing is begun. */
  readonly signal: AbortSignal;
}

interface Transaction {
  readonly name: string;
  readonly timer: NodeJS.Timeout;
}

export class Writes {
  readonly #index: Sluice;
  readonly #transactionMs: number;
  #last: Promise<void> = Promise.resolve();
  #open: Transaction | undefined;
  #commits = 0;
  /** Whether there are changes that no commit has. */
  #dirty = false;

  constructor(index: Sluice, transactionMs: number) {
    this.#index = index;
    this.#transactionMs = transactionMs;
  }

  get commits(): number {
    return this.#commits;
  }

  /** Whether anything was changed here: from then on no other process can. */
  get began(): boolean {
    return this.#commits > 0 || this.#open !== undefined;
  }

  /** Makes changes and commits them, or names the transaction they are in. An error forgets them, and all of it. */
  change<T>(work: () => Promise<T>, options: ChangeOptions): Promise<{ result: T; transaction?: string }> {
    const { commit, transaction, onProgress, signal } = options;
    return this.#exclusive(async () => {
      this.#require(transaction);
      await this.#clean();
      this.#dirty = true;
      try {
        const result = await work();
        signal.throwIfAborted();
        if (!commit) return { result, transaction: this.#wait() };
        await this.#index.commit(onProgress ? { onProgress } : {});
        this.#commits++;
        this.#dirty = false;
        this.#settle();
        return { result };
      } catch (error) {
        this.#settle();
        await this.#clean().catch(() => {}); // tried again before the next change; what went wrong first is told
        throw error;
      }
    }, signal);
  }

  /** Commits what waits. */
  async commit(transaction: string, signal: AbortSignal): Promise<void> {
    await this.change(async () => {}, { commit: true, transaction, signal });
  }

  /** Forgets what waits. */
  rollback(transaction: string, signal?: AbortSignal): Promise<void> {
    return this.#exclusive(async () => {
      this.#require(transaction);
      this.#settle();
      await this.#clean();
    }, signal);
  }

  /** Moves on to what another process committed. */
  refresh(): Promise<void> {
    return this.#exclusive(async () => {
      if (!this.began) await this.#index.refresh();
    });
  }

  /** Waits for what was asked so far; what waits for a commit stays where it is, and is forgotten with the index's close. */
  async finish(): Promise<void> {
    await this.#last;
    this.#settle();
  }

  #require(transaction: string | undefined): void {
    if (this.#open?.name === transaction) return;
    if (transaction !== undefined) {
      throw new HttpError(409, "no_transaction", "the transaction is over: committed, or forgotten", {
        hint: "an error or a long pause forgets a transaction; send its changes again",
      });
    }
    throw new HttpError(409, "transaction_open", "a transaction is open, and this change does not name it", {
      hint: "commit it first, or wait until it is forgotten",
      headers: { "Retry-After": "1" },
    });
  }

  /** Keeps the transaction open, or opens one. */
  #wait(): string {
    const name = this.#open?.name ?? randomUUID();
    this.#settle();
    const forget = () => this.rollback(name).catch(() => {}); // it was committed in the last moment
    this.#open = { name, timer: setTimeout(forget, this.#transactionMs).unref() };
    return name;
  }

  /** Forgets changes that belong to no transaction. */
  async #clean(): Promise<void> {
    if (!this.#dirty || this.#open) return;
    await this.#index.rollback();
    this.#dirty = false;
  }

  #settle(): void {
    clearTimeout(this.#open?.timer);
    this.#open = undefined;
  }

  /** Does the work after all that was asked before. Given up before its turn, it is not begun, and nobody waits. */
  #exclusive<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#last;
    const result = (signal ? unlessAborted(turn, signal) : turn).then(work);
    const ended = result.then(nothing, nothing);
    this.#last = turn.then(() => ended);
    return result;
  }
}

function nothing(): void {}
