import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SPECIAL_PIECES, tokenizerJson } from "../../../../test/helpers/onnx.ts";
import { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { shuffle } from "../../../support/numbers/random.ts";
import { fromBins, negativesInOrder, negativesWithReplacement, positiveOf, seedFrom } from "./choice.ts";
import { type DatasetOptions, readDataset } from "./dataset.ts";
import type { TrainingSource } from "./examples.ts";
import { maskedBatch } from "./masked.ts";
import { rarities } from "./rarity.ts";
import { readClusters, type SampledBatch, Sampler, type SamplerOptions } from "./sampler.ts";
import { TokenLists } from "./token-lists.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-data-"));
const WORDS = Array.from({ length: 500 }, (_, i) => `w${i}`);
const FIRST = SPECIAL_PIECES.length;
const tokenizer = new TextTokenizer(tokenizerJson([...SPECIAL_PIECES, ...WORDS]), "the tokenizer");
const LENGTHS = { maxLength: { query: 8, passage: 16 } };

let files = 0;
function file(lines: readonly unknown[], gzip = false): string {
  const path = join(folder, `${files++}.jsonl${gzip ? ".gz" : ""}`);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  writeFileSync(path, gzip ? gzipSync(text) : text);
  return path;
}

const read = (sources: readonly (string | TrainingSource)[], options: Partial<DatasetOptions> = {}) =>
  readDataset(
    sources.map((source) => (typeof source === "string" ? { path: source } : source)),
    tokenizer,
    { ...LENGTHS, ...options },
  );

describe("lists of tokens", () => {
  test("are returned as given; equal lists have the same number", () => {
    const list = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(list, { maxLength: 300 }), fc.constantFrom(4, 70_000), (all, vocabulary) => {
        const lists = new TokenLists(vocabulary);
        const numbers = all.map((ids) => lists.add(ids));
        expect(numbers.map((number) => [...lists.at(number)])).toEqual(all);
        expect(lists.size).toBe(new Set(all.map(String)).size);
      }),
    );
  });

  test("become rows of the longest, padded with 0", () => {
    const lists = new TokenLists(10);
    const numbers = [[1, 2, 3], [4]].map((ids) => lists.add(ids));
    expect(lists.rows(numbers)).toEqual({
      rows: 2,
      width: 3,
      ids: Int32Array.of(1, 2, 3, 4, 0, 0),
      lengths: Int32Array.of(3, 1),
    });
  });
});

