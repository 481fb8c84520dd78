// Measures an index on an OpenSearch cluster beside one in a folder: documents in, searches out, bytes. Nodes run on this
// machine, so several nodes share its cores: what a cluster gains by more machines is not seen here.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Plan, type Query, Sluice } from "../src/index.ts";
import { formatTable } from "../src/lab/index.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { reasonForNoCluster, TestCluster } from "../test/helpers/test-cluster.ts";
import type { Bench } from "./support/bench.ts";
import { printProgress } from "./support/progress.ts";

const DIMS = 384;
const VOCABULARY = 200_000;
const WORDS = 75;
const QUERY_WORDS = 4;
const TOPICS = 1000;
/** How many words belong to a topic, and the share of a text's words that are drawn from its topic. */
const TOPIC_WORDS = 100;
const TOPIC_SHARE = 0.3;
const LAMBDA = 20;
/** How long a cluster may be busy, in ms: several nodes share the cores of this machine, and merge for minutes. */
const CLUSTER = { patienceMs: 600_000 };
const FEW = 10;
const MANY = 1000;

const OPTIONS = {
  docs: { type: "string", default: "100000" },
  nodes: { type: "string", default: "1,3" },
  queries: { type: "string", default: "50" },
} as const;

const CASES: readonly (readonly [name: string, lambda: number, plan: Plan])[] = [
  ["words", 0, { kind: "exact" }],
  ["words and vectors, exact", LAMBDA, { kind: "exact" }],
  ["words and vectors, pruned", LAMBDA, { kind: "pruned", mass: 0.9, candidates: 1000 }],
];

export const cluster: Bench & { readonly flags: string } = {
  name: "cluster",
  flags: "[--docs N] [--nodes 1,3] [--queries N]",
  about:
    `An index on an OpenSearch cluster beside one in a folder: --docs made-up passages (100,000; several numbers with commas) of ${WORDS} ` +
    `words by Zipf's law, ${TOPIC_SHARE * 100} % of them from the ${TOPIC_WORDS} words of one of ${TOPICS} topics, with vectors of ${DIMS} dims around that ` +
    `topic, λ ${LAMBDA}; --queries queries (50) of ${QUERY_WORDS} words and a vector, made in the same way, one at a time, top ${FEW} and ` +
    `${MANY}, median ms. Agreement is the share of the folder's exact hits that are found. All nodes are on this machine. Encoding is ` +
    "left out. Needs SLUICE_OPENSEARCH=1, mvn and a JDK 17.",

  async run(print, args) {
    const { values: flags } = parseArgs({ args: [...args], options: OPTIONS });
    const reason = reasonForNoCluster();
    if (reason) throw new Error(reason);
    const count = Number(flags.queries);
    for (const docs of flags.docs.split(",").map(Number))
      await measureSize(docs, count, flags.nodes.split(",").map(Number), print);
  },
};

