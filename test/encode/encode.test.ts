import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDescription } from "../../src/encode/contract/description.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { encodeWithCache } from "../../src/encode/encoding-cache.ts";
import { downloadFolder } from "../../src/encode/folder/download.ts";
import { batchesByLength } from "../../src/encode/onnx/batches.ts";
import {
  computeDelade,
  computeSplade,
  computeTokenWeights,
  firstState,
  meanPool,
  normalizeVector,
} from "../../src/encode/onnx/heads.ts";
import { readVectors, writeVectors } from "../../src/read/weights/vector-files.ts";
import { Sluice } from "../../src/sluice.ts";
import { golden } from "../helpers/golden.ts";
import { type TinyModel, writeModel } from "../helpers/onnx.ts";

describe("heads, golden", () => {
  const { cases, cls_proj_W, cls_proj_b } = golden("heads.json");

  // biome-ignore lint/suspicious/noExplicitAny: the shape is the golden's own
  test.each<{ name: string } & Record<string, any>>(cases)("$name", (each) => {
    const { hidden, logits, mask, term_weight, splade_max_without_cls, splade_max_all_positions } = each;
    const flat = Float32Array.from(logits.flat());
    const vocabulary = logits[0].length;
    close(computeDelade(flat, term_weight, mask, vocabulary, true), each.delade);
    close(
      computeDelade(flat, term_weight, mask, vocabulary),
      each.delade.map((weight: number) => Math.max(0, weight)),
    );
    close(computeSplade(flat, mask, vocabulary, "max", 1), splade_max_without_cls);
    close(computeSplade(flat, mask, vocabulary), splade_max_all_positions);
    const first = firstState(Float32Array.from(hidden.flat()), hidden[0].length);
    const projected = cls_proj_W.map((row: number[], i: number) =>
      row.reduce((sum, w, j) => sum + w * first[j], cls_proj_b[i]),
    );
    close(Float32Array.from(projected), each.cls_projected);
  });

  test("version 1 of SPLADE sums", () => {
    const logits = Float32Array.of(1, -1, 2, 3);
    close(computeSplade(logits, [1, 1], 2, "sum"), [Math.log(2) + Math.log(3), Math.log(4)]);
    close(computeSplade(logits, [1, 0], 2, "sum"), [Math.log(2), 0]);
  });

  test("pooling looks at real tokens only", () => {
    const hidden = Float32Array.of(1, 2, 3, 4, 100, 100);
    close(meanPool(hidden, [1, 1, 0], 2), [2, 3]);
    close(normalizeVector(Float32Array.of(3, 4)), [0.6, 0.8]);
    close(normalizeVector(Float32Array.of(0, 0)), [0, 0]);
  });

  test("uniCOIL: the largest in a passage, the sum in a query, without [CLS] and below 0", () => {
    const [ids, weights, mask] = [
      [9, 5, 5, 6, 7, 8],
      [1, 2, 3, -1, 4, 5],
      [1, 1, 1, 1, 1, 0],
    ];
    expect([...computeTokenWeights(ids, weights, mask, "passage")]).toEqual([
      [5, 3],
      [7, 4],
    ]);
    expect([...computeTokenWeights(ids, weights, mask, "query")]).toEqual([
      [5, 5],
      [7, 4],
    ]);
  });
});

test("batches hold every text once, longest first, within their limits", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 2, max: 50 })),
      fc.integer({ min: 50, max: 200 }),
      fc.integer({ min: 1, max: 8 }),
      (lengths, positions, texts) => {
        const batches = batchesByLength(lengths, positions, texts);
        expect(batches.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(texts);
          expect(batch.length * lengths[batch[0]]).toBeLessThanOrEqual(positions);
        }
      },
    ),
  );
});

const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "gate", "fire", "##s"];
/** Two numbers for every piece; [CLS] is 4, 4 and [SEP] is 0, 0. */
const STATES = [
  [0, 0],
  [0, 0],
  [4, 4],
  [0, 0],
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, 0.5],
];
const LENGTHS = { maxLength: { query: 4, passage: 6 } };