describe("formats", () => {
  const id = (word: string) => FIRST + WORDS.indexOf(word);
  const corpus = () =>
    file([
      { docid: "p", document_text: "w1 w2" },
      { docid: 7, title: "w3", text: "w4" },
    ]);
  const tokenized = () =>
    file([
      { text_id: "x", text: [id("w1"), id("w2")] },
      { text_id: "y", text: [id("w3"), id("w4")] },
    ]);

  test.each<[string, () => string | TrainingSource]>([
    ["plain", () => file([{ query: "w0", positive: "w1 w2", negatives: ["w3 w4"] }], true)],
    ["plain, a list", () => file([{ query: "w0", positives: ["w1 w2"], negatives: ["w3 w4"] }])],
    [
      "Tevatron 1",
      () =>
        file([
          {
            query_id: "q",
            query: "w0",
            positive_passages: [{ docid: "1", title: "", text: "w1 w2" }],
            negative_passages: [{ title: "w3", text: "w4" }],
          },
        ]),
    ],
    [
      "Tevatron 1, tokens",
      () =>
        file([{ query: [id("w0")], positives: [[id("w1"), id("w2")]], negatives: [[id("w3"), id("w4")]] }]),
    ],
    [
      "Tevatron 2",
      () => ({
        path: file([
          { query_id: 1, query_text: "w0", positive_document_ids: ["p"], negative_document_ids: [7] },
        ]),
        corpus: corpus(),
      }),
    ],
    [
      "castorini/dhr",
      () => ({
        path: file([{ query: [id("w0")], positive_pids: ["0"], negative_pids: ["1"] }]),
        corpus: tokenized(),
      }),
    ],
  ])("%s", async (_, source) => {
    const { examples, queries, passages } = await read([source()]);
    expect(examples.size).toBe(1);
    const words = (list: ArrayLike<number>) => Array.from(list, (token) => tokenizer.terms[token]).join(" ");
    expect(words(queries.at(examples.query(0)))).toBe("[CLS] w0 [SEP]");
    expect(Array.from(examples.positives(0), (p) => words(passages.at(p)))).toEqual(["[CLS] w1 w2 [SEP]"]);
    expect(Array.from(examples.negatives(0), (p) => words(passages.at(p)))).toEqual(["[CLS] w3 w4 [SEP]"]);
  });

  test("a teacher's scores, and the reference's bins", async () => {
    const scored = file([
      { query: "w0", positive: "w1", negatives: ["w2", "w3"], positive_scores: [5], negative_scores: [4, 1] },
    ]);
    expect((await read([scored])).examples.scores(0)).toEqual({
      positives: Float32Array.of(5),
      negatives: Float32Array.of(4, 1),
    });
    const bins = [[[[0, 1, 2.5]], [[0, 0, 0.5]]]];
    const binned = file([{ query: "w0", positives: ["w1"], negatives: ["w2", "w3"], bin_pairs: bins }]);
    expect((await read([binned])).examples.bins(0)).toEqual(bins);
  });

  test("several files are one table; lines of the same query know each other's positives", async () => {
    const [a, b] = [
      file([{ query: "w0", positive: "w1" }]),
      file([
        { query: "w0", positive: "w2" },
        { query: "w5", positive: "w1" },
      ]),
    ];
    const { examples, queries, passages } = await read([a, { path: b, weight: 2 }]);
    expect(examples.sources).toEqual([
      { path: a, first: 0, end: 1 },
      { path: b, weight: 2, first: 1, end: 3 },
    ]);
    expect([queries.size, passages.size]).toEqual([2, 2]);
    expect([...examples.judged(0)]).toEqual([0, 1]);
    expect([...examples.judged(1)]).toEqual([0, 1]);
    expect([...examples.judged(2)]).toEqual([0]);
  });

  test("long texts are cut and counted, or long queries refused", async () => {
    const long = file([{ query: "w0 ".repeat(20), positive: "w1 ".repeat(20) }]);
    const { cut, queries, passages } = await read([long]);
    expect(cut).toEqual({ query: 1, passage: 1 });
    expect([queries.lengthOf(0), passages.lengthOf(0)]).toEqual([8, 16]);
    expect([...queries.at(0)].slice(-2)).toEqual([FIRST, SPECIAL_PIECES.indexOf("[SEP]")]);
    await expect(read([long], { longQueries: "refuse" })).rejects.toThrow(
      `${long}:1: the query has 22 tokens, but the model reads at most 8`,
    );
  });

  test("the fingerprint depends on the content only", async () => {
    const lines = [
      { query: "w0", positive: "w1" },
      { query: "w2", positive: "w3" },
    ];
    const fingerprint = async (...all: unknown[][]) => (await read(all.map((one) => file(one)))).fingerprint;
    expect(await fingerprint(lines)).toBe(await fingerprint(lines));
    expect(await fingerprint(lines)).not.toBe(await fingerprint([...lines].reverse()));
    expect(await fingerprint(lines)).not.toBe(
      await fingerprint([lines[0], { ...lines[1], negatives: ["w1"] }]),
    );
  });

  test.each<[unknown[], string]>([
    [[], "the file is empty"],
    [["", "  "], "the file is empty"],
    [[{ query: "w0" }], ":1: no positive passage"],
    [
      [
        { query: "w0", positive: "w1" },
        { query: "w0", positives: [] },
      ],
      ":2: no positive passage",
    ],
    [[{ query: "w0", positive: " " }], ":1: the positive is empty"],
    [[{ query: "  ", positive: "w1" }], ":1: the query is empty"],
    [[{ query: [], positives: [[5]] }], ":1: the query is empty"],
    [[{ positive: "w1" }], ':1: "query" is missing, expected a text'],
    [[{ query: 7, positive: "w1" }], ':1: "query" is 7, expected a text'],
    [[{ query: "w0", positive: 7 }], ':1: "positive" is 7, expected a text'],
    [[{ query: "w0", positive: "w1", negatives: "w2" }], ':1: "negatives" is "w2", expected a list'],
    [[{ query: "w0", positive: "w1", negatives: [null] }], ':1: "negatives" is null, expected a text'],
    [[{ query: "w0", positive_passages: ["w1"] }], ':1: "text" in "positive_passages" is missing'],
    [
      [{ query: "w0", positive_document_ids: ["p"] }],
      ":1: names passages of a corpus, but no corpus is given",
    ],
    [[{ query: [9999], positives: [[5]] }], ":1: the token id is 9999, but the tokenizer has 505 tokens"],
    [[{ query: [1.5], positives: [[5]] }], ':1: "query" is [1.5], expected'],
    [["[1, 2]"], ":1: expected a JSON object"],
    [['{"query": '], ":1: not valid JSON"],
    [
      [{ query: "w0", positive: "w1", negatives: ["w2"], positive_scores: [1], negative_scores: [] }],
      ':1: "negative_scores" must have a number for each of the 1 passages',
    ],
    [
      [{ query: "w0", positive: "w1", negatives: ["w2"], bin_pairs: [[[[0, 1, 1]]]] }],
      ":1: [0,1,1] is not a pair of the line's passages",
    ],
  ])("%j is refused", async (lines, message) => {
    const path = file(lines);
    await expect(read([path])).rejects.toThrow(path + (message.startsWith(":") ? message : `: ${message}`));
  });

  test("a corpus that lacks a passage, is empty or has an id twice", async () => {
    const path = file([{ query_text: "w0", positive_document_ids: ["z"] }]);
    const with_ = (lines: unknown[]) => read([{ path, corpus: file(lines) }]);
    await expect(with_([{ docid: "a", text: "w1" }])).rejects.toThrow('has no passage "z"');
    await expect(with_([])).rejects.toThrow("the file is empty");
    await expect(
      with_([
        { docid: "a", text: "w1" },
        { docid: "a", text: "w2" },
      ]),
    ).rejects.toThrow(':2: duplicate id "a"');
  });
});

