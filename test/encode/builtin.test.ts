// The built-in encoder: what it is, what it finds, and that its name is enough to use it.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findPackagedFolder } from "../../src/encode/folder/packaged-encoders.ts";
import { Encoder } from "../../src/encode/index.ts";
import { Sluice } from "../../src/index.ts";
import { commandLine } from "../helpers/command-line.ts";

vi.setConfig({ testTimeout: 300_000 }); // runs the built-in model

const root = mkdtempSync(join(tmpdir(), "sluice-builtin-"));
const at = (name: string) => join(root, name);
afterAll(() => rmSync(root, { recursive: true }));

const DOCUMENTS = [
  { id: "heart", text: "Myocardial infarction is treated with aspirin and by opening the blocked artery." },
  { id: "canal", text: "A lock raises and lowers boats between stretches of water of different levels." },
  { id: "bread", text: "Dough rises because yeast turns sugar into carbon dioxide." },
  { id: "law", text: "The tenant may end the lease with a notice of three months." },
];

describe("the built-in model", () => {
  let encoder: Encoder;
  beforeAll(async () => {
    encoder = await Encoder.open("builtin", { threads: 1 });
  });
  afterAll(() => encoder.close());

  test("stays open for its owner: two indexes share it, and closing one closes neither it nor the other", async () => {
    const vectors = await Encoder.open("builtin:vectors", { threads: 1 });
    const [first, second] = [
      await Sluice.build(DOCUMENTS, { encoder: vectors }),
      await Sluice.build(DOCUMENTS, { encoder: vectors }),
    ];
    await first[Symbol.asyncDispose]();
    await expect(first.search("heart attack")).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
    expect((await second.search("heart attack")).hits[0].id).toBe("heart");
    await second.close();
    expect(await vectors.encode(["still open"], "query")).toHaveLength(1);
    await vectors.close();
    await vectors.close();
  });

  test("leaves a query in a script that it cannot read to its words", async () => {
    const documents = [
      { id: "boats", text: "运河上的船闸" },
      { id: "cat", text: "猫喜欢吃鱼。" },
      { id: "thai", text: "แมวชอบกินปลา" },
      { id: "english", text: "A lock raises boats." },
    ];
    for (const name of ["builtin", "builtin:vectors"]) {
      const index = await Sluice.build(documents, { encoder: name });
      const { hits } = await index.search("船闸？");
      expect(hits[0]).toMatchObject({ id: "boats", semantic: 0 });
      expect(hits[0].lexical).toBeGreaterThan(0);
      await index.close();
    }
  });

  test("is small, is described, and says whose it is", () => {
    const folder = findPackagedFolder("builtin");
    const bytes = ["model.onnx", "tokenizer.json", "sluice.json"].map(
      (name) => statSync(join(folder, name)).size,
    );
    expect(bytes.reduce((a, b) => a + b)).toBeLessThanOrEqual(25e6);
    const card = readFileSync(join(folder, "README.md"), "utf8");
    for (const words of ["bge-small-en-v1.5", "MIT", "nDCG@10"]) expect(card).toContain(words);
    expect(readFileSync(join(folder, "NOTICE"), "utf8")).toContain("Permission is hereby granted");
    expect(encoder.path).toBe("builtin");
    expect(encoder.gives).toEqual({ weights: false, termFactors: true, vector: true });
  });

  test("stops between two batches of texts when it is told to", async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 300 }, (_, i) => `text ${i}`);
    let encoded = 0;
    const onProgress = ({ done }: { done: number }) => {
      encoded = done;
      controller.abort(new Error("enough"));
    };
    const work = encoder.encode(texts, "query", { signal: controller.signal, onProgress });
    await expect(work).rejects.toThrow("enough");
    expect(encoded).toBeLessThan(texts.length);
  });

  test("gives a factor for each word that the analyzer keeps, and a vector of length 1", async () => {
    const [{ termFactors, vector }] = await encoder.encode(["how are the heart attacks treated"], "query");
    expect([...termFactors!.keys()]).toEqual(["how", "heart", "attack", "treat"]);
    for (const factor of termFactors!.values()) expect(factor).toBeGreaterThan(0);
    expect(new Set(termFactors!.values()).size).toBeGreaterThan(1);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 2);
  });

  test("says the same of a text whoever shares its batch", async () => {
    const texts = DOCUMENTS.map(({ text }) => text);
    const together = await encoder.encode(texts, "passage");
    for (const [i, text] of texts.entries()) {
      const [alone] = await encoder.encode([text], "passage");
      alone.vector!.forEach((x, at) => {
        expect(together[i].vector![at]).toBeCloseTo(x, 4);
      });
    }
  });

  test("an empty text has an encoding, too", async () => {
    const [{ termFactors, vector }] = await encoder.encode([""], "query");
    expect(vector!.every(Number.isFinite)).toBe(true);
    expect(termFactors).toEqual(new Map());
  });
});

