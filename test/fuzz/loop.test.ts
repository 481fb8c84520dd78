// The fuzzer itself: code with counters does what it did without, and the loop finds what is behind several branches.

import { beforeEach, describe, expect, test } from "vitest";
import { instrument, MOST_COUNTERS } from "../../scripts/instrument.mjs";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";
import type { Target } from "./contract/target.ts";
import { type Counters, type Fault, Loop } from "./loop.ts";

const holder = globalThis as unknown as { $fuzz: Counters | undefined };
beforeEach(() => {
  holder.$fuzz = undefined;
});

/** Runs instrumented code, and returns its function `read`. */
function compiled<T>(code: string): T {
  const { code: counted } = instrument(code, "a module", 0);
  return new Function(`${counted}\nreturn read;`)() as T;
}

describe("counters", () => {
  const CODE = `
    function read(a) {
      let sum = a > 1 ? 10 : 20;
      if (a === 1) sum += 1; else if (a === 2) sum += 2;
      for (let i = 0; i < a; i++) if (i % 2) sum += i; else { sum -= i; }
      switch (a) { case 3: sum += 100; break; case 4: case 5: sum += 200; default: sum += 1; }
      const add = (b) => b && (b ?? 0) + (a || 7);
      const object = () => ({ a });
      while (sum > 1e6) sum--;
      try { if (a > 6) throw new Error("x"); } catch { sum += 5; }
      return sum + add(a) + object().a;
    }`;

  test("do not change what code does", () => {
    const plain = new Function(`${CODE}\nreturn read;`)() as (a: number) => number;
    const counted = compiled<(a: number) => number>(CODE);
    for (let a = 0; a < 12; a++) expect(counted(a)).toBe(plain(a));
  });

  test("tell branches apart, and collect the texts of the source", () => {
    const read = compiled<(a: string) => number>(
      'function read(a) { if (a === "gate") return 1; return a.length > 3 ? 2 : 3; }',
    );
    const reached = (text: string) => {
      holder.$fuzz!.hits.fill(0);
      read(text);
      return holder.$fuzz!.hits.join("");
    };
    expect(holder.$fuzz!.hits.length).toBe(MOST_COUNTERS);
    expect(new Set(["gate", "long word", "a"].map(reached)).size).toBe(3);
    expect(reached("a")).toBe(reached("b"));
    expect(holder.$fuzz!.modules[0].words).toEqual(expect.arrayContaining(["gate", "length"]));
  });
});

describe("the loop", () => {
  const PLANTED = `
    function read(bytes) {
      if (bytes[0] !== 0x46) return 0;
      if (bytes[1] !== 0x55) return 1;
      if (bytes[2] !== 0x5a) return 2;
      if (bytes[3] === 0x5a) throw new TypeError("planted");
      return 3;
    }`;

  async function faultsIn(
    code: string,
    steps: number,
    seed = 1,
  ): Promise<{ faults: Fault[]; reached: number }> {
    const read = compiled<(bytes: Uint8Array) => unknown>(code);
    const target: Target = { name: "planted", seeds: () => ["water"], run: (bytes) => void read(bytes) };
    const faults: Fault[] = [];
    const loop = new Loop(target, {
      seed,
      counters: holder.$fuzz!,
      corpus: [],
      onFault: (fault) => faults.push(fault),
    });
    await loop.begin();
    for (let i = 0; i < steps && faults.length === 0; i++) await loop.step();
    return { faults, reached: loop.counts().reached };
  }

  test("finds a fault behind four bytes, one branch after another, and makes its input small", async () => {
    const { faults } = await faultsIn(PLANTED, 400_000);
    expect(faults.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["FUZZ"]);
    expect(faults[0].message).toContain("planted");
  });

  test("tries the same inputs with the same seed", async () => {
    const first = await faultsIn(PLANTED, 2000, 7);
    holder.$fuzz = undefined;
    expect(await faultsIn(PLANTED, 2000, 7)).toEqual(first);
  });

  test("takes a SluiceError for an answer", async () => {
    const target: Target = {
      name: "clear",
      seeds: () => ["water"],
      run: () => {
        throw new SluiceError("the bytes are wrong");
      },
    };
    compiled("function read() {}");
    const faults: Fault[] = [];
    const options = {
      seed: 1,
      counters: holder.$fuzz!,
      corpus: [],
      onFault: (fault: Fault) => faults.push(fault),
    };
    const loop = new Loop(target, options);
    await loop.begin();
    for (let i = 0; i < 50; i++) await loop.step();
    expect(faults).toEqual([]);
    expect(loop.counts().executions).toBe(51);
  });
});