describe("the choice of passages", () => {
  const turn = { example: 5, epoch: 0, seed: 3 };

  test("positives take turns", () => {
    const chosen = [0, 1, 2, 3].map((epoch) => positiveOf(3, { ...turn, epoch }));
    expect(chosen).toEqual([2, 0, 1, 2]);
  });

  test("each epoch takes the next negatives of the example's own order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(9),
        fc.nat(20),
        fc.nat(1000),
        (count, more, epoch, example) => {
          const wanted = 1 + (more % count);
          const order = shuffle(count, seedFrom(example + 3));
          const expected = Array.from({ length: wanted }, (_, i) => order[(epoch * wanted + i) % count]);
          const all = negativesInOrder(count, wanted, { example, epoch, seed: 3 });
          expect([...all.subarray(0, wanted)]).toEqual(expected);
          expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
        },
      ),
    );
  });

  test("too few negatives are drawn more than once, differently in each epoch", () => {
    const drawn = Array.from({ length: 20 }, (_, epoch) => [
      ...negativesWithReplacement(2, 5, { ...turn, epoch }),
    ]);
    expect(drawn.flat().every((at) => at === 0 || at === 1)).toBe(true);
    expect(new Set(drawn.map(String)).size).toBeGreaterThan(5);
    expect([...negativesWithReplacement(2, 5, turn)]).toEqual(drawn[0]);
  });

  test("small and large margins are drawn equally often from bins", () => {
    const many = Array.from({ length: 99 }, (_, i) => [0, i, 9] as const);
    const drawn = Array.from({ length: 400 }, (_, epoch) =>
      fromBins([[[[1, 99, 0.5]], many]], 2, { ...turn, epoch }),
    );
    const small = drawn.flatMap(({ margins }) => margins).filter((margin) => margin === 0.5).length;
    expect(small).toBeGreaterThan(300);
    expect(small).toBeLessThan(500);
    for (const { positive, negatives, margins } of drawn) {
      expect(positive).toBe(margins[0] === 0.5 ? 1 : 0);
      expect(negatives.map((at) => at === 99)).toEqual(margins.map((margin) => margin === 0.5));
    }
  });
});

