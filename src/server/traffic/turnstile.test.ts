import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { Turnstile } from "./turnstile.ts";

/** The time that the turnstile sees. Only `compute` moves it on. */
let clock = 0;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => clock);
});

/** Holds the thread for a while, in two parts. */
async function compute(ms: number): Promise<void> {
  for (const part of [ms / 2, ms / 2]) {
    clock += part;
    await undefined;
  }
}

test("a few at a time, in order, whether or not they fail", async () => {
  const turnstile = new Turnstile();
  const begun: number[] = [];
  let [inside, most] = [0, 0];
  const passing = Array.from({ length: 50 }, (_, i) =>
    turnstile.pass(async () => {
      begun.push(i);
      most = Math.max(most, ++inside);
      for (let turns = i % 3; turns >= 0; turns--) await turn();
      inside--;
      if (i % 5 === 0) throw new Error(`${i}`);
      return i;
    }),
  );
  const results = await Promise.allSettled(passing);
  expect(
    results.map((result) => (result.status === "fulfilled" ? result.value : Number(result.reason.message))),
  ).toEqual(Array.from({ length: 50 }, (_, i) => i));
  expect(begun).toEqual([...begun].sort((a, b) => a - b));
  expect([most, inside]).toEqual([4, 0]);
  expect(await turnstile.pass(async () => "free again")).toBe("free again");
});

test("work that is aborted before its turn never starts, and gives up its place", async () => {
  const turnstile = new Turnstile();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inside = Array.from({ length: 4 }, () => turnstile.pass(() => held));
  const given = new AbortController();
  const begun: string[] = [];
  const waiting = turnstile.pass(async () => void begun.push("given up"), given.signal);
  const next = turnstile.pass(async () => void begun.push("next"), new AbortController().signal);
  given.abort(new Error("too late"));
  await expect(waiting).rejects.toThrow("too late");
  await expect(turnstile.pass(async () => {}, given.signal)).rejects.toThrow("too late");
  release();
  await Promise.all([...inside, next]);
  expect(begun).toEqual(["next"]);
});

test("the event loop gets turns while many reads wait", async () => {
  const turnstile = new Turnstile();
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 60 }, () => turnstile.pass(() => compute(2))));
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(14); // between any four, which take 8 ms: longer than a slice

  // Without a turnstile, the reads leave nobody a turn.
  turns = 0;
  setImmediate(count);
  await Promise.all(Array.from({ length: 60 }, () => compute(2)));
  expect(turns).toBe(0);
});