function model(description: object | undefined, products: TinyModel["products"] = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-model-"));
  writeModel(folder, { states: STATES, products }, PIECES, description);
  return folder;
}

describe("an encoder", () => {
  const dense = { kind: "dense", pooling: "mean", normalize: false, ...LENGTHS };

  test("pools, cuts at the length of its role, and does not care who shares the batch", async () => {
    const encoder = await Encoder.open(model(dense));
    const texts = ["water gates", "fire", "", "water water water water water water water water", "zzz"];
    const together = await encoder.encode(texts, "passage");
    for (const [i, text] of texts.entries()) {
      const [alone] = await encoder.encode([text], "passage");
      close(together[i].vector!, [...alone.vector!]);
    }
    // [CLS] water gate ##s [SEP]: five tokens.
    close(together[0].vector!, [5 / 5, 5.5 / 5]);
    close(together[2].vector!, [2, 2]);
    expect(encoder.tokenIds("water water water water water water", "passage")).toEqual([2, 4, 4, 4, 4, 3]);
    expect(encoder.tokenIds("water water water water water water", "query")).toEqual([2, 4, 4, 3]);
    await encoder.close();
  });

  test("the vector of a text is 0 if the model knows none of its words", async () => {
    const maxLength = { query: 8, passage: 8 };
    const encoder = await Encoder.open(model({ ...dense, maxLength, prefix: { query: "gate " } }));
    for (const role of ["query", "passage"] as const) {
      const vectors = await encoder.encode(["zzz", "船闸 zzz", "zzz water"], role);
      for (const { vector } of vectors.slice(0, 2)) expect([...vector!]).toEqual([0, 0]);
      expect([...vectors[2].vector!]).not.toEqual([0, 0]);
    }
    const [empty] = await encoder.encode([""], "passage");
    expect([...empty.vector!]).not.toEqual([0, 0]);
    await encoder.close();
  });

  test("[CLS] pooling, length 1, a prefix", async () => {
    const folder = model({ ...dense, pooling: "cls", normalize: true });
    const [cls] = await (await Encoder.open(folder)).encode(["fire"], "query");
    close(cls.vector!, [Math.SQRT1_2, Math.SQRT1_2]);
    const prefixed = await Encoder.open(model({ ...dense, prefix: { query: "gate " } }));
    expect(prefixed.tokenIds("water", "query")).toEqual([2, 5, 4, 3]);
    expect(prefixed.tokenIds("water", "passage")).toEqual([2, 4, 3]);
  });

  test("SPLADE weighs the vocabulary", async () => {
    // Logits: water's state says "water" 3 and "gate" 1; gate's says "gate" 2.
    const logits = [
      [0, 0, 0, 0, 3, 1, 0, 0],
      [0, 0, 0, 0, 0, 2, 0, 0],
    ];
    const encoder = await Encoder.open(model({ kind: "splade", withoutCls: true, ...LENGTHS }, { logits }));
    const [{ weights }] = await encoder.encode(["water"], "passage");
    expect([...weights!.keys()]).toEqual(["water", "gate"]);
    expect(weights!.get("water")).toBeCloseTo(Math.log(4), 5);
    expect(weights!.get("gate")).toBeCloseTo(Math.log(2), 5);
  });

  test("uniCOIL weighs the tokens, DeLADE the vocabulary by them, with a semantic part if it has one", async () => {
    const token_weights = [[2], [1]];
    const unicoil = await Encoder.open(model({ kind: "unicoil", ...LENGTHS }, { token_weights }));
    expect([...(await unicoil.encode(["water gate gate"], "passage"))[0].weights!]).toEqual([
      ["water", 2],
      ["gate", 1],
    ]);
    expect([...(await unicoil.encode(["gate gate"], "query"))[0].weights!]).toEqual([["gate", 2]]);
    const logits = [
      [0, 0, 0, 0, 10, 0, 0, 0],
      [0, 0, 0, 0, 0, 10, 0, 0],
    ];
    const delade = await Encoder.open(
      model({ kind: "delade", least: 0.1, ...LENGTHS }, { logits, token_weights }),
    );
    expect(delade.gives).toEqual({ weights: true, vector: false });
    const [{ weights }] = await delade.encode(["water"], "passage");
    expect([...weights!.keys()]).toEqual(["water"]);
    expect(weights!.get("water")).toBeCloseTo(2, 2);
  });

  test("progress counts texts, up to all of them", async () => {
    const encoder = await Encoder.open(model(dense));
    const seen: number[] = [];
    const texts = Array.from({ length: 200 }, (_, i) => "water ".repeat(i % 4));
    await encoder.encode(texts, "passage", { onProgress: ({ done }) => seen.push(done) });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(200);
  });

  test("a signal stops it after the batch that runs, however many there are", async () => {
    const encoder = await Encoder.open(model(dense));
    const texts = Array.from({ length: 5000 }, () => "water");
    const seen: number[] = [];
    const controller = new AbortController();
    const encoding = encoder.encode(texts, "passage", {
      signal: controller.signal,
      onProgress: ({ done }) => {
        seen.push(done);
        // Like Ctrl-C: not at once, but at the next turn of the event loop.
        if (seen.length === 1) setImmediate(() => controller.abort("enough"));
      },
    });
    await expect(encoding).rejects.toBe("enough");
    expect(seen.length).toBe(1);
    await expect(encoder.encode(["water"], "passage", { signal: AbortSignal.abort("before") })).rejects.toBe(
      "before",
    );
    expect(await encoder.encode(["water"], "passage", { signal: new AbortController().signal })).toHaveLength(
      1,
    );
    await encoder.close();
  });

  test("its fingerprint changes with the model, the tokenizer and the description", async () => {
    const one = await Encoder.open(model(dense));
    const same = await Encoder.open(model(dense));
    const otherwise = await Encoder.open(model({ ...dense, normalize: true }));
    expect(same.fingerprint).toBe(one.fingerprint);
    expect(otherwise.fingerprint).not.toBe(one.fingerprint);
  });

  test("what is missing or wrong is said at once", async () => {
    await expect(Encoder.open(model(undefined))).rejects.toThrow("sluice.json: not there");
    await expect(Encoder.open(model({ kind: "splade", ...LENGTHS }))).rejects.toThrow(
      'no output "logits"; it has last_hidden_state',
    );
    const broken = model(dense);
    writeFileSync(join(broken, "model.onnx"), "no model");
    await expect(Encoder.open(broken)).rejects.toThrow("onnxruntime cannot load it");
    rmSync(join(broken, "tokenizer.json"));
    await expect(Encoder.open(broken)).rejects.toThrow("tokenizer.json: not there");
  });

  test("a truncated model.onnx is one error, wherever it ends", async () => {
    const folder = model(dense);
    const path = join(folder, "model.onnx");
    const whole = readFileSync(path);
    for (const share of [0, 0.2, 0.5, 0.9]) {
      writeFileSync(path, whole.subarray(0, Math.floor(share * whole.length)));
      await expect(Encoder.open(folder)).rejects.toMatchObject({
        message: expect.stringContaining(`${path}: `),
        code: "ERR_SLUICE_DAMAGED",
      });
    }
  });

  test("a vocabulary that is larger than the model's is one error for the texts that need more", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-model-"));
    writeModel(folder, { states: STATES.slice(0, -2) }, PIECES, dense);
    const encoder = await Encoder.open(folder);
    expect(await encoder.encode(["water"], "passage")).toHaveLength(1);
    await expect(encoder.encode(["fires"], "passage")).rejects.toMatchObject({
      message: expect.stringContaining(`${folder}: the model fails on texts of 4 tokens`),
      code: "ERR_SLUICE_DAMAGED",
    });
    await encoder.close();
  });

  describe.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "a model with %d in its weights is refused",
    (bad) => {
      const row = (...first: number[]) => [...first, 0, 0, 0, 0, 0, 0].slice(0, 8);
      test.each([
        ["a vector", dense, undefined, /the number \d of a vector is/],
        [
          "SPLADE",
          { kind: "splade", ...LENGTHS },
          { logits: [row(bad), row(1)] },
          /the weight of "\[PAD\]" is/,
        ],
        [
          "uniCOIL",
          { kind: "unicoil", ...LENGTHS },
          { token_weights: [[bad], [1]] },
          /the weight of "water" is/,
        ],
      ])("%s", async (_, description, products, message) => {
        const folder = mkdtempSync(join(tmpdir(), "sluice-model-"));
        const states = products ? STATES : STATES.map((state) => [state[0] * bad, state[1]]);
        writeModel(folder, { states, ...(products && { products }) }, PIECES, description);
        const encoder = await Encoder.open(folder);
        const refusal = { message: expect.stringMatching(message), code: "ERR_SLUICE_DAMAGED" };
        await expect(encoder.encode(["water"], "passage")).rejects.toMatchObject(refusal);
        await expect(Sluice.build([{ id: "a", text: "water" }], { encoder })).rejects.toMatchObject(refusal);
        await encoder.close();
      });
    },
  );

  test("an empty text and a query in an unknown script have finite scores", async () => {
    const encoder = await Encoder.open(model({ ...dense, normalize: true }));
    const documents = ["water", "", "你好 שלום"].map((text, i) => ({ id: String(i), text }));
    const index = await Sluice.build(documents, { encoder });
    const counts: number[] = [];
    for (const text of ["", " ", "Здравствуйте", "\u{1f600}", "water"]) {
      const { hits } = await index.search(text, { k: 3 });
      counts.push(hits.length);
      for (const { score, semantic } of hits) expect([score, semantic].every(Number.isFinite)).toBe(true);
    }
    expect(counts).toEqual([0, 0, 0, 0, 2]); // the model knows none of the words
    await index.close();
    await encoder.close();
  });

  test.each([
    [{}, '"kind" is missing'],
    [{ kind: "bert" }, '"kind" is "bert"'],
    [{ kind: "dense", pooling: "mean", normalize: true }, "maxLength.query"],
    [{ kind: "dense", normalize: true, ...LENGTHS }, '"pooling"'],
    [{ kind: "dense", pooling: "cls", ...LENGTHS }, '"normalize"'],
    [{ kind: "splade", aggregation: "mean", ...LENGTHS }, '"aggregation"'],
    [{ kind: "unicoil", maxLength: { query: 2, passage: 9 } }, "at least 3"],
    [{ kind: "unicoil", pooled: true, ...LENGTHS }, "cannot be pooled"],
    [{ kind: "delade", pooled: "yes", ...LENGTHS }, '"pooled" is true or false'],
    [{ kind: "splade", semantic: 1, ...LENGTHS }, '"semantic" is true or false'],
    [{ kind: "splade", least: {}, ...LENGTHS }, '"least" must be a number'],
    [{ kind: "splade", outputs: { logits: 7 }, ...LENGTHS }, '"outputs" must be an object of texts'],
    [{ kind: "splade", prefix: "query: ", ...LENGTHS }, '"prefix" must be an object of texts'],
  ])("the description %j is refused", (description, message) => {
    expect(() => checkDescription(description, "sluice.json")).toThrow(message);
  });

  test("a graph that pools must have the outputs it claims", async () => {
    const delade = { kind: "delade", pooled: true, semantic: true, ...LENGTHS };
    await expect(Encoder.open(model(delade))).rejects.toThrow('no output "lexical"');
    await expect(Encoder.open(model({ kind: "dense", pooled: true, ...LENGTHS }))).rejects.toThrow(
      'no output "semantic"',
    );
  });

  test("a name is a folder or owner/name; without a network there is one clear error", async () => {
    for (const name of ["../../nowhere", "http://host/x", "owner/../x", "a b/c"]) {
      await expect(Encoder.open(name)).rejects.toThrow("no such folder");
    }
    const cache = mkdtempSync(join(tmpdir(), "sluice-cache-"));
    const refusing = globalThis.fetch;
    globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));
    try {
      await expect(Encoder.open("owner/name", { cache })).rejects.toMatchObject({
        message: expect.stringContaining("cannot be fetched"),
        hint: expect.stringContaining("without a network"),
      });
    } finally {
      globalThis.fetch = refusing;
    }
  });

  test("a model is fetched once, and kept", async () => {
    const source = model(dense);
    const cache = mkdtempSync(join(tmpdir(), "sluice-cache-"));
    const asked: string[] = [];
    const real = globalThis.fetch;
    globalThis.fetch = async (url) => {
      const name = String(url).split("/main/")[1];
      asked.push(name);
      const there = ["tokenizer.json", "sluice.json", "onnx/model.onnx"].includes(name);
      const bytes = there ? readFileSync(join(source, name.split("/").at(-1)!)) : null;
      return new Response(bytes, { status: there ? 200 : 404 });
    };
    try {
      const folder = await downloadFolder("owner/name", cache);
      expect(await downloadFolder("owner/name", cache)).toBe(folder);
      expect(asked).toEqual(["tokenizer.json", "sluice.json", "model.onnx", "onnx/model.onnx"]);
      expect((await Encoder.open(folder)).description.kind).toBe("dense");
    } finally {
      globalThis.fetch = real;
    }
  });
});

