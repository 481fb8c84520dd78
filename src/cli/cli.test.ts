import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commandLine } from "../../test/helpers/command-line.ts";
import { writeModel } from "../../test/helpers/onnx.ts";
import type { Hit } from "../index.ts";
import { COMMANDS } from "./commands/command-groups.ts";
import { HELP_WIDTH } from "./terminal/command.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-cli-"));
const at = (...names: string[]) => join(folder, ...names);

const sluice = (...argv: string[]) => commandLine(argv);

/** An index without an encoder. */
const BM25 = ["--encoder", "none"];

const DOCUMENTS = [
  { _id: "d1", title: "Bauhaus", text: "a school of art and building, founded in Weimar" },
  { _id: "d2", title: "", text: "a sluice is a gate for water" },
  { _id: "d3", title: "Evil", text: "water \u001b[31mred\u001b[0m \u202e water of the hill" },
];

beforeAll(async () => {
  mkdirSync(at("beir", "qrels"), { recursive: true });
  writeFileSync(at("beir", "corpus.jsonl"), DOCUMENTS.map((document) => JSON.stringify(document)).join("\n"));
  writeFileSync(
    at("beir", "queries.jsonl"),
    '{"_id": "q1", "text": "where is the school"}\n{"_id": "d2", "text": "water gate"}\n',
  );
  writeFileSync(at("beir", "qrels", "test.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\t1\nd2\td2\t2\n");
  expect(await sluice("index", at("full"), "--beir", at("beir"), "--dims", "full", ...BM25)).toMatchObject({
    status: 0,
    err: "",
  });
});

test("an index of no documents is made with a warning, and one that is there is named with what adds to it", async () => {
  writeFileSync(at("empty.jsonl"), "");
  const empty = await sluice("index", at("empty"), at("empty.jsonl"), ...BM25);
  expect(empty).toMatchObject({ status: 0, err: expect.stringContaining("sluice: 0 documents were read") });
  const again = await sluice("index", at("empty"), at("empty.jsonl"), ...BM25);
  expect(again).toMatchObject({ status: 2, err: expect.stringContaining("sluice add adds documents to it") });
  writeFileSync(at("upper.csv"), "ID,Text\n1,gate\n");
  const named = await sluice("index", at("upper"), at("upper.csv"), ...BM25);
  expect(named.err).toContain('set --id to "ID" and --text to "Text"');
});

describe("help", () => {
  test("every command is listed, and has flags and examples of its own", async () => {
    const { out, status } = await sluice("--help");
    expect(status).toBe(0);
    for (const { name, summary, flags } of COMMANDS) {
      expect(out).toContain(summary);
      for (const call of [
        [name, "--help"],
        ["help", name],
        [name, "x", "-h"],
      ]) {
        const help = await sluice(...call);
        expect(help.status).toBe(0);
        expect(help.out).toContain(`sluice ${name} `);
        expect(help.out).toMatch(new RegExp(`\nExamples:\n(  .*\n)*  (.*\\| )?sluice ${name} `));
        for (const flag of Object.keys(flags)) expect(help.out).toContain(`--${flag}`);
        // Examples may be longer: a wrapped command could not be pasted.
        const [explained] = help.out.split("\nExamples:\n");
        for (const line of explained.split("\n")) expect(line.length, line).toBeLessThanOrEqual(HELP_WIDTH);
      }
    }
  });

  test("the version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await sluice("--version")).out).toBe(`${version}\n`);
  });

  test.each([
    [["serach"], 'no command "serach"\n  did you mean sluice search?\n'],
    [["frobnicate"], "the commands are index, add,"],
    [["search", "x", "y", "--kk", "3"], "sluice search has no flag --kk\n  did you mean --k?\n"],
    [["search", "x", "y", "-k", "3"], "sluice search has no flag -k\n  did you mean --k?\n"],
    [["index", "x", "y", "--passage-wrods", "3"], "did you mean --passage-words?"],
    [["search", "x", "y", "--k", "-1"], "--k takes a whole number of at least 0, not -1"],
    [["search", "x", "y", "--k=-1"], "--k takes a whole number of at least 0, not -1"],
    [["search", "x", "y", "--offset", "-3"], "--offset takes a whole number of at least 0, not -3"],
    [["run", "x", "--out", "y", "--depth", "-1"], "--depth takes a whole number of at least 1, not -1"],
    [["search", "x", "y", "--k"], "--k needs a value: --k N"],
    [["search", "x", "y", "--k", "--json"], "--k needs a value: --k N"],
    [["search", "x", "y", "--json=yes"], '--json takes no value, but was given "yes"'],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "-", "-"],
      "standard input, which can be read only once",
    ],
    [["search"], "expected DIR and QUERY"],
    [["search", "x", "y", "--nope"], "--nope"],
    [["search", "x", "y", "--k", "ten"], '--k takes a number, not "ten"'],
    [["search", "x", "y", "--theta", "1", "--mass", "0.5"], "exclude each other"],
    [["search", "x", "y", "--plan", "pruned"], "--plan pruned takes --theta or --mass"],
    [["search", "x", "y", "--plan", "exact", "--mass", "0.5"], "--mass has no effect with the plan exact"],
    [["search", "x", "y", "--candidates", "5"], "--candidates has no effect with the plan auto"],
    [["search", join(tmpdir(), "no-such-index"), "y"], "there is no index"],
    [["search", join(tmpdir(), "no-such-index"), "y"], "sluice index DIR PATH makes one"],
    [["serve", join(tmpdir(), "no-such-index")], "sluice index DIR PATH makes one, or give --create"],
    [["serve", "x", "--limit", "k=abc"], '--limit takes NAME=N, not "k=abc"'],
    [["suggest", "x", "y", "--encoder", "static"], "sluice suggest has no flag --encoder"],
    [["index", join(tmpdir(), "sluice-no-such-folder")], "no documents"],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "nowhere.jsonl"],
      "nowhere.jsonl: no such file",
    ],
    [["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--beir", "b"], "exclude each other"],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--slicing-strategy", "magic"],
      "--slicing-strategy is one of",
    ],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--analyzer", "klingon"],
      "--analyzer is arabic",
    ],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--lexical", "tfidf"],
      "--lexical is bm25",
    ],
    [["run", "x", "--beir", "b"], "give --out FILE"],
    [["search", "x", "y", "--encoder", "none"], "--encoder none is for a new index"],
    [["eval", "x"], "either --beir FOLDER or --qrels FILE"],
    [["explain", "x", "y"], "expected DIR and QUERY and ID"],
    [["densify", "x", "y"], "x: no such file or folder"],
    [["search", "x", "-5 degrees"], "put words that start with a dash"],
    [["search", "x", "y", "--among", "best"], '--among takes filter or a number of hits, not "best"'],
    [["search", "x", "y", "--among", "0"], '--among takes filter or a number of hits, not "0"'],
    [["search", "x", "y", "--theta", "-1"], "--theta takes a number of at least 0, not -1"],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--discard", "3"],
      "--discard has no effect with --slicing-strategy spread",
    ],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--seed", "3"],
      "--seed has no effect",
    ],
    [
      ["index", join(tmpdir(), "sluice-no-such-folder"), "--jsonl", "a", "--weight-scale", "3"],
      "--weight-scale has no effect",
    ],
    [["push", "x", "y"], "sluice backup DIR BACKUP copies an index into another folder"],
    [["pull", "x", "y"], "sluice push DIR ADDRESS"],
    [["backup", "opensearch://h:1/x", "y"], "sluice pull opensearch://h:1/x DIR copies it into a folder"],
    [["export-web", "opensearch://h:1/x", "y"], "then sluice export-web DIR …"],
    [["eval", "x", "--qrels", join(tmpdir(), "no-qrels"), "--metrics", "constructor@1"], "no such file"],
  ])("%j: one line, a hint, exit 2", async (argv, message) => {
    const { status, out, err } = await sluice(...argv);
    expect(status).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(err.split("\n").length).toBeLessThanOrEqual(3);
  });
});

