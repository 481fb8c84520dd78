// Documents → the same documents with the vectors and weights that an encoder gives their texts, some at a time.

import { type Document, textOf } from "../documents/document.ts";
import { UsageError } from "../errors.ts";
import type { Encoder, Encoding } from "./encoder.ts";

/** Documents that are passed to the encoder together. More: better batches by length, more memory. */
const ENCODED_AT_ONCE = 2048;
/** The same for encoders that give term weights, which take more memory than a vector. */
const WEIGHED_AT_ONCE = 256;

interface EncodedOptions {
  /** Encodings from earlier, by id. These documents are not encoded again. */
  readonly known?: ReadonlyMap<string, Encoding> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `total` is given only while the last documents are being encoded. */
  readonly onProgress?: ((done: number, total?: number) => void) | undefined;
}

/** Documents with the vectors and weights of their texts. */
export async function* encodedDocuments(
  documents: Iterable<Document> | AsyncIterable<Document>,
  encoder: Encoder,
  { known = new Map(), signal, onProgress }: EncodedOptions = {},
): AsyncGenerator<Document> {
  const atOnce = encoder.gives.weights ? WEIGHED_AT_ONCE : ENCODED_AT_ONCE;
  let [waiting, before]: [Document[], number] = [[], 0];
  const flush = async (last: boolean) => {
    const bare = waiting.filter(({ id }) => !known.has(id));
    const texts = bare.map((document) => textOf(document, `document ${JSON.stringify(document.id)}`));
    const skipped = waiting.length - bare.length;
    const total = before + waiting.length;
    const report = ({ done }: { done: number }) =>
      onProgress?.(before + skipped + done, last ? total : undefined);
    const fresh = await encoder.encode(texts, "passage", { onProgress: report, ...(signal && { signal }) });
    const freshOf = new Map(bare.map(({ id }, i) => [id, fresh[i]]));
    const ready = waiting.map((document) => ({
      ...document,
      ...(known.get(document.id) ?? freshOf.get(document.id)),
    }));
    before = total;
    waiting = [];
    return ready;
  };
  for await (const document of documents) {
    if (document.vector !== undefined || document.weights !== undefined) {
      throw new UsageError(
        `document ${JSON.stringify(document.id)} has its own vector or weights, and there is an encoder`,
        "leave out the encoder, or the vectors and weights",
      );
    }
    waiting.push(document);
    if (waiting.length === atOnce) yield* await flush(false);
  }
  yield* await flush(true);
}
