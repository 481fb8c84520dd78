// A file that was uploaded → documents of an index. The readers are those of the command line. Their errors name the file as the
// client does.

import { type EmptiedFile, hideEmptied, isEmptiedFile } from "../../documents/emptied-file.ts";
import { type AddOptions, type Document, type Progress, SluiceError } from "../../index.ts";
import { chooseFormat, type FileOptions, isProse, readFilesAndEmptied } from "../../read/formats.ts";
import type { FileDocument } from "../../read/index.ts";
import { isAddressable, NOT_ADDRESSABLE } from "../../schemas/indexes/document-schema.ts";
import { yieldInTurns } from "../wire/body.ts";
import { HttpError, lackingPackageError, tooLargeError } from "../wire/http-errors.ts";
import type { Limits } from "../wire/limits.ts";
import { checkJson } from "../wire/safe-json.ts";
import type { SpooledFile } from "../wire/spooled-body.ts";

/** How a file is read. */
type UploadOptions = Pick<FileOptions, "format" | "id" | "title" | "text" | "delimiter"> &
  Pick<AddOptions, "passages">;

/** A reader reports the bytes of a chunk before it returns the documents in it, which may have begun in the chunk before. */
const REPORTED_BYTES = 2 ** 16;

export class Upload {
  readonly #file: SpooledFile;
  /** The most bytes of one document. */
  readonly #documentBytes: number;
  readonly #options: FileOptions;
  /** How the library cuts the texts of records. Markdown and text come from the reader as passages, which nothing cuts again. */
  readonly passages: AddOptions["passages"];
  /** Whether the documents are passages of the file. */
  readonly #isCut: boolean;
  readonly #isParquet: boolean;
  #bytes = 0;
  /** Bytes that were read since the last document. */
  #since = 0;
  #read = 0;

  constructor(
    file: SpooledFile,
    { passages, ...options }: UploadOptions,
    { bodyBytes }: Pick<Limits, "bodyBytes">,
  ) {
    this.#file = file;
    this.#documentBytes = bodyBytes;
    const format = options.format ?? chooseFormat(file.name);
    this.#isParquet = format === "parquet";
    this.#isCut = isProse(format);
    this.passages = passages;
    const size = this.#isCut && typeof passages === "object" ? passages : undefined;
    this.#options = Object.fromEntries(
      Object.entries({ ...options, passages: size }).filter(([, value]) => value !== undefined),
    );
  }

  /** The documents of the file, each safe to use. One that is too large is refused before the reader holds all of it. */
  readDocuments(signal: AbortSignal): AsyncIterable<Document> {
    const onBytes = (bytes: number) => {
      this.#bytes += bytes;
      this.#since += bytes;
      if (!this.#isParquet) this.#checkSize(this.#since - REPORTED_BYTES, this.#read + 1);
    };
    const found = readFilesAndEmptied(this.#file.path, { ...this.#options, onBytes });
    return hideEmptied(yieldInTurns(this.#checkEach(found), signal));
  }

  async *#checkEach(
    found: AsyncIterable<FileDocument | EmptiedFile>,
  ): AsyncGenerator<Document | EmptiedFile> {
    const { name } = this.#file;
    try {
      for await (const document of found) {
        if (isEmptiedFile(document)) {
          yield document;
          continue;
        }
        this.#since = 0;
        checkJson(document, `document ${++this.#read} of ${name}`);
        if (!isAddressable((document as { readonly id?: unknown }).id))
          throw new HttpError(400, "invalid", `document ${this.#read} of ${name}: ${NOT_ADDRESSABLE}`);
        if (this.#isParquet) this.#checkSize(charactersOf(document), this.#read);
        yield document as Document;
      }
    } catch (error) {
      throw this.#named(error);
    }
  }

  /**
   * Throws if the file had no documents, and nothing was deleted. An upsert deletes the earlier version of Markdown or text. Nobody
   * knows which documents another file had.
   */
  requireChange(deleted: number, upsert: boolean): void {
    if (this.#read > 0 || deleted > 0) return;
    throw new HttpError(400, "invalid", "the file has no documents; nothing was deleted", {
      ...(this.#isCut && !upsert && { hint: "with upsert=true, such a file deletes its earlier version" }),
    });
  }

  /** Progress with the number of documents that the file will give, judged by the bytes that were read. */
  estimated(progress: Progress): Progress {
    const { bytes: all } = this.#file;
    if (progress.total !== undefined || this.#bytes === 0) return progress;
    const found = Math.max(progress.done, this.#read); // a document that was read may become several passages
    const total = Math.round((found * all) / Math.min(this.#bytes, all));
    return { ...progress, total };
  }

  #checkSize(bytes: number, number: number): void {
    if (bytes <= this.#documentBytes) return;
    throw tooLargeError(this.#documentBytes, {
      what: `document ${number} of ${this.#file.name}`,
      hint: "cut it into several documents; Markdown and text files are cut by the server",
    });
  }

  /** The error with the client's name of the file. What is wrong with a file is an error of the client. */
  #named(error: unknown): unknown {
    if (!(error instanceof SluiceError)) return error;
    if (error.code === "ERR_SLUICE_MISSING_PACKAGE")
      return lackingPackageError(error, "this server cannot read the file", "; or send JSON Lines or CSV");
    return new SluiceError(error.problem.replaceAll(this.#file.path, this.#file.name), error.hint);
  }
}

/** The characters of the texts of a document, which are at least as many bytes. */
function charactersOf(document: object): number {
  let characters = 0;
  for (const value of Object.values(document)) if (typeof value === "string") characters += value.length;
  return characters;
}
