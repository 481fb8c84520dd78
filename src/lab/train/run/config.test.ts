import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isStaticConfig, readStaticConfig } from "../static/static-config.ts";
import { ratesAt } from "../step/schedule.ts";
import { checkedTrainConfig, readTrainConfig } from "./config.ts";
import { difference } from "./same-run.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-config-"));
const SMALLEST = { model: { from: "minilm", lexical: "delade" }, data: { files: ["pairs.jsonl"] } };
const checked = (changes: object = {}) =>
  checkedTrainConfig({ ...SMALLEST, ...changes }, join(folder, "c.json"));

afterEach(() => {
  delete process.env.SLUICE_TEST_DATA;
});

describe("a config", () => {
  test("has a default for everything but the model and the data", () => {
    const config = checked();
    expect(config).toMatchObject({
      model: { trainWordEmbeddings: false, maxLength: { query: 32, passage: 150 } },
      data: { mix: "together", longQueries: "cut" },
      batch: { queries: 24, passagesPerQuery: 1 },
      optimizer: { learningRate: { encoder: 7e-6, heads: 7e-6 }, warmup: 0.1, clip: 1, weightDecay: 0 },
      seed: 1,
      checkpoints: { every: 500, keep: 2 },
    });
    expect(checkedTrainConfig(JSON.parse(JSON.stringify(config)), "elsewhere.json")).toEqual(config);
  });

  test("resolves paths from its own folder or from an environment variable", async () => {
    process.env.SLUICE_TEST_DATA = "/data";
    const path = join(folder, "config.json");
    const data = { files: ["a.jsonl", { path: "../b.jsonl", weight: 2 }, "$SLUICE_TEST_DATA/c.jsonl"] };
    writeFileSync(path, JSON.stringify({ ...SMALLEST, data }));
    const config = await readTrainConfig(path);
    expect(config.model.from).toBe(join(folder, "minilm"));
    expect(config.data.files.map((file) => file.path)).toEqual([
      join(folder, "a.jsonl"),
      join(folder, "..", "b.jsonl"),
      "/data/c.jsonl",
    ]);
    delete process.env.SLUICE_TEST_DATA;
    await expect(readTrainConfig(path)).rejects.toThrow(
      '"data.files.2.path": the variable SLUICE_TEST_DATA is not set',
    );
  });

  test.each<[object, string, string?]>([
    [{ optimzer: {} }, 'there is no "optimzer"', 'did you mean "optimizer"?'],
    [
      { optimizer: { learningrate: 1 } },
      'there is no "optimizer.learningrate"',
      'did you mean "optimizer.learningRate"?',
    ],
    [
      { batch: { size: 3 } },
      'there is no "batch.size"',
      "the keys are queries, passagesPerQuery, sortedBatches",
    ],
    [{ batch: { queries: 0 } }, '"batch.queries" is 0, expected number to be >=1'],
    [{ batch: [] }, '"batch" is [], expected object'],
    [{ data: {} }, '"data.files" is missing, expected array'],
    [{ data: { files: [] } }, '"data.files" is [], expected array to have >=1 items'],
    [{ data: { files: [7] } }, '"data.files.0" is 7, expected object'],
    [{ data: { files: [{ path: "a", weight: 0 }] } }, '"data.files.0.weight" is 0, expected number to be >0'],
    [{ model: { lexical: "delade" } }, '"model" needs either "from"'],
    [{ model: { from: "x" } }, '"model" needs "lexical", "semantic" or both'],
    [{ model: { from: "x", lexical: "bm25" } }, '"model.lexical" is "bm25", expected one of "delade"|'],
    [{ model: { from: "x", lexical: "delade", colbert: {} } }, 'or "colbert" alone'],
    [
      { model: { attentionHeads: 3, sizes: { layers: 1, width: 10 }, tokenizer: "t", lexical: "delade" } },
      'must be a multiple of "model.attentionHeads"',
    ],
    [{ optimizer: { warmup: 1.5 } }, '"optimizer.warmup" is 1.5, expected number to be <=1'],
    [{ steps: 5, epochs: 2 }, '"steps" and "epochs" exclude each other'],
    [{ loss: { terms: [{ kind: "kl" }] } }, 'the loss "kl" needs a "teacher"'],
    [{ loss: { terms: [{ kind: "nll" }] }, teacher: { kind: "file" } }, 'the "teacher" has no effect'],
    [{ teacher: { kind: "encoder" } }, 'needs "encoder", "bm25" or both'],
    [
      { model: { from: "x", semantic: {} }, loss: { terms: [{ kind: "nll", of: "lexical" }] } },
      '"loss.terms" has a term of the lexical part, but "model.lexical" is missing',
    ],
    [{ evaluation: { beir: "scifact", split: "test" } }, '"evaluation.split" is "test"'],
    [{ seed: "one" }, '"seed" is "one", expected number'],
  ])("%j is refused", (changes, message, hint) => {
    let error: { message: string; hint?: string } | undefined;
    try {
      checked(changes);
    } catch (caught) {
      error = caught as { message: string };
    }
    expect(error?.message).toMatch(/c\.json: /);
    expect(error?.message).toContain(message);
    if (hint) expect(error?.hint).toBe(hint);
  });

  test("a config that is not an object, or not a file, is refused", async () => {
    expect(() => checkedTrainConfig([], "c.json")).toThrow("c.json: the config is [], expected object");
    await expect(readTrainConfig(join(folder, "nowhere.json"))).rejects.toThrow("no such file");
  });
});

