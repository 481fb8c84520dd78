// The description of an encoder: the content of sluice.json, the file beside model.onnx and tokenizer.json. It says what
// the outputs of the graph mean, and how to use them.

import { type ErrorCode, SluiceError } from "../../support/errors/sluice-error.ts";
import { parseJson } from "../../support/files/json.ts";
import { readText } from "../../support/files/text-file.ts";
import { isObject } from "../../support/options/options.ts";
import { ANCHORED_ANALYZERS, type AnchoredAnalyzer } from "./anchored.ts";

export type Role = "query" | "passage";

export interface CommonDescription {
  /** The most tokens of a text, [CLS] and [SEP] included; the rest is cut off. */
  readonly maxLength: { readonly query: number; readonly passage: number };
  /** Text to put before every query or passage, for models that were trained with one. */
  readonly prefix?: { readonly query?: string; readonly passage?: string };
  /** The default λ of an index with this encoder. Each model needs its own, since its scores differ in size from BM25's. */
  readonly lambda?: number;
  /** The space of its vectors, if it learned the space of another encoder. */
  readonly space?: string;
  /** The names of the graph's outputs, if they are not the usual ones. */
  readonly outputs?: {
    /** [batch, tokens, width]; "last_hidden_state". */
    readonly hidden?: string;
    /** [batch, tokens, vocabulary]; "logits". */
    readonly logits?: string;
    /** [batch, tokens] or [batch, tokens, 1]; "token_weights". */
    readonly tokenWeights?: string;
    /** [batch, vocabulary], already pooled; "lexical". */
    readonly lexical?: string;
    /** [batch, width], already pooled; "semantic". */
    readonly semantic?: string;
    /** [batch, tokens] or [batch, tokens, 1]; "passage_exponents". */
    readonly passageExponents?: string;
    /** [batch, tokens] or [batch, tokens, 1], for queries; "query_exponents". */
    readonly queryExponents?: string;
  };
}

/** For models that give weights of terms. */
export interface LexicalDescription {
  /** The graph has a semantic output, too: DeLADE+[CLS]. */
  readonly semantic?: boolean;
  /**
   * Weights that are not above this are dropped: a softmax gives every term a little. By default those that are 0 in
   * float16.
   */
  readonly least?: number;
}

/** For models whose graph does the pooling itself. */
export interface PooledDescription {
  /** The graph gives `lexical` or `semantic` for the whole text, not for each token. */
  readonly pooled: true;
}

export type EncoderDescription = CommonDescription &
  (
    | {
        readonly kind: "dense";
        readonly pooled?: false;
        readonly pooling: "mean" | "cls";
        /** Scale vectors to length 1. */
        readonly normalize: boolean;
      }
    | (PooledDescription & { readonly kind: "dense" })
    | (LexicalDescription & {
        readonly kind: "splade";
        readonly pooled?: false;
        readonly aggregation?: "max" | "sum";
        readonly withoutCls?: boolean;
      })
    | (LexicalDescription & { readonly kind: "unicoil"; readonly pooled?: false })
    | (LexicalDescription & { readonly kind: "delade"; readonly pooled?: false })
    | (LexicalDescription & PooledDescription & { readonly kind: "splade" | "delade" })
    | {
        readonly kind: "anchored";
        readonly pooled?: false;
        /** The analyzer whose words it was trained on. An index with this encoder uses it. */
        readonly analyzer: AnchoredAnalyzer;
        /** The graph has a semantic output, too. */
        readonly semantic?: boolean;
      }
  );

const KINDS = ["dense", "splade", "unicoil", "delade", "anchored"];

/** An example of each required field, for messages. */
const EXAMPLE =
  '{"kind": "dense", "pooling": "mean", "normalize": true, "maxLength": {"query": 64, "passage": 256}}';

/** Checks a parsed sluice.json. */
export function checkDescription(value: unknown, where: string, code?: ErrorCode): EncoderDescription {
  const description = value as Partial<Record<string, unknown>>;
  const fail = (what: string) =>
    new SluiceError(`${where}: ${what}`, `a description looks like ${EXAMPLE}`, code);
  if (typeof value !== "object" || value === null) throw fail("expected a JSON object");
  if (!KINDS.includes(description.kind as string)) {
    throw fail(
      `"kind" is ${JSON.stringify(description.kind) ?? "missing"}, expected one of ${KINDS.join(", ")}`,
    );
  }
  const lengths = description.maxLength as Partial<EncoderDescription["maxLength"]> | undefined;
  for (const role of ["query", "passage"] as const) {
    const length = lengths?.[role];
    if (!Number.isInteger(length) || length! < 3)
      throw fail(`"maxLength.${role}" must be a whole number of at least 3`);
  }
  const { lambda } = description;
  if (lambda !== undefined && !(typeof lambda === "number" && lambda > 0 && Number.isFinite(lambda)))
    throw fail('"lambda" must be a number above 0');
  if (description.space !== undefined && typeof description.space !== "string")
    throw fail('"space" must be a text');
  for (const name of ["prefix", "outputs"] as const) {
    const texts = description[name];
    if (texts === undefined) continue;
    if (!isObject(texts) || Object.values(texts).some((text) => typeof text !== "string"))
      throw fail(`"${name}" must be an object of texts`);
  }
  for (const name of ["pooled", "semantic", "withoutCls"])
    if (![undefined, true, false].includes(description[name] as boolean))
      throw fail(`"${name}" is true or false`);
  if (description.least !== undefined && !Number.isFinite(description.least))
    throw fail('"least" must be a number');
  if (description.kind === "unicoil" && description.pooled) {
    throw fail("uniCOIL cannot be pooled by a graph: queries and passages pool differently");
  }
  if (description.kind === "anchored") {
    if (description.pooled) throw fail('"pooled" has no meaning for an anchored encoder: leave it out');
    if (!ANCHORED_ANALYZERS.includes(description.analyzer as AnchoredAnalyzer))
      throw fail(`"analyzer" is one of ${ANCHORED_ANALYZERS.join(", ")}`);
  }
  if (description.kind === "dense" && !description.pooled) {
    if (!["mean", "cls"].includes(description.pooling as string)) throw fail('"pooling" is "mean" or "cls"');
    if (typeof description.normalize !== "boolean") throw fail('"normalize" is true or false');
  }
  if (
    description.kind === "splade" &&
    ![undefined, "max", "sum"].includes(description.aggregation as undefined)
  ) {
    throw fail('"aggregation" is "max" or "sum"');
  }
  return value as EncoderDescription;
}

/** Reads a description from a file. */
export async function readDescription(path: string): Promise<EncoderDescription> {
  return checkDescription(parseJson(await readText(path), path), path);
}

/** A static encoder as an index records it: one of the sizes in its sluice.json. */
export interface StaticDescription {
  readonly kind: "static";
  /** Numbers of a vector: the first ones of a row. */
  readonly dims: number;
  /** The default λ of an index with this encoder. */
  readonly lambda?: number;
  /** The space of its vectors, if it learned the space of another encoder. */
  readonly space?: string;
}
