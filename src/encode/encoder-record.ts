// An encoder → what an index records of it: enough to open the encoder again (open-encoder.ts), and to notice another one.

import { resolve } from "node:path";
import { type ErrorCode, SluiceError } from "../support/errors/sluice-error.ts";
import type { Encoder } from "./encoder.ts";
import { isPackaged } from "./folder/packaged-encoders.ts";

/** An encoder as an index records it. */
export interface EncoderRecord extends Readonly<Pick<Encoder, "path" | "fingerprint" | "description">> {
  /** The encoder of queries, if it is another one than that of documents. */
  readonly queries?: EncoderRecord;
}

/** @internal What an index records of its encoder. */
export function createEncoderRecord({ path, fingerprint, description, queries }: Encoder): EncoderRecord {
  return {
    path: isPackaged(path) ? path : resolve(path),
    fingerprint,
    description,
    ...(queries && { queries: createEncoderRecord(queries) }),
  };
}

/** @internal The λ that an index with this encoder begins with, if one is suggested. Of a pair, that of the encoder of queries. */
export function suggestLambda({ description, queries }: EncoderRecord): number | undefined {
  return queries?.description.lambda ?? description.lambda;
}

/** @internal Throws if the encoder is not the one that encoded the documents. */
export function requireEncoder(encoder: Encoder, record: EncoderRecord | undefined, code?: ErrorCode): void {
  if (record?.fingerprint === encoder.fingerprint) return;
  throw new SluiceError(
    record
      ? `${describeEncoder(encoder)}, but the documents were encoded with ${describeEncoder(record)}`
      : `${encoder.path}: the documents of this index were not encoded with an encoder`,
    "give the encoder the index was built with, or build the index again",
    code,
  );
}

/** @internal Throws if the documents were encoded, although "none" was asked for. */
export function refuseEncoder(folder: string, record: EncoderRecord | undefined): void {
  if (!record) return;
  throw new SluiceError(
    `${folder}: opened with the encoder none, but the documents were encoded with ${describeEncoder(record)}`,
    "leave the option out, or set lambda to 0 to search by words only",
  );
}

/** "static (static, 128 dims, fingerprint 0ea3…)": two encoders of one folder can differ in their dims alone. */
function describeEncoder({ path, fingerprint, description }: EncoderRecord): string {
  const dims = "dims" in description ? `, ${description.dims} dims` : "";
  return `${path} (${description.kind}${dims}, fingerprint ${fingerprint})`;
}
