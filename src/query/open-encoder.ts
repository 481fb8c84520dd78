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
      ? `${nameOf(encoder)}, but the documents were encoded with ${nameOf(record)}`
      : `${encoder.path}: the documents of this index were not encoded with an encoder`,
    "give the encoder the index was built with, or build the index again",
    code,
  );
}

/** "static (static, 128 dims, fingerprint 0ea3…)": two encoders of one folder can differ in their dims alone. */
function nameOf({
  path,
  fingerprint,
  description,
}: Pick<EncoderRecord, "path" | "fingerprint" | "description">): string {
  const dims = "dims" in description ? `, ${description.dims} dims` : "";
  return `${path} (${description.kind}${dims}, fingerprint ${fingerprint})`;
}
