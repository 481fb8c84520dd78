// Changes of one commit → the cluster: documents are sent before anybody sees them, and the commit record shows them. What is sent
// carries a generation that this writer alone has.

import { randomUUID } from "node:crypto";
import { createTally, type DensifyCounts } from "../../densify/counts.ts";
import { rowAt } from "../../densify/rows.ts";
import type { Slicing } from "../../densify/slicing.ts";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { SegmentContent } from "../../segment/segment-file.ts";
import type { VocabularyKind } from "../../store/record/analyzer-record.ts";
import { describeRowRules, hasPendingSlicing } from "../../store/record/commit-record.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { type OnProgress, PROGRESS_STEP } from "../../support/options/progress.ts";
import { ClusterDocuments, type FoundVersion } from "../commit/cluster-documents.ts";
import type { ClusterIndex } from "../commit/cluster-index.ts";
import { type ClusterLexicon, putLexicon } from "../commit/cluster-lexicon.ts";
import { CLUSTER_VERSION, type ClusterRecord, putRecord, takeGeneration } from "../commit/cluster-record.ts";
import { createIndex } from "../commit/own-indexes.ts";
import { gapsAfter, leftBehindFilter } from "../commit/visibility.ts";
import {
  createMapping,
  DocumentLines,
  type DocumentShape,
  USUAL_SCALE,
  weightScaleFor,
} from "../rows/cluster-mapping.ts";
import { createStoredRow, type StoredRow, unpackStoredRow } from "../rows/stored-row.ts";
import { BulkRequests } from "./bulk.ts";
import type { PendingChanges, ReplacedVersion } from "./pending-changes.ts";
import { refreshShards } from "./refresh-shards.ts";

/** What a commit records in addition to the documents that were sent. */
interface CommitEnd extends Pick<ClusterRecord, "nextSerial" | "docs" | "lambda"> {
  readonly lexicon: ClusterLexicon;
  readonly vocabularyKind: VocabularyKind;
  readonly isSlicingPending: boolean;
  readonly semanticDims: number | undefined;
  readonly encoder?: EncoderRecord;
  /** What became of the documents' terms, if the documents were made elsewhere. */
  readonly counts?: DensifyCounts;
}

/** A document that is sent. */
export interface SentDocument {
  readonly id: string;
  readonly serial: number;
  readonly row: StoredRow;
  /** Its fields, as JSON. */
  json(): string;
}

/** Where documents of a commit are sent to. */
export interface SentTo {
  readonly generation: number;
  readonly documents: string;
  readonly shape: DocumentShape;
}

/** How many versions are marked as dead together. */
const KILLED_AT_ONCE = 500;

export class Staging {
  readonly #index: ClusterIndex;
  /** The record that the next one follows; undefined for a new index. Its documents stay, unless they are replaced. */
  readonly #base: ClusterRecord | undefined;
  #generation: number | undefined;
  #documents: string | undefined;
  #shape: DocumentShape | undefined;
  #counts: DensifyCounts = createTally();
  #largestWeight = 0;
  #longestVector = 0;

