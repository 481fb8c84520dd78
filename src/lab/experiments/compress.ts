// Table 5 of the paper: ways to compress a lexical vector, compared at equal bytes: sign bits (LSH), product
// quantization (PQ, OPQ), and a densified row (DLR).

import { rowAt } from "../../densify/rows.ts";
import { countTerms } from "../../documents/bag.ts";
import { getInternals } from "../../internals.ts";
import type { ReportTable } from "../../report/report.ts";
import type { CodeVectors, SparseVector } from "../../segment/codes/code-vectors.ts";
import { Sluice } from "../../sluice.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { topK } from "../../support/numbers/topk.ts";
import { idfs } from "../../weigh/bm25.ts";
import type { Run } from "../eval/judgments.ts";
import { percentiles } from "../eval/percentiles.ts";
import type { Compressor } from "../quantize/compressor.ts";
import { trainLsh } from "../quantize/lsh.ts";
import { trainOpq } from "../quantize/opq.ts";
import { trainPq } from "../quantize/pq.ts";
import { sparseVectors } from "../quantize/sparse-vectors.ts";
import {
  COSTS,
  type Collection,
  costCells,
  type Experiment,
  evaluateRun,
  type MeasuredRun,
  measure,
  metricCells,
  SIGNIFICANCE,
} from "./experiment.ts";
import { TABLE_5 } from "./paper.ts";

/**
 * Dimensions that vectors are sketched to before OPQ. A rotation of a whole vocabulary is too large to learn; the time
 * to learn one grows with the cube of this number.
 */
const SKETCHED = 768;
/** Slots per row; LSH, PQ and OPQ get the same number of bytes as such a row. */
const WIDTHS = [256, 128, 64];

export const compress: Experiment = {
  name: "compress",
  title: "Compression at equal bytes",
  about:
    "BM25 vectors over the whole vocabulary, exact and compressed: signs of random projections (LSH), product " +
    "quantization (PQ), PQ after a learned rotation (OPQ), and DLR rows, each in the same number of bytes.",
  needsVectors: false,

  async run(collections, { log }) {
    const tables: ReportTable[] = [];
    const series = new Map<string, { x: number; y: number }[]>();
    for (const collection of collections) {
      const whole = await Sluice.build(collection.documents, { encoder: "none", dims: "full" });
      const { snapshot } = getInternals(whole);
      const documents = await loadDocumentVectors(snapshot);
      const runs: MeasuredRun[] = [await measure("flat, exact", whole, collection)];
      for (const dims of WIDTHS) {
        log?.(`${collection.name}: DLR ${dims}`);
        const index = await Sluice.build(collection.documents, { encoder: "none", dims });
        const bytes = dims * slotBytes(index);
        const compressors: [string, () => Compressor][] = [
          [`LSH ${bytes * 8} bits`, () => trainLsh(documents.dims, bytes * 8)],
        ];
        // A part has at least one dimension, so a small vocabulary cannot be cut into this many parts.
        if (bytes <= documents.dims)
          compressors.push([`PQ ${bytes} × 8 bits`, () => trainPq(documents, bytes)]);
        if (bytes <= Math.min(documents.dims, SKETCHED)) {
          compressors.push([
            `OPQ ${bytes} × 8 bits`,
            () => trainOpq(documents, bytes, { reducedDims: SKETCHED }),
          ]);
        }
        for (const [name, train] of compressors) {
          log?.(`${collection.name}: ${name}`);
          runs.push(measureCompressed(name, train(), documents, snapshot, collection));
        }
        runs.push({ ...(await measure(`DLR ${dims}`, index, collection)), bytes });
      }
      tables.push({
        caption: collection.name,
        header: ["", "nDCG@10", "R@100", ...COSTS],
        rows: runs.map((run) => [run.name, ...metricCells(run, runs[0]), ...costCells(run)]),
      });
      for (const { name, bytes, evaluation } of runs.slice(1)) {
        const family = `${name.split(" ")[0]}, ${collection.name}`;
        const point = {
          x: bytes,
          y: evaluation.means.get("ndcg@10")! / runs[0].evaluation.means.get("ndcg@10")!,
        };
        series.set(family, [point, ...(series.get(family) ?? [])]);
      }
    }
    return {
      tables: [...tables, TABLE_5],
      plots: [
        {
          caption: "nDCG@10 kept, at equal bytes",
          x: { label: "bytes per document" },
          y: { label: "share of exact nDCG@10", percent: true },
          series: [...series].map(([name, points]) => ({ name, points })),
        },
      ],
      notes: [
        SIGNIFICANCE,
        "Bytes of a DLR row include empty slots; bytes of the exact vector are those of its packed row. Times are from " +
          "text to hits.",
        `OPQ gets vectors sketched to ${SKETCHED} dimensions, because a rotation of a whole vocabulary cannot be ` +
          "learned. The sketch keeps inner products only in expectation and loses far more quality than the quantizer.",
      ],
    };
  },
};

/** A slot is a float16 and an index of one byte, or of two bytes if a slice has more than 256 terms. */
function slotBytes(index: Sluice): number {
  return index.slicing.settings.perSlice > 256 ? 4 : 3;
}

/** Document vectors with the idf multiplied in. Query vectors are counts, so the inner product of both is BM25. */
async function loadDocumentVectors({ segments, slicing, weighting }: Snapshot): Promise<CodeVectors> {
  if (weighting.kind !== "bm25") throw new TypeError(`the weighting is ${weighting.kind}, expected bm25`);
  const weights = idfs(weighting.statistics);
  const rows = await segments[0].loadRows();
  const documents = Array.from({ length: rows.docs }, (_, doc) => {
    const { slices, values } = rowAt(rows, doc); // every term has its own slice, so the slice is the term's id
    return { columns: slices, values: values.map((value, i) => value * weights[slices[i]]) };
  });
  return sparseVectors(documents, slicing.settings.dims);
}

function queryVector({ slicing, weighting }: Snapshot, text: string): SparseVector {
  const known = [...countTerms(weighting.analyzer.terms(text))].flatMap(([term, times]) => {
    const id = slicing.vocabulary.findId(term);
    return id === undefined ? [] : [[id, times] as const];
  });
  known.sort(([a], [b]) => a - b);
  return { columns: known.map(([id]) => id), values: known.map(([, times]) => times) };
}

/** Searches all queries of a collection on compressed documents. */
function measureCompressed(
  name: string,
  compressor: Compressor,
  documents: CodeVectors,
  snapshot: Snapshot,
  collection: Collection,
): MeasuredRun {
  const codes = compressor.encode(documents);
  const scores = new Float64Array(documents.count);
  const run: Run = new Map();
  const times: number[] = [];
  for (const { id, text } of collection.queries) {
    const started = performance.now();
    compressor.computeScores(codes, queryVector(snapshot, text), scores);
    const best = topK(scores, 100);
    times.push(performance.now() - started);
    run.set(
      id,
      Array.from(best, (doc) => ({ id: snapshot.ids[doc], score: scores[doc] })),
    );
  }
  return {
    name,
    ...evaluateRun(run, collection),
    bytes: compressor.bytesPerVector,
    tokens: 0,
    usedDims: 0,
    ...percentiles(times),
  };
}
