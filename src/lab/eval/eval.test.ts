import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { golden } from "../../../test/helpers/golden.ts";
import { formatTable } from "../../report/format-table.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { readBeirCorpus, readBeirQrels, readBeirQueries } from "./beir-files.ts";
import { evaluate, ranking } from "./evaluate.ts";
import type { Qrels, Run } from "./judgments.ts";
import { metricNamed } from "./metrics.ts";
import { pairedTTest } from "./significance.ts";
import { compare, comparisonTable } from "./table.ts";
import { RunWriter, readQrels, readRun, writeQrels } from "./trec.ts";

const data = golden("metrics.json");
const qrels: Qrels = new Map(
  Object.entries<Record<string, number>>(data.qrels).map(([query, grades]) => [
    query,
    new Map(Object.entries(grades)),
  ]),
);
const run: Run = new Map(
  Object.entries<[string, number][]>(data.run).map(([query, list]) => [
    query,
    list.map(([id, score]) => ({ id, score })),
  ]),
);
const METRICS = ["mrr@10", "recall@3", "recall@10", "recall@100", "recall@1000", "ndcg@10"];
const CAPPED = ["r_cap@3", "r_cap@10", "r_cap@100", "r_cap@1000"];

describe("golden, checked against trec_eval", () => {
  test.each([
    ["float64", "trec", false],
    ["float32", "trec-float32", false],
    ["float64_without_self", "trec", true],
  ] as const)("%s: rankings, every query, both means", (name, rule, excludeSelf) => {
    const expected = data[name];
    for (const [query, figures] of Object.entries<Record<string, unknown>>(expected.per_query)) {
      const counted = (run.get(query) ?? []).filter(({ id }) => !excludeSelf || id !== query);
      expect(ranking(counted, rule).map(({ id }) => id)).toEqual(figures.ranking);
    }
    const names = [...METRICS, ...CAPPED.map((metric) => metric.replace("r_cap", "rcap"))];
    const all = evaluate(run, qrels, names, { rule, excludeSelf });
    for (const metric of [...METRICS, ...CAPPED]) {
      for (const [query, figures] of Object.entries<Record<string, number | null>>(expected.per_query)) {
        const value = all.perQuery.get(metric.replace("r_cap", "rcap"))!.get(query) ?? null;
        if (figures[metric] === null) expect(value).toBeNull();
        else expect(value).toBeCloseTo(figures[metric]!, 12);
      }
    }
    const skipping = evaluate(run, qrels, METRICS, { rule, excludeSelf, missing: "skip" });
    for (const metric of METRICS) {
      expect(all.means.get(metric)).toBeCloseTo(expected["mean_all_judged_queries (-c)"][metric], 12);
      expect(skipping.means.get(metric)).toBeCloseTo(expected.mean_queries_in_run[metric], 12);
    }
    expect(all.missing).toBe(1);
  });

  test("capped recall keeps the written order of ties and skips queries without relevant documents", () => {
    const mean = (metric: string, excludeSelf: boolean) =>
      evaluate(run, qrels, [metric], { rule: "stable", excludeSelf }).means.get(metric);
    expect(mean("rcap@10", false)).toBeCloseTo(data.beir_r_cap["r_cap@10 with self"], 12);
    expect(mean("rcap@10", true)).toBeCloseTo(data.beir_r_cap["r_cap@10 without self"], 12);
    expect(mean("rcap@100", true)).toBeCloseTo(data.beir_r_cap["r_cap@100 without self"], 12);
    const { perQuery } = evaluate(run, qrels, ["rcap@10"]);
    expect(perQuery.get("rcap@10")!.size).toBe(data.beir_r_cap.queries_counted);
  });

  test("MRR in the written order, as the MS MARCO script computes it", () => {
    const { means } = evaluate(run, qrels, ["mrr@10"], { rule: "written" });
    expect(means.get("mrr@10")).toBeCloseTo(data["msmarco_mrr@10"], 12);
  });

  test("the files give the same result", async () => {
    const path = (name: string) => fileURLToPath(new URL(`../../../test/golden/${name}`, import.meta.url));
    const fromFiles = evaluate(
      await readRun(path("toy.run.trec")),
      await readQrels(path("toy.qrels.txt")),
      METRICS,
    );
    expect(fromFiles.means).toEqual(evaluate(run, qrels, METRICS).means);
    expect(fromFiles.unjudged).toBe(1);
  });
});

test("MAP, precision and success by hand", () => {
  const graded = { ranked: [0, 1, 0, 2, -1], judged: [1, 2, 1, -1, 0] };
  const value = (name: string) => metricNamed(name)(graded);
  expect(value("map")).toBeCloseTo((1 / 2 + 2 / 4) / 3, 12);
  expect(value("map@3")).toBeCloseTo(1 / 2 / 3, 12);
  expect(value("precision@5")).toBeCloseTo(2 / 5, 12);
  expect(value("success@1")).toBe(0);
  expect(value("success@2")).toBe(1);
  expect(value("mrr")).toBe(0.5);
  const ideal = 2 + 1 / Math.log2(3) + 1 / 2;
  expect(value("ndcg")).toBeCloseTo((1 / Math.log2(3) + 2 / Math.log2(5)) / ideal, 12);
});