async function measureSize(
  docs: number,
  count: number,
  nodeCounts: readonly number[],
  print: (text: string) => void,
): Promise<void> {
  const made = new MadeUp(1);
  const queries = Array.from({ length: count }, () => made.query());
  const root = mkdtempSync(join(tmpdir(), "sluice-bench-cluster-"));
  const folder = await Sluice.open(join(root, "index"), { encoder: "none", lambda: LAMBDA });
  try {
    const seconds = await fill(folder, docs);
    const reference = await searchExactly(folder, queries);
    const bytes = folder.info().diskBytes!;
    print(`\n## ${docs.toLocaleString("en-US")} documents\n`);
    print(
      `A folder takes ${perSecond(docs, seconds)} documents/s and ${Math.round(bytes / docs)} bytes a document.\n`,
    );
    const rows = await searchAll("folder", folder, queries, reference);
    for (const nodes of nodeCounts)
      rows.push(...(await measureOnCluster(nodes, docs, folder, queries, reference, print)));
    const heads = [
      "",
      "search",
      `top ${FEW}, ms`,
      "agreement",
      `top ${MANY}, ms`,
      "agreement",
      "proved exact",
    ];
    print(`\n${formatTable(heads, rows)}`);
  } finally {
    await folder.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measureOnCluster(
  nodes: number,
  docs: number,
  folder: Sluice,
  queries: readonly Query[],
  reference: ReadonlyMap<string, readonly string[][]>,
  print: (text: string) => void,
): Promise<string[][]> {
  const running = await TestCluster.start(nodes);
  const name = nodes === 1 ? "one node" : `${nodes} nodes`;
  try {
    const address = running.address("bench");
    const started = performance.now();
    await folder.save(address, { cluster: CLUSTER });
    const pushed = (performance.now() - started) / 1000;
    const added = await addSome(running.address("added"), Math.min(docs, 5000));
    await running.wait(nodes, "green");
    const bytes = await measureIndexBytes(running.urls[0], "bench-*");
    print(
      `${name}: push takes ${perSecond(docs, pushed)} documents/s, add and commit ${added} documents/s; ` +
        `${Math.round(bytes / docs)} bytes a document in the first copy of each shard.\n`,
    );
    const index = await Sluice.open(address, { readOnly: true, cluster: CLUSTER });
    const rows = await searchAll(name, index, queries, reference);
    await index.close();
    return rows;
  } finally {
    await running.stop();
  }
}

/** Documents a second that `add` and `commit` take. */
async function addSome(address: string, docs: number): Promise<string> {
  const index = await Sluice.open(address, { encoder: "none", lambda: LAMBDA, cluster: CLUSTER });
  const seconds = await fill(index, docs);
  await index.close();
  return perSecond(docs, seconds);
}

async function fill(index: Sluice, docs: number): Promise<number> {
  const made = new MadeUp(2);
  const started = performance.now();
  await index.add(made.documents(docs));
  await index.commit();
  await index.idle();
  return (performance.now() - started) / 1000;
}

/** The exact hits of each case, by the folder. */
async function searchExactly(folder: Sluice, queries: readonly Query[]): Promise<Map<string, string[][]>> {
  const reference = new Map<string, string[][]>();
  for (const lambda of [0, LAMBDA]) {
    const answers = await folder.searchAll(queries, { k: MANY, lambda, plan: { kind: "exact" } });
    reference.set(
      String(lambda),
      answers.map(({ hits }) => hits.map(({ id }) => id)),
    );
  }
  return reference;
}

async function searchAll(
  name: string,
  index: Sluice,
  queries: readonly Query[],
  reference: ReadonlyMap<string, readonly string[][]>,
): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [what, lambda, plan] of CASES) {
    const exact = reference.get(String(lambda))!;
    const cells: string[] = [];
    let proved = 0;
    for (const k of [FEW, MANY]) {
      await index.search(queries[0], { k, lambda, plan });
      const times: number[] = [];
      let [found, wanted] = [0, 0];
      for (const [i, query] of queries.entries()) {
        const started = performance.now();
        const { hits, stats } = await index.search(query, { k, lambda, plan });
        times.push(performance.now() - started);
        const best = new Set(exact[i].slice(0, k));
        found += hits.filter(({ id }) => best.has(id)).length;
        wanted += best.size;
        if (k === FEW && stats.exact) proved++;
      }
      cells.push(times.sort((a, b) => a - b)[Math.floor(times.length / 2)].toFixed(1));
      cells.push((found / wanted).toFixed(4));
    }
    rows.push([name, what, ...cells, `${proved} of ${queries.length}`]);
    printProgress(rows.at(-1)!.join(", "));
  }
  return rows;
}

async function measureIndexBytes(url: string, indexes: string): Promise<number> {
  await fetch(`${url}/${indexes}/_flush`, { method: "POST" });
  const stats = (await (await fetch(`${url}/${indexes}/_stats/store`)).json()) as {
    _all: { primaries: { store: { size_in_bytes: number } } };
  };
  return stats._all.primaries.store.size_in_bytes;
}

function perSecond(docs: number, seconds: number): string {
  return Math.round(docs / seconds).toLocaleString("en-US");
}

/** Passages, vectors and queries, the same for the same seed. */
class MadeUp {
  readonly #random: () => number;
  readonly #topics: { readonly center: Float32Array; readonly words: readonly string[] }[];

  constructor(seed: number) {
    const shared = mulberry32(7);
    this.#topics = Array.from({ length: TOPICS }, () => ({
      center: unit(shared),
      words: Array.from({ length: TOPIC_WORDS }, () => anyWord(shared)),
    }));
    this.#random = mulberry32(seed);
  }

  *documents(count: number) {
    for (let i = 0; i < count; i++) yield { id: String(i), ...this.#passage(WORDS) };
  }

  query(): Query {
    return this.#passage(QUERY_WORDS);
  }

  /** A text and a unit vector of the same topic. */
  #passage(words: number): { text: string; vector: Float32Array } {
    const topic = this.#topics[Math.floor(this.#random() * TOPICS)];
    const noise = unit(this.#random);
    return {
      text: Array.from({ length: words }, () => this.#word(topic.words)).join(" "),
      vector: normalized(topic.center.map((x, i) => x + noise[i])),
    };
  }

  #word(ofTopic: readonly string[]): string {
    if (this.#random() < TOPIC_SHARE) return ofTopic[Math.floor(this.#random() * ofTopic.length)];
    return anyWord(this.#random);
  }
}

/** A word by Zipf's law. */
function anyWord(random: () => number): string {
  return `w${Math.floor(VOCABULARY ** random())}`;
}

function unit(random: () => number): Float32Array {
  return normalized(Float32Array.from({ length: DIMS }, () => random() + random() + random() - 1.5));
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return vector.map((x) => x / length);
}
