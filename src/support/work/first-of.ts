// A source of items → its first item, and all of them again. What the first item decides is decided before the rest is read.

import { unlessAborted } from "./turns.ts";
import { iteratorOf } from "./until-aborted.ts";

interface FirstOf<T> {
  /** Undefined if there is none. */
  readonly first: T | undefined;
  /** All items, the first included. They can be read once. */
  readonly all: AsyncIterable<T>;
  /** Ends the source. It does not wait for that: the source may wait forever. */
  close(): void;
}

/** Reads the first item of a source. A signal stops the wait for it. */
export async function firstOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
  signal?: AbortSignal,
): Promise<FirstOf<T>> {
  const source = iteratorOf(items);
  const close = () => void Promise.resolve(source.return?.()).catch(() => {});
  let head: IteratorResult<T> | undefined;
  try {
    signal?.throwIfAborted();
    const next = Promise.resolve(source.next());
    head = await (signal ? unlessAborted(next, signal) : next);
  } catch (error) {
    close();
    throw error;
  }
  const first = head.done ? undefined : head.value;
  const iterator: AsyncIterator<T> = {
    next: async () => {
      const next = head ?? source.next();
      head = undefined;
      return next;
    },
    return: async () => {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
  return { first, all: { [Symbol.asyncIterator]: () => iterator }, close };
}