describe("index and search", () => {
  test("hits with their text, in order, without control characters", async () => {
    const { out } = await sluice("search", at("full"), "water", "gate", "zebra");
    expect(out).toMatch(/^ {2}1 {2}\d\.\d{3} {2}d\d\n/);
    expect(out).toContain("a sluice is a gate for water");
    expect(out).toContain("in no document: zebra");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  test("of many words that are unknown or dropped, some are listed", async () => {
    const words = Array.from({ length: 40 }, (_, i) => `w${i}`);
    writeFileSync(at("words.jsonl"), JSON.stringify({ id: "a", text: words.join(" ") }));
    const slicing = ["--dims", "1", "--slicing-strategy", "stride"];
    await sluice("index", at("words"), at("words.jsonl"), ...BM25, ...slicing);
    const { out } = await sluice("search", at("words"), ...words, ...words.map((word) => `no${word}`));
    expect(out).toMatch(/in no document: now0, (?:now\d+, ){19}and 20 more\n/);
    expect(out).toMatch(/has their slot: (?:w\d+, ){20}and 19 more$/m);
  });

  test("--json is the library's answer", async () => {
    const { hits, terms, stats } = JSON.parse(
      (await sluice("search", at("full"), "school", "--k", "1", "--json")).out,
    );
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ id: "d1", document: { title: "Bauhaus" } });
    expect(terms[0]).toMatchObject({ term: "school", fate: "kept" });
    expect(stats).toMatchObject({ plan: "auto", exact: true });
  });

  test("--kernel takes a name, or auto, which prints the choice", async () => {
    const plain = await sluice("search", at("full"), "water gate");
    const { out, err } = await sluice("search", at("full"), "water gate", "--kernel", "auto");
    expect(err).toMatch(/^(wasm|webgpu): /);
    const hits = (text: string) => text.split("\n").filter((line) => /^ +\d+ /.test(line));
    expect(hits(out)).toEqual(hits(plain.out));
    expect((await sluice("search", at("full"), "water", "--kernel", "cuda")).err).toContain("--kernel");
  });

  test("two stages, exclusion", async () => {
    const two = JSON.parse(
      (await sluice("search", at("full"), "water gate", "--theta", "0.1", "--candidates", "2", "--json")).out,
    );
    expect(two.stats).toMatchObject({ plan: "pruned", allowedCount: 3 });
    const { out } = await sluice("search", at("full"), "water gate", "--exclude", "d2", "--exclude", "d3");
    expect(out).toContain("0 hits");
    const few = ["--theta", "99", "--k", "1", "--candidates", "1"];
    expect((await sluice("search", at("full"), "water", ...few)).out).toContain(
      "no weight of the query is above theta",
    );
  });

  test.each([
    ["auto", []],
    ["exact", []],
    ["pruned", ["--theta", "0.1"]],
    ["pruned", ["--mass", "0.9", "--candidates", "5"]],
    ["inner-product", ["--candidates", "5"]],
  ])("--plan %s %j is the plan that was asked for", async (plan, more) => {
    const { out } = await sluice("search", at("full"), "water gate", "--plan", plan, ...more, "--json");
    expect(JSON.parse(out).stats.plan).toBe(plan);
  });

  test("product codes: built with --quantize, searched with --plan quantized", async () => {
    const made = await sluice("index", at("codes"), "--beir", at("beir"), "--quantize", "8x8", ...BM25);
    expect(made.status).toBe(0);
    const { out } = await sluice("search", at("codes"), "water gate", "--plan", "quantized", "--json");
    expect(JSON.parse(out).stats).toMatchObject({ plan: "quantized", allowedCount: 3 });
    const wrong = await sluice(
      "index",
      at("wrong-codes"),
      "--beir",
      at("beir"),
      "--quantize",
      "many",
      ...BM25,
    );
    expect(wrong).toMatchObject({
      status: 2,
      err: expect.stringContaining("--quantize takes a number of parts"),
    });
    const both = await sluice("search", at("codes"), "water", "--plan", "quantized", "--theta", "1");
    expect(both).toMatchObject({
      status: 2,
      err: expect.stringContaining("--theta has no effect with the plan quantized"),
    });
  });

  test("an index is not overwritten by accident", async () => {
    const { status, err } = await sluice("index", at("full"), "--beir", at("beir"), ...BM25);
    expect({ status, err }).toMatchObject({ status: 2, err: expect.stringContaining("--overwrite") });
    const again = await sluice(
      "index",
      at("again"),
      "--beir",
      at("beir"),
      "--dims",
      "8",
      "--overwrite",
      "--json",
      ...BM25,
    );
    expect(JSON.parse(again.out)).toMatchObject({
      slicingSettings: { dims: 8, strategy: "spread" },
      densifyCounts: { docs: 3 },
    });
  });

  test("a bad line names file and line", async () => {
    writeFileSync(at("bad.jsonl"), '{"id": "1", "text": "x"}\n{"id": "1", "text": "y"}\n');
    expect((await sluice("index", at("bad"), "--jsonl", at("bad.jsonl"), ...BM25)).err).toContain(
      'the id "1" comes twice',
    );
    writeFileSync(at("bad.jsonl"), '{"id": "1", "text": "x"}\n{"id": "2", "te\n');
    expect((await sluice("index", at("bad"), "--jsonl", at("bad.jsonl"), ...BM25)).err).toContain(
      "bad.jsonl:2: not valid JSON",
    );
    writeFileSync(at("bad.jsonl"), '{"id": "1", "body": 3}\n');
    expect((await sluice("index", at("bad"), "--jsonl", at("bad.jsonl"), ...BM25)).err).toContain(
      'bad.jsonl:1: "body" is a number',
    );
    writeFileSync(at("bad.jsonl"), '{"id": "1", "word": "x"}\n');
    expect((await sluice("index", at("bad"), "--jsonl", at("bad.jsonl"), ...BM25)).err).toContain(
      'bad.jsonl:1: no "text"',
    );
  });

  test("id TAB text is read as well", async () => {
    writeFileSync(at("collection.tsv"), "7\tthe first passage\n8\tthe second passage\n");
    await sluice("index", at("tsv"), "--jsonl", at("collection.tsv"), ...BM25);
    expect((await sluice("search", at("tsv"), "second")).out).toContain("  8\n");
  });
});

