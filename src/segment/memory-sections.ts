// Sections in memory. They have the interface of a file's sections, so a search treats an index in memory like one on disk.

import { bytesOf, type SectionArray } from "./container-format.ts";
import type { Sections } from "./segment.ts";

/** Makes each section on first use. */
export class MemorySections implements Sections {
  readonly #make: (name: string) => SectionArray | undefined;
  readonly #names: () => readonly string[];
  readonly #made = new Map<string, SectionArray>();

  constructor(make: (name: string) => SectionArray | undefined, names: () => readonly string[]) {
    this.#make = make;
    this.#names = names;
  }

  get names(): readonly string[] {
    return this.#names();
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  bytesOf(name: string): number {
    return this.sectionSync(name).byteLength;
  }

  async section(name: string): Promise<SectionArray> {
    return this.sectionSync(name);
  }

  sectionSync(name: string): SectionArray {
    const array = this.#find(name);
    if (!array) throw new Error(`there is no section "${name}"`);
    return array;
  }

  forget(): void {}

  async readInto(name: string, into: Uint8Array): Promise<void> {
    into.set(bytesOf(this.sectionSync(name)));
  }

  async check(name: string): Promise<void> {
    this.sectionSync(name);
  }

  readRange(name: string, offset: number, length: number, into: Uint8Array): void {
    into.set(bytesOf(this.sectionSync(name)).subarray(offset, offset + length));
  }

  close(): void {}

  #find(name: string): SectionArray | undefined {
    let array = this.#made.get(name);
    if (!array) {
      array = this.#make(name);
      if (array) this.#made.set(name, array);
    }
    return array;
  }
}