describe("kept encodings", () => {
  const texts = [
    { id: "a", text: "water" },
    { id: "b", text: "gate fire" },
  ];

  test("are used again until the model or the texts change", async () => {
    const dense = { kind: "dense", pooling: "mean", normalize: false, ...LENGTHS };
    const folder = mkdtempSync(join(tmpdir(), "sluice-kept-"));
    const encoder = await Encoder.open(model(dense));
    const first = await encodeWithCache(encoder, texts, "passage", folder, "docs");
    const second = await encodeWithCache(encoder, texts, "passage", folder, "docs");
    expect([first.isReused, second.isReused]).toEqual([false, true]);
    expect(second.encodings).toEqual(first.encodings);
    expect((await encodeWithCache(encoder, [...texts].reverse(), "passage", folder, "docs")).reason).toBe(
      "other texts",
    );
    const other = await Encoder.open(model({ ...dense, normalize: true }));
    expect((await encodeWithCache(other, [...texts].reverse(), "passage", folder, "docs")).reason).toBe(
      "another model",
    );
  });

  test("a manifest never speaks of what another model wrote", async () => {
    const dense = { kind: "dense", pooling: "mean", normalize: false, ...LENGTHS };
    const folder = mkdtempSync(join(tmpdir(), "sluice-kept-"));
    const encoder = await Encoder.open(model(dense));
    await encodeWithCache(encoder, texts, "passage", folder, "docs");
    // As if another encoder was killed while it wrote: its files are there, but no manifest.
    const dying = {
      ...(await Encoder.open(model({ ...dense, normalize: true }))),
      fingerprint: "other",
      gives: { vector: true, weights: false },
    };
    const encode = async () => [{ vector: Float32Array.of(9, 9) }, {} as never];
    await expect(
      encodeWithCache({ ...dying, encode } as never, texts, "passage", folder, "docs"),
    ).rejects.toThrow();
    expect((await encodeWithCache(encoder, texts, "passage", folder, "docs")).isReused).toBe(false);
  });

  test("weights are kept too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-kept-"));
    const encoder = await Encoder.open(model({ kind: "unicoil", ...LENGTHS }, { token_weights: [[2], [1]] }));
    const first = await encodeWithCache(encoder, texts, "query", folder, "queries");
    const second = await encodeWithCache(encoder, texts, "query", folder, "queries");
    expect(second).toEqual({ encodings: first.encodings, isReused: true });
  });
});

