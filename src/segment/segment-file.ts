// A segment ↔ its file, segments/NAME.sluice. docs/reference/file-format.md lists the sections.

import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DensifyCounts } from "../densify/counts.ts";
import type { Rows } from "../densify/rows.ts";
import { type SlicingSettings, toStoredSlicing } from "../densify/slicing.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { fileError } from "../support/files/file-error.ts";
import type { ColumnsData } from "./columns/columns-format.ts";
import { Container } from "./container/container.ts";
import { damagedError, type SectionArray } from "./container/container-format.ts";
import { writeContainer } from "./container/container-writer.ts";
import { Problems } from "./container/problems.ts";
import { type Layout, layoutSection } from "./layout.ts";
import { openSource } from "./open-segment.ts";
import type { FactorLists } from "./rows/factor-lists.ts";
import type { FieldLists } from "./rows/field-lists.ts";
import type { IdTable } from "./rows/ids.ts";
import type { PositionLists } from "./rows/position-lists.ts";
import { packSerials } from "./rows/serials.ts";
import type { AverageLengths, SegmentMeta, SegmentSource } from "./segment.ts";

export const SEGMENTS_FOLDER = "segments";
const EXTENSION = ".sluice";

export interface SegmentContent {
  readonly rows: Rows;
  readonly ids: IdTable;
  readonly serials: Float64Array;
  readonly columns: ColumnsData;
  /** Absent if all factors of BM25's weights are 1. */
  readonly factors?: FactorLists | undefined;
  /** Absent if the index does not keep positions. */
  readonly positions?: PositionLists | undefined;
  /** Absent if the index has no text fields. */
  readonly fieldLists?: FieldLists | undefined;
  readonly counts: DensifyCounts;
  readonly averages?: AverageLengths;
}

/** What a commit says about a segment: enough to find its file, and to notice if it was replaced by another. */
export interface SegmentEntry {
  readonly name: string;
  readonly docs: number;
  readonly bytes: number;
  /** The checksum of the file's header. */
  readonly checksum: number;
}

/**
 * The name of a segment. Each writer uses its own names, so a writer that lost its lock cannot overwrite the next
 * one's files.
 */
export function segmentName(number: number, writer: string): string {
  return `${String(number).padStart(6, "0")}-${writer}`;
}

/** Whether a file of this name is a segment. */
export function isSegmentFile(name: string): boolean {
  return name.endsWith(EXTENSION);
}

export function segmentPath(folder: string, name: string): string {
  return join(folder, SEGMENTS_FOLDER, `${name}${EXTENSION}`);
}

/** The header and the arrays of a segment. */
export interface SegmentParts {
  readonly meta: SegmentMeta;
  readonly sections: Readonly<Record<string, SectionArray>>;
}

/** The parts of the file that stores the content: a layout, and the rows unless posting lists hold them. */
export function toSegmentParts(
  content: SegmentContent,
  settings: SlicingSettings,
  layout: Layout,
): SegmentParts {
  const { rows, ids, serials, columns, factors, positions, fieldLists, counts, averages } = content;
  const meta: SegmentMeta = {
    kind: "segment",
    docs: rows.docs,
    settings: toStoredSlicing(settings),
    semanticDims: rows.semanticDims,
    counts,
    ...(averages && { averages }),
    layout: layout.meta,
  };
  const { starts, slices, indices, values, semantic } = rows;
  const packedIds = ids.pack();
  const sections = {
    ...(layout.meta.lexical.kind !== "inverted" && { starts, slices, indices, values }),
    semantic,
    idLengths: packedIds.lengths,
    ids: packedIds.bytes,
    serials: packSerials(serials),
    ...columns,
    ...(factors && { factorStarts: factors.starts, factors: factors.values }),
    ...(positions && { positionDirectory: positions.directory, positions: positions.lists }),
    ...(fieldLists && {
      fieldDirectory: fieldLists.directory,
      fieldCounts: fieldLists.lists,
      fieldLengths: fieldLists.packedLengths(),
    }),
    ...Object.fromEntries(
      Object.entries(layout.sections).map(([name, array]) => [layoutSection(name), array]),
    ),
  };
  return { meta, sections };
}

/** Writes a segment and syncs it to disk. */
export async function writeSegment(
  folder: string,
  name: string,
  { meta, sections }: SegmentParts,
): Promise<SegmentEntry> {
  const written = await writeContainer(segmentPath(folder, name), meta, sections);
  return { name, docs: meta.docs, ...written };
}

/** Opens the file of a segment that a commit names. Throws the system's ENOENT if it is missing. */
export function openSegmentFile(folder: string, { name, docs, checksum }: SegmentEntry): SegmentSource {
  const container = Container.open(segmentPath(folder, name));
  const { meta } = container;
  if (container.checksum !== checksum || meta.kind !== "segment" || meta.docs !== docs) {
    container.close();
    throw damagedError(container.path, "it is not the file that the last commit names");
  }
  return openSourceIn(name, container);
}

/** Opens all files of segments that can be opened, whether a commit names them or not: for an index whose record is lost. */
export function openAnySegments(folder: string): SegmentSource[] {
  const problems = new Problems();
  const files = readdirSync(join(folder, SEGMENTS_FOLDER)).filter(isSegmentFile);
  return files.flatMap((file) => {
    const name = file.slice(0, -EXTENSION.length);
    const open = () => openSourceIn(name, Container.open(segmentPath(folder, name)));
    return problems.catchSync(open) ?? [];
  });
}

function openSourceIn(name: string, container: Container): SegmentSource {
  try {
    return openSource(name, container.meta, container, (what) => damagedError(container.path, what));
  } catch (error) {
    container.close();
    throw error;
  }
}

/** The error to throw for a segment's file that is missing or cannot be opened. */
export function segmentError(error: unknown, folder: string, name: string): unknown {
  const path = segmentPath(folder, name);
  if ((error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return fileError(error, path);
  return new SluiceError(
    `${path}: the file is missing, but the last commit names it`,
    "restore it from a copy, or build the index again",
    "ERR_SLUICE_DAMAGED",
  );
}

/** Removes files that no commit names any more. If the system refuses because a file is open, a later writer removes it. */
export async function removeSegments(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(segmentPath(folder, name), { force: true }).catch(() => {});
}
