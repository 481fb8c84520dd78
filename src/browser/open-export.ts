// An export → a snapshot that can be searched like the snapshot of an index in a folder.

import type { WordPieceOptions } from "../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../analyze/contract/analyzer.ts";
import { toSlicingSettings } from "../densify/slicing.ts";
import { Vocabulary } from "../densify/vocabulary.ts";
import type { EncoderRecord } from "../encode/encoder-record.ts";
import type { QueryTextEncoder } from "../query/prepare/query-preparer.ts";
import { viewBytes } from "../segment/container/container-format.ts";
import { layoutSection } from "../segment/layout.ts";
import { LIST_SECTIONS } from "../segment/layout-parts.ts";
import { openSource } from "../segment/open-segment.ts";
import { packSerials } from "../segment/rows/serials.ts";
import { findIndexMismatch } from "../segment/section-sizes.ts";
import {
  FACTOR_SECTIONS,
  FIELD_SECTIONS,
  POSITION_SECTIONS,
  Segment,
  type SegmentSource,
} from "../segment/segment.ts";
import { type AnalyzerRecord, loadRecordedAnalyzer } from "../store/record/analyzer-record.ts";
import { restoreSlicing } from "../store/record/slicing-record.ts";
import { Snapshot } from "../store/snapshot/snapshot.ts";
import { bytesToTexts, restoreWeighting } from "../store/web/index-meta.ts";
import { ENCODER_SECTIONS, MANIFEST_FILE, type WebIndex } from "../store/web/web-format.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { FetchedSections } from "./sections.ts";
import { damagedExportError, type FetchOptions, type Site } from "./site.ts";

/**
 * Sections that only some calls need, fetched with the first of them: with a filter, a phrase, other weights of fields, a text to
 * encode, or an explanation.
 */
const LATER = [
  "columns",
  "columnCodes",
  ...FACTOR_SECTIONS,
  ...POSITION_SECTIONS,
  ...FIELD_SECTIONS,
  ...Object.values(ENCODER_SECTIONS),
];

/** An export whose sections were fetched. */
interface FetchedExport {
  readonly source: SegmentSource;
  readonly sections: FetchedSections;
}

/** Fetches all sections that searches need, except those in LATER. Searches read them synchronously. */
export async function fetchSections(
  site: Site,
  index: WebIndex,
  { scans, signal, onProgress }: LoadOptions,
): Promise<FetchedExport> {
  const sections = new FetchedSections(site, index.sections);
  const damagedFileError = (what: string) => damagedExportError(new URL(MANIFEST_FILE, site.url), what);
  const source = openSource("web", index.segment, sections, damagedFileError);
  const wrong = findIndexMismatch(source.meta, index);
  if (wrong) throw damagedFileError(wrong);
  const names = sections.names.filter((name) => !LATER.includes(name) && (scans || !isScanned(name)));
  const total = names.reduce((sum, name) => sum + sections.storedBytes(name), 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress?.({ task: "fetching", done, total });
  };
  await sections.load(names, { signal, onBytes });
  sections.put(
    "serials",
    packSerials(Float64Array.from({ length: index.segment.docs }, (_, doc) => doc + 1)),
  );
  return { source, sections };
}

interface LoadOptions extends Pick<FetchOptions, "signal"> {
  /** Whether the CPU scans. A GPU does not need the arrays of CPU scans, so they are not fetched. */
  readonly scans: boolean;
  readonly onProgress?: OnProgress | undefined;
}

/** Frees the arrays that were copied into WebAssembly memory. */
export function forgetScanned(sections: FetchedSections): void {
  for (const name of sections.names) if (isScanned(name)) sections.forget(name);
}

/** Whether only scans read this section. Posting lists are also the rows, so they stay. */
function isScanned(name: string): boolean {
  return name.startsWith(layoutSection("")) && !LIST_SECTIONS.some((list) => layoutSection(list) === name);
}

export async function createExportSnapshot(
  index: WebIndex,
  { source, sections }: FetchedExport,
  url: URL,
): Promise<Snapshot> {
  const { settings, vocabulary, semanticDims, lambda, counts, encoder, quantize, generation } = index;
  const terms = bytesToTexts(sections.sectionSync("terms"));
  const table = settings.table ? (sections.sectionSync("sliceTable") as Uint32Array) : undefined;
  const slicing = restoreSlicing(settings, new Vocabulary(terms), table, url.href);
  const analyzer = await loadExportAnalyzer(index.analyzer, terms, url);
  const weighting = restoreWeighting(
    index,
    analyzer,
    () => sections.sectionSync("documentFrequencies") as Uint32Array,
  );
  let serials: Map<string, number> | undefined;
  return new Snapshot({
    generation,
    segments: [new Segment(source, 0, undefined, refuseDocument)],
    slicingSettings: toSlicingSettings(settings),
    vocabularyKind: vocabulary ?? "sealed",
    semanticDims,
    lambda,
    densifyCounts: counts,
    keepsPositions: index.positions === true,
    ...(encoder && { encoder }),
    ...(quantize && { quantize }),
    slicing: () => slicing,
    weighting: () => weighting,
    serialOf: (id) => {
      serials ??= new Map(Array.from({ length: source.rowCount }, (_, doc) => [source.ids.at(doc), doc + 1]));
      return serials.get(id);
    },
    documentWith: refuseDocument,
    close: () => source.close(),
  });
}

/** Opens the static encoder that came with the export; undefined if there is none. */
export async function openExportEncoder(
  record: EncoderRecord,
  sections: FetchedSections,
): Promise<QueryTextEncoder | undefined> {
  const { path, description } = record.queries ?? record;
  const { table, pieces } = ENCODER_SECTIONS;
  if (!sections.has(table)) return undefined;
  const [{ StaticEncoder }, vectors, texts] = await Promise.all([
    import("../encode/static/static-encoder.ts"),
    sections.loadSection(table),
    sections.loadSection(pieces),
  ]);
  const files = {
    description,
    table: viewBytes(vectors),
    pieces: new TextDecoder().decode(viewBytes(texts)),
  };
  const encoder = new StaticEncoder(path, files);
  for (const name of [table, pieces]) sections.forget(name);
  return encoder;
}

/** The analyzer of the index. The WordPiece tokenizer is loaded only for an index that uses it. */
async function loadExportAnalyzer(
  record: AnalyzerRecord,
  terms: readonly string[],
  url: URL,
): Promise<Analyzer> {
  if (record.name !== "wordpiece") return loadRecordedAnalyzer(record, undefined, url.href);
  const { WordPiece } = await import("../analyze/analyzers/wordpiece.ts");
  return new WordPiece(terms, record.options as WordPieceOptions);
}

function refuseDocument(): never {
  throw new TypeError("documents are fetched, see fetched-documents.ts");
}
