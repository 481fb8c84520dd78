// A snapshot → an export: a folder of plain files for pages (web-format.ts). The index is only read. All segments become one, and
// rows are copied, so scores stay the same to the last bit.

import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import type { EncoderRecord } from "../../encode/encoder-record.ts";
import type { StaticQueryFiles } from "../../encode/static-query-files.ts";
import { ColumnsBuilder } from "../../segment/columns/columns-builder.ts";
import {
  requireLittleEndian,
  type SectionArray,
  sectionType,
  viewBytes,
} from "../../segment/container/container-format.ts";
import { copySegments } from "../../segment/copy-segments.ts";
import { layOut, layoutSection } from "../../segment/layout.ts";
import { type SegmentParts, toSegmentParts } from "../../segment/segment-file.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkPath } from "../../support/files/check-path.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { writeFolder } from "../../support/files/write-folder.ts";
import {
  checkFunction,
  checkOptions,
  checkSignal,
  type KnownOptions,
} from "../../support/options/options.ts";
import { PROGRESS_STEP } from "../../support/options/progress.ts";
import { WORK_OPTIONS, type WorkOptions } from "../../support/options/work-options.ts";
import { waitForTurn } from "../../support/work/turns.ts";
import type { CopyResult } from "../backup/backup.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKeepFields, type ExportedFields, FieldChoice } from "./exported-fields.ts";
import { createIndexMeta, textsToBytes } from "./index-meta.ts";
import {
  DOCUMENT_SECTIONS,
  documentsFile,
  ENCODER_SECTIONS,
  hexadecimal,
  MANIFEST_FILE,
  type Manifest,
  PART_BYTES,
  partFile,
  WEB_FORMAT,
  WEB_VERSION,
  type WebIndex,
  type WebPart,
  type WebSection,
} from "./web-format.ts";

export interface ExportOptions extends WorkOptions {
  /**
   * The fields that hits have: "all" (the default), "none", or a list of names. Other fields are not exported in any form and
   * cannot be filtered. But the terms of the text are in the rows, and the vocabulary has the terms of deleted documents, too.
   */
  readonly keepFields?: ExportedFields | undefined;
}

/** The names of the options of `exportWeb`. */
const EXPORT_OPTIONS: KnownOptions<ExportOptions> = {
  keepFields: true,
  ...WORK_OPTIONS,
};

/** What an export wrote. */
export interface ExportResult extends CopyResult {
  readonly bytes: number;
  readonly files: number;
  /** Of all files: another export has another one. */
  readonly fingerprint: string;
}

/** JSON of a file of documents. A page fetches a file for nearly every hit, so files are small. */
const DOCUMENTS_BYTES = 64 * 1024;
/** A part is deflated if that makes it smaller than this share: inflating takes time. */
const WORTH_DEFLATING = 0.95;

const deflateBytes = promisify<Uint8Array, object, Buffer>(deflateRaw);

/** Reads what a page needs to encode queries; undefined if it cannot encode them as this encoder does. */
type ReadEncoderFiles = (encoder: EncoderRecord) => Promise<StaticQueryFiles | undefined>;

/** @internal Writes the folder completely or not at all. Replaces an earlier export, but nothing else. */
export async function exportSnapshot(
  snapshot: Snapshot,
  folder: string,
  readEncoderFiles: ReadEncoderFiles,
  options: ExportOptions = {},
): Promise<ExportResult> {
  checkPath("the folder of an export", folder);
  checkOptions(options, EXPORT_OPTIONS, "exportWeb");
  checkFunction("onProgress", options.onProgress);
  checkSignal(options.signal);
  requireLittleEndian();
  checkKeepFields(options.keepFields);
  if (snapshot.docs === 0) throw new SluiceError("the index has no documents: there is nothing to export");
  return writeFolder(folder, isExport, async (inside) => {
    const files = snapshot.encoder && (await readEncoderFiles(snapshot.encoder));
    return new Exporter(snapshot, inside, files, options).write();
  });
}

/** Whether a folder may be replaced. */
async function isExport(folder: string): Promise<boolean> {
  const manifest = await readFile(join(folder, MANIFEST_FILE), "utf8").catch(() => "");
  return manifest.startsWith(`{"format":"${WEB_FORMAT}"`);
}

class Exporter {
  readonly #snapshot: Snapshot;
  readonly #folder: string;
  readonly #encoderFiles: StaticQueryFiles | undefined;
  readonly #options: ExportOptions;
  #done = 0;
  #files = 0;
  #bytes = 0;

  constructor(
    snapshot: Snapshot,
    folder: string,
    encoderFiles: StaticQueryFiles | undefined,
    options: ExportOptions,
  ) {
    this.#snapshot = snapshot;
    this.#folder = folder;
    this.#encoderFiles = encoderFiles;
    this.#options = options;
  }