describe("vectors made elsewhere", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-vectors-"));
  const vectors = new Map([
    ["a", Float32Array.of(1, -0.5)],
    ["b", Float32Array.of(0, 2)],
  ]);

  test("go out as .npy and come in as .npy, .f32 and .jsonl", async () => {
    await writeVectors(join(folder, "x.npy"), vectors);
    expect(await readVectors(join(folder, "x.npy"))).toEqual(vectors);
    writeFileSync(join(folder, "y.f32"), Buffer.from(Float32Array.of(1, -0.5, 0, 2).buffer));
    writeFileSync(join(folder, "y.ids"), "a\nb\n");
    expect(await readVectors(join(folder, "y.f32"))).toEqual(vectors);
    writeFileSync(
      join(folder, "z.jsonl"),
      '{"id": "a", "vector": [1, -0.5]}\n{"id": "b", "vector": [0, 2]}\n',
    );
    expect(await readVectors(join(folder, "z.jsonl"))).toEqual(vectors);
  });

  test("the shape of a .npy must be that of its ids", async () => {
    await writeVectors(join(folder, "shape.npy"), vectors);
    writeFileSync(join(folder, "shape.ids"), "a\nb\nc\nd\n");
    await expect(readVectors(join(folder, "shape.npy"))).rejects.toThrow(
      "its shape is 2 × 2, but there are 4 ids",
    );
    writeFileSync(join(folder, "shape.ids"), "a\nb\n");
    writeFileSync(join(folder, "shape.npy"), readFileSync(join(folder, "shape.npy")).subarray(0, -3));
    await expect(readVectors(join(folder, "shape.npy"))).rejects.toThrow("its shape says 16");
  });

  test.each([
    ["bad.npy", "not numpy at all", "not a .npy file"],
    ["odd.f32", "12345", "ends inside a number"],
    ["uneven.f32", "1234".repeat(3), "do not make rows"],
    ["x.txt", "", "expected .npy, .f32 or .jsonl"],
    ["list.jsonl", '{"id": "a", "vector": {"x": 1}}', "must be a list of numbers"],
    ["null.jsonl", '{"id": "a", "vector": [1, null]}', "must be a list of numbers"],
    ["width.jsonl", '{"id": "a", "vector": [1]}\n{"id": "b", "vector": [1, 2]}', "those before have 1"],
    ["twice.jsonl", '{"id": "a", "vector": [1]}\n{"id": "a", "vector": [2]}', "appears twice"],
  ])("%s is refused", async (name, content, message) => {
    writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, `${name.replace(/\.\w+$/, "")}.ids`), "a\nb\n");
    if (name === "x.txt") writeFileSync(join(folder, "x.txt.ids"), "a\n");
    await expect(readVectors(join(folder, name))).rejects.toThrow(message);
  });
});