describe("batches", () => {
  const plain = (examples: number, from = 0) =>
    file(
      Array.from({ length: examples }, (_, i) => ({ query: `w${from + i}`, positive: `w${from + i} w1` })),
    );
  const sampler = async (
    sources: readonly (string | TrainingSource)[],
    options: Partial<SamplerOptions> = {},
  ) => new Sampler(await read(sources), { seed: 1, queries: 4, passagesPerQuery: 1, ...options });
  const examplesOf = ({ chosen }: SampledBatch) => chosen.map(({ example }) => example);
  const take = (from: Sampler, count: number) => Array.from({ length: count }, () => from.next());

  test("an epoch has every example once in a new order; examples that fill no batch are dropped", async () => {
    const from = await sampler([plain(22)]);
    expect(from.batchesPerEpoch).toBe(5);
    const [first, second] = [take(from, 5), take(from, 5)].map((batches) => batches.flatMap(examplesOf));
    for (const epoch of [first, second]) expect(new Set(epoch).size).toBe(20);
    expect(first).not.toEqual(second);
    expect(take(await sampler([plain(22)]), 5).flatMap(examplesOf)).toEqual(first);
    expect(take(await sampler([plain(22)], { seed: 2 }), 5).flatMap(examplesOf)).not.toEqual(first);
  });

  test("rows are the texts of the chosen examples, the positive first", async () => {
    const path = file([
      { query: "w0", positive: "w10", negatives: ["w20", "w30 w31"] },
      { query: "w1 w2", positive: "w11 w12", negatives: ["w21", "w31"] },
    ]);
    const { batch, chosen } = (await sampler([path], { queries: 2, passagesPerQuery: 3 })).next();
    const words = ({ ids, width, rows }: typeof batch.queries) =>
      Array.from({ length: rows }, (_, row) =>
        Array.from(ids.subarray(row * width, (row + 1) * width), (id) => tokenizer.terms[id]).join(" "),
      );
    const at = examplesOf({ batch, chosen }).indexOf(0);
    expect(words(batch.queries)[at]).toBe("[CLS] w0 [SEP] [PAD]");
    expect(words(batch.passages)[at * 3]).toBe("[CLS] w10 [SEP] [PAD]");
    expect(
      words(batch.passages)
        .slice(at * 3 + 1, at * 3 + 3)
        .sort(),
    ).toEqual(["[CLS] w20 [SEP] [PAD]", "[CLS] w30 w31 [SEP]"]);
    expect(batch.passagesPerQuery).toBe(3);
  });

  const crowded = fc.array(
    fc.record({
      query: fc.integer({ min: 0, max: 12 }).map((i) => `w${i}`),
      positives: fc.array(
        fc.integer({ min: 20, max: 32 }).map((i) => `w${i}`),
        { minLength: 1, maxLength: 3 },
      ),
      negatives: fc.array(
        fc.integer({ min: 20, max: 36 }).map((i) => `w${i}`),
        { minLength: 1, maxLength: 5 },
      ),
    }),
    { minLength: 3, maxLength: 30 },
  );

  test("no passage is relevant to two queries of a batch, no negative is relevant, and any state can be restored", async () => {
    await fc.assert(
      fc.asyncProperty(crowded, fc.nat(5), async (lines, before) => {
        const options = { queries: 2, passagesPerQuery: 3, withoutNegatives: "random" } as const;
        const path = file(lines);
        const from = await sampler([path], options);
        const { examples } = await read([path]);
        let state = from.state;
        const seen: SampledBatch[] = [];
        try {
          for (let i = 0; i < 12; i++) {
            if (i === before) state = from.state;
            seen.push(from.next());
          }
        } catch (error) {
          expect(String(error)).toContain("fit into one batch");
        }
        for (const { chosen } of seen) {
          expect(new Set(chosen.map(({ query }) => query)).size).toBe(2);
          chosen.forEach(({ example, passages }, i) => {
            expect(examples.positives(example)).toContain(passages[0]);
            for (const passage of passages.slice(1)) expect(examples.judged(example)).not.toContain(passage);
            for (const passage of chosen[1 - i].passages) {
              expect(examples.judged(example)).not.toContain(passage);
              expect(passages).not.toContain(passage);
            }
          });
        }
        if (seen.length <= before) return;
        const again = await sampler([path], options);
        again.restore(JSON.parse(JSON.stringify(state)));
        expect(take(again, seen.length - before)).toEqual(seen.slice(before));
      }),
      { numRuns: 50 },
    );
  });

  test("sources come by their weights, together or each in batches of its own", async () => {
    const sources = () => [
      { path: plain(10), weight: 3 },
      { path: plain(100, 20), weight: 1 },
    ];
    const isFirst = (batch: SampledBatch) => examplesOf(batch).map((example) => example < 10);
    const together = take(await sampler(sources()), 20).map(isFirst);
    expect(together.flat().filter(Boolean).length).toBe(60);
    expect(together.every((batch) => batch.includes(true) && batch.includes(false))).toBe(true);
    const apart = take(await sampler(sources(), { mix: "apart" }), 20).map(isFirst);
    expect(apart.every((batch) => new Set(batch).size === 1)).toBe(true);
    expect(apart.flat().filter(Boolean).length).toBe(60);
  });

  test("sources without weights count by their size", async () => {
    const from = await sampler([plain(10), plain(30, 20)], { mix: "apart" });
    expect(take(from, 40).filter((batch) => examplesOf(batch)[0] < 10).length).toBe(10);
  });

  test("sorted by length, little is padded", async () => {
    const path = file(
      Array.from({ length: 64 }, (_, i) => ({ query: `w${i}`, positive: `w${i} ${"w1 ".repeat(i % 13)}` })),
    );
    const padding = (batches: SampledBatch[]) =>
      batches.reduce((sum, { batch: { passages } }) => {
        return sum + passages.ids.length - passages.lengths.reduce((a, b) => a + b, 0);
      }, 0);
    const [plainly, sorted] = [1, 16].map(async (sortedBatches) =>
      take(await sampler([path], { sortedBatches }), 16),
    );
    expect(new Set((await sorted).flatMap(examplesOf)).size).toBe(64);
    expect(padding(await sorted)).toBeLessThan(padding(await plainly) / 4);
  });

  test("by topic", async () => {
    const clusters = await readClusters(file([{ qidx: [0, 1, 2, 3, 4, 5] }, { qidx: [10, 11, 12, 13, 14] }]));
    const from = await sampler([plain(20)], { topics: { clusters, perBatch: 1 } });
    const batches = take(from, 20).map(examplesOf);
    for (const batch of batches) {
      expect(new Set(batch).size).toBe(4);
      expect(
        batch.every((example) => example < 6) || batch.every((example) => example >= 10 && example < 15),
      ).toBe(true);
    }
    expect(new Set(batches.map((batch) => batch[0] < 6)).size).toBe(2);
    await expect(sampler([plain(12)], { topics: { clusters, perBatch: 1 } })).rejects.toThrow(
      "names example 12",
    );
    await expect(readClusters(file([{ qidx: ["0"] }]))).rejects.toThrow(':1: "qidx" must be a list');
    await expect(readClusters(file([]))).rejects.toThrow("the file is empty");
  });

  test("data that cannot fill a batch is refused at once", async () => {
    await expect(sampler([plain(3)])).rejects.toThrow("3 examples cannot fill a batch of 4 queries");
    await expect(sampler([plain(8)], { passagesPerQuery: 2 })).rejects.toThrow("example 1 has no negatives");
    const same = file(Array.from({ length: 9 }, (_, i) => ({ query: `w${i}`, positive: "w1" })));
    const from = await sampler([same]);
    expect(() => from.next()).toThrow("at most 1 of the examples fit into one batch of 4");
  });

  test("random passages where there are no negatives", async () => {
    const from = await sampler([plain(30)], { passagesPerQuery: 3, withoutNegatives: "random" });
    const [{ chosen }] = take(from, 1);
    const all = chosen.flatMap(({ passages }) => passages);
    expect(all.length).toBe(12);
    expect(new Set(all).size).toBe(12);
  });
});

