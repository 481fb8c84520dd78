// Documents → the same documents with the vectors, weights and factors that an encoder gives their texts, some at a time.

import { type Document, hasOwnEncoding, indexedText } from "../documents/document.ts";
import type { TextField } from "../documents/text-fields.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { checkEncodings } from "./contract/check-encoder.ts";
import { EncodedDocument } from "./contract/encoded-document.ts";
import type { Encoder, Encoding } from "./encoder.ts";
import { StaticEncoder } from "./static/static-encoder.ts";
import { TablePool } from "./static/table-pool.ts";

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

/**
 * From this many documents of a call on, a thread encodes the next ones while those before are analyzed. Fewer gain nothing. Only
 * a `StaticEncoder` itself has a thread: one inside another encoder, such as the one of `sluice index --keep`, which writes each
 * encoding to a file, has to be called for every text.
 */
const AHEAD_FROM = 8192;

/** Documents that are encoded together, in the order of the source. */
interface Batch {
  readonly documents: readonly Document[];
  /** How many documents came before. */
  readonly before: number;
  readonly isLast: boolean;
  /** What ended the source. The documents that it gave after the last full batch are not encoded. */
  readonly failure?: { readonly error: unknown };
}

/** A batch whose encodings are there. Call `give` once for each document, in order. It returns the document with its encoding. */
interface EncodedBatch {
  readonly documents: readonly Document[];
  give(document: Document): Document | EncodedDocument;
}

/** Documents with the vectors, weights and factors of their texts. */
export async function* encodeDocuments(
  documents: Iterable<Document> | AsyncIterable<Document>,
  encoder: Encoder,
  options: EncodedOptions = {},
): AsyncGenerator<Document | EncodedDocument> {
  for await (const { documents: some, give } of encodeBatches(documents, encoder, options))
    for (const document of some) yield give(document); // `yield*` would make three promises of each document instead of one
}

async function* encodeBatches(
  documents: Iterable<Document> | AsyncIterable<Document>,
  encoder: Encoder,
  { textFields, known = new Map(), signal, onProgress }: EncodedOptions,
): AsyncGenerator<EncodedBatch> {
  let pool: TablePool | undefined;
  let isThreadDecided = false;
  const stop = () => void pool?.close();
  const encode = async ({ documents, before, isLast }: Batch, thread?: TablePool): Promise<EncodedBatch> => {
    const bare = documents.filter(({ id }) => !known.has(id));
    const texts = bare.map((document) =>
      indexedText(document, `document ${JSON.stringify(document.id)}`, textFields),
    );
    const skipped = documents.length - bare.length;
    const total = before + documents.length;
    const report: OnProgress = ({ task, done }) =>
      onProgress?.({ task, done: before + skipped + done, ...(isLast && { total }) });
    const halves = await thread?.encode(texts);
    signal?.throwIfAborted();
    let next = 0;
    if (halves) {
      report({ task: "encoding", done: texts.length });
      const length = halves.length / texts.length;
      const vector = () => ({ halves, number: next++, length });
      return {
        documents,
        give: (document) => withKnown(document) ?? new EncodedDocument(document, vector()),
      };
    }
    const options = { onProgress: report, ...(signal && { signal }) };
    const encodings = await encoder.encode(texts, "passage", options);
    const fresh = checkEncodings(encodings, texts.length, encoder.path, encoder.gives);
    return { documents, give: (document) => withKnown(document) ?? { ...document, ...fresh[next++] } };
  };
  const withKnown = (document: Document): Document | undefined => {
    const encoding = known.get(document.id);
    return encoding && { ...document, ...encoding };
  };
  /** The batch that the thread encodes. It is read ahead of its turn, so what fails in it waits until then. */
  let ahead: Promise<EncodedBatch> | undefined;
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const batch of readBatches(documents, encoder)) {
      if (batch.before >= AHEAD_FROM && !isThreadDecided) {
        isThreadDecided = true;
        if (!batch.isLast && encoder instanceof StaticEncoder) pool = TablePool.start(encoder);
      }
      const earlier = ahead;
      ahead = pool?.isReady && !batch.failure ? encode(batch, pool) : undefined;
      ahead?.catch(() => {});
      if (earlier) yield await earlier;
      if (batch.failure) throw batch.failure.error;
      if (!ahead) yield await encode(batch);
    }
    if (ahead) yield await ahead;
  } finally {
    signal?.removeEventListener("abort", stop);
    stop(); // nobody waits for it: on a busy machine, a thread may take long to end
  }
}

async function* readBatches(
  documents: Iterable<Document> | AsyncIterable<Document>,
  encoder: Encoder,
): AsyncGenerator<Batch> {
  const atOnce = encoder.gives.weights ? WEIGHED_AT_ONCE : ENCODED_AT_ONCE;
  let [waiting, before]: [Document[], number] = [[], 0];
  try {
    for await (const document of documents) {
      if (hasOwnEncoding(document)) throw ownEncodingError(document, encoder);
      waiting.push(document);
      if (waiting.length < atOnce) continue;
      const full = { documents: waiting, before, isLast: false };
      before += waiting.length;
      waiting = [];
      yield full;
    }
  } catch (error) {
    yield { documents: [], before, isLast: true, failure: { error } };
    return;
  }
  yield { documents: waiting, before, isLast: true };
}

function ownEncodingError({ id }: Document, { path }: Encoder): SluiceError {
  return new SluiceError(
    `document ${JSON.stringify(id)} has a vector, weights or termFactors of its own, but the encoder ${path} encodes the documents of this index`,
    'leave out what the encoder gives; or give it to all documents, the first one included, or open a new index with the encoder "none"',
  );
}
