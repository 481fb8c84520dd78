import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { stopOnAbort } from "./stop-on-abort.ts";

test("a value that was yielded is not kept, however many follow", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const refs: WeakRef<object>[] = [];
  async function* values() {
    for (let i = 0; i < 100; i++) {
      const value = { i };
      refs.push(new WeakRef(value));
      yield value;
    }
  }
  const { signal } = new AbortController();
  let kept = Number.POSITIVE_INFINITY;
  for await (const { i } of stopOnAbort(values(), signal)) {
    if (i < 99) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    collectGarbage();
    kept = refs.filter((ref) => ref.deref()).length;
  }
  expect(kept).toBeLessThan(10);
});

test("an abort ends the wait for a value, and an error of the source comes through", async () => {
  const controller = new AbortController();
  async function* waiting() {
    yield 1;
    setImmediate(() => controller.abort(new Error("enough"))); // once it waits
    await new Promise(() => {});
  }
  const found: number[] = [];
  const run = async () => {
    for await (const value of stopOnAbort(waiting(), controller.signal)) found.push(value);
  };
  await expect(run()).rejects.toThrow("enough");
  expect(found).toEqual([1]);
  const failing = {
    *[Symbol.iterator]() {
      yield 1;
      throw new Error("no more");
    },
  };
  const runFailing = async () => {
    for await (const value of stopOnAbort(failing, new AbortController().signal)) found.push(value);
  };
  await expect(runFailing()).rejects.toThrow("no more");
});
