// The segments of an index: files in a folder, or arrays in memory.

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { viewBytes } from "./container/container-format.ts";
import { MemorySections } from "./memory-sections.ts";
import { openSource } from "./open-segment.ts";
import type { SegmentSource } from "./segment.ts";
import {
  openSegmentFile,
  removeSegments,
  SEGMENTS_FOLDER,
  type SegmentEntry,
  type SegmentParts,
  segmentError,
  segmentPath,
  writeSegment,
} from "./segment-file.ts";

export interface StoredSegments {
  /** Writes a segment under a new name. It is durable when this resolves. */
  write(name: string, parts: SegmentParts): Promise<SegmentEntry>;
  /** Opens a segment that a commit names. Throws the system's ENOENT if it is missing. */
  open(entry: SegmentEntry): SegmentSource;
  has(name: string): boolean;
  /** Removes segments that no commit names any more. */
  remove(names: Iterable<string>): Promise<void>;
  /** Removes all segments except these. */
  removeOthers(names: ReadonlySet<string>): Promise<void>;
  /** The error to throw for an error of `open`: it names the segment. */
  explainError(error: unknown, name: string): unknown;
}

export class FolderSegments implements StoredSegments {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(name: string, parts: SegmentParts): Promise<SegmentEntry> {
    return writeSegment(this.#folder, name, parts);
  }

  open(entry: SegmentEntry): SegmentSource {
    return openSegmentFile(this.#folder, entry);
  }

  has(name: string): boolean {
    return existsSync(segmentPath(this.#folder, name));
  }

  remove(names: Iterable<string>): Promise<void> {
    return removeSegments(this.#folder, names);
  }

  async removeOthers(names: ReadonlySet<string>): Promise<void> {
    const files = await readdir(join(this.#folder, SEGMENTS_FOLDER)).catch(() => []);
    for (const file of files.filter((file) => !names.has(file.slice(0, file.indexOf("."))))) {
      await rm(join(this.#folder, SEGMENTS_FOLDER, file), { force: true }).catch(() => {});
    }
  }

  explainError(error: unknown, name: string): unknown {
    return segmentError(error, this.#folder, name);
  }
}

export class MemorySegments implements StoredSegments {
  readonly #segments = new Map<string, SegmentParts>();

  async write(name: string, parts: SegmentParts): Promise<SegmentEntry> {
    this.#segments.set(name, parts);
    const bytes = Object.values(parts.sections).reduce((sum, array) => sum + viewBytes(array).length, 0);
    return { name, docs: parts.meta.docs, bytes, checksum: crc32(name) };
  }

  open({ name }: SegmentEntry): SegmentSource {
    const { meta, sections } = this.#segments.get(name)!;
    return openSource(
      name,
      meta,
      new MemorySections(sections),
      (what) => new Error(`segment ${name}: ${what}`),
    );
  }

  has(name: string): boolean {
    return this.#segments.has(name);
  }

  async remove(names: Iterable<string>): Promise<void> {
    for (const name of names) this.#segments.delete(name);
  }

  async removeOthers(): Promise<void> {}

  explainError(error: unknown): unknown {
    return error;
  }

  /** The header and the arrays of a segment, to write them elsewhere. */
  parts(name: string): SegmentParts {
    return this.#segments.get(name)!;
  }
}
