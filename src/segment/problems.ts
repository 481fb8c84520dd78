// What a check found, without stopping at the first thing.

import { UsageError } from "../errors.ts";

/** Of one kind of trouble there may be millions. */
const MOST = 100;

export class Problems {
  readonly #list: string[] = [];
  #more = 0;

  /** One line each, with the file's name first. */
  get list(): string[] {
    return this.#more > 0 ? [...this.#list, `and ${this.#more} more`] : [...this.#list];
  }

  add(path: string, what: string): void {
    this.#keep(`${path}: ${what}`);
  }

  /** What `work` answers; where it meets damage, nothing, and the damage is kept. */
  async catch<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#keep(error.message);
      return undefined;
    }
  }

  catchSync<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#keep(error.message);
      return undefined;
    }
  }

  #keep(line: string): void {
    if (this.#list.length < MOST) this.#list.push(line);
    else this.#more++;
  }
}