  async write(): Promise<ExportResult> {
    const { slicing, weighting, generation, quantize, encoder } = this.#snapshot;
    for (const name of ["parts", "documents"]) await makeFolders(join(this.#folder, name));
    const { keepFields: documents = "all" } = this.#options;
    const { meta, sections } = await this.#joinSegments();
    const { columns, locations } = await this.#writeDocuments(documents);
    const arrays: Record<string, SectionArray> = {
      terms: textsToBytes(slicing.vocabulary.terms),
      ...(slicing.table && { sliceTable: slicing.table }),
      ...(weighting.kind === "bm25" && { documentFrequencies: weighting.statistics.documentFrequencies }),
      ...sections,
      ...columns,
      ...locations,
      ...(this.#encoderFiles && createEncoderSections(this.#encoderFiles)),
    };
    const written: WebSection[] = [];
    for (const [name, array] of Object.entries(arrays)) written.push(await this.#writeSection(name, array));
    const index: WebIndex = {
      ...createIndexMeta(this.#snapshot),
      ...(encoder && { encoder: hideFolder(encoder) }),
      generation,
      ...(quantize && { quantize }),
      segment: meta,
      documents,
      bytes: this.#bytes,
      sections: written,
    };
    const checksum = hexadecimal(crc32(JSON.stringify(index)));
    const manifest: Manifest = { format: WEB_FORMAT, version: WEB_VERSION, checksum, index };
    await this.#writeFile(MANIFEST_FILE, Buffer.from(JSON.stringify(manifest)));
    return { docs: meta.docs, generation, bytes: this.#bytes, files: this.#files, fingerprint: checksum };
  }

  /** Returns one segment without deleted documents. Joins the segments if there are several. */
  async #joinSegments(): Promise<SegmentParts> {
    const { segments, slicingSettings: settings, semanticDims, quantize } = this.#snapshot;
    const [{ source, deleted }] = segments;
    if (segments.length > 1 || deleted) {
      const content = await copySegments(segments, settings.dims, semanticDims, () => this.#step("merging"));
      this.#done = 0;
      const { meta, sections } = toSegmentParts(content, settings, layOut(content.rows, { quantize }));
      return { meta, sections: pickSections(Object.entries(sections)) };
    }
    const { meta, sections } = source;
    const arrays = await Promise.all(
      sections.names.map(async (name) => [name, await sections.loadSection(name)] as const),
    );
    return { meta: { ...meta }, sections: pickSections(arrays) };
  }

  /** Writes the documents. Returns the sections that locate them and, if fields are left out, new metadata columns. */
  async #writeDocuments(documents: ExportedFields) {
    const { starts, bytes, stored, checksums } = DOCUMENT_SECTIONS;
    const choice = new FieldChoice(documents);
    const columns = documents === "all" ? undefined : new ColumnsBuilder();
    const parts: (WebPart & { readonly first: number })[] = [];
    let [lines, first, length, written]: [Buffer[], number, number, number] = [[], 0, 0, 0];
    const finish = async () => {
      if (documents !== "none") {
        const part = await this.#writePart(Buffer.concat(lines), (part) => documentsFile(parts.length, part));
        parts.push({ ...part, first });
      }
      [lines, first, length] = [[], written, 0];
    };
    for (const doc of this.#snapshot.eachDoc()) {
      const fields = documents === "none" ? {} : choice.pick(this.#snapshot.document(doc));
      columns?.add(fields);
      // JSON is written without line feeds of its own.
      const line = Buffer.from(`${JSON.stringify(fields)}\n`);
      lines.push(line);
      length += line.length;
      written++;
      if (length >= DOCUMENTS_BYTES) await finish();
      const pause = this.#step("exporting");
      if (pause) await pause;
    }
    if (lines.length > 0) await finish();
    choice.requireAll();
    const numbers = (numberOf: (part: (typeof parts)[number]) => number) => Uint32Array.from(parts, numberOf);
    return {
      columns: columns?.finish(),
      locations: {
        [starts]: Uint32Array.from([...parts.map((part) => part.first), written]),
        [bytes]: numbers((part) => part.bytes),
        [stored]: numbers((part) => part.stored),
        [checksums]: numbers((part) => part.checksum),
      },
    };
  }

  async #writeSection(name: string, array: SectionArray): Promise<WebSection> {
    const bytes = viewBytes(array);
    const parts: WebPart[] = [];
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      this.#options.signal?.throwIfAborted();
      const file = (part: WebPart) => partFile(name, parts.length, part);
      parts.push(await this.#writePart(bytes.subarray(from, from + PART_BYTES), file));
    }
    return { name, type: sectionType(array), bytes: bytes.length, parts };
  }

  async #writePart(bytes: Uint8Array, file: (part: WebPart) => string): Promise<WebPart> {
    const smaller = await deflateBytes(bytes, {});
    const content = smaller.length < bytes.length * WORTH_DEFLATING ? smaller : bytes;
    const part = { bytes: bytes.length, stored: content.length, checksum: crc32(content) };
    await this.#writeFile(file(part), content);
    this.#bytes += content.length;
    return part;
  }

  async #writeFile(name: string, content: Uint8Array): Promise<void> {
    await writeFile(join(this.#folder, name), content, { flush: true });
    this.#files++;
  }

  #step(task: "merging" | "exporting"): Promise<void> | undefined {
    const { onProgress, signal } = this.#options;
    const total = this.#snapshot.docs;
    if (++this.#done % PROGRESS_STEP !== 0 && this.#done !== total) return undefined;
    signal?.throwIfAborted();
    onProgress?.({ task, done: this.#done, total });
    return waitForTurn();
  }
}

/** Leaves out serial numbers, which only the database needs, and rows if posting lists hold them. */
function pickSections(
  sections: readonly (readonly [name: string, array: SectionArray])[],
): Record<string, SectionArray> {
  const hasLists = sections.some(([name]) => name === layoutSection("postings"));
  const needless = ["serials", ...(hasLists ? ["starts", "slices", "indices", "values"] : [])];
  return Object.fromEntries(sections.filter(([name]) => !needless.includes(name)));
}

function createEncoderSections({ table, pieces }: StaticQueryFiles): Record<string, Uint8Array<ArrayBuffer>> {
  return { [ENCODER_SECTIONS.table]: table, [ENCODER_SECTIONS.pieces]: new TextEncoder().encode(pieces) };
}

/** Leaves out the path on this machine: it is private. */
function hideFolder(encoder: EncoderRecord): EncoderRecord {
  const { queries } = encoder;
  return { ...encoder, path: basename(encoder.path), ...(queries && { queries: hideFolder(queries) }) };
}