  constructor(index: ClusterIndex, replaces: boolean) {
    this.#index = index;
    this.#base = replaces ? undefined : index.record;
    this.#documents = this.#base?.documents;
    if (this.#base?.documents !== undefined) this.#shape = index.view.shape;
  }

  /** Sends documents. They are invisible until the commit. `jsons` are their fields. */
  async send(
    content: SegmentContent,
    jsons: readonly Uint8Array[],
    slicing: Slicing,
    onProgress?: OnProgress,
  ): Promise<void> {
    const { rows, ids, serials, factors, counts } = content;
    const { docs, semanticDims, semantic } = rows;
    const documents = Array.from({ length: docs }, (_, local) => {
      const vector = semantic.subarray(local * semanticDims, (local + 1) * semanticDims);
      const row = createStoredRow(rowAt(rows, local), vector, factors?.at(local));
      return { id: ids.at(local), serial: serials[local], row, json: () => textOfBytes(jsons[local]) };
    });
    await this.sendRows(documents, slicing, onProgress);
    this.#counts = addedCounts(this.#counts, counts);
  }

  /** Sends documents whose rows are made. */
  async sendRows(
    documents: readonly SentDocument[],
    slicing: Slicing,
    onProgress?: OnProgress,
  ): Promise<void> {
    if (documents.length === 0) return;
    const born = await this.#takeGeneration();
    const index = await this.#openDocumentsIndex(slicing, documents);
    const lines = new DocumentLines(slicing, this.#shape!);
    const bulk = new BulkRequests(this.#index.connection, index);
    for (const [i, { id, serial, row, json }] of documents.entries()) {
      this.measure(row);
      await bulk.add({
        id,
        key: keyIn(born, serial),
        line: lines.lineOf({ id, serial, born, row, json: json() }),
      });
      if ((i + 1) % PROGRESS_STEP === 0)
        onProgress?.({ task: "uploading", done: i + 1, total: documents.length });
    }
    await bulk.finish();
  }

  /** Where documents were sent so far; undefined if none was. */
  get sentTo(): SentTo | undefined {
    if (this.#generation === undefined || this.#documents === undefined || !this.#shape) return undefined;
    return { generation: this.#generation, documents: this.#documents, shape: this.#shape };
  }

  /** Goes on where another process stopped. */
  resume({ generation, documents, shape }: SentTo): void {
    this.#generation = generation;
    this.#documents = documents;
    this.#shape = shape;
  }

  /** The fields of a document that was sent and not committed. */
  async readSentFields(serial: number): Promise<Readonly<Record<string, unknown>>> {
    const documents = new ClusterDocuments(this.#index.connection, this.#documents!);
    const key = keyIn(await this.#takeGeneration(), serial);
    const fields = await documents.readUnrefreshed(key);
    if (!fields) throw new Error(`${this.#documents}: document ${key} was sent, and is not there`);
    return fields;
  }

  /** Shows everything that was sent, at once. */
  async commit(
    { replacedVersions, revoked }: Pick<PendingChanges, "replacedVersions" | "revoked">,
    end: CommitEnd,
  ): Promise<void> {
    const index = this.#index;
    const { connection } = index;
    const base = this.#base;
    const generation = await this.#takeGeneration();
    await this.#kill([...replacedVersions.values()], generation);
    await this.#remove([...revoked].map((serial) => keyIn(generation, serial)));
    if (this.#documents !== undefined) await refreshShards(connection, this.#documents);
    const { slicing, weighting } = end.lexicon;
    const { isSlicingPending, semanticDims, encoder, nextSerial, docs, lambda, vocabularyKind } = end;
    const isSameEpoch = base && !(hasPendingSlicing(base) && !isSlicingPending);
    const knownTerms = isSameEpoch ? base.settings.terms : 0;
    const record: ClusterRecord = {
      version: CLUSTER_VERSION,
      generation,
      // A new index of documents holds nothing of earlier generations.
      gaps: base && this.#documents === base.documents ? gapsAfter(base, generation) : [],
      epoch: isSameEpoch ? base.epoch : generation,
      nextSerial,
      docs,
      ...(this.#documents !== undefined && { documents: this.#documents }),
      weightScale: this.#shape?.weightScale ?? USUAL_SCALE,
      largestWeight: Math.max(base?.largestWeight ?? 0, this.#largestWeight),
      longestVector: Math.max(base?.longestVector ?? 0, this.#longestVector),
      lexicon: await putLexicon(connection, generation, end.lexicon, knownTerms, base?.lexicon ?? []),
      lambda,
      ...describeRowRules({ weighting, slicing, vocabularyKind, isSlicingPending, semanticDims, encoder }),
      counts: end.counts ?? (base ? addedCounts(base.counts, this.#counts) : this.#counts),
    };
    const before = index.record;
    const sequence = await putRecord(connection, record, index.sequence);
    index.advance({ record, sequence }, end.lexicon);
    if (before) await this.#clean(before, record);
  }

  /** The generation of this commit. The first call takes it from the cluster, and creates what the cluster lacks. */
  async #takeGeneration(): Promise<number> {
    if (this.#generation === undefined) {
      await this.#index.createState();
      this.#generation = await takeGeneration(this.#index.connection, this.#index.record?.generation ?? 0);
    }
    return this.#generation;
  }

  /** OpenSearch's index for documents. The first documents of a new index create it. */
  async #openDocumentsIndex(
    { settings: { strategy, dims } }: Slicing,
    documents: readonly SentDocument[],
  ): Promise<string> {
    if (this.#documents !== undefined) return this.#documents;
    const { connection } = this.#index;
    const semanticDims = documents[0].row.vector.length;
    const weightScale = weightScaleFor(documents.map(({ row }) => row));
    this.#shape = { hasIndices: strategy !== "full", semanticDims, weightScale };
    const meta = {
      sluice: CLUSTER_VERSION,
      token: randomUUID(),
      strategy,
      ...(strategy !== "full" && { dims }),
      ...this.#shape,
    };
    const first = await this.#takeGeneration();
    const body = createMapping(semanticDims, meta, await this.#index.chooseLayout());
    for (let number = first; ; number++) {
      const name = `${connection.address.name}-${number}`;
      // If the answer to an earlier try was lost, the index that has the name is ours. All others are left alone.
      const mayWrite = await createIndex(connection, name, body, ([found]) => found.token === meta.token);
      if (!mayWrite) continue;
      this.#documents = name;
      return name;
    }
  }

  /** Notes that versions die in a generation. Readers of earlier ones still see them. */
  async #kill(versions: readonly ReplacedVersion[], generation: number): Promise<void> {
    const { connection, snapshot } = this.#index;
    if (versions.length === 0) return;
    const documents = new ClusterDocuments(connection, this.#documents!);
    const lines = new DocumentLines(snapshot.slicing, this.#shape!);
    for (let from = 0; from < versions.length; from += KILLED_AT_ONCE) {
      let keys = versions.slice(from, from + KILLED_AT_ONCE).map(({ key }) => key);
      for (;;) {
        const bulk = new BulkRequests(connection, this.#documents!);
        for (const version of await documents.findByKeys(keys)) {
          const { id, key, died, sequence } = version;
          if (died.includes(generation)) continue; // an earlier try of this commit
          const killed = { ...storedVersion(version, this.#shape!), died: [...died, generation] };
          await bulk.add({ id, key, line: lines.lineOf(killed), replaces: sequence });
        }
        keys = (await bulk.finish()).map(({ key }) => key);
        if (keys.length === 0) break;
        // Another writer has noted the same since the last refresh. It may be dead, or commit first: both notes must stay.
        await refreshShards(connection, this.#documents!);
      }
    }
  }

  async #remove(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const bulk = new BulkRequests(this.#index.connection, this.#documents!);
    for (const key of keys) await bulk.add({ id: key, key, line: undefined });
    await bulk.finish();
  }

  /** Notes how large the values of a row are, for bounds of scores. */
  measure({ values, vector }: StoredRow): void {
    for (const bits of values) this.#largestWeight = Math.max(this.#largestWeight, FLOAT16[bits]);
    let squares = 0;
    for (const bits of vector) squares += FLOAT16[bits] ** 2;
    this.#longestVector = Math.max(this.#longestVector, Math.sqrt(squares));
  }

  /** Removes what no reader of this commit needs. If that fails, only space is lost. */
  async #clean(before: ClusterRecord, now: ClusterRecord): Promise<void> {
    const { connection } = this.#index;
    const { name } = connection.address;
    const dropped = before.lexicon.filter((id) => !now.lexicon.includes(id));
    const isMoved = before.documents !== undefined && before.documents !== now.documents;
    const bulk = new BulkRequests(connection, name);
    for (const id of dropped) await bulk.add({ id, key: id, line: undefined }).catch(() => {});
    await bulk.finish().catch(() => {});
    if (isMoved) await connection.ask({ method: "DELETE", path: `/${before.documents}` }).catch(() => {});
    else if (before.gaps.length > 0 && now.documents !== undefined) {
      const query = { wait_for_completion: false, conflicts: "proceed" };
      await connection
        .ask({
          method: "POST",
          path: `/${now.documents}/_delete_by_query`,
          query,
          body: { query: leftBehindFilter(before.gaps) },
        })
        .catch(() => {});
    }
  }
}

/** OpenSearch's id of a version. Two writers never have the same one. */
function keyIn(generation: number, serial: number): string {
  return `${generation}.${serial}`;
}

function storedVersion({ id, serial, born, row, document }: FoundVersion, shape: DocumentShape) {
  return { id, serial, born, row: unpackStoredRow(row, shape), json: JSON.stringify(document) };
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function addedCounts(a: DensifyCounts, b: DensifyCounts): DensifyCounts {
  const sum = createTally();
  for (const key of Object.keys(sum) as (keyof DensifyCounts)[]) sum[key] = a[key] + b[key];
  return sum;
}