describe("an index with an encoder", () => {
  const description = { kind: "dense", pooling: "mean", normalize: true, ...LENGTHS };
  const documents = [
    { id: "w", text: "water" },
    { id: "g", text: "gate" },
    { id: "f", text: "fire" },
  ];

  test("a signal stops add and build, with or without a model", async () => {
    const encoder = await Encoder.open(model(description));
    const many = Array.from({ length: 3000 }, (_, i) => ({ id: `d${i}`, text: "water" }));
    for (const options of [{ encoder }, {}]) {
      const folder = mkdtempSync(join(tmpdir(), "sluice-index-"));
      const index = await Sluice.open(folder, options);
      await index.add(documents);
      await index.commit();
      const stopped = () => {
        const controller = new AbortController();
        setImmediate(() => controller.abort("enough"));
        return controller.signal;
      };
      await expect(index.add(many, { signal: stopped() })).rejects.toBe("enough");
      await expect(index.upsert(many, { signal: stopped() })).rejects.toBe("enough");
      await index.rollback();
      await expect(index.add(many, { signal: AbortSignal.abort("before") })).rejects.toBe("before");
      await expect(Sluice.build(many, { ...options, signal: AbortSignal.abort("before") })).rejects.toBe(
        "before",
      );
      await index.rollback();
      await index.commit();
      expect(index.docs).toBe(3);
      await index.close();
    }
  });

  test("encodes documents and questions, remembers its model, and notices another", async () => {
    const path = model(description);
    const encoder = await Encoder.open(path);
    const index = await Sluice.build(documents, { encoder, dims: "full" });
    expect(index.info().semanticDims).toBe(2);
    const { hits } = await index.search("water");
    expect(hits).toHaveLength(3);
    expect(hits[0]).toMatchObject({ id: "w" });
    expect(hits[0].semantic).toBeGreaterThan(hits[2].semantic);
    const folder = mkdtempSync(join(tmpdir(), "sluice-index-"));
    await index.save(folder);
    const opened = await Sluice.open(folder);
    expect((await opened.search("water")).hits.map((hit) => ({ ...hit }))).toEqual(
      hits.map((hit) => ({ ...hit })),
    );
    const [encoded] = await opened.encodeQueries(["water"]);
    expect((await opened.search(encoded)).hits[0].score).toBe(hits[0].score);
    const other = await Encoder.open(model({ ...description, normalize: false }));
    await expect(Sluice.open(folder, { encoder: other })).rejects.toThrow(
      "but the documents were encoded with",
    );
    rmSync(path, { recursive: true });
    await expect((await Sluice.open(folder)).search("water")).rejects.toThrow(/no such folder/);
    expect(
      (await (await Sluice.open(folder)).search("water", { lambda: 0 })).hits.map(({ id }) => id),
    ).toEqual(["w"]);
  });

  test("a lexical model gives the weights of both sides", async () => {
    const encoder = await Encoder.open(model({ kind: "unicoil", ...LENGTHS }, { token_weights: [[2], [1]] }));
    const index = await Sluice.build(documents, { encoder, dims: 4, slicingStrategy: "stride" });
    expect(index.info()).toMatchObject({ lexical: "weights", semanticDims: 0 });
    expect((await index.search("water")).hits.map(({ id, score }) => [id, score])).toEqual([["w", 4]]);
  });

  test("words that a model adds to a question are marked", async () => {
    const logits = [
      [0, 0, 0, 0, 3, 1, 0, 0],
      [0, 0, 0, 0, 0, 2, 0, 0],
    ];
    const encoder = await Encoder.open(model({ kind: "splade", withoutCls: true, ...LENGTHS }, { logits }));
    const index = await Sluice.build(documents, { encoder, dims: "full" });
    const { terms } = await index.explain("water", "g");
    expect(terms.map(({ term, expanded }) => [term, expanded])).toEqual([
      ["water", undefined],
      ["gate", true],
    ]);
  });

  test("a document with its own vector is refused", async () => {
    const encoder = await Encoder.open(model(description));
    await expect(Sluice.build([{ id: "a", text: "water", vector: [1, 0] }], { encoder })).rejects.toThrow(
      "weights or termFactors of its own",
    );
    const encodings = new Map([["w", { vector: Float32Array.of(0, 1) }]]);
    const index = await Sluice.build(documents, { encoder, encodings, dims: "full" });
    const { hits } = await index.search({ vector: [0, 1] });
    expect(hits[0]).toMatchObject({ id: "w", semantic: 1 }); // as given, not as the model would say
  });

  test("weights without a text or a vector are an error where the index has an encoder, not half an answer", async () => {
    const index = await Sluice.build(documents, { encoder: await Encoder.open(model(description)) });
    const query = { weights: { water: 1 } };
    await expect(index.search(query)).rejects.toThrow("the query has no vector");
    expect((await index.search(query, { lambda: 0 })).hits).toHaveLength(1);
  });
});

function close(actual: Float32Array, expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((x, i) => {
    expect(actual[i]).toBeCloseTo(x, 5);
  });
}
