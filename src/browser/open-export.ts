// An export → a snapshot that searches like one of a folder, and the documents that go with it.

import { type Analyzer, whitespace } from "../analyze/analyzer.ts";
import { english } from "../analyze/english.ts";
import { LIST_SECTIONS } from "../segment/postings.ts";
import { Segment, SegmentSource } from "../segment/segment.ts";
import { layoutSection } from "../segment/stored-layout.ts";
import { bytesAsTexts, lexicalFrom, slicingFrom } from "../store/index-meta.ts";
import type { AnalyzerRecord } from "../store/model-record.ts";
import { Snapshot } from "../store/snapshot.ts";
import type { WebIndex } from "../store/web-format.ts";
import { FetchedSections } from "./sections.ts";
import type { FetchOptions, Site } from "./site.ts";

/** What only some searches need: fetched with the first that does. */
const FILTERED = ["columns", "columnCodes"];

/** Everything that searches need but metadata is fetched now: a search finds it in memory, or not at all. */
export async function fetchedSections(
  site: Site,
  index: WebIndex,
  { scans, signal, onProgress }: LoadOptions,
): Promise<FetchedSections> {
  const sections = new FetchedSections(site, index.sections);
  const names = sections.names.filter((name) => !FILTERED.includes(name) && (scans || !isScanned(name)));
  const total = names.reduce((sum, name) => sum + sections.storedBytes(name), 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress?.({ done, total });
  };
  await sections.load(names, { signal, onBytes });
  sections.put(
    "serials",
    Float64Array.from({ length: index.segment.docs }, (_, doc) => doc + 1),
  );
  return sections;
}

export interface LoadOptions extends Pick<FetchOptions, "signal"> {
  /** Whether the CPU will scan; a GPU has no use for the arrays that scans read. */
  readonly scans: boolean;
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Lets go of what is in WebAssembly memories by now. */
export function forgetScanned(sections: FetchedSections): void {
  for (const name of sections.names) if (isScanned(name)) sections.forget(name);
}

/** Arrays that scans alone read. Lists are the rows, too. */
function isScanned(name: string): boolean {
  return name.startsWith(layoutSection("")) && !LIST_SECTIONS.some((list) => layoutSection(list) === name);
}

export async function snapshotOf(index: WebIndex, sections: FetchedSections, url: URL): Promise<Snapshot> {
  const { settings, vocabulary, semanticDims, lambda, counts, encoder, quantize, generation } = index;
  const terms = bytesAsTexts(sections.sectionSync("terms"));
  const table = settings.table ? (sections.sectionSync("sliceTable") as Uint32Array) : undefined;
  const slicing = slicingFrom(settings, terms, table, url.href);
  const analyzer = await analyzerOf(index.analyzer, terms);
  const lexical = lexicalFrom(
    index,
    analyzer,
    () => sections.sectionSync("documentFrequencies") as Uint32Array,
  );
  const source = new SegmentSource("web", index.segment, sections);
  let serials: Map<string, number> | undefined;
  return new Snapshot({
    generation,
    segments: [new Segment(source, 0, undefined, notHere)],
    settings,
    vocabulary: vocabulary ?? "sealed",
    semanticDims,
    lambda,
    counts,
    ...(encoder && { encoder }),
    ...(quantize && { quantize }),
    slicing: () => slicing,
    lexical: () => lexical,
    serialOf: (id) => {
      serials ??= new Map(Array.from({ length: source.docs }, (_, doc) => [source.ids.at(doc), doc + 1]));
      return serials.get(id);
    },
    documentWith: notHere,
    close: () => source.close(),
  });
}

/** Word pieces bring a tokenizer along, which pages with other indexes need not load. */
async function analyzerOf({ name, options }: AnalyzerRecord, terms: readonly string[]): Promise<Analyzer> {
  if (name !== "wordpiece") return name === "english" ? english : whitespace;
  const { WordPiece } = await import("../analyze/wordpiece.ts");
  return new WordPiece(terms, options);
}

function notHere(): never {
  throw new TypeError("documents are fetched, see documents.ts");
}
