// A Map by the ids of documents that also finds the passages of a document. A database sorts ids, so the passages of a document
// are a range of its ids. A Map does not sort them, so this one also keeps the numbers of passages by document.

import { parsePassageId, passageId } from "./passage.ts";

export class PassageIdMap<T> extends Map<string, T> {
  /** By the id of a document: the numbers in ids that may be its passages, also of ids that were taken out again. */
  readonly #numbers = new Map<string, number[]>();

  override set(id: string, value: T): this {
    const parts = this.has(id) ? undefined : parsePassageId(id);
    if (parts) {
      const numbers = this.#numbers.get(parts.of);
      if (numbers) numbers.push(parts.number);
      else this.#numbers.set(parts.of, [parts.number]);
    }
    return super.set(id, value);
  }

  override clear(): void {
    super.clear();
    this.#numbers.clear();
  }

  /** The ids that look like those of passages of a document. Only the documents say whether they are passages. */
  findPassageLikeIds(documentId: string): string[] {
    const ids = (this.#numbers.get(documentId) ?? []).map((number) => passageId(documentId, number));
    return ids.filter((id) => this.has(id));
  }
}