test("explain adds up and says what is missing", async () => {
  const { out } = await sluice("explain", at("full"), "school of water zebra", "d1");
  expect(out).toMatch(/^d1 scores \d\.\d{4}\nBauhaus\n/);
  expect(out).toMatch(/school +\d\.\d{4} × \d\.\d{4} +\d\.\d{4} {2}█/);
  expect(out).toContain("water: not in the document");
  expect(out).toContain("zebra: in no document");
  const json = JSON.parse((await sluice("explain", at("full"), "school of water", "d1", "--json")).out);
  expect(json.matched[0].contribution).toBeCloseTo(json.score, 9);
  const like = JSON.parse((await sluice("explain", at("full"), "--like", "d1", "d1", "--json")).out);
  expect(like.matched.map(({ term }: { term: string }) => term)).toContain("school");
  expect((await sluice("explain", at("full"), "--like", "d1", "school", "d1")).err).toContain(
    "expected DIR and ID",
  );
  const query = '{"text": "school", "mustNot": ["zebra"]}';
  const parts = JSON.parse((await sluice("explain", at("full"), "--query", query, "d1", "--json")).out);
  expect(parts.matched.map(({ term }: { term: string }) => term)).toEqual(["school"]);
  const none = JSON.parse(
    (await sluice("search", at("full"), "--query", '{"text": "school", "mustNot": ["school"]}', "--json"))
      .out,
  );
  expect(none.hits).toEqual([]);
  expect((await sluice("search", at("full"), "school", "--query", query)).err).toContain(
    "expected QUERY or --query, not both",
  );
  expect((await sluice("search", at("full"), "--query", '{"txt": "school"}')).err).toContain("txt");
  expect((await sluice("search", at("full"), "--query", "school")).err).toContain("a query is JSON");
  expect((await sluice("explain-query", at("full"), "--query", query)).out).toContain("school");
  const wrong = await sluice("search", at("full"), "school", "--match", "some");
  expect(wrong.err).toContain('--match is one of any, all, not "some"');
  expect((await sluice("explain", at("full"), "school", "d9")).err).toContain('no document has the id "d9"');
});

describe("run and eval", () => {
  test("a BEIR folder becomes metrics, and two runs are compared", async () => {
    const one = await sluice(
      "run",
      at("full"),
      "--beir",
      at("beir"),
      "--split",
      "test",
      "--depth",
      "1000",
      "--out",
      at("one.trec"),
    );
    expect(one.out).toContain("for 2 queries, auto");
    const { out } = await sluice("eval", at("one.trec"), "--beir", at("beir"), "--split", "test");
    expect(out).toMatch(/one\.trec \| +1\.0000 \| +1\.0000/);
    await sluice("run", at("full"), "--beir", at("beir"), "--exclude-self", "--out", at("two.trec"));
    expect(readFileSync(at("two.trec"), "utf8")).not.toMatch(/^d2 Q0 d2 /m);
    const compared = await sluice(
      "eval",
      at("one.trec"),
      "--beir",
      at("beir"),
      "--against",
      at("two.trec"),
      "--metrics",
      "mrr@10",
      "--json",
    );
    const [, other] = JSON.parse(compared.out);
    expect(other.against[0]).toMatchObject({ metric: "mrr@10", mean: 0.5, percent: -50 });
    const table = await sluice(
      "eval",
      at("one.trec"),
      "--beir",
      at("beir"),
      "--against",
      at("two.trec"),
      "--per-query",
    );
    expect(table.out).toContain("against one.trec");
    expect(table.out).toContain("| d2 ");
  });

  test("a missing split says which there are", async () => {
    const { status, err } = await sluice(
      "run",
      at("full"),
      "--beir",
      at("beir"),
      "--split",
      "dev",
      "--out",
      at("x.trec"),
    );
    expect({ status, err }).toMatchObject({ status: 2, err: expect.stringContaining("there are: test") });
  });

  test("missing queries and queries without judgments are counted", async () => {
    writeFileSync(at("partial.trec"), "q1 Q0 d1 1 2.0 x\nq9 Q0 d1 1 2.0 x\n");
    const { out } = await sluice("eval", at("partial.trec"), "--beir", at("beir"), "--metrics", "success@1");
    expect(out).toContain("0.5000");
    expect(out).toContain(
      "1 of 2 judged queries are not in the run and count as 0; 1 queries of the run have no judgments",
    );
    expect(
      (
        await sluice(
          "eval",
          at("partial.trec"),
          "--beir",
          at("beir"),
          "--metrics",
          "success@1",
          "--skip-missing",
        )
      ).out,
    ).toContain("1.0000");
  });

  test("MS MARCO queries in, MS MARCO run out", async () => {
    writeFileSync(at("queries.tsv"), "q1\twhere is the school\n");
    await sluice(
      "run",
      at("full"),
      "--queries",
      at("queries.tsv"),
      "--format",
      "msmarco",
      "--out",
      at("run.tsv"),
    );
    expect(readFileSync(at("run.tsv"), "utf8")).toMatch(/^q1\td1\t1\n/);
  });
});

