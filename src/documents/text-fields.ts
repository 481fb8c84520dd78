// The text fields of an index, and the texts that a document has in them. A field is a name or a dotted name (dotted-names.ts).
// Its value is a text or a list of texts, as JSON keeps it, and a document may lack it. An index without text fields reads title
// and text as one text (document.ts).

import { SluiceError } from "../support/errors/sluice-error.ts";
import {
  checkNumber,
  isPlainObject,
  optionError,
  showValue,
  wrongValueError,
} from "../support/options/options.ts";
import { valuesAt } from "./dotted-names.ts";
import type { FieldName } from "./filter.ts";
import { TEXTLESS_FIELDS } from "./reserved-fields.ts";

/** How much each text field counts, by its name: { title: 3, text: 1 }. */
export type FieldWeights = Readonly<Record<string, number>>;

/** `FieldWeights` that names fields of the documents alone, where they are known. */
export type KnownFieldWeights<FieldsType> = { readonly [field in FieldName<FieldsType>]?: number };

/** A text field of an index, and how much it counts. */
export interface TextField {
  readonly name: string;
  readonly weight: number;
}

/** The largest weight. A larger one would leave nothing of the other fields. */
export const MOST_FIELD_WEIGHT = 1000;
/** The most text fields of an index. More: each posting takes more bytes. */
export const MOST_TEXT_FIELDS = 32;

/** Throws if the weights of a new index are wrong: the fields that it reads. */
export function checkTextFields(weights: unknown): void {
  checkFieldWeights(weights);
  const names = Object.keys((weights ?? {}) as FieldWeights);
  if (weights !== undefined && (names.length === 0 || names.length > MOST_TEXT_FIELDS))
    throw optionError(
      "fieldWeights",
      `fieldWeights has ${names.length} fields, expected 1 to ${MOST_TEXT_FIELDS}`,
      "name the fields whose texts are searched: { title: 3, text: 1 }",
    );
  for (const name of names) {
    if (name === "" || TEXTLESS_FIELDS.has(name))
      throw optionError("fieldWeights", `fieldWeights: ${showValue(name)} cannot be a text field`);
    if ((weights as FieldWeights)[name] === 0)
      throw optionError(
        "fieldWeights",
        `fieldWeights.${name} is 0; an index does not read such a field`,
        "leave it out",
      );
  }
}

/** Throws if the weights of a search are wrong, whatever the index is. */
export function checkFieldWeights(weights: unknown): void {
  if (weights === undefined) return;
  if (!isPlainObject(weights))
    throw wrongValueError("fieldWeights", "an object of fields and weights", weights);
  for (const [name, weight] of Object.entries(weights)) {
    if (weight === undefined) throw wrongValueError(`fieldWeights.${name}`, "a number", weight);
    checkNumber(`fieldWeights.${name}`, weight, { least: 0, most: MOST_FIELD_WEIGHT });
  }
}

export function toTextFields(weights: FieldWeights): TextField[] {
  return Object.entries(weights).map(([name, weight]) => ({ name, weight }));
}

/** Text fields as options name them. */
export function toFieldWeights(fields: readonly TextField[]): FieldWeights {
  return Object.fromEntries(fields.map(({ name, weight }) => [name, weight]));
}

/** The texts of a document, in the order of the fields. `where` names the document in an error. */
export function readTextsByField(document: object, fields: readonly TextField[], where: string): string[][] {
  return fields.map(({ name }) => readTexts(document, name, where));
}

/** The texts of one field. */
export function readTexts(document: object, name: string, where: string): string[] {
  const values = valuesAt(document, name, { counts: () => true });
  for (const text of values) {
    if (typeof text === "string") continue;
    const found = values.length > 1 ? `a list with ${showValue(text)}` : showValue(text);
    throw new SluiceError(`${where}: "${name}" is ${found}, expected a text or a list of texts`);
  }
  return values as string[];
}