test("two configs are the same run if every setting that affects learning is the same", () => {
  expect(
    difference(checked(), checked({ about: "x", checkpoints: { every: 3 }, compute: { threads: 2 } })),
  ).toBe(undefined);
  const elsewhere = { model: { from: "/x", lexical: "delade" }, data: { files: ["/y.jsonl"] } };
  expect(difference(checked(), checked(elsewhere))).toBe(undefined);
  expect(difference(checked(), checked({ seed: 2 }))).toBe('"seed" was 1 and is 2');
  expect(difference(checked({ steps: 10 }), checked())).toBe('"steps" was 10 and is left out');
});

test("rates rise, then fall to 0", () => {
  const schedule = { learningRate: { encoder: 1, heads: 10 }, steps: 10, warmup: 0.2 };
  const rates = Array.from({ length: 10 }, (_, step) => ratesAt(step, schedule));
  expect(rates.map(({ encoder }) => encoder)).toEqual([
    0.5,
    1,
    1,
    7 / 8,
    6 / 8,
    5 / 8,
    4 / 8,
    3 / 8,
    2 / 8,
    1 / 8,
  ]);
  for (const { encoder, heads } of rates) expect(heads).toBeCloseTo(10 * encoder, 12);
  expect(ratesAt(0, { ...schedule, warmup: 0 }).encoder).toBe(1);
  expect(ratesAt(9, { ...schedule, warmup: 1 }).encoder).toBe(1);
});

describe("the shipped configs", () => {
  const root = fileURLToPath(new URL("../../../../configs", import.meta.url));
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );

  test("are the paper's three and the teacher, four for a small model, and the static encoder's", () => {
    expect(names.sort()).toEqual([
      "colbert.json",
      "delade-cls-plus.json",
      "delade-cls.json",
      "delade.json",
      "small/anchored.json",
      "small/delade-cls-plus.json",
      "small/delade-cls.json",
      "small/delade.json",
      "small/static.json",
    ]);
  });

  test.each(names)("%s is a config", async (name) => {
    for (const variable of ["SLUICE_DATA", "MODELS", "MSMARCO"]) vi.stubEnv(variable, "/somewhere");
    const file = join(root, name);
    const config = await ((await isStaticConfig(file)) ? readStaticConfig(file) : readTrainConfig(file));
    vi.unstubAllEnvs();
    expect(config.about).toMatch(/^[A-Z].{20,}/s);
    if (name.startsWith("small/")) return;
    // The paper's settings.
    expect(config).toMatchObject({
      model: { maxLength: { query: 32, passage: 150 } },
      optimizer: { learningRate: { encoder: 7e-6, heads: 7e-6 }, warmup: 0.1, clip: 1, weightDecay: 0 },
      epochs: 6,
    });
    const plus = name === "delade-cls-plus.json";
    expect(config.batch).toMatchObject({ queries: plus ? 288 : 24, passagesPerQuery: plus ? 2 : 8 });
  });
});