describe("densify, revert, and weights all the way", () => {
  beforeAll(async () => {
    mkdirSync(at("vectors"));
    writeFileSync(at("vectors", "b.jsonl"), '{"id": "v2", "vector": {"gate": 3, "##s": 1}}\n');
    writeFileSync(
      at("vectors", "a.json"),
      '{"id": "v1", "contents": "a gate", "vector": {"gate": 1, "water": 2.5}}\n',
    );
    writeFileSync(at("vocab.txt"), ["[PAD]", "[UNK]", "gate", "water", "##s", "unused"].join("\n"));
    writeFileSync(at("topics.tsv"), "t1\tgate gate water\nt2\tmystery\n");
    const analyzer = ["--analyzer", `wordpiece:${at("vocab.txt")}`];
    const built = await sluice(
      "index",
      at("weights"),
      "--lexical",
      `weights:${at("vectors")}`,
      ...analyzer,
      "--dims",
      "2",
      "--slicing-strategy",
      "stride",
    );
    expect(built).toMatchObject({ status: 0, err: "" });
  });

  test("an index of vectors answers text and weighted queries", async () => {
    expect((await sluice("search", at("weights"), "gates")).out).toContain("v2");
    await sluice(
      "run",
      at("weights"),
      "--queries",
      at("topics.tsv"),
      "--weighted",
      "--out",
      at("weights.trec"),
    );
    expect(readFileSync(at("weights.trec"), "utf8").split("\n")[0]).toMatch(/^t1 Q0 v\d 1 /);
  });

  test("densified queries run against the index of --slicing-of, and no other", async () => {
    const { out } = await sluice(
      "densify",
      at("topics.tsv"),
      at("topics.sluice"),
      "--slicing-of",
      at("weights"),
    );
    expect(out).toContain("2 rows of 2 dims");
    expect(out).toContain("1 unknown");
    const reverted = await sluice("revert", at("topics.sluice"), "--json");
    expect(
      reverted.out
        .split("\n")
        .slice(0, 2)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { id: "t1", vector: expect.any(Object) },
      { id: "t2", vector: {} },
    ]);
    expect(
      (await sluice("run", at("weights"), "--queries", at("topics.sluice"), "--out", at("d.trec"))).status,
    ).toBe(0);
    const other = await sluice("run", at("full"), "--queries", at("topics.sluice"), "--out", at("d.trec"));
    expect(other).toMatchObject({ status: 2, err: expect.stringContaining("densified with other settings") });
  });

  test("densify without an index: its own vocabulary, full, scaled; revert shows it, cut by θ", async () => {
    await sluice("densify", at("vectors"), at("vectors.sluice"), "--dims", "full", "--weight-scale", "2");
    const again = await sluice("densify", at("vectors"), at("vectors.sluice"));
    expect(again).toMatchObject({ status: 2, err: expect.stringContaining("--overwrite replaces it") });
    expect((await sluice("revert", at("vectors.sluice"))).out).toBe(
      "v1\twater 5, gate 2\nv2\tgate 6, ##s 2\n",
    );
    expect((await sluice("revert", at("vectors.sluice"), "--terms", "-1")).err).toContain(
      "--terms takes a whole number of at least 1, not -1",
    );
    expect((await sluice("revert", at("vectors.sluice"), "v1", "--theta", "2")).out).toBe("v1\twater 5\n");
    expect((await sluice("revert", at("vectors.sluice"), "v9")).status).toBe(2);
  });

  test("tokens given as ids need a vocabulary", async () => {
    writeFileSync(at("ids.jsonl"), '{"id": "v1", "vector": {"2": 1}}\n');
    expect((await sluice("densify", at("ids.jsonl"), at("ids.sluice"), "--token-ids")).err).toContain(
      "needs a vocabulary",
    );
    await sluice(
      "densify",
      at("ids.jsonl"),
      at("ids.sluice"),
      "--token-ids",
      "--analyzer",
      `wordpiece:${at("vocab.txt")}`,
      "--slicing-strategy",
      "stride",
      "--dims",
      "3",
    );
    expect((await sluice("revert", at("ids.sluice"))).out).toBe("v1\tgate 1\n");
  });
});

test("info describes an index", async () => {
  const { out } = await sluice("info", at("full"));
  expect(out).toMatch(/documents +3\n/);
  expect(out).toContain("BM25, k1 0.9, b 0.4");
  expect(JSON.parse((await sluice("info", at("full"), "--json")).out)).toMatchObject({
    docs: 3,
    slicingSettings: { strategy: "full" },
  });
});

test("a damaged index prints one line and exits with 2", async () => {
  await sluice("index", at("damaged"), "--beir", at("beir"), ...BM25);
  const [name] = readdirSync(at("damaged", "segments"));
  const file = at("damaged", "segments", name);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 10));
  const { status, err } = await sluice("search", at("damaged"), "school");
  expect(status).toBe(2);
  expect(err).toContain(`${name}: the file is damaged`);
  const verified = await sluice("verify", at("damaged"));
  expect(verified).toMatchObject({
    status: 2,
    out: expect.stringContaining(`${name}: the file is damaged`),
  });
});

