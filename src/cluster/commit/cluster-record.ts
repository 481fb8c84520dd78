// The commit record of an index on a cluster, and who may replace it. It is one document, so a reader sees all of a commit or
// nothing. A writer names the version that it read: if another one committed meanwhile, OpenSearch refuses.
//
//   index NAME            "commit": the record; "writer": the last generation that a writer took; terms and statistics
//   index NAME-NUMBER     the documents; `optimize` and `overwrite` make a new one

import { formatError } from "../../segment/container/container-format.ts";
import type { CommitRecord } from "../../store/record/commit-record.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { ClusterError, type Connection } from "../connect/connection.ts";
import type { Gaps } from "./visibility.ts";

export const CLUSTER_VERSION = 1;

export interface ClusterRecord extends Omit<CommitRecord, "segments" | "nextSegment" | "quantize"> {
  readonly gaps: Gaps;
  /** How many documents there are. */
  readonly docs: number;
  /** OpenSearch's index of the documents; absent before the first document. */
  readonly documents?: string;
  /** What weights are multiplied by in the field `terms`. */
  readonly weightScale: number;
  /** The largest weight and the greatest length of a vector, of all documents that were ever there: for bounds. */
  readonly largestWeight: number;
  readonly longestVector: number;
  /** The ids of the documents of NAME with the terms and the statistics. */
  readonly lexicon: readonly string[];
}

/** A record, and the version of its document. */
export interface RecordVersion {
  readonly record: ClusterRecord;
  readonly sequence: Sequence;
}

/** What OpenSearch calls a version of a document. */
export interface Sequence {
  readonly if_seq_no: number;
  readonly if_primary_term: number;
}

interface StoredRecord<Source> {
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: Source;
}

const COMMIT = "commit";
const WRITER = "writer";

/** The newest commit; undefined if there is none. An index that is not ours may have a document with the same id. */
export async function readRecord(connection: Connection): Promise<RecordVersion | undefined> {
  const found = await readDocument<ClusterRecord>(connection, COMMIT);
  if (!found || !isRecord(found._source)) return undefined;
  const { _source: record } = found;
  if (record.version !== CLUSTER_VERSION) {
    throw formatError(connection.address.text, record.version, CLUSTER_VERSION);
  }
  return { record, sequence: sequenceOf(found) };
}

/** Whether a document is a commit record, of this version or another. */
function isRecord({ version, generation }: Partial<ClusterRecord>): boolean {
  return Number.isInteger(version) && Number.isInteger(generation);
}

/** Replaces the record, or throws if another writer has replaced it. The changes are visible when this resolves. */
export async function putRecord(
  connection: Connection,
  record: ClusterRecord,
  before: Sequence | undefined,
): Promise<Sequence> {
  try {
    return await putDocument(connection, COMMIT, record, before);
  } catch (error) {
    if (!(error instanceof ClusterError && error.status === 409)) throw error;
    // A request that was asked twice may have been answered by the first one. Generations are taken once.
    const now = await readRecord(connection);
    if (now?.record.generation === record.generation) return now.sequence;
    throw overtakenError(connection);
  }
}

/** Removes the record, or throws if another writer has replaced it. There is no index when this resolves. */
export async function removeRecord(connection: Connection, { sequence }: RecordVersion): Promise<void> {
  try {
    await connection.ask({ method: "DELETE", path: recordPath(connection, COMMIT), query: { ...sequence } });
  } catch (error) {
    if (!(error instanceof ClusterError) || (error.status !== 409 && error.status !== 404)) throw error;
    // A request that was asked twice may have been answered by the first one.
    if (await readRecord(connection)) throw overtakenError(connection);
  }
}

/** Takes a generation that no other writer has. `least` is the generation of the last commit. */
export async function takeGeneration(connection: Connection, least: number): Promise<number> {
  for (;;) {
    const found = await readDocument<{ taken: number }>(connection, WRITER);
    const taken = Math.max(found?._source.taken ?? 0, least) + 1;
    try {
      await putDocument(connection, WRITER, { taken }, found && sequenceOf(found));
      return taken;
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 409)) throw error;
    }
  }
}

function overtakenError({ address }: Connection): SluiceError {
  return new SluiceError(
    `${address.text}: another writer has committed since this one began, so its changes were not made`,
    "roll back or open the index again, and make the changes again",
    "ERR_SLUICE_CONFLICT",
  );
}

function readDocument<Source>(connection: Connection, id: string): Promise<StoredRecord<Source> | undefined> {
  return connection.askIfThere({ method: "GET", path: recordPath(connection, id) });
}

async function putDocument(
  connection: Connection,
  id: string,
  body: object,
  before: Sequence | undefined,
): Promise<Sequence> {
  const written = await connection.ask<StoredRecord<never>>({
    method: "PUT",
    path: recordPath(connection, id),
    query: before ? { ...before } : { op_type: "create" },
    body,
  });
  return sequenceOf(written);
}

function recordPath({ address }: Connection, id: string): string {
  return `/${address.name}/_doc/${id}`;
}

function sequenceOf({ _seq_no, _primary_term }: StoredRecord<unknown>): Sequence {
  return { if_seq_no: _seq_no, if_primary_term: _primary_term };
}
