// Which fields of documents are exported for the web, and which filters work on the exported index.

import { UsageError } from "../support/errors/usage-error.ts";
import type { Fields } from "./document.ts";
import type { Condition } from "./filter.ts";

/** Which fields of documents were exported. */
export type ExportedFields = "all" | "none" | readonly string[];

export function checkFields(documents: ExportedFields = "all"): void {
  if (documents === "all" || documents === "none") return;
  if (Array.isArray(documents) && documents.every((name) => typeof name === "string")) return;
  throw new UsageError(`documents is "all", "none" or a list of fields, not ${JSON.stringify(documents)}`);
}

/** Picks the exported fields out of documents. */
export class FieldChoice {
  readonly #names: ReadonlySet<string> | undefined;
  readonly #missing: Set<string>;

  constructor(documents: ExportedFields) {
    this.#names = typeof documents === "string" ? undefined : new Set(documents);
    this.#missing = new Set(this.#names);
  }

  of(fields: Fields): Fields {
    const names = this.#names;
    if (!names) return fields;
    const chosen = Object.entries(fields).filter(([name]) => names.has(name));
    for (const [name] of chosen) this.#missing.delete(name);
    return Object.fromEntries(chosen);
  }

  /** Throws if no document has one of the chosen fields: the name is probably misspelled. */
  requireAll(): void {
    if (this.#missing.size === 0) return;
    throw new UsageError(
      `no document has a field ${[...this.#missing].map((name) => `"${name}"`).join(", ")}`,
    );
  }
}

/** Throws if a condition uses a field that was not exported. Without this it would silently accept no document. */
export function requireExported(condition: Condition, documents: ExportedFields): void {
  if (documents === "all") return;
  if (condition.kind === "not") requireExported(condition.of, documents);
  else if (condition.kind === "and" || condition.kind === "or") {
    for (const part of condition.of) requireExported(part, documents);
  } else if (documents === "none" || !documents.some((name) => isWithin(condition.field, name))) {
    throw new UsageError(
      `the field "${condition.field}" was not exported, so no filter and no boost can use it`,
      "name it in the option keepFields when you export the index",
    );
  }
}

function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}
