// Checks an encoder that a caller wrote, and what any encoder gives: as many encodings as texts, each with the parts that the
// encoder promised. Without it, one encoding too many would give each document the vector of another.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { checkTextList, isObject, showValue, wrongValueError } from "../../support/options/options.ts";
import type { Role } from "./description.ts";
import type { EncoderContract } from "./encoder-contract.ts";
import type { EncoderGives, Encoding } from "./encoding.ts";

/** Throws if an object with `encode` lacks something else that an encoder has. `option` is the option that it was given as. */
export function checkEncoder(option: string, encoder: object): void {
  const { encode, ownTerms, gives, path, fingerprint, description } = encoder as Partial<EncoderContract>;
  for (const [name, value] of Object.entries({ encode, ownTerms }))
    if (typeof value !== "function") throw wrongValueError(`${option}.${name}`, "a function", value);
  for (const [name, value] of Object.entries({ path, fingerprint }))
    if (typeof value !== "string" || value === "")
      throw wrongValueError(`${option}.${name}`, "a text", value);
  if (!isObject(description)) throw wrongValueError(`${option}.description`, "an object", description);
  if (!isObject(gives) || typeof gives.vector !== "boolean" || typeof gives.weights !== "boolean") {
    throw wrongValueError(
      `${option}.gives`,
      "an object like { weights: false, vector: true }",
      gives === undefined || !isObject(gives) ? gives : JSON.stringify(gives),
    );
  }
}

/** Throws unless an encoder can encode these texts in this role. */
export function checkEncodeArguments(texts: readonly string[], role: Role): void {
  checkTextList("texts", "texts", texts);
  if (role !== "query" && role !== "passage") throw wrongValueError("role", '"query" or "passage"', role);
}

/** What encodings must have. */
export type NeededParts = { readonly [Part in keyof EncoderGives]?: boolean };

/** Returns the encodings. Throws unless there is one for each of `texts` texts, with the parts in `needed`. */
export function checkEncodings<EncodingType extends { readonly [Part in keyof Encoding]: unknown }>(
  encodings: readonly EncodingType[],
  texts: number,
  encoder: string,
  needed: NeededParts,
): readonly EncodingType[] {
  if (!Array.isArray(encodings)) throw wrongEncodingsError(encoder, showValue(encodings), texts, needed);
  if (encodings.length !== texts)
    throw wrongEncodingsError(encoder, `a list of ${encodings.length}`, texts, needed);
  for (const encoding of encodings as readonly EncodingType[]) {
    if (!isObject(encoding))
      throw wrongEncodingsError(encoder, `a list with ${showValue(encoding)}`, texts, needed);
    for (const part of PARTS)
      if (needed[part] && encoding[part] === undefined)
        throw wrongEncodingsError(encoder, `an encoding without ${part}`, texts, needed);
  }
  return encodings;
}

const PARTS = ["weights", "termFactors", "vector"] as const;

function wrongEncodingsError(
  encoder: string,
  found: string,
  texts: number,
  needed: NeededParts,
): SluiceError {
  const parts = PARTS.filter((part) => needed[part]).join(" and ");
  const each = parts === "" ? "one for each text" : `one for each text, with ${parts}`;
  return new SluiceError(`${encoder}: encode gave ${found}, expected a list of ${texts}: ${each}`);
}
