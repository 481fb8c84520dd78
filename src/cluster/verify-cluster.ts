// Checks an index on a cluster: reads every document of the last commit, and compares rows, terms, ids and statistics. Problems
// are collected, not thrown, so that one pass finds all of them.

import { type Document, indexedText } from "../documents/document.ts";
import type { VerifyResult } from "../store/verify/verify.ts";
import { problemOf } from "../support/errors/sluice-error.ts";
import { PROGRESS_STEP } from "../support/options/progress.ts";
import type { WorkOptions } from "../support/options/work-options.ts";
import type { ClusterView } from "./commit/cluster-index.ts";
import { unpackStoredRow } from "./rows/stored-row.ts";

/** The most problems that are listed. */
const MOST_PROBLEMS = 100;

export async function verifyOnCluster(
  index: ClusterView,
  { onProgress, signal }: WorkOptions,
): Promise<VerifyResult> {
  const { record, documents, snapshot } = index;
  const problems: string[] = [];
  const note = (problem: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push(`${index.connection.address.text}: ${problem}`);
  };
  const { slicing, weighting } = snapshot;
  const frequencies = new Uint32Array(slicing.vocabulary.size);
  const ids = new Set<string>();
  let [count, bytes] = [0, 0];
  if (record && documents) {
    for await (const { id, row, document } of documents.readAll(record)) {
      signal?.throwIfAborted();
      const where = `document ${JSON.stringify(id)}`;
      if (ids.has(id)) note(`${where} is there twice`);
      ids.add(id);
      bytes += row.length;
      try {
        const { slices, indices } = unpackStoredRow(row, index.shape);
        const strange = slices.findIndex((slice, i) => slicing.idAt(slice, indices[i]) === undefined);
        if (strange >= 0) note(`${where}: slice ${slices[strange]} of its row has no term`);
      } catch (error) {
        note(`${where}: its row is damaged: ${problemOf(error)}`);
      }
      if (weighting.kind === "bm25") {
        for (const term of new Set(
          weighting.analyzer.terms(indexedText({ ...document, id } as Document, where)),
        )) {
          const id = slicing.vocabulary.findId(term);
          if (id !== undefined) frequencies[id]++;
        }
      }
      if (++count % PROGRESS_STEP === 0) onProgress?.({ task: "verifying", done: count, total: record.docs });
    }
    if (count !== record.docs) note(`${count} documents, and the commit says ${record.docs}`);
    if (weighting.kind === "bm25") {
      const { documentFrequencies } = weighting.statistics;
      const wrong = frequencies.findIndex((found, id) => found !== documentFrequencies[id]);
      if (wrong >= 0) {
        const term = JSON.stringify(slicing.vocabulary.term(wrong));
        note(
          `${frequencies[wrong]} documents hold ${term}, and the statistics say ${documentFrequencies[wrong]}`,
        );
      }
    }
  }
  return { problems, generation: record?.generation ?? 0, segments: 0, docs: count, bytes };
}
