// A list of problems that a check found. Collecting them lets the check go on after the first.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** The most problems that are kept; the others are counted. One kind of damage can cause millions. */
const MAX_KEPT = 100;

export class Problems {
  readonly #list: string[] = [];
  #more = 0;

  /** A line for each problem. It begins with the name of the file. */
  get list(): string[] {
    return this.#more > 0 ? [...this.#list, `and ${this.#more} more`] : [...this.#list];
  }

  add(path: string, what: string): void {
    this.#keep(`${path}: ${what}`);
  }

  /** Runs `work` and returns its result. If it throws a SluiceError, keeps the message and returns undefined. */
  async catch<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      return this.#keepSluiceError(error);
    }
  }

  catchSync<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.#keepSluiceError(error);
    }
  }

  #keepSluiceError(error: unknown): undefined {
    if (!(error instanceof SluiceError)) throw error;
    this.#keep(error.problem);
  }

  #keep(line: string): void {
    if (this.#list.length < MAX_KEPT) this.#list.push(line);
    else this.#more++;
  }
}
