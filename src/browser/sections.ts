// The arrays of an export, by section name. Each is fetched on first use and kept in memory.

import {
  type SectionArray,
  sectionType,
  TYPES,
  type TypeName,
  viewBytes,
} from "../segment/container/container-format.ts";
import type { Sections } from "../segment/segment.ts";
import { MANIFEST_FILE, partFile, type WebSection } from "../store/web/web-format.ts";
import { damagedExportError, type FetchOptions, type Site } from "./site.ts";

export class FetchedSections implements Sections {
  readonly #site: Site;
  readonly #entries: ReadonlyMap<string, WebSection>;
  readonly #loaded = new Map<string, SectionArray>();
  readonly #loading = new Map<string, Promise<SectionArray>>();

  constructor(site: Site, entries: readonly WebSection[]) {
    this.#site = site;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The size of a section's files, in bytes. */
  fileBytesOf(name: string): number {
    return this.#entry(name).parts.reduce((sum, { stored }) => sum + stored, 0);
  }

  has(name: string): boolean {
    return this.#entries.has(name) || this.#loaded.has(name);
  }

  bytesOf(name: string): number {
    return this.#loaded.get(name)?.byteLength ?? this.#entry(name).bytes;
  }

  typeOf(name: string): TypeName {
    const loaded = this.#loaded.get(name);
    return loaded ? sectionType(loaded) : this.#entry(name).type;
  }

  /** Adds a section that is computed here instead of fetched. */
  put(name: string, array: SectionArray): void {
    this.#loaded.set(name, array);
  }

  /** Fetches several sections in parallel. */
  async load(names: readonly string[], options: FetchOptions = {}): Promise<void> {
    await Promise.all(names.map((name) => this.loadSection(name, options)));
  }

  async loadSection(name: string, options: FetchOptions = {}): Promise<SectionArray> {
    const loaded = this.#loaded.get(name);
    if (loaded) return loaded;
    let loading = this.#loading.get(name);
    if (!loading) {
      loading = this.#fetch(this.#entry(name), options).finally(() => this.#loading.delete(name));
      this.#loading.set(name, loading);
    }
    return loading;
  }

  sectionSync(name: string): SectionArray {
    const loaded = this.#loaded.get(name);
    if (!loaded) throw new TypeError(`the section "${this.#entry(name).name}" was not fetched`);
    return loaded;
  }

  forget(name: string): void {
    this.#loaded.delete(name);
  }

  async readInto(name: string, into: Uint8Array): Promise<void> {
    into.set(viewBytes(await this.loadSection(name)));
  }

  async verifySection(name: string): Promise<void> {
    await this.loadSection(name);
  }

  readRange(name: string, offset: number, length: number, into: Uint8Array): void {
    into.set(viewBytes(this.sectionSync(name)).subarray(offset, offset + length));
  }

  close(): void {
    this.#loaded.clear();
    this.#site.close();
  }

  #entry(name: string): WebSection {
    const entry = this.#entries.get(name);
    if (!entry)
      throw damagedExportError(new URL(MANIFEST_FILE, this.#site.url), `it names no section "${name}"`);
    return entry;
  }

  async #fetch({ name, type, bytes, parts }: WebSection, options: FetchOptions): Promise<SectionArray> {
    const whole = new Uint8Array(bytes);
    let end = 0;
    await Promise.all(
      parts.map(async (part, i) => {
        const start = end;
        end += part.bytes;
        whole.set(await this.#site.fetchPart(partFile(name, i, part), part, options), start);
      }),
    );
    const Type = TYPES[type];
    const array = new Type(whole.buffer, 0, bytes / Type.BYTES_PER_ELEMENT);
    this.#loaded.set(name, array);
    return array;
  }
}
