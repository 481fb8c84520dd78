// A list that does not keep its members alive: what nobody else holds leaves it. An entry of a dead member stays until the list has
// doubled, so adding takes constant time on average.

/** The list is not searched for dead entries while it is shorter than this. */
const SHORT_LIST = 64;

export class WeakList<T extends object> {
  #entries: WeakRef<T>[] = [];
  #sweepAt = SHORT_LIST;

  add(member: T): void {
    if (this.#entries.length >= this.#sweepAt) {
      this.#entries = this.#entries.filter((entry) => entry.deref() !== undefined);
      this.#sweepAt = Math.max(SHORT_LIST, 2 * this.#entries.length);
    }
    this.#entries.push(new WeakRef(member));
  }

  /** The living members, in the order in which they were added. */
  *[Symbol.iterator](): Generator<T> {
    for (const entry of this.#entries) {
      const member = entry.deref();
      if (member) yield member;
    }
  }
}
