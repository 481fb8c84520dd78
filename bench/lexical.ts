// Compares Sluice's exact lexical search with inverted indexes from npm, PyPI and Maven Central on the same bags of weighted
// terms. One thread; every engine runs in its own processes, one after another. Not measured: vectors (see hybrid.ts),
// filters, changes to an index, concurrent queries, and retrieval quality, which the experiments measure.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { costTable } from "./hybrid/tables.ts";
import { type About, aboutOf, type BagSet, writeBagSet } from "./lexical/bags.ts";
import { type Command, withIndex } from "./lexical/job.ts";
import { PEERS, type Peer, type SetName } from "./lexical/peers.ts";
import { type Result, resultOf } from "./lexical/results.ts";
import { readSplade } from "./lexical/splade-set.ts";
import { losses, type Size, sizeTable, speedTable } from "./lexical/tables.ts";
import { targetLines } from "./lexical/targets.ts";
import { readAclBags, readScifact } from "./lexical/text-sets.ts";
import { type Truth, truthsOf } from "./lexical/truth.ts";
import type { Bench } from "./support/bench.ts";
import { printProgress, tryOrExplain } from "./support/progress.ts";

interface Scale {
  readonly abstracts: number;
  readonly titles: number;
  readonly mixtures: number;
  readonly topics: number;
}

const FULL: Scale = { abstracts: 63_023, titles: 500, mixtures: 200_000, topics: 200 };
const QUICK: Scale = { abstracts: 10_000, titles: 100, mixtures: 10_000, topics: 50 };

type Print = (text: string) => void;
type Ready = Peer & { readonly command: Command };

export const lexical: Bench = {
  name: "lexical",
  flags: "[--only NAME,...] [--set bm25|splade] [--quick]",
  about:
    "Exact lexical search compared with inverted indexes. bm25: the 63,023 ACL abstracts and 500 of their titles, split by our " +
    "English analyzer, k1 0.9, b 0.4. splade: 200,000 documents made of real SPLADE-v3 queries of MS MARCO, because its " +
    "documents are not available here. Each mixes 80 % of the word pieces of 4 to 8 random queries; weights are changed by up " +
    "to a half and rounded, and the larger of two is kept. The 200 queries are part of no document. One thread. p50 and p95 " +
    "are over all queries, each at its best of three passes, after warm-up passes until the times are steady; a star means " +
    "that the time limit was reached before all queries were searched. Agreement is the mean share of the exact top k, in " +
    "float64, that is found; documents that tie for the last rank are equally right. BM25 is compared with the variant that " +
    "agrees best: lengths exact or rounded as in Lucene (L), k1 and b as above or 1.2 and 0.75, which some engines cannot " +
    "change (F), Lucene's idf or the older one (I). MiniSearch also multiplies by the number of matching terms. Build is from " +
    "the first bag read to an index on disk; Seismic's input was converted to its own format before. Disk is all files of the " +
    "index. For ours the text of the documents is subtracted, because of the peers only zvec stores a text here. Resident is " +
    "the memory of the searching process at its end; peak is the most that building or searching took.",

  async run(print, args) {
    const { peers, scale, set } = parseFlags(args);
    if (scale === QUICK) print("A quick run on fewer documents and queries. Do not quote its figures.\n");
    const ready = await preparePeers(peers, print);
    const sets: Record<SetName, () => Promise<BagSet>> = {
      bm25: () => readAclBags(scale.abstracts, scale.titles),
      splade: () => readSplade(scale.mixtures, scale.topics),
    };
    if (set !== undefined && !(set in sets)) throw new Error(`--set is ${set}, expected bm25 or splade`);
    for (const [name, make] of Object.entries(sets).filter(([name]) => set === undefined || name === set)) {
      const able = ready.filter(({ sets }) => sets.includes(name as SetName));
      await withData(name, make, print, (data) => measureOnSet(name as SetName, data, able, print));
    }
    if (set === undefined)
      await withData("scifact", readScifact, print, (data) => measureOnSizes(data, ready, print));
  },
};

