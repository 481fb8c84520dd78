// Which fields of documents are exported for the web, and which filters work on the exported index.

import type { Fields } from "../../documents/document.ts";
import type { Condition } from "../../documents/filter.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { optionError, wrongValueError } from "../../support/options/options.ts";

/** Which fields of documents were exported. */
export type ExportedFields = "all" | "none" | readonly string[];

export function checkKeepFields(keepFields: ExportedFields = "all"): void {
  if (keepFields === "all" || keepFields === "none") return;
  if (Array.isArray(keepFields) && keepFields.every((name) => typeof name === "string")) return;
  throw wrongValueError("keepFields", '"all", "none" or a list of fields', keepFields);
}

/** Picks the exported fields out of documents. */
export class FieldChoice {
  readonly #names: ReadonlySet<string> | undefined;
  readonly #missing: Set<string>;

  constructor(keepFields: ExportedFields) {
    this.#names = typeof keepFields === "string" ? undefined : new Set(keepFields);
    this.#missing = new Set(this.#names);
  }

  pick(fields: Fields): Fields {
    const names = this.#names;
    if (!names) return fields;
    const chosen = Object.entries(fields).filter(([name]) => names.has(name));
    for (const [name] of chosen) this.#missing.delete(name);
    return Object.fromEntries(chosen);
  }

  /** Throws if no document has one of the chosen fields: the name is probably misspelled. */
  requireAll(): void {
    if (this.#missing.size === 0) return;
    const names = [...this.#missing].map((name) => `"${name}"`).join(", ");
    throw optionError("keepFields", `keepFields: no document has a field ${names}`);
  }
}

/** Throws if a condition uses a field that was not exported. Without this it would silently accept no document. */
export function requireExported(condition: Condition, exported: ExportedFields): void {
  if (exported === "all") return;
  if (condition.kind === "not") requireExported(condition.of, exported);
  else if (condition.kind === "and" || condition.kind === "or") {
    for (const part of condition.of) requireExported(part, exported);
  } else if (exported === "none" || !exported.some((name) => isWithin(condition.field, name))) {
    throw new SluiceError(
      `the field "${condition.field}" was not exported, so no filter, boost, facet, sort or group can use it`,
      "name it in the option keepFields when you export the index",
    );
  }
}

function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`);
}