test.each(["ndcg@0", "ndgc@10", "recall", "recall@1.5", "", "constructor@10", "valueof"])(
  "%j is not a metric",
  (name) => {
    expect(() => metricNamed(name)).toThrow(SluiceError);
  },
);

describe("paired t-test", () => {
  test("textbook values", () => {
    // Student's sleep data (1908): t = −4.0621, 9 degrees of freedom, p = 0.002833.
    const a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    const { t, degreesOfFreedom, p } = pairedTTest(a, b);
    expect(t).toBeCloseTo(-4.0621, 4);
    expect(degreesOfFreedom).toBe(9);
    expect(p).toBeCloseTo(0.002833, 6);
  });

  test.each([
    [1, 12.706, 0.05],
    [4, 2.776, 0.05],
    [30, 2.042, 0.05],
    [120, 2.617, 0.01],
    [1000, 1.962, 0.05],
  ])("with %i degrees of freedom %f is the limit for %f", (df, limit, expected) => {
    // Build differences that have the wanted t: their mean is t·s/√n, where s is the deviation of a fixed pattern.
    const n = df + 1;
    const pattern = Array.from({ length: n }, (_, i) => i - (n - 1) / 2);
    const s = Math.sqrt(pattern.reduce((sum, x) => sum + x * x, 0) / (n - 1));
    const a = pattern.map((x) => x + (limit * s) / Math.sqrt(n));
    expect(pairedTTest(a, new Array(n).fill(0)).p).toBeCloseTo(expected, 4);
  });

  test("no difference, one query, a difference that never varies", () => {
    expect(pairedTTest([1, 2], [1, 2]).p).toBe(1);
    expect(pairedTTest([1], [0]).p).toBe(1);
    expect(pairedTTest([2, 3, 4], [1, 2, 3]).p).toBe(0);
    expect(() => pairedTTest([1], [])).toThrow(RangeError);
  });
});

describe("tables", () => {
  test("columns line up", () => {
    expect(
      formatTable(
        ["name", "x"],
        [
          ["a", "1.5"],
          ["long name", "22.25"],
        ],
      ),
    ).toBe(
      [
        "| name      |     x |",
        "| --------- | ----: |",
        "| a         |   1.5 |",
        "| long name | 22.25 |",
      ].join("\n"),
    );
  });

  test("a dagger marks a significant difference", () => {
    const judged: Qrels = new Map(Array.from({ length: 20 }, (_, i) => [`q${i}`, new Map([["d", 1]])]));
    const ranked = (rank: (i: number) => number): Run =>
      new Map(
        [...judged.keys()].map((query, i) => [
          query,
          [
            { id: "x", score: 1 },
            { id: "d", score: rank(i) },
          ],
        ]),
      );
    const good = evaluate(
      ranked(() => 2),
      judged,
      ["mrr@10"],
    );
    const bad = evaluate(
      ranked((i) => (i === 0 ? 2 : 0)),
      judged,
      ["mrr@10"],
    );
    const [{ percent, p }] = compare(good, bad);
    expect(percent).toBeCloseTo(-47.5, 6);
    expect(p).toBeLessThan(0.001);
    const table = comparisonTable([
      { name: "good", evaluation: good },
      { name: "bad", evaluation: bad },
    ]);
    expect(table).toContain("0.5250 (−47.5 %)†");
    expect(
      comparisonTable([
        { name: "good", evaluation: good },
        { name: "same", evaluation: good },
      ]),
    ).toContain("1.0000 (+0.0 %)");
  });
});

