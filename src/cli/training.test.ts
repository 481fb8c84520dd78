// The commands from training pairs to an encoder: train (interrupted and resumed), mine, distill, export, index, search.

import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { commandLine } from "../../test/helpers/command-line.ts";
import { madeUpPairs, tokenizerOf } from "../../test/helpers/pairs.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-cli-train-"));
const at = (...names: string[]) => join(folder, ...names);

/** How often a file is looked at, and for how long: a busy machine is slow. */
const SOON = { interval: 20, timeout: 50_000 };

const sluice = (...argv: string[]) => commandLine(argv, { isErrorTty: true, columns: 200 });

const CONFIG = {
  model: {
    sizes: { layers: 1, width: 16, positions: 32 },
    attentionHeads: 2,
    tokenizer: "tokenizer.json",
    lexical: "delade",
    semantic: { pooling: "mean", normalize: true, scale: true },
    maxLength: { query: 8, passage: 24 },
  },
  data: { files: ["pairs.jsonl"] },
  batch: { queries: 4 },
  optimizer: { learningRate: 1e-3 },
  steps: 6,
  compute: { threads: 1 },
};

beforeAll(() => {
  const pairs = madeUpPairs(60);
  writeFileSync(at("pairs.jsonl"), pairs.map((pair) => JSON.stringify(pair)).join("\n"));
  writeFileSync(at("tokenizer.json"), tokenizerOf(pairs, 300));
  writeFileSync(at("config.json"), JSON.stringify(CONFIG));
  writeFileSync(at("long.json"), JSON.stringify({ ...CONFIG, steps: 100_000 }));
  writeFileSync(
    at("documents.jsonl"),
    pairs.map(({ positive }, i) => JSON.stringify({ id: `d${i}`, text: positive })).join("\n"),
  );
});

describe("train", () => {
  test("shows progress, and prints the next command", async () => {
    const { status, out, err } = await sluice("train", at("config.json"), "--out", at("run"));
    expect({ status, err: status === 0 ? "" : err }).toEqual({ status: 0, err: "" });
    expect(out).toMatch(/run: 6 steps, loss \d+\.\d{4} \(recent average\), plotted in .*curve\.svg/);
    expect(out).toMatch(/use it: sluice export-encoder .*step-0000006\.safetensors my-encoder/);
    expect(err).toMatch(/training .* of 6, loss \d+\.\d{4}, gradient .*, \d+ pairs\/s, \d+ s left/);
    expect(readdirSync(at("run")).sort()).toEqual([
      "checkpoints",
      "config.json",
      "curve.svg",
      "log.jsonl",
      "tokenizer.json",
    ]);
  });

  test("stops at Ctrl-C with a checkpoint, and prints how to continue", async () => {
    const training = sluice("train", at("long.json"), "--out", at("stopped"));
    const log = at("stopped", "log.jsonl");
    await vi.waitUntil(() => existsSync(log) && readFileSync(log).length > 0, SOON);
    process.emit("SIGINT");
    const { status, err } = await training;
    expect(status).toBe(130);
    expect(err).toMatch(/interrupted after step \d+, which is saved in .*\.safetensors/);
    expect(err).toContain(`sluice train ${at("long.json")} --out ${at("stopped")} --resume`);
    const lines = () => readFileSync(log, "utf8").trim().split("\n").length;
    const before = lines();
    expect(readdirSync(at("stopped", "checkpoints"))).toContain(
      `step-${String(before).padStart(7, "0")}.safetensors`,
    );
    const again = sluice("train", at("long.json"), "--out", at("stopped"), "--resume");
    await vi.waitUntil(() => lines() > before, SOON);
    process.emit("SIGINT");
    expect((await again).status).toBe(130);
  });

  test.each<[string[], string]>([
    [["train"], "expected CONFIG"],
    [["train", "nowhere.json"], "nowhere.json: no such file"],
    [["train", at("config.json"), "--out", at("none"), "--resume"], "holds no training run"],
    [["mine", "bm25", "--out", "x"], "give either --data FILE or --config CONFIG"],
    [["mine", "bm25", "--data", "x"], "no output file"],
    [["mine", "bm25", "--data", "x", "--out", "y", "--lambda", "2"], "--lambda has no effect with bm25"],
    [["distill", "bm25", "--out", "y"], "no training data"],
    [["distill", "bm25", "--config", "x"], "leave TEACHER out"],
    [["distill", "--config", at("config.json")], "no teacher that keeps its encodings"],
    [["export-encoder", "nowhere", at("x")], "nowhere: neither a model nor a training run"],
    [["export-encoder", folder, at("x"), "--pooling", "cls"], "neither a model nor a training run"],
    [
      ["export-encoder", at("run"), at("x"), "--pooling", "cls"],
      "--pooling has no effect for a training run",
    ],
    [["export-encoder", at("pairs.jsonl"), at("x")], "pairs.jsonl"],
    [["export-encoder", "a", "b", "--weights", "int4"], "--weights is one of float32, float16, int8"],
  ])("%j is refused in a line", async (argv, message) => {
    const { status, err } = await sluice(...argv);
    expect(status).toBe(2);
    expect(err).toContain(message);
  });

  test("an unknown key in the config gets the nearest key as a hint", async () => {
    writeFileSync(at("wrong.json"), JSON.stringify({ ...CONFIG, step: 3 }));
    const { status, err } = await sluice("train", at("wrong.json"), "--out", at("wrong"));
    expect({ status, err: err.replace("\r\u001b[K", "") }).toEqual({
      status: 2,
      err: `sluice: ${at("wrong.json")}: there is no "step"\n  did you mean "steps"?\n`,
    });
    expect(existsSync(at("wrong"))).toBe(false);
  });
});

