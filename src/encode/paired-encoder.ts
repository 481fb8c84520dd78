// Two encoders with one space → one encoder: documents get their vectors from the first, queries from the second. A model that is
// slow and good encodes each document once, and a table turns every query into a vector in microseconds, in a page, too.
//
// Each encoder says which space its vectors are in. Two that differ are refused: their products would mean nothing.

import { SluiceError } from "../support/errors/sluice-error.ts";
import type { Role } from "./contract/description.ts";
import type { ClosedEncoder } from "./contract/encoder-contract.ts";
import type { EncoderGives, Encoding, WatchedEncodeOptions } from "./contract/encoding.ts";
import type { Encoder } from "./encoder.ts";

/** The encoder of documents: open, or known from its files or a record, and opened when the first document comes. */
export type DocumentsEncoder = Encoder | { readonly known: ClosedEncoder; open(): Promise<Encoder> };

/** Encodes documents with one encoder and queries with another. Path, description and fingerprint are the documents' encoder's. */
export class PairedEncoder implements Encoder {
  readonly queries: Encoder;
  readonly #known: ClosedEncoder;
  readonly #open: () => Promise<Encoder>;
  /** The encoder of documents, once it is open. */
  #opened: Promise<Encoder> | undefined;
  /** Whether `close` closes the encoder. */
  readonly #owns: { readonly documents: boolean; readonly queries: boolean };

  constructor(documents: DocumentsEncoder, queries: Encoder, owns = { documents: true, queries: true }) {
    const isOpen = "encode" in documents;
    this.#known = isOpen ? documents : documents.known;
    this.#open = isOpen ? async () => documents : () => documents.open();
    if (isOpen) this.#opened = Promise.resolve(documents);
    checkPair(this.#known, queries);
    this.queries = queries;
    this.#owns = owns;
  }

  get path(): string {
    return this.#known.path;
  }

  get fingerprint(): string {
    return this.#known.fingerprint;
  }

  get description(): Encoder["description"] {
    return this.#known.description;
  }

  get space(): string {
    return this.#known.space;
  }

  get gives(): EncoderGives {
    return this.#known.gives;
  }

  /** The word pieces of queries. */
  get vocabulary(): readonly string[] {
    return this.queries.vocabulary;
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    if (role === "passage") return (await this.#openDocuments()).encode(texts, role, options);
    const { onEncoded, ...others } = options;
    const encodings = (await this.queries.encode(texts, role, others)).map((encoding) =>
      this.gives.termFactors ? encoding : { vector: encoding.vector! },
    );
    for (const [i, encoding] of encodings.entries()) onEncoded?.(i, encoding);
    return encodings;
  }

  tokenIds(text: string): number[] {
    return this.queries.tokenIds(text, "query");
  }

  /** Undefined: neither encoder gives weights. */
  ownTerms(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#owns.queries) await this.queries.close();
    if (this.#owns.documents) await (await this.#opened)?.close();
  }

  #openDocuments(): Promise<Encoder> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}

/** Throws if queries of one encoder cannot be compared with documents of the other. */
function checkPair(documents: ClosedEncoder, queries: Encoder): void {
  const bare = [documents, queries].find(({ gives }) => gives.weights || !gives.vector);
  if (bare) {
    const what = bare.gives.weights ? "weights of its own terms" : "no vectors";
    throw new SluiceError(
      `${bare.path}: this encoder gives ${what}, so it cannot be one of a pair`,
      "use one encoder for documents and queries",
    );
  }
  if (documents.space === queries.space) return;
  throw new SluiceError(
    `${nameOf(queries)} encodes into the space ${queries.space}, but ${nameOf(documents)} into ${documents.space}`,
    'the encoder of queries must have been made for that of the documents; "static" takes the one that came with it',
  );
}

/** "static (64 dims)": two encoders of one folder can differ in their dims alone. */
function nameOf({ path, description }: ClosedEncoder): string {
  return "dims" in description ? `${path} (${description.dims} dims)` : path;
}
