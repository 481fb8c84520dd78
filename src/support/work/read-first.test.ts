import { expect, test } from "vitest";
import { readFirst } from "./read-first.ts";

const all = async <T>(items: AsyncIterable<T>) => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

test.each([[[]], [[1]], [[1, 2, 3]]])("the first of %j, and all of them", async (items: number[]) => {
  const stream = async function* () {
    yield* items;
  };
  for (const source of [items, stream()]) {
    const { first, all: again } = await readFirst<number>(source);
    expect(first).toBe(items[0]);
    expect(await all(again)).toEqual(items);
  }
});

test("the source ends when its reader stops, and when nobody reads it", async () => {
  const ended: string[] = [];
  const stream = async function* (name: string) {
    try {
      yield* [1, 2, 3];
    } finally {
      ended.push(name);
    }
  };
  for await (const item of (await readFirst(stream("reader"))).all) if (item === 2) break;
  expect(ended).toEqual(["reader"]);
  (await readFirst(stream("nobody"))).close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual(["reader", "nobody"]);
});

test("a signal stops the wait for the first item", async () => {
  const controller = new AbortController();
  const silent: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
  };
  const waiting = readFirst(silent, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(readFirst(silent, controller.signal)).rejects.toThrow("enough");
});
