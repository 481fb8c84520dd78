// Writes passages to segment files like those of an index, and opens the files for the engine.

import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { openDiskRows, openDiskVectors } from "../../src/rank/disk-rows.ts";
import type { EngineSegment } from "../../src/rank/engine-segment.ts";
import type { ScannedMemory, ScanSources } from "../../src/scan/first-stages.ts";
import { loadScanner } from "../../src/scan/load-scanner.ts";
import type { ScanPool } from "../../src/scan/wasm/scan-pool.ts";
import { Container } from "../../src/segment/container/container.ts";
import { writeContainer } from "../../src/segment/container/container-writer.ts";
import { layOut, layoutSection } from "../../src/segment/layout.ts";
import { type SegmentMeta, SegmentSource } from "../../src/segment/segment.ts";
import type { Shape } from "./shape.ts";

/** Documents per file. The sizes that are measured are multiples of it, or all documents. */
const SEGMENT_DOCS = 500_000;

const fileOf = (folder: string, number: number) => join(folder, `${number}.sluice`);

/** How many files so many documents are in. */
export const countFiles = (docs: number) => Math.ceil(docs / SEGMENT_DOCS);

/** Which of the files a process writes: every `of`-th, beginning with number `part`. */
interface Share {
  readonly part: number;
  readonly of: number;
}

/** Writes the files that do not exist yet. Reports after each file how many documents it has. */
export async function writeSegments(
  folder: string,
  docs: number,
  shape: Shape,
  report: (made: number) => void,
  { part, of }: Share = { part: 0, of: 1 },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let number = part; number < countFiles(docs); number += of) {
    const path = fileOf(folder, number);
    const count = Math.min(SEGMENT_DOCS, docs - number * SEGMENT_DOCS);
    if (!(await stat(path).catch(() => undefined))) {
      const rows = shape.passages(count, 1000 + number);
      const layout = layOut(rows, { quantize: { parts: 64, bits: 4 } });
      const { starts, slices, indices, values, semantic } = rows;
      const sections = Object.entries(layout.sections).map(([name, array]) => [layoutSection(name), array]);
      await writeContainer(
        path,
        {
          kind: "segment",
          docs: count,
          settings: { dims: rows.dims },
          semanticDims: rows.semanticDims,
          layout: layout.meta,
        },
        { starts, slices, indices, values, semantic, ...Object.fromEntries(sections) },
      );
    }
    report(count);
  }
}

type OpenSegment = EngineSegment<ScannedMemory> & ScanSources;

/** Opens the first `docs` documents, for the threads of a pool or for this one. Rows stay in the files. */
export async function openSegments(folder: string, docs: number, pool?: ScanPool): Promise<OpenSegment[]> {
  const segments: OpenSegment[] = [];
  for (let number = 0; number * SEGMENT_DOCS < docs; number++) {
    const container = await Container.open(fileOf(folder, number));
    const meta = container.meta as SegmentMeta;
    const source = new SegmentSource(String(number), meta, container);
    const [words, vectors] = [await openDiskRows(source), await openDiskVectors(source)];
    const scanner = await loadScanner(source, false, pool);
    segments.push({
      rowCount: meta.docs,
      dims: meta.settings.dims,
      hasCodes: true,
      first: number * SEGMENT_DOCS,
      allowed: undefined,
      scanner: async () => scanner,
      lexicalParts: async () => words,
      semanticParts: async () => vectors,
    });
  }
  return segments;
}