describe("what was trained", () => {
  test("finds negatives, teaches, becomes an encoder, and searches", async () => {
    const mined = await sluice(
      "mine",
      at("run"),
      "--data",
      at("pairs.jsonl"),
      "--out",
      at("mined.jsonl.gz"),
      "--depth",
      "9",
    );
    expect(mined.status, mined.err).toBe(0);
    expect(mined.out).toMatch(
      /60 examples with \d\.\d negatives each, from 60 passages in .*mined\.corpus\.jsonl\.gz/,
    );

    const data = ["--data", at("mined.jsonl.gz"), "--corpus", at("mined.corpus.jsonl.gz")];
    const checkpoint = at("run", "checkpoints", "step-0000006.safetensors");
    const scored = await sluice("distill", checkpoint, ...data, "--out", at("scored.jsonl"));
    expect(scored.status, scored.err).toBe(0);
    expect(scored.out).toMatch(
      /60 examples; the teacher ranks the positive above all negatives in \d+\.\d %/,
    );

    const taught = {
      ...CONFIG,
      data: { files: [{ path: "scored.jsonl", corpus: "mined.corpus.jsonl.gz" }] },
      batch: { queries: 4, passagesPerQuery: 3 },
      teacher: { kind: "file" },
      steps: 2,
    };
    writeFileSync(at("taught.json"), JSON.stringify(taught));
    expect(await sluice("train", at("taught.json"), "--out", at("taught"), "--json")).toMatchObject({
      status: 0,
    });

    const exported = await sluice(
      "export-encoder",
      at("taught"),
      at("encoder"),
      "--weights",
      "int8",
      "--json",
    );
    expect(exported.status, exported.err).toBe(0);
    expect(JSON.parse(exported.out)).toMatchObject({ step: 2, folder: at("encoder") });
    const index = [
      "index",
      at("index"),
      "--jsonl",
      at("documents.jsonl"),
      "--encoder",
      at("encoder"),
      "--dims",
      "32",
    ];
    expect(await sluice(...index)).toMatchObject({ status: 0 });
    const { status, out } = await sluice("search", at("index"), madeUpPairs(60)[0].query, "--json");
    expect(status).toBe(0);
    expect(out).toContain('"id"');
  });
});