describe("files", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-eval-"));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test("a written run keeps its order under trec_eval's rules, in double and in single precision", async () => {
    const hits = [
      { id: "a", score: 2 },
      { id: "c", score: 2 },
      { id: "b", score: 2 },
      { id: "z", score: 1.9999999999 },
      { id: "e", score: 0 },
      { id: "f", score: 0 },
      { id: "g", score: -1 },
      { id: "h", score: -1 },
    ];
    const path = join(folder, "ties.trec");
    const writer = new RunWriter(path);
    await writer.add("q", hits);
    await writer.close();
    const read = await readRun(path);
    for (const rule of ["trec", "trec-float32"] as const) {
      expect(ranking(read.get("q")!, rule).map(({ id }) => id)).toEqual(hits.map(({ id }) => id));
    }
    read.get("q")!.forEach(({ score }, i) => {
      expect(score).toBeCloseTo(hits[i].score, 5);
    });
  });

  test("MS MARCO runs are written and read by rank", async () => {
    const path = join(folder, "run.tsv");
    const writer = new RunWriter(path, "msmarco");
    await writer.add("q", [
      { id: "b", score: 1 },
      { id: "a", score: 1 },
    ]);
    await writer.close();
    expect(readFileSync(path, "utf8")).toBe("q\tb\t1\nq\ta\t2\n");
    expect(ranking((await readRun(path)).get("q")!, "trec").map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("judgments are the same after writing and reading", async () => {
    const path = join(folder, "qrels.txt");
    await writeQrels(path, qrels);
    expect(await readQrels(path)).toEqual(qrels);
  });

  test.each([
    ["q Q0 d 1 nan x", "is not a line of a run"],
    ["q d", "is not a line of a run"],
    ["q Q0 d 1 2.5 x\nq Q0 d 2 2.0 x", "query q has document d twice"],
  ])("the run %j is refused with file and line", async (content, message) => {
    await expect(readRun(file("bad.trec", content))).rejects.toThrow(message);
    await expect(readRun(file("bad.trec", content))).rejects.toThrow(/bad\.trec:\d/);
  });

  test.each([
    ["q 0 d", "is not a judgment"],
    ["1 0 7067032", "is not a judgment"],
    ["q 0 d high", "is not a judgment"],
    ["q 0 d 1\nq 0 d 2", "has the grade 2 here and 1 above"],
  ])("the judgments %j are refused with file and line", async (content, message) => {
    await expect(readQrels(file("bad.txt", content))).rejects.toThrow(message);
    await expect(readQrels(file("bad.txt", content))).rejects.toThrow(/bad\.txt:\d/);
  });

  test("an id with white space cannot go into a TREC run", async () => {
    const writer = new RunWriter(join(folder, "space.trec"));
    await expect(writer.add("q", [{ id: "a b", score: 1 }])).rejects.toThrow("white space");
  });

  test("a run that cannot be written gives one clear error", async () => {
    const writer = new RunWriter(join(folder, "no", "such", "folder.trec"));
    await expect(writer.add("q", [{ id: "a", score: 1 }])).rejects.toThrow(
      "folder.trec: no such file or folder",
    );
  });

  test("an aborted run leaves the old file in place", async () => {
    const path = file("kept.trec", "as it was\n");
    const writer = new RunWriter(path);
    await writer.add("q", [{ id: "a", score: 1 }]);
    await writer.abort();
    expect(readFileSync(path, "utf8")).toBe("as it was\n");
    expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("a duplicate document or a NaN score is an error in memory too", () => {
    const judged: Qrels = new Map([["q", new Map([["a", 1]])]]);
    const twice = new Map([
      [
        "q",
        [
          { id: "a", score: 2 },
          { id: "a", score: 1 },
        ],
      ],
    ]);
    expect(() => evaluate(twice, judged, ["recall@10"])).toThrow("document a twice");
    expect(() => evaluate(new Map([["q", [{ id: "a", score: Number.NaN }]]]), judged, ["map"])).toThrow(
      "is NaN",
    );
  });

  test("a comparison uses the queries that both runs have, for the difference and for p", () => {
    const judged: Qrels = new Map([
      ["q1", new Map([["a", 1]])],
      ["q2", new Map([["a", 1]])],
    ]);
    const both = evaluate(
      new Map([
        ["q1", [{ id: "a", score: 1 }]],
        ["q2", [{ id: "b", score: 1 }]],
      ]),
      judged,
      ["mrr@10"],
      { missing: "skip" },
    );
    const one = evaluate(new Map([["q1", [{ id: "a", score: 1 }]]]), judged, ["mrr@10"], { missing: "skip" });
    expect(compare(one, both)[0]).toMatchObject({ mean: 0.5, percent: 0, p: 1 });
  });

  test("a BEIR folder", async () => {
    mkdirSync(join(folder, "qrels"));
    file(
      "corpus.jsonl",
      '{"_id": "d1", "title": "T", "text": "x", "year": 3}\n{"_id": "d2", "title": "", "text": "y"}\n',
    );
    file("queries.jsonl", '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n');
    file("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t1\n");
    const corpus = [];
    for await (const document of readBeirCorpus(folder)) corpus.push(document);
    expect(corpus).toEqual([
      { id: "d1", title: "T", text: "x", year: 3 },
      { id: "d2", title: "", text: "y" },
    ]);
    const judged = await readBeirQrels(folder);
    expect(judged).toEqual(new Map([["q2", new Map([["d1", 1]])]]));
    expect(await readBeirQueries(folder, judged)).toEqual([{ id: "q2", text: "two" }]);
    await expect(readBeirQrels(folder, "dev")).rejects.toThrow('no judgments for the split "dev"');
    await expect(readBeirQueries(folder, new Map([["q9", new Map()]]))).rejects.toThrow('judged query "q9"');
  });
});