test("masked texts: the labels restore the text, and [CLS] and [SEP] are never masked", () => {
  const passages = new TokenLists(200);
  for (let i = 0; i < 50; i++)
    passages.add([2, ...Array.from({ length: 1 + (i % 20) }, (_, at) => 10 + i + at), 3]);
  const batches = Array.from({ length: 40 }, (_, step) =>
    maskedBatch(passages, step, { seed: 1, texts: 16, mask: 199 }),
  );
  let [guessed, hidden, words] = [0, 0, 0];
  for (const { texts, at, labels } of batches) {
    words += texts.lengths.reduce((sum, length) => sum + length - 2, 0);
    guessed += at.length;
    const restored = texts.ids.slice();
    for (const [i, place] of at.entries()) {
      if (texts.ids[place] === 199) hidden++;
      else expect(texts.ids[place]).toBe(labels[i]);
      restored[place] = labels[i];
    }
    expect(restored).not.toContain(199);
    for (let row = 0; row < texts.rows; row++) {
      expect(texts.ids[row * texts.width]).toBe(2);
      expect(texts.ids[row * texts.width + texts.lengths[row] - 1]).toBe(3);
    }
  }
  expect(guessed / words).toBeCloseTo(0.15, 1);
  expect(hidden / guessed).toBeCloseTo(0.8, 1);
  expect(maskedBatch(passages, 7, { seed: 1, texts: 16, mask: 199 })).toEqual(batches[7]);
});

test("rare tokens weigh more; tokens of every passage weigh next to nothing", () => {
  const passages = new TokenLists(30);
  for (let i = 0; i < 8; i++) passages.add([2, 10, 10, i % 2 ? 11 : 12, 20 + i, 3]);
  const weights = rarities(passages, 30, 0.6);
  expect(weights[11]).toBeCloseTo(Math.sqrt(0.6 * Math.log(1 + 4.5 / 4.5)), 6);
  expect(weights[20]).toBeGreaterThan(weights[11]);
  expect(weights[10]).toBe(weights[2]); // once a passage, however often
  expect(weights[2]).toBeLessThan(0.2);
  const { weighed, texts } = maskedBatch(passages, 0, { seed: 1, texts: 5, mask: 29, hidden: 1, weights });
  expect(weighed!.at).toHaveLength(texts.lengths.reduce((sum, length) => sum + length - 1, 0));
  // Target weights are those of the original tokens, even if masked. None is the weight of [MASK].
  expect([...weighed!.weights]).not.toContain(weights[29]);
});
