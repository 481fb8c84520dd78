// The encoder of an index, opened from where it was, and checked to be the one that encoded the documents.

import { Encoder } from "../encode/encoder.ts";
import { type ErrorCode, UsageError } from "../errors.ts";
import type { EncoderRecord } from "../store/encoder-record.ts";

/** @internal Opens the encoder that encoded the documents. */
export async function openEncoder(record: EncoderRecord): Promise<Encoder> {
  const encoder = await Encoder.open(record.path, { description: record.description });
  try {
    requireEncoder(encoder, record, "ERR_SLUICE_FILE");
    return encoder;
  } catch (error) {
    await encoder.close();
    throw error;
  }
}

/** @internal Throws if the encoder is not the one that encoded the documents. */
export function requireEncoder(encoder: Encoder, record: EncoderRecord | undefined, code?: ErrorCode): void {
  if (record?.fingerprint === encoder.fingerprint) return;
  throw new UsageError(
    record
      ? `${encoder.path}: model ${encoder.fingerprint}, but the documents were encoded with ${record.fingerprint}`
      : `${encoder.path}: the documents of this index were not encoded with a model`,
    "give the model the index was built with, or build the index again",
    code,
  );
}
