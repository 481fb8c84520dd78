// The whole parts of a damaged index whose settings are known → a new index with the same settings. Vectors, weights and factors
// come from the segments; where a segment is damaged, the encoder of the index makes them again.

import { WordPiece, type WordPieceOptions } from "../analyze/analyzers/wordpiece.ts";
import { chooseAnalyzer } from "../analyze/choose-analyzer.ts";
import type { Analyzer } from "../analyze/contract/analyzer.ts";
import type { Slicing } from "../densify/slicing.ts";
import { type Document, indexedText } from "../documents/document.ts";
import { type TextField, toFieldWeights } from "../documents/text-fields.ts";
import type { Encoder, Encoding } from "../encode/encoder.ts";
import { openRecordedEncoder } from "../encode/open-encoder.ts";
import { factorsByTerm, weightsInRow } from "../ingest/build/document-from-row.ts";
import { LiveIndex } from "../ingest/live-index.ts";
import { CopiedStart, resetStatistics } from "../ingest/options/copied-start.ts";
import { createRowRules, type IndexStart, type RowRules } from "../ingest/options/row-rules.ts";
import { loadRecordedAnalyzer } from "../store/record/analyzer-record.ts";
import { type CommitRecord, hasPendingSlicing } from "../store/record/commit-record.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { PROGRESS_STEP } from "../support/options/progress.ts";
import type { DamagedIndex, NamedDocument, RowPart } from "./damaged-index.ts";
import type { RepairOptions } from "./repair-options.ts";
import type { Salvage } from "./salvage.ts";

/** Documents of a batch. Those of a batch that must be encoded again are encoded together. */
const BATCH_DOCS = 256;

/** A document on its way into the new index. */
interface SalvagedDocument {
  readonly document: Document;
  /** What its segment no longer has. */
  readonly missing: readonly RowPart[];
}

/** Repairs an index whose settings are known. The new index has the same settings. */
export class RecordedSalvage {
  readonly #salvage: Salvage;
  readonly #damaged: DamagedIndex;
  readonly #record: CommitRecord;
  readonly #options: RepairOptions;
  /** The encoder of the index, once a document needs it. */
  #encoder: Encoder | undefined;
  /** Why the encoder does not open. Then documents that need it are lost. */
  #encoderError: SluiceError | undefined;

  constructor(salvage: Salvage, damaged: DamagedIndex, record: CommitRecord, options: RepairOptions) {
    this.#salvage = salvage;
    this.#damaged = damaged;
    this.#record = record;
    this.#options = options;
  }

  /** Writes one commit: the new index is whole, or not there. Returns how many documents it has. */
  async writeInto(into: string): Promise<number> {
    const { overwrite = false, onProgress, signal } = this.#options;
    const slicing = this.#damaged.slicing();
    const analyzer = await this.#loadAnalyzer(slicing);
    const newIndex = new CopiedStart(this.#start(analyzer, slicing));
    const target = await LiveIndex.open(into, { newIndex, overwrite, analyzer });
    try {
      const { added } = await target.change((writer) =>
        writer.add(this.#readDocuments(analyzer, slicing), { upsert: false }),
      );
      this.#salvage.requireSome(added);
      await target.commit({ onProgress, signal });
      return added;
    } finally {
      await target.close();
      await this.#encoder?.close();
    }
  }

  /** Loads the analyzer of the index. That of word pieces is made of the terms. */
  async #loadAnalyzer(slicing: Slicing | undefined): Promise<Analyzer> {
    const { analyzer } = this.#record;
    if (analyzer.name !== "wordpiece") {
      const given = await chooseAnalyzer(this.#options.analyzer, {});
      return loadRecordedAnalyzer(analyzer, given, this.#damaged.database.path);
    }
    if (!slicing) throw this.#termsLostError();
    return new WordPiece(slicing.vocabulary.terms, analyzer.options as WordPieceOptions);
  }

  #start(analyzer: Analyzer, slicing: Slicing | undefined): IndexStart {
    const { lambda, encoder, quantize } = this.#record;
    return {
      rowRules: slicing ? this.#sameRules(analyzer, slicing) : this.#newRules(analyzer),
      lambda,
      ...(encoder && { encoder }),
      ...(quantize && { quantize }),
    };
  }

  #sameRules(analyzer: Analyzer, slicing: Slicing): RowRules {
    const { bm25, vocabulary: vocabularyKind, positions } = this.#record;
    const weighting = bm25
      ? ({ kind: "bm25", analyzer, parameters: bm25, ...this.#textFields } as const)
      : ({ kind: "weights", analyzer } as const);
    return {
      weighting: resetStatistics(weighting, slicing),
      slicing,
      vocabularyKind,
      isSlicingPending: hasPendingSlicing(this.#record),
      keepsPositions: positions ?? false,
    };
  }

  /** Which fields of documents are searched, if the index has text fields. */
  get #textFields(): { textFields?: readonly TextField[] } {
    const { textFields } = this.#record;
    return textFields ? { textFields } : {};
  }

  /** The terms are lost, so the documents give new ones. */
  #newRules(analyzer: Analyzer): RowRules {
    const { lexical, bm25, vocabulary, settings, positions, textFields } = this.#record;
    const { strategy, dims, seed } = settings;
    if (vocabulary === "given") throw this.#termsLostError();
    return createRowRules({
      lexical,
      analyzer,
      positions,
      bm25,
      ...(textFields && { fieldWeights: toFieldWeights(textFields) }),
      ...(strategy === "full" ? { dims: "full" } : { dims, slicingStrategy: strategy, seed }),
    });
  }

  #termsLostError(): SluiceError {
    return new SluiceError(
      `${this.#damaged.database.path}: the file is damaged: the vocabulary cannot be read, and the documents do not give it again, so nothing can be saved`,
      "restore a backup, or build the index again",
      "ERR_SLUICE_DAMAGED",
    );
  }

  /** All documents that can be saved, in the order in which they were added. */
  async *#readDocuments(analyzer: Analyzer, slicing: Slicing | undefined): AsyncGenerator<Document> {
    const batch: SalvagedDocument[] = [];
    let done = 0;
    for (const named of this.#damaged.documents) {
      this.#options.signal?.throwIfAborted();
      const found = await this.#readFound(named, analyzer, slicing);
      if (found) batch.push(found);
      if (batch.length === BATCH_DOCS) yield* await this.#completeDocuments(batch.splice(0));
      if (++done % PROGRESS_STEP === 0)
        this.#options.onProgress?.({ task: "reading", done, total: this.#damaged.documents.length });
    }
    yield* await this.#completeDocuments(batch);
  }