describe("by its name", () => {
  test("an index finds by meaning what shares no word with the question", async () => {
    const index = await Sluice.open(at("open"), { encoder: "builtin" });
    await index.upsert(DOCUMENTS);
    await index.commit();
    const { hits } = await index.search("heart attack therapy", { k: 1 });
    expect(hits[0].id).toBe("heart");
    expect(hits[0].semantic).toBeGreaterThan(0);
    await index.close();

    // The index can be moved and opened without naming the encoder again.
    const again = await Sluice.open(at("open"), { readOnly: true });
    expect(again.info().encoder?.name).toBe("builtin");
    expect((await again.search("ships going uphill", { k: 1 })).hits[0].id).toBe("canal");
    const { matched, semantic } = await again.explain("boats and locks", "canal");
    expect(matched.map(({ term }) => term).sort()).toEqual(["boat", "lock"]);
    expect(semantic).toBeGreaterThan(0);
    await again.close();
  });

  test("its vectors alone stand beside BM25, with the weight that suits them", async () => {
    const index = await Sluice.open(at("vectors"), { encoder: "builtin:vectors" });
    await index.upsert(DOCUMENTS);
    await index.commit();
    expect(index.info()).toMatchObject({
      lexical: "bm25",
      lambda: 56,
      encoder: { name: "builtin", kind: "dense" },
    });
    await index.setLambda(40);
    await index.commit();
    await index.close();

    // A setting stays with the index, whoever opens it.
    for (const options of [{}, { encoder: "builtin:vectors" }]) {
      const again = await Sluice.open(at("vectors"), options);
      expect(again.info().lambda).toBe(40);
      const { hits } = await again.search("heart attack therapy", { k: 1 });
      expect(hits[0]).toMatchObject({ id: "heart", lexical: 0 });
      expect(hits[0].semantic).toBeGreaterThan(5);
      await again.close();
    }
    await expect(Sluice.open(at("vectors"), { encoder: "builtin" })).rejects.toThrow(at("vectors"));
  });

  test("its words alone need no vectors, and a factor multiplies what BM25 gives", async () => {
    const index = await Sluice.build(DOCUMENTS, { encoder: "builtin:words" });
    expect(index.info()).toMatchObject({ lexical: "bm25", semanticDims: 0 });
    const { hits } = await index.search("opening a blocked artery");
    expect(hits.map(({ id, semantic }) => [id, semantic])).toEqual([["heart", 0]]);
    const plain = await Sluice.build(DOCUMENTS, { encoder: "none" });
    expect(hits[0].score).not.toBe((await plain.search("opening a blocked artery")).hits[0].score);
    await Promise.all([index.close(), plain.close()]);
  });

  test("an index in memory takes the name as well, and a wrong name is one error", async () => {
    const index = await Sluice.build(DOCUMENTS, { encoder: "builtin" });
    expect((await index.search("ending a rental contract", { k: 1 })).hits[0].id).toBe("law");
    await index.close();
    const meant = { message: expect.stringContaining("no such folder"), hint: 'did you mean "builtin"?' };
    await expect(Sluice.build(DOCUMENTS, { encoder: "bulitin" })).rejects.toMatchObject(meant);
    await expect(Sluice.open(at("none"), { encoder: "bulitin" })).rejects.toMatchObject(meant);
  });

  test("is taken by sluice index if asked for; --encoder none is BM25, and static the default", async () => {
    const file = at("documents.jsonl");
    writeFileSync(file, DOCUMENTS.map((document) => JSON.stringify(document)).join("\n"));
    const built = await commandLine(["index", at("usual"), file, "--encoder", "builtin:vectors"]);
    expect(built.status).toBe(0);
    await commandLine(["index", at("default"), file]);
    expect((await commandLine(["info", at("default")])).out).toMatch(/^encoder +static, fingerprint \w+$/m);
    const found = await commandLine(["search", at("usual"), "heart attack therapy", "--json"]);
    expect(JSON.parse(found.out).hits[0].id).toBe("heart");

    expect(await commandLine(["index", at("words"), file, "--encoder", "none"])).toMatchObject({
      status: 0,
      err: "",
    });
    const words = await commandLine(["search", at("words"), "heart attack therapy", "--json"]);
    expect(JSON.parse(words.out).hits).toEqual([]);
    const info = await commandLine(["info", at("words"), "--json"]);
    expect(JSON.parse(info.out)).not.toHaveProperty("encoder");

    expect((await commandLine(["info", at("usual")])).out).toMatch(
      /^encoder +builtin, dense, fingerprint \w+$/m,
    );
    // Documents that have vectors need no encoder, and get none.
    writeFileSync(
      at("own.jsonl"),
      '{"id": "a", "text": "water", "vector": [1, 0]}\n{"id": "b", "text": "fire", "vector": [0, 1]}',
    );
    expect(await commandLine(["index", at("own"), at("own.jsonl")])).toMatchObject({ status: 0, err: "" });

    const joint = await commandLine(["index", at("joint"), file, "--encoder", "builtin"]);
    expect(joint).toMatchObject({ status: 0, err: "" });
    const kinds = await Promise.all(
      ["usual", "joint"].map(
        async (name) => JSON.parse((await commandLine(["info", at(name), "--json"])).out).encoder.kind,
      ),
    );
    expect(kinds).toEqual(["dense", "anchored"]);
  });
});
