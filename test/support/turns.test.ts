// Long work pauses for others, and stops on an abort. The benches measure how long a step takes. These tests check that
// there are pauses, and that an abort ends the work long before its own end.

import { mkdtempSync, rmSync, stat } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { SluiceReader } from "../../src/browser/reader.ts";
import { queryOf } from "../../src/lab/eval/document-rows.ts";
import type { Plan } from "../../src/query/plan/plan.ts";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { Turns, waitForTurn, waitInBackground } from "../../src/support/work/turns.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

/** The time that tests of turns see. Only their work moves it on. */
let clock = 0;

/** Work of some steps, each of which takes `stepMs` by the clock above. */
function* counting(steps: number, stepMs: number, log: string[] = []): Generator<undefined, number> {
  let step = 0;
  try {
    for (; step < steps; step++) {
      clock += stepMs;
      yield;
    }
    return step;
  } finally {
    log.push(`ended after ${step}`);
  }
}

/** Aborts when the event loop has had some turns. */
function abortAfterTurns(turns: number, reason?: Error): AbortSignal {
  const controller = new AbortController();
  const count = () => (turns-- > 1 ? setImmediate(count) : controller.abort(reason));
  setImmediate(count);
  return controller.signal;
}

describe("turns", () => {
  beforeEach(() => {
    vi.spyOn(performance, "now").mockImplementation(() => clock);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("short work is done at once", () => {
    expect(new Turns().run(counting(10, 0))).toBe(10);
  });

  test("long work lets other work run, and is done later", async () => {
    let turns = 0;
    const count = () => {
      turns++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const result = new Turns().run(counting(30, 2));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(30);
    clearImmediate(immediate);
    expect(turns).toBeGreaterThan(1);
  });

  test("an abort that is due is seen in the next pause, wherever the work runs", async () => {
    const phases: ((run: () => void) => unknown)[] = [
      (run) => setImmediate(run),
      (run) => setTimeout(run, 0),
      (run) => stat(tmpdir(), run),
    ];
    for (const phase of phases) {
      await new Promise<void>((resolve) => phase(resolve));
      const controller = new AbortController();
      setImmediate(() => controller.abort(new Error("enough")));
      await expect(new Turns(controller.signal).next()).rejects.toThrow("enough");
    }
  });

  test("timers run between pauses", async () => {
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 0);
    // The timer is due after 1 ms. The limit makes a fault fail below, not by the time limit of the test.
    const end = Date.now() + 1000;
    while (!hasRun && Date.now() < end) await waitForTurn();
    expect(hasRun).toBe(true);
  });

  test("an abort ends it, and it gives back what it took", async () => {
    const log: string[] = [];
    const work = new Turns(abortAfterTurns(3)).run(counting(10_000, 2, log));
    await expect(work).rejects.toMatchObject({ name: "AbortError" });
    expect(log).toHaveLength(1);
    expect(log).not.toEqual(["ended after 10000"]);
  });

  test("an error of the work is the work's", async () => {
    const failing = function* (): Generator<undefined, void> {
      yield* counting(10, 2);
      throw new Error("no");
    };
    await expect(new Turns().run(failing())).rejects.toThrow("no");
  });

  test("work of the background gives others several turns while they use them, and one if they do not", async () => {
    const turnsGiven = async (othersMs: number) => {
      let turns = 0;
      const others = () => {
        turns++;
        clock += othersMs;
        immediate = setImmediate(others);
      };
      let immediate = setImmediate(others);
      await new Turns(undefined, waitInBackground).run(counting(30, 6)); // every step is a turn
      clearImmediate(immediate);
      return turns;
    };
    const [busy, idle] = [await turnsGiven(5), await turnsGiven(0)];
    expect(busy).toBeGreaterThanOrEqual(60);
    expect(idle).toBeLessThanOrEqual(45);
  });

  test("waiting for others ends with an abort, whatever they do", async () => {
    const controller = new AbortController();
    const never = new Turns(controller.signal).raceAbort(new Promise(() => {}));
    controller.abort(new Error("enough"));
    await expect(never).rejects.toThrow("enough");
    expect(await new Turns(new AbortController().signal).raceAbort(Promise.resolve(5))).toBe(5);
  });
});

const DOCS = 5000;
const QUESTIONS = 20_000; // some seconds of work

const random = mulberry32(5);
const word = () => `w${Math.floor(2000 * random() ** 2)}`;
const text = (words: number) => Array.from({ length: words }, word).join(" ");
const vector = () => Array.from({ length: 16 }, () => Math.round(8 * random() - 4) / 8);

describe("an abort stops a search", () => {
  const root = mkdtempSync(join(tmpdir(), "sluice-turns-"));
  let index: Sluice;
  let reader: SluiceReader;
  const questions = Array.from({ length: QUESTIONS }, () => ({ text: text(6), vector: vector() }));
  beforeAll(async () => {
    const documents = Array.from({ length: DOCS }, (_, i) => ({
      id: String(i),
      text: text(30),
      vector: vector(),
    }));
    index = await Sluice.build(documents, { encoder: "none", dims: 128, quantize: { parts: 8, bits: 4 } });
    const folder = join(root, "export");
    await index.exportWeb(folder);
    const fetch = folderFetch(folder, "/some/index/");
    reader = await SluiceReader.open("https://example.org/some/index", { fetch });
    for (const searched of [index, reader]) await searched.search(questions[0]);
  });
  afterAll(async () => {
    await reader.close();
    rmSync(root, { recursive: true, force: true });
  });

  const PLANS: Plan[] = [
    { kind: "auto" },
    { kind: "exact" },
    { kind: "pruned", theta: 0.3, candidates: 100 },
    { kind: "pruned", theta: 0.3, rescore: false },
    { kind: "inner-product", candidates: 100 },
    { kind: "quantized", candidates: 100 },
  ];

  test.each(PLANS)("$kind", async (plan) => {
    for (const searched of [index, reader]) {
      const signal = abortAfterTurns(3, new Error("enough"));
      await expect(searched.searchAll(questions, { plan, signal })).rejects.toThrow("enough");
    }
  });

  test("a query with weights below 0, which is scored document by document", async () => {
    const given = await Sluice.build(
      Array.from({ length: DOCS }, (_, i) => ({ id: String(i), weights: { a: 1 + (i % 7), b: 1 } })),
      { lexical: "weights", dims: "full" },
    );
    const query = queryOf(given, "0") as {
      row: { slices: Uint32Array; indices: Uint16Array };
      slicingSettings: object;
    };
    const negative = { ...query, row: { ...query.row, values: Float32Array.of(1, -1) } };
    const signal = abortAfterTurns(3, new Error("enough"));
    const asked = Array.from({ length: 20_000 }, () => negative);
    await expect(given.searchAll(asked as never, { signal })).rejects.toThrow("enough");
  });

  test("what was answered in turns is what is answered at once", async () => {
    const some = questions.slice(0, 600);
    const together = await index.searchAll(some, { k: 5 });
    for (const i of [0, 255, 256, 599]) {
      const { hits, terms } = await index.search(some[i], { k: 5 });
      expect(together[i].hits.map(({ id, score }) => [id, score])).toEqual(
        hits.map(({ id, score }) => [id, score]),
      );
      expect(together[i].terms).toEqual(terms);
    }
  });

  test("searches side by side do not disturb each other", async () => {
    const some = questions.slice(0, 2000);
    const [one, other] = await Promise.all([
      index.searchAll(some, { k: 3 }),
      index.searchAll([...some].reverse(), { k: 3 }),
    ]);
    const ids = (answers: typeof one) => answers.map(({ hits }) => hits.map(({ id }) => id));
    expect(ids(other).reverse()).toEqual(ids(one));
  });
});