  /** A document with what its segment has; undefined if its text is damaged. */
  async #readFound(
    named: NamedDocument,
    analyzer: Analyzer,
    slicing: Slicing | undefined,
  ): Promise<SalvagedDocument | undefined> {
    const { semanticDims = 0, lexical } = this.#record;
    const missing: RowPart[] = [];
    const part = <T>(name: RowPart, found: T | undefined): T | undefined => {
      if (found === undefined) missing.push(name);
      return found;
    };
    let document = this.#salvage.stored(named);
    if (!document) return undefined;
    if (semanticDims > 0) {
      const vector = part("vector", await this.#damaged.readVector(named));
      if (vector) document = { ...document, vector };
    }
    if (lexical === "weights") {
      const row = part("row", slicing && (await this.#damaged.readRow(named)));
      if (row) document = { ...document, weights: weightsInRow(slicing!, row) };
    } else if (named.source) {
      const factors = part("factors", await this.#damaged.readFactors(named));
      if (factors && slicing)
        document = {
          ...document,
          ...factorsByTerm(slicing, { analyzer, ...this.#textFields }, document, factors),
        };
      else if (factors && factors.length > 0) missing.push("factors"); // without the slicing, nobody knows which term each factor is of
    }
    return { document, missing };
  }

  /** Completes documents. The encoder of the index makes what is missing; without one, it stays missing. */
  async #completeDocuments(batch: readonly SalvagedDocument[]): Promise<Document[]> {
    const bare = batch.filter(({ missing }) => missing.length > 0);
    if (bare.length === 0) return batch.map(({ document }) => document);
    if (!this.#record.encoder) {
      return batch.map(({ document, missing }) => this.#salvage.recordMissingParts(document, missing));
    }
    const encodings = await this.#encodeAll(bare.map(({ document }) => document));
    return batch.flatMap(({ document, missing }) => {
      if (missing.length === 0) return [document];
      const encoding = encodings?.get(document.id);
      if (encoding) return [{ ...document, ...encoding }];
      this.#salvage.recordLoss(document.id, this.#encoderError);
      return [];
    });
  }

  /** Undefined if the encoder does not open. */
  async #encodeAll(documents: readonly Document[]): Promise<Map<string, Encoding> | undefined> {
    const encoder = await this.#openEncoder();
    if (!encoder) return undefined;
    const texts = documents.map((document) =>
      indexedText(document, `document ${JSON.stringify(document.id)}`, this.#record.textFields),
    );
    const encodings = await encoder.encode(texts, "passage", { signal: this.#options.signal });
    this.#salvage.encoded += documents.length;
    return new Map(documents.map(({ id }, i) => [id, encodings[i]]));
  }

  /** Undefined if the encoder does not open. It is tried once. */
  async #openEncoder(): Promise<Encoder | undefined> {
    if (this.#encoder || this.#encoderError) return this.#encoder;
    try {
      this.#encoder = await openRecordedEncoder(this.#record.encoder!);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      this.#encoderError = error;
    }
    return this.#encoder;
  }
}
