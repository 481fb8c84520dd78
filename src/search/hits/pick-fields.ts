import type { Fields } from "../../documents/document.ts";

/** Some fields of a document. Names that it does not have are left out. */
export function pickFields(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}
