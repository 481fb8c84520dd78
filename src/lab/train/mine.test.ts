import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { writeModel } from "../../../test/helpers/onnx.ts";
import { madeUpPairs } from "../../../test/helpers/pairs.ts";
import { Encoder } from "../../encode/encoder.ts";
import { gather } from "./data/examples.ts";
import { TextTable } from "./data/text-table.ts";
import { distill } from "./distill.ts";
import { corpusPathOf, mine } from "./mine.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-mine-"));
const at = (name: string) => join(folder, name);

function file(name: string, lines: readonly object[]): string {
  writeFileSync(at(name), lines.map((line) => JSON.stringify(line)).join("\n"));
  return at(name);
}

describe("mining", () => {
  test("hits that are not marked relevant become negatives", async () => {
    const data = file("near.jsonl", [
      { query: "water gate", positive: "a gate for water" },
      { query: "water gate", positive: "the water gate of the castle" },
      { query: "fire", positive: "fire and water" },
      { query: "capitals", positive: "A  GATE for Water" },
    ]);
    const out = at("near.mined.jsonl");
    const mined = await mine([{ path: data }], { out, depth: 5 });
    expect(mined).toMatchObject({
      examples: 4,
      passages: 3,
      found: 2 / 3,
      corpus: at("near.mined.corpus.jsonl"),
    });
    const texts = new TextTable();
    const examples = await gather([{ path: out, corpus: mined.corpus }], texts);
    const negatives = (example: number) => Array.from(examples.negatives(example), (n) => texts.passages[n]);
    // The query has two lines. Neither line gets a positive of the other as a negative.
    for (const example of [0, 1]) expect(negatives(example)).toEqual(["fire and water"]);
    expect(negatives(2)).toEqual([]);
    expect(Array.from(examples.positives(3), (n) => texts.passages[n])).toEqual(["a gate for water"]);
    expect(readdirSync(folder).filter((name) => name.includes("index") || name.includes("tmp"))).toEqual([]);
  });

  test("depth, skip and a corpus with more passages", async () => {
    const pairs = madeUpPairs(80);
    const data = file("many.jsonl", pairs.slice(0, 40));
    const corpus = file(
      "corpus.jsonl",
      pairs.slice(40).map(({ positive }, i) => ({ docid: i, text: positive })),
    );
    const [all, some] = [at("all.jsonl.gz"), at("some.jsonl.gz")];
    const mined = await mine([{ path: data }], { out: all, corpus, depth: 30 });
    expect(mined).toMatchObject({ examples: 40, passages: 80 });
    expect(mined.found).toBeGreaterThan(0.9);
    const seen: string[] = [];
    await mine([{ path: data }], {
      out: some,
      corpus,
      depth: 10,
      skip: 3,
      onProgress: ({ task }) => seen.push(task),
    });
    expect(seen).toContain("searching");
    const lines = (path: string) =>
      gunzipSync(readFileSync(path))
        .toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    const [many, few] = [lines(all), lines(some)];
    expect(many.length).toBe(40);
    few.forEach(({ negative_document_ids }, i) => {
      expect(negative_document_ids).toEqual(many[i].negative_document_ids.slice(3, 10));
    });
  });

  test("stops when aborted, and leaves no files", async () => {
    const data = file("stopped.jsonl", madeUpPairs(20));
    const signal = AbortSignal.abort();
    await expect(mine([{ path: data }], { out: at("stopped.out.jsonl"), signal })).rejects.toThrow();
    expect(readdirSync(folder).filter((name) => name.startsWith("stopped"))).toEqual(["stopped.jsonl"]);
  });

  test("refuses data without texts", async () => {
    const data = file("tokens.jsonl", [{ query: [5, 6], positives: [[7]] }]);
    await expect(mine([{ path: data }], { out: at("x.jsonl") })).rejects.toThrow(
      `${data}:1: holds token ids`,
    );
  });

  test("names the corpus after the file", () => {
    expect(corpusPathOf("a/train.jsonl.gz")).toBe("a/train.corpus.jsonl.gz");
    expect(corpusPathOf("train.v2.jsonl")).toBe("train.v2.corpus.jsonl");
    expect(corpusPathOf("train")).toBe("train.corpus");
  });
});

describe("distilling", () => {
  const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "gate", "fire"];
  const states = [
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [1, 0],
    [0, 1],
    [-1, 3],
  ];

  test("adds a teacher's scores to the lines of a file", async () => {
    writeModel(at("dense"), { states }, pieces, {
      kind: "dense",
      pooling: "mean",
      normalize: false,
      maxLength: { query: 8, passage: 8 },
    });
    const lines = [
      { query: "water", positive: "water gate", negatives: ["fire", "gate"], note: "kept" },
      { query: "gate", positive: "water" },
    ];
    const path = file("plain.jsonl", lines);
    const out = at("scored.jsonl");
    const encoder = await Encoder.open(at("dense"));
    expect(await distill({ path }, { out, teacher: { kind: "encoder", encoder, lambda: 12 } })).toEqual({
      examples: 2,
      agreed: 1,
    });
    const written = readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    // The mean over [CLS], the terms and [SEP].
    const [query, both, fire] = [
      [1 / 3, 0],
      [1 / 4, 1 / 4],
      [-1 / 3, 1],
    ];
    const dot = (a: number[], b: number[]) => 12 * (a[0] * b[0] + a[1] * b[1]);
    expect(written[0]).toMatchObject(lines[0]);
    expect(written[0].positive_scores[0]).toBeCloseTo(dot(query, both), 4);
    expect(written[0].negative_scores[0]).toBeCloseTo(dot(query, fire), 4);
    expect(written[0].negative_scores[1]).toBe(0);
    expect(written[1]).toEqual({ ...lines[1], positive_scores: [0], negative_scores: [] });
    const examples = await gather([{ path: out }], new TextTable());
    expect(examples.scores(0)?.negatives.length).toBe(2);
  });
});
