// A source of items → its first item, and all of them again. What the first item decides is decided before the rest is read.

import { getIterator } from "./stop-on-abort.ts";
import { rejectOnAbort } from "./turns.ts";

interface FirstAndAll<T> {
  /** The first item; undefined if the source has no items. */
  readonly first: T | undefined;
  /** All items, the first included. They can be read once. */
  readonly all: AsyncIterable<T>;
  /** Ends the source. It does not wait for that: the source may wait forever. */
  close(): void;
}

/** Reads the first item of a source. A signal stops the wait for it. */
export async function readFirst<T>(
  items: Iterable<T> | AsyncIterable<T>,
  signal?: AbortSignal,
): Promise<FirstAndAll<T>> {
  const source = getIterator(items);
  const close = () => void Promise.resolve(source.return?.()).catch(() => {});
  let head: IteratorResult<T> | undefined;
  try {
    signal?.throwIfAborted();
    const next = Promise.resolve(source.next());
    head = await (signal ? rejectOnAbort(next, signal) : next);
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
