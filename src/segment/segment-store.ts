// Where the segments of an index are kept: as files of a folder, or in memory.

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Settings } from "../densify/slicing.ts";
import { bytesOf } from "./container-format.ts";
import { MemorySections } from "./memory-sections.ts";
import { SegmentSource } from "./segment.ts";
import {
  openSegment,
  removeSegments,
  SEGMENTS_FOLDER,
  type SegmentContent,
  type SegmentEntry,
  type SegmentParts,
  segmentError,
  segmentParts,
  segmentPath,
  writeSegment,
} from "./segment-file.ts";
import type { Layout } from "./stored-layout.ts";

export interface SegmentStore {
  /** Writes a segment under a name that none has; it is durable when this resolves. */
  write(name: string, content: SegmentContent, settings: Settings, layout: Layout): Promise<SegmentEntry>;
  /** The same, of a segment that was made elsewhere. */
  writeParts(name: string, parts: SegmentParts): Promise<SegmentEntry>;
  /** Opens a segment that a commit names; throws the system's ENOENT where it is gone. */
  open(entry: SegmentEntry): SegmentSource;
  has(name: string): boolean;
  /** Removes segments that no commit names any more. */
  remove(names: Iterable<string>): Promise<void>;
  /** Removes every segment but these. */
  removeOthers(names: ReadonlySet<string>): Promise<void>;
  /** An error of `open` as one that names the segment. */
  errorOf(error: unknown, name: string): unknown;
}

export class FolderSegments implements SegmentStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(name: string, content: SegmentContent, settings: Settings, layout: Layout): Promise<SegmentEntry> {
    return this.writeParts(name, segmentParts(content, settings, layout));
  }

  writeParts(name: string, parts: SegmentParts): Promise<SegmentEntry> {
    return writeSegment(this.#folder, name, parts);
  }

  open(entry: SegmentEntry): SegmentSource {
    return openSegment(this.#folder, entry);
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

  errorOf(error: unknown, name: string): unknown {
    return segmentError(error, this.#folder, name);
  }
}

export class MemorySegments implements SegmentStore {
  readonly #segments = new Map<string, SegmentParts>();

  write(name: string, content: SegmentContent, settings: Settings, layout: Layout): Promise<SegmentEntry> {
    return this.writeParts(name, segmentParts(content, settings, layout));
  }

  async writeParts(name: string, parts: SegmentParts): Promise<SegmentEntry> {
    this.#segments.set(name, parts);
    const bytes = Object.values(parts.sections).reduce((sum, array) => sum + bytesOf(array).length, 0);
    return { name, docs: parts.meta.docs, bytes, checksum: crc32(name) };
  }

  open({ name }: SegmentEntry): SegmentSource {
    const { meta, sections } = this.#segments.get(name)!;
    return new SegmentSource(name, meta, new MemorySections(sections));
  }

  has(name: string): boolean {
    return this.#segments.has(name);
  }

  async remove(names: Iterable<string>): Promise<void> {
    for (const name of names) this.#segments.delete(name);
  }

  async removeOthers(): Promise<void> {}

  errorOf(error: unknown): unknown {
    return error;
  }

  /** The header and the arrays of a segment, to be written elsewhere. */
  partsOf(name: string): SegmentParts {
    return this.#segments.get(name)!;
  }
}