function parseFlags(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string" }, set: { type: "string" }, quick: { type: "boolean" } },
  });
  const scale = values.quick ? QUICK : FULL;
  const { set } = values;
  if (values.only === undefined) return { peers: PEERS, scale, set };
  const peers = values.only.split(",").map((name) => {
    const found = PEERS.find((peer) => peer.name === name);
    if (found) return found;
    throw new Error(`--only is ${name}, expected ${PEERS.map(({ name }) => name).join(", ")}`);
  });
  return { peers, scale, set };
}

/** Returns the engines that are installed or could be installed. */
async function preparePeers(peers: readonly Peer[], print: Print): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const peer of peers) {
    const command = await tryOrExplain(
      () => peer.prepare((text) => printProgress(`${peer.name}: ${text}`)),
      peer.name,
      print,
    );
    if (command) ready.push({ ...peer, command });
  }
  return ready;
}

interface Data {
  readonly folder: string;
  readonly about: About;
  readonly truths: readonly Truth[];
  readonly termsPerDoc: number;
  readonly termsPerQuery: number;
}

/** Writes a data set to files, does the work, and deletes the files. */
async function withData(
  name: string,
  make: () => Promise<BagSet>,
  print: Print,
  work: (data: Data) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  try {
    printProgress(`${name}: making the data set and its exact rankings`);
    const data = await tryOrExplain(() => writeData(folder, make), name, print);
    if (data) await work(data);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the sizes and exact rankings only: the data set itself would fill memory that the engines need. */
async function writeData(folder: string, make: () => Promise<BagSet>): Promise<Data> {
  const set = await make();
  await writeBagSet(folder, set);
  const about = aboutOf(set);
  return {
    folder,
    about,
    truths: truthsOf(set),
    termsPerDoc: set.docs.terms.length / about.docs,
    termsPerQuery: set.queries.terms.length / about.queries,
  };
}

async function measureOnSet(name: SetName, data: Data, peers: readonly Ready[], print: Print): Promise<void> {
  const { folder, about, truths, termsPerDoc, termsPerQuery } = data;
  const results: Result[] = [];
  for (const { name: engine, command } of peers) {
    printProgress(`${name}: ${engine}`);
    const run = () =>
      withIndex(command, folder, async (built, ask) => resultOf(engine, built, await ask(), truths));
    const result = await tryOrExplain(run, `${name}: ${engine}`, print);
    if (!result) continue;
    results.push(result);
    for (const { name, at } of result.ways) {
      printProgress(
        `  ${name} ${at[10].p50.toFixed(3)} / ${at[1000].p50.toFixed(3)} ms, ${at[10].agreement.toFixed(4)}`,
      );
    }
  }
  print(
    `\n## ${name}: ${about.docs} documents of ${termsPerDoc.toFixed(1)} distinct terms, ` +
      `${about.queries} queries of ${termsPerQuery.toFixed(1)}, ${about.terms} terms in all\n`,
  );
  if (results.length === 0) return print("No engine could be measured.");
  print(`${speedTable(results, about.queries)}\n\n${costTable(results)}`);
  print(`\nTargets:\n\n${targetLines(name, results).join("\n")}`);
  print(`\nWhere we lose:\n\n${losses(results).join("\n")}`);
}

async function measureOnSizes({ folder, about }: Data, peers: readonly Ready[], print: Print): Promise<void> {
  const sizes: Size[] = [];
  for (const { name: engine, command, sizes: forms = [] } of peers) {
    for (const { what, variant } of forms) {
      printProgress(`scifact: ${engine}, ${what}`);
      const build = () => withIndex(command, folder, async ({ diskBytes }) => diskBytes, variant);
      const bytes = await tryOrExplain(build, `scifact: ${engine}`, print);
      if (bytes !== undefined) sizes.push({ engine, what, bytes, docs: about.docs });
    }
  }
  print(`\n## scifact: ${about.docs} documents, title and text, the BM25 index alone\n`);
  print(sizeTable(sizes));
}