describe("an index that changes", () => {
  const write = (name: string, documents: object[]) =>
    writeFileSync(at(name), documents.map((document) => `${JSON.stringify(document)}\n`).join(""));
  const ids = async (...argv: string[]) =>
    JSON.parse((await sluice("search", at("live"), ...argv, "--json")).out).hits.map((hit: Hit) => hit.id);

  beforeAll(async () => {
    write("first.jsonl", [
      { id: "a", text: "water of the river", year: 1919 },
      { id: "b", text: "water of the lock", year: 1933 },
    ]);
    expect(await sluice("index", at("live"), "--jsonl", at("first.jsonl"), ...BM25)).toMatchObject({
      status: 0,
      err: "",
    });
  });

  test("export-web writes what a page can open, and refuses what it should", async () => {
    const out = at("site", "index");
    const { status, out: told } = await sluice("export-web", at("full"), out);
    expect(status).toBe(0);
    expect(told).toMatch(/index: 3 documents in \d+ files, [\d.]+ [KM]?i?B, in /);
    expect(readFileSync(join(out, "manifest.json"), "utf8")).toMatch(/^\{"format":"sluice-web","version":4,/);
    const again = await sluice("export-web", at("full"), out, "--keep-fields", "title, text", "--json");
    expect(JSON.parse(again.out)).toMatchObject({ folder: out, docs: 3 });
    for (const [argv, reason] of [
      [[at("full"), at("beir")], "holds something else, which would be lost"],
      [
        [at("full"), out, "--keep-fields", "title,,text"],
        "--keep-fields takes all, none, or names of fields",
      ],
      [[at("full"), out, "--keep-fields", "titel"], 'no document has a field "titel"'],
      [[at("nowhere"), out], "there is no index"],
      [[at("full")], "expected DIR and OUT"],
    ] as const) {
      const { status, err } = await sluice("export-web", ...argv);
      expect(err).toContain(reason);
      expect(status).toBe(2);
    }
  });

  test("list and delete by filter", async () => {
    writeFileSync(
      at("years.jsonl"),
      [1, 2, 3, 4, 5].map((year) => JSON.stringify({ id: `y${year}`, text: "lock", year })).join("\n"),
    );
    await sluice("index", at("years"), at("years.jsonl"), ...BM25);
    const filter = ["--filter", '{"year": {"gt": 1}}'];
    expect(await sluice("list", at("years"), ...filter, "--limit", "2", "--fields", "year")).toEqual({
      status: 0,
      out: '{"id":"y2","year":2}\n{"id":"y3","year":3}\n',
      err: "2 of 4 documents; list on with --after 3\n",
    });
    const rest = await sluice("list", at("years"), ...filter, "--after", "3", "--json");
    expect(JSON.parse(rest.out)).toMatchObject({ documents: [{ id: "y4" }, { id: "y5" }], total: 4 });
    expect((await sluice("list", at("years"), ...filter, "--limit", "0")).out).toBe("4 documents\n");
    const all = await sluice("list", at("years"), "--all");
    expect(
      all.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([1, 2, 3, 4, 5].map((year) => ({ id: `y${year}`, text: "lock", year })));
    expect((await sluice("list", at("years"), "--all", "--limit", "2")).err).toContain(
      "no effect with --all",
    );
    expect((await sluice("list", at("years"), "--filter", "{")).err).toContain("a filter is JSON");
    expect((await sluice("delete", at("years"), "y1", ...filter)).err).toContain("--filter JSON");
    expect((await sluice("delete", at("years"), ...filter, "--with-passages")).err).toContain(
      "with --filter",
    );
    expect((await sluice("delete", at("years"), ...filter)).out).toContain("4 documents deleted, 1 left");
    expect((await sluice("delete", at("years"), "--filter", "{}", "--json")).out).toMatch(
      /"deleted":1,"docs":0/,
    );
  });

  test("get prints documents, all or none", async () => {
    write("got.jsonl", [
      { id: "y1", text: "lock", year: 1 },
      { id: "y 2", text: "weir", year: 2, tags: ["a"] },
    ]);
    await sluice("index", at("got"), at("got.jsonl"), ...BM25);
    expect(await sluice("get", at("got"), "y 2", "y1")).toEqual({
      status: 0,
      out: '{"id":"y 2","year":2,"tags":["a"],"text":"weir"}\n{"id":"y1","year":1,"text":"lock"}\n',
      err: "",
    });
    expect((await sluice("get", at("got"), "y1", "--fields", "year,size")).out).toBe(
      '{"id":"y1","year":1}\n',
    );
    expect(JSON.parse((await sluice("get", at("got"), "y1", "--fields", "year", "--json")).out)).toEqual({
      documents: [{ id: "y1", document: { year: 1 } }],
    });
    expect(await sluice("get", at("got"), "y1", "no", "none")).toEqual({
      status: 2,
      out: "",
      err: 'sluice: no document has the ids "no", "none"\n',
    });
    expect((await sluice("get", at("got"))).err).toContain("expected DIR and ID");
  });

  test("an id that only passages have: get and delete say so, and --passages prints them", async () => {
    writeFileSync(at("long.md"), `# Lock\n\n${"A chamber with two gates. ".repeat(60)}`);
    expect((await sluice("index", at("cut"), at("long.md"), "--encoder", "none")).status).toBe(0);
    const [first] = (await sluice("list", at("cut"))).out.trim().split("\n");
    const { passage } = JSON.parse(first);
    const { err } = await sluice("get", at("cut"), passage.of);
    expect(err).toMatch(
      /no document has the id .*\n {2}".*" was cut into 2 passages: --passages prints them/,
    );
    const printed = await sluice("get", at("cut"), passage.of, "--passages");
    expect(printed.out.trim().split("\n")).toHaveLength(2);
    const gone = await sluice("delete", at("cut"), passage.of);
    expect(gone.err).toContain("was cut into 2 passages: --with-passages deletes them");
    expect((await sluice("get", at("cut"), "never", "--passages")).err).toContain(
      'no document has the id "never"',
    );
    expect((await sluice("fields", at("got"))).out).toBe(
      "year  2 documents; 1 to 2\ntags  1 document; a (1)\n",
    );
    expect(JSON.parse((await sluice("fields", at("got"), "--json")).out).fields[0]).toEqual({
      name: "year",
      docs: 2,
      range: { min: 1, max: 2 },
    });
    const explained = await sluice("explain-query", at("got"), "lock unheard");
    expect(explained).toMatchObject({ status: 0, err: "" });
    expect(explained.out).toMatch(
      /^lock +0\.\d+ +kept\nunheard +0\.0000 +unknown\nthe first stage uses 1 of 1 slots/,
    );
    const json = await sluice("explain-query", at("got"), "lock", "--theta", "9", "--json");
    expect(JSON.parse(json.out).terms).toMatchObject([{ term: "lock", fate: "kept", selected: false }]);
  });

  test("drop asks on a terminal, and needs --yes elsewhere", async () => {
    write("gone.jsonl", [{ id: "a", text: "water" }]);
    await sluice("index", at("gone"), at("gone.jsonl"), ...BM25);
    const drop = (input: string) => commandLine(["drop", at("gone")], { isInputTty: true, input });
    expect(await sluice("drop", at("gone"))).toMatchObject({
      status: 2,
      err: expect.stringContaining("give --yes"),
    });
    for (const input of ["\n", "", "no\n", "yesterday\n"]) {
      expect(await drop(input)).toMatchObject({
        status: 130,
        err: expect.stringContaining("was not dropped"),
      });
      expect(existsSync(at("gone"))).toBe(true);
    }
    expect(await drop("Yes\n")).toMatchObject({ status: 0, out: `${at("gone")}: dropped\n` });
    expect(existsSync(at("gone"))).toBe(false);
    for (const argv of [
      ["drop", at("gone"), "--yes"],
      ["drop", at("gone")],
    ])
      expect(await sluice(...argv)).toMatchObject({
        status: 2,
        err: expect.stringContaining("there is no index"),
      });
    await sluice("index", at("gone"), at("gone.jsonl"), ...BM25);
    expect((await sluice("drop", at("gone"), "--yes", "--json")).out).toContain('"dropped":true');
  });

  test("add, upsert, delete, merge, verify, info", async () => {
    write("more.jsonl", [{ id: "c", text: "water of the sluice", year: 1950 }]);
    expect((await sluice("add", at("live"), "--jsonl", at("more.jsonl"))).out).toMatch(
      /1 document added in .*, 3 in all\n$/,
    );
    expect(await ids("water")).toEqual(["a", "b", "c"]);
    const again = await sluice("add", at("live"), "--jsonl", at("more.jsonl"));
    expect(again).toMatchObject({
      status: 2,
      err: expect.stringContaining('the id "c" is in the index already'),
    });
    write("changed.jsonl", [{ id: "a", text: "water of the sea", year: 2000 }]);
    expect((await sluice("add", at("live"), "--jsonl", at("changed.jsonl"), "--upsert")).status).toBe(0);
    expect(await ids("water")).toEqual(["b", "c", "a"]);
    expect(await ids("river")).toEqual([]);
    expect((await sluice("delete", at("live"), "b", "nowhere")).out).toContain(
      "1 of 2 documents deleted, 2 left",
    );
    writeFileSync(at("gone.txt"), "nobody\n");
    expect((await sluice("delete", at("live"), "--ids", at("gone.txt"), "--json")).out).toContain(
      '"deleted":0',
    );
    expect(await ids("water")).toEqual(["c", "a"]);
    expect((await sluice("info", at("live"))).out).toMatch(/segments +3, 1 deleted|segments +2/);
    expect((await sluice("optimize", at("live"))).out).toMatch(/segments became 1, 2 documents/);
    expect((await sluice("verify", at("live"))).out).toContain("no problems; 2 documents in 1 segment");
    expect(JSON.parse((await sluice("info", at("live"), "--json")).out)).toMatchObject({
      docs: 2,
      segments: [{ docs: 2, deleted: 0 }],
    });
  });

  test("filters and pages", async () => {
    expect(await ids("water", "--filter", '{"year": {"gte": 1960}}')).toEqual(["a"]);
    expect(await ids("water", "--k", "1", "--offset", "1")).toEqual(["a"]);
    expect((await sluice("search", at("live"), "water", "--filter", "{year}")).err).toContain(
      "--filter: not valid JSON",
    );
    expect((await sluice("search", at("live"), "water", "--filter", '{"year": {"below": 3}}')).status).toBe(
      2,
    );
  });

  test("with --commit-every, an error or Ctrl-C keeps what was committed", async () => {
    const documents = Array.from({ length: 5 }, (_, i) => ({ id: `s${i}`, text: "step by step" }));
    write("steps.jsonl", [...documents, { id: "s0", text: "again" }]);
    const flags = ["--jsonl", at("steps.jsonl"), "--commit-every", "2"];
    const failed = await sluice("index", at("steps"), ...flags, ...BM25);
    expect(failed).toMatchObject({
      status: 2,
      err: expect.stringContaining('the id "s0" is in the index already'),
    });
    expect(JSON.parse((await sluice("info", at("steps"), "--json")).out).docs).toBe(4);

    write("few.jsonl", documents.slice(0, 2));
    const interrupted = sluice("add", at("steps"), "--jsonl", at("few.jsonl"), "--upsert");
    const signal = setInterval(() => process.emit("SIGINT"), 1);
    expect(await interrupted.finally(() => clearInterval(signal))).toMatchObject({
      status: 130,
      err:
        "sluice: stopping…; what is not committed is dropped (Ctrl-C again ends at once)\n" +
        "sluice: interrupted; 4 documents are committed\n",
    });
  });

  test.each([
    [["add", join(tmpdir(), "no-such-index"), "--jsonl", "a"], "there is no index"],
    [["delete", "x"], "either ID..., --ids FILE or --filter JSON"],
    [["optimize", join(tmpdir(), "no-such-index")], "there is no index"],
    [["verify", join(tmpdir(), "no-such-index")], "there is no index"],
    [["info", join(tmpdir(), "no-such-index")], "there is no index"],
  ])("%j is refused", async (argv, message) => {
    expect(await sluice(...argv)).toMatchObject({ status: 2, err: expect.stringContaining(message) });
  });
});

describe("both parts in one index", () => {
  const pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "school", "gate", "art"];
  const states = pieces.map((_, id) => [id === 4 || id === 6 ? 1 : 0, id === 5 || id === 7 ? 1 : 0, 0.1]);
  const model = () => ["--encoder", at("model"), "--keep", at("kept")];

  beforeAll(async () => {
    const description = {
      kind: "dense",
      pooling: "mean",
      normalize: true,
      maxLength: { query: 16, passage: 32 },
    };
    writeModel(at("model"), { states }, pieces, description);
    writeFileSync(at("beir", "qrels", "train.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\t1\nd2\td2\t1\n");
    const built = await sluice("index", at("hybrid"), "--beir", at("beir"), ...model(), "--lambda", "0.5");
    expect(built).toMatchObject({ status: 0, err: "" });
  });

  test("an encoder is remembered, and used for queries", async () => {
    const { hits } = JSON.parse((await sluice("search", at("hybrid"), "school", "--json")).out);
    expect(hits).toHaveLength(3);
    expect(hits[0]).toMatchObject({ id: "d1" });
    expect(hits[0].semantic).toBeGreaterThan(0);
    expect((await sluice("info", at("hybrid"))).out).toMatch(/semantic part +3 dims, λ 0.5/);
    const { out } = await sluice("explain", at("hybrid"), "school", "d1");
    expect(out).toContain("semantic");
    const asked = await sluice("explain", at("hybrid"), "school", "d1", "--theta", "9");
    expect(asked).toMatchObject({ status: 2, err: expect.stringContaining("--theta") });
    expect((await sluice("explain-query", at("hybrid"), "school", "--theta", "9")).out).toContain(
      "leaves it out",
    );
    await sluice("explain", at("hybrid"), "school", "d1", "--html", at("why.html"));
    expect(readFileSync(at("why.html"), "utf8")).toContain("Content-Security-Policy");
  });

  test("--keep takes the encoder of the index", async () => {
    writeFileSync(at("kept.jsonl"), '{"id": "kept", "text": "water gate"}\n');
    await sluice("index", at("keeping"), "--beir", at("beir"), ...model());
    const add = ["add", at("keeping"), at("kept.jsonl"), "--keep", at("kept more")];
    expect(await sluice(...add)).toMatchObject({ status: 0, err: "" });
    expect(existsSync(at("kept more"))).toBe(true);
    expect(await sluice(...add, "--upsert")).toMatchObject({ status: 0, err: "" });
    const refused = async (...argv: string[]) => (await sluice(...argv)).err;
    const first = ["index", at("first"), at("kept.jsonl"), "--keep", at("x")];
    expect(await refused(...first)).toContain("without --encoder: the static encoder is fast enough");
    expect(await refused(...first, ...BM25)).toContain("--keep has no effect without an encoder");
    expect(existsSync(at("first"))).toBe(false);
    expect(await refused("add", at("full"), at("kept.jsonl"), "--keep", at("x"))).toContain(
      "--keep has no effect without an encoder",
    );
    expect(await refused(...add, "--encoder-threads", "2")).toContain(
      "--encoder-threads has no effect without --encoder",
    );
  });

  test("--keep encodes each text once, whatever is beside it, and passages, too", async () => {
    const kept = at("kept passages");
    const bytes = () => readFileSync(join(kept, "documents.encodings")).length;
    const write = (...records: [id: string, text: string][]) =>
      writeFileSync(at("long.jsonl"), records.map(([id, text]) => JSON.stringify({ id, text })).join("\n"));
    const build = async (model: string) => {
      const flags = ["--passages", "--encoder", model, "--keep", kept, "--overwrite"];
      const { status, err } = await sluice("index", at("long"), at("long.jsonl"), ...flags);
      expect(status).toBe(0);
      const { out } = await sluice("list", at("long"), "--fields", "text", "--json");
      return { err, ids: JSON.parse(out).documents.map(({ id }: { id: string }) => id) };
    };
    write(["a", "# One\n\nwater\n\n# Two\n\ngate"], ["b", "school"]);
    const built = { err: "", ids: ["a#1", "a#2", "b#1"] };
    expect(await build(at("model"))).toEqual(built);
    const before = bytes();
    expect(await build(at("model"))).toEqual(built);
    expect(bytes()).toBe(before);
    write(["c", "art"], ["a", "# One\n\nwater\n\n# Two\n\ngate"], ["b", "school"]);
    expect((await build(at("model"))).ids).toHaveLength(4);
    expect(bytes()).toBeGreaterThan(before);
    expect(bytes()).toBeLessThan(before * 1.5);
    writeModel(at("other model"), { states: states.toReversed() }, pieces, {
      ...{ kind: "dense", pooling: "mean", normalize: true, maxLength: { query: 16, passage: 32 } },
    });
    expect((await build(at("other model"))).err).toContain("held encodings of another model");
  });

  test("λ is set without queries", async () => {
    const lambdaOf = async () => JSON.parse((await sluice("info", at("hybrid"), "--json")).out).lambda;
    const before = await lambdaOf();
    expect(await sluice("tune", at("hybrid"), "--lambda", "7.5")).toMatchObject({
      ...{ status: 0, out: "λ = 7.5, saved\n" },
    });
    expect(await lambdaOf()).toBe(7.5);
    const back = await sluice("tune", at("hybrid"), "--lambda", String(before), "--json");
    expect(JSON.parse(back.out)).toEqual({ lambda: before, saved: true });
    expect((await sluice("tune", at("hybrid"), "--lambda=-1")).err).toContain("from 0 to 1000000");
    for (const flags of [["--dry-run"], ["--beir", at("beir")]])
      expect((await sluice("tune", at("hybrid"), "--lambda", "1", ...flags)).err).toContain(
        `${flags[0]} has no effect with --lambda`,
      );
    expect((await sluice("tune", at("none"), "--lambda", "1")).status).toBe(2);
    expect((await sluice("tune", at("hybrid"))).err).toContain("give --beir FOLDER, or --lambda X");
  });

  test("λ is tuned on train, saved, and never on test", async () => {
    const tuned = JSON.parse((await sluice("tune", at("hybrid"), "--beir", at("beir"), "--json")).out);
    expect(tuned).toMatchObject({ metric: "ndcg@10", queries: 2, saved: true, value: 1 });
    expect(JSON.parse((await sluice("info", at("hybrid"), "--json")).out).lambda).toBe(tuned.lambda);
    expect((await sluice("tune", at("hybrid"), "--beir", at("beir"))).out).toContain("2 queries, saved");
    const test = await sluice("tune", at("hybrid"), "--beir", at("beir"), "--split", "test");
    expect(test).toMatchObject({ status: 2, err: expect.stringContaining("must not be tuned on test") });
    expect((await sluice("tune", at("full"), "--beir", at("beir"))).err).toContain("no semantic part");
  });

  test("vectors from a file, for documents and for queries", async () => {
    const line = (id: string, vector: number[]) => `${JSON.stringify({ id, vector })}\n`;
    writeFileSync(at("docs.jsonl"), line("d1", [1, 0]) + line("d2", [0, 1]) + line("d3", [0, 1]));
    writeFileSync(at("asked.jsonl"), line("q1", [1, 0]) + line("d2", [0, 1]));
    await sluice("index", at("given"), "--beir", at("beir"), "--vectors", at("docs.jsonl"));
    const bare = await sluice("search", at("given"), "school");
    expect(bare).toMatchObject({ status: 0, err: expect.stringContaining("sluice: answered by words only") });
    expect(bare.err).toContain("--lambda 0 says that words are enough");
    const words = await sluice("search", at("given"), "school", "--lambda", "0", "--json");
    expect(words.err).toBe("");
    expect(JSON.parse(words.out).hits.map(({ id }: { id: string }) => id)).toEqual(["d1"]);
    const why = await sluice("explain", at("given"), "school", "d1");
    expect(why.err).toContain("answered by words only");
    const texts = ["run", at("given"), "--beir", at("beir"), "--out", at("words.trec")];
    expect((await sluice(...texts)).err.match(/words only/g)).toHaveLength(1);
    const blind = await sluice("tune", at("given"), "--beir", at("beir"));
    expect(blind).toMatchObject({ status: 2, err: expect.stringContaining("the query has no vector") });
    const ran = [
      "run",
      at("given"),
      "--beir",
      at("beir"),
      "--query-vectors",
      at("asked.jsonl"),
      "--out",
      at("given.trec"),
    ];
    expect((await sluice(...ran)).out).toContain("6 hits for 2 queries");
    writeFileSync(at("few.jsonl"), line("d1", [1, 0]));
    const few = await sluice("index", at("few"), "--beir", at("beir"), "--vectors", at("few.jsonl"));
    expect(few.err).toContain('no vector for the document "d2"');
  });

  test("λ is recorded without vectors, as by open: documents that bring some may come later", async () => {
    expect(await sluice("index", at("later"), "--beir", at("beir"), "--lambda", "3", ...BM25)).toMatchObject({
      err: "",
    });
    expect(JSON.parse((await sluice("info", at("later"), "--json")).out)).toMatchObject({ lambda: 3 });
  });

  test("flags that would have no effect are refused", async () => {
    const refused = async (...argv: string[]) => (await sluice(...argv)).err;
    expect(
      await refused("index", at("idle"), "--beir", at("beir"), "--encoder-threads", "3", ...BM25),
    ).toContain("--encoder-threads has no effect");
    expect(await refused("tune", at("hybrid"), "--beir", at("beir"), "--max-queries", "0")).toContain(
      "--max-queries takes a whole number",
    );
    expect(await refused("search", at("full"), "x", "--semantic-selection", "all")).toContain(
      "--semantic-selection has no effect",
    );
    expect(await refused("fuse", "a", "b", "--method", "rrf", "--alpha", "1", "--out", "c")).toContain(
      "--alpha has no effect",
    );
    const vectors = ["--vectors", at("docs.jsonl"), "--query-vectors", at("asked.jsonl")];
    const two = ["--beir", at("beir"), "--beir", at("beir")];
    expect(await refused("experiment", "fusion", ...two, ...vectors, "--out", at("x"))).toContain(
      "one collection",
    );
    expect(await refused("explain", at("full"), "school", "d1", "--html", "/dev/null/x.html")).toContain(
      "x.html",
    );
  });

  test("an encoder that moved can be given again", async () => {
    const { out } = await sluice(
      "search",
      at("hybrid"),
      "school",
      "--encoder",
      at("model"),
      "--theta",
      "0.1",
      "--semantic-selection",
      "all",
    );
    expect(out).toContain("pruned");
  });

  test("fuse combines two runs", async () => {
    await sluice("run", at("full"), "--beir", at("beir"), "--out", at("words.trec"));
    await sluice("run", at("hybrid"), "--beir", at("beir"), "--out", at("both.trec"));
    const { out } = await sluice(
      "fuse",
      at("words.trec"),
      at("both.trec"),
      "--method",
      "rrf",
      "--out",
      at("fused.trec"),
    );
    expect(out).toContain("2 queries, rrf");
    expect((await sluice("eval", at("fused.trec"), "--beir", at("beir"))).status).toBe(0);
  });

  test("an experiment prints its tables and writes three reports", async () => {
    const { status, out } = await sluice(
      "experiment",
      "fusion",
      "--beir",
      at("beir"),
      ...model(),
      "--out",
      at("reports"),
    );
    expect(status).toBe(0);
    expect(out).toContain("DHR 768");
    expect(readFileSync(at("reports", "fusion.html"), "utf8")).toContain("<table");
    expect(JSON.parse(readFileSync(at("reports", "fusion.json"), "utf8"))).toMatchObject({ name: "fusion" });
    const missing = await sluice("experiment", "fusion", "--beir", at("beir"), "--out", at("reports"));
    expect(missing).toMatchObject({ status: 2, err: expect.stringContaining("needs vectors of beir") });
    expect((await sluice("experiment", "magic", "--beir", "x", "--out", "y")).err).toContain(
      "the experiments are densify-quality",
    );
  });
});

test("backup and restore: a copy of an index, and an index of the copy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-backup-"));
  const [index, copy, again] = ["index", "copy", "again"].map((name) => join(folder, name));
  const documents = '{"id":"1","text":"a gate"}\n{"id":"2","text":"a lock"}\n';
  await commandLine(["index", index, "-", "--encoder", "none"], { input: documents });
  const backup = await commandLine(["backup", index, copy, "--json"]);
  expect(JSON.parse(backup.out)).toMatchObject({ docs: 2, segments: 1, copied: 1 });
  expect((await commandLine(["backup", index, copy])).out).toMatch(/2 documents in 1 segment, 0 copied/);
  expect((await commandLine(["restore", copy, again])).out).toMatch(/2 documents in 1 segment/);
  const refused = await commandLine(["restore", copy, again]);
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining("--overwrite")]);
  expect((await commandLine(["restore", copy, again, "--overwrite"])).status).toBe(0);
  expect((await commandLine(["search", again, "gate"])).out).toContain("a gate");
  rmSync(folder, { recursive: true });
});

test("repair: a damaged index, a new one of what is whole, and a list of the rest", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-repair-"));
  const [index, again] = ["index", "again"].map((name) => join(folder, name));
  const documents = '{"id":"1","text":"a gate","vector":[1]}\n{"id":"2","text":"a lock","vector":[2]}\n';
  await commandLine(["index", index, "-", "--encoder", "none"], { input: documents });
  rmSync(join(index, "segments"), { recursive: true });
  const { out, status } = await commandLine(["repair", index, again]);
  expect(status).toBe(0);
  expect(out).toContain("incomplete: 1: without its vector\n");
  expect(out).toContain(`${again}: 2 documents saved, 0 of them encoded again; 0 lost\n`);
  const refused = await commandLine(["repair", index, again]);
  expect([refused.status, refused.err]).toEqual([2, expect.stringContaining("--overwrite")]);
  const { out: json } = await commandLine(["repair", index, again, "--overwrite", "--json"]);
  expect(JSON.parse(json)).toMatchObject({ docs: 2, hasSettings: true, lost: [] });
  expect((await commandLine(["verify", again])).out).toContain("no problems");
  rmSync(folder, { recursive: true });
});
