// A segment ↔ its file, segments/NAME.sluice. FORMAT.md lists the sections.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Counts } from "../densify/counts.ts";
import type { Rows } from "../densify/rows.ts";
import type { Settings } from "../densify/slicing.ts";
import type { ColumnsData } from "../documents/columns-format.ts";
import { UsageError } from "../errors.ts";
import { fileError } from "../support/file-error.ts";
import { Container } from "./container.ts";
import { damaged, type SectionArray } from "./container-format.ts";
import { writeContainer } from "./container-writer.ts";
import type { IdTable } from "./ids.ts";
import { type Averages, type SegmentMeta, SegmentSource } from "./segment.ts";
import { type Layout, layoutSection } from "./stored-layout.ts";

export const SEGMENTS_FOLDER = "segments";

export interface SegmentContent {
  readonly rows: Rows;
  readonly ids: IdTable;
  readonly serials: Float64Array;
  readonly columns: ColumnsData;
  readonly counts: Counts;
  readonly averages?: Averages;
}

/** What a commit says about a segment: enough to find its file, and to notice another one in its place. */
export interface SegmentEntry {
  readonly name: string;
  readonly docs: number;
  readonly bytes: number;
  /** Of the file's header. */
  readonly checksum: number;
}

/** Each writer has its own names, so that one that lost its lock cannot touch what the next one wrote. */
export function segmentName(number: number, writer: string): string {
  return `${String(number).padStart(6, "0")}-${writer}`;
}

export function segmentPath(folder: string, name: string): string {
  return join(folder, SEGMENTS_FOLDER, `${name}.sluice`);
}

/** The header and the arrays of a segment. */
export interface SegmentParts {
  readonly meta: SegmentMeta;
  readonly sections: Readonly<Record<string, SectionArray>>;
}

/** Content as it is stored: with the layout that is searched, and without rows where that holds them. */
export function segmentParts(content: SegmentContent, settings: Settings, layout: Layout): SegmentParts {
  const { rows, ids, serials, columns, counts, averages } = content;
  const meta: SegmentMeta = {
    kind: "segment",
    docs: rows.docs,
    settings,
    semanticDims: rows.semanticDims,
    counts,
    ...(averages && { averages }),
    layout: layout.meta,
  };
  const { starts, slices, indices, values, semantic } = rows;
  const sections = {
    ...(!layout.holdsRows && { starts, slices, indices, values }),
    semantic,
    idStarts: ids.starts,
    ids: ids.bytes,
    serials,
    ...columns,
    ...Object.fromEntries(
      Object.entries(layout.sections).map(([name, array]) => [layoutSection(name), array]),
    ),
  };
  return { meta, sections };
}

/** Writes a segment, and makes sure it is on the disk. */
export async function writeSegment(
  folder: string,
  name: string,
  { meta, sections }: SegmentParts,
): Promise<SegmentEntry> {
  const written = await writeContainer(segmentPath(folder, name), meta, sections);
  return { name, docs: meta.docs, ...written };
}

/** Opens the file of a segment that a commit names; throws the system's ENOENT where it is gone. */
export function openSegment(folder: string, { name, docs, checksum }: SegmentEntry): SegmentSource {
  const path = segmentPath(folder, name);
  const container = Container.open(path);
  const meta = container.meta as SegmentMeta;
  if (container.checksum !== checksum || meta.kind !== "segment" || meta.docs !== docs) {
    container.close();
    throw damaged(path, "it is not the file that the last commit names");
  }
  return new SegmentSource(name, meta, container);
}

/** A segment's file that should be there and is not, or cannot be opened. */
export function segmentError(error: unknown, folder: string, name: string): unknown {
  const path = segmentPath(folder, name);
  if ((error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return fileError(error, path);
  return new UsageError(
    `${path}: the file is missing, and the last commit names it`,
    "restore it from a copy, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}

/** Removes files nobody names any more; where a system forbids it, because they are open, a later writer does. */
export async function removeSegments(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(segmentPath(folder, name), { force: true }).catch(() => {});
}
