// The arrays of a segment in memory: a search uses them like the arrays of a file.

import { type SectionArray, sectionType, type TypeName, viewBytes } from "./container/container-format.ts";
import type { Sections } from "./segment.ts";

export class MemorySections implements Sections {
  readonly #sections: Readonly<Record<string, SectionArray>>;

  constructor(sections: Readonly<Record<string, SectionArray>>) {
    this.#sections = sections;
  }

  get names(): readonly string[] {
    return Object.keys(this.#sections);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#sections, name);
  }

  bytesOf(name: string): number {
    return this.sectionSync(name).byteLength;
  }

  typeOf(name: string): TypeName {
    return sectionType(this.sectionSync(name));
  }

  async loadSection(name: string): Promise<SectionArray> {
    return this.sectionSync(name);
  }

  sectionSync(name: string): SectionArray {
    if (!this.has(name)) throw new Error(`there is no section "${name}"`);
    return this.#sections[name];
  }

  forget(): void {}

  async readInto(name: string, into: Uint8Array): Promise<void> {
    into.set(viewBytes(this.sectionSync(name)));
  }

  async verifySection(name: string): Promise<void> {
    this.sectionSync(name);
  }

  readRange(name: string, offset: number, length: number, into: Uint8Array): void {
    into.set(viewBytes(this.sectionSync(name)).subarray(offset, offset + length));
  }

  close(): void {}
}
