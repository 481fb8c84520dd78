// Documents → the same documents with the vectors, weights and factors that an encoder gives their texts, some at a time.

import { type Document, hasOwnEncoding, indexedText } from "../documents/document.ts";
import type { TextField } from "../documents/text-fields.ts";
import { UsageError } from "../support/errors/usage-error.ts";
import type { OnProgress } from "../support/options/progress.ts";
import type { Encoder, Encoding } from "./encoder.ts";

/** Documents that are passed to an encoder together: it batches texts of similar length. More: better batches, more memory. */
const ENCODED_AT_ONCE = 2048;
/** Documents at once for encoders that give term weights, which take more memory than a vector. */
const WEIGHED_AT_ONCE = 256;

interface EncodedOptions {
  /** The fields whose texts are encoded, as one text. By default title and text. */
  readonly textFields?: readonly TextField[] | undefined;
  /** Encodings from earlier, by id. These documents are not encoded again. */
  readonly known?: ReadonlyMap<string, Encoding> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `total` is given only while the last documents are being encoded. */
  readonly onProgress?: OnProgress | undefined;
}

/** Documents with the vectors, weights and factors of their texts. */
export async function* encodeDocuments(
  documents: Iterable<Document> | AsyncIterable<Document>,
  encoder: Encoder,
  { textFields, known = new Map(), signal, onProgress }: EncodedOptions = {},
): AsyncGenerator<Document> {
  const atOnce = encoder.gives.weights ? WEIGHED_AT_ONCE : ENCODED_AT_ONCE;
  let [waiting, before]: [Document[], number] = [[], 0];
  const flush = async (last: boolean) => {
    const bare = waiting.filter(({ id }) => !known.has(id));
    const texts = bare.map((document) =>
      indexedText(document, `document ${JSON.stringify(document.id)}`, textFields),
    );
    const skipped = waiting.length - bare.length;
    const total = before + waiting.length;
    const report: OnProgress = ({ stage, done }) =>
      onProgress?.({ stage, done: before + skipped + done, ...(last && { total }) });
    const fresh = await encoder.encode(texts, "passage", { onProgress: report, ...(signal && { signal }) });
    let next = 0;
    const ready = waiting.map((document) => ({
      ...document,
      ...(known.get(document.id) ?? fresh[next++]),
    }));
    before = total;
    waiting = [];
    return ready;
  };
  for await (const document of documents) {
    if (hasOwnEncoding(document)) {
      throw new UsageError(
        `document ${JSON.stringify(document.id)} has a vector, weights or termFactors of its own, but the encoder ${encoder.path} encodes the documents of this index`,
        'leave out what the encoder gives; or give it to all documents, the first one included, or open a new index with the encoder "none"',
      );
    }
    waiting.push(document);
    if (waiting.length === atOnce) yield* await flush(false);
  }
  yield* await flush(true);
}
