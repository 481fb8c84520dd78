// Documents and hits → the same with some of their fields alone.

import type { Fields } from "../../documents/document.ts";
import type { Answer, Hit } from "./answer.ts";

/** Some fields of a document. Names that it does not have are left out. */
export function pickFields(document: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(
    fields.filter((field) => Object.hasOwn(document, field)).map((field) => [field, document[field]]),
  );
}

/** Answers whose hits have only some fields of their documents. All fields are kept if none are named. */
export function pickAnswerFields<FieldsType>(
  answers: Answer<FieldsType>[],
  fields: readonly string[] | undefined,
): Answer<FieldsType>[] {
  if (!fields) return answers;
  return answers.map((answer) => ({ ...answer, hits: answer.hits.map((hit) => pickHitFields(hit, fields)) }));
}

function pickHitFields<FieldsType>(hit: Hit<FieldsType>, fields: readonly string[]): Hit<FieldsType> {
  // A copy reads the document. If no field of it is wanted, it is not read.
  const document = fields.length === 0 ? {} : pickFields(hit.document as Fields, fields);
  const parts = Object.keys(hit).map((name) => [
    name,
    name === "document" ? document : hit[name as keyof Hit<FieldsType>],
  ]);
  return Object.fromEntries(parts) as Hit<FieldsType>;
}
