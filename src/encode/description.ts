// What a model is: the content of sluice.json, the file beside model.onnx and tokenizer.json.

import { type ErrorCode, UsageError } from "../errors.ts";
import { parseJson, readText } from "../read/lines.ts";

export type Role = "query" | "passage";

interface Common {
  /** Longest text in tokens, [CLS] and [SEP] included; the rest is cut off. */
  readonly maxLength: { readonly query: number; readonly passage: number };
  /** Text in front of every query or passage, for models that were trained with one. */
  readonly prefix?: { readonly query?: string; readonly passage?: string };
  /** Weight of the vectors in an index that is given none: how large a model's scores are beside BM25's is its own. */
  readonly lambda?: number;
  /** The names of the graph's outputs, where they are not the usual ones. */
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
  };
}

/** Of models with weights of terms. */
interface Lexical {
  /** The graph has a semantic output too: DeLADE+[CLS]. */
  readonly semantic?: boolean;
  /** Weights below this are dropped: a softmax gives every word a little. Without it, what vanishes in float16. */
  readonly least?: number;
}

/** Of models whose graph can do the pooling itself. */
interface Pooled {
  /** The graph gives `lexical` or `semantic` as they are to be used, instead of what each token says. */
  readonly pooled: true;
}

export type Description = Common &
  (
    | {
        readonly kind: "dense";
        readonly pooled?: false;
        readonly pooling: "mean" | "cls";
        /** Scale vectors to length 1. */
        readonly normalise: boolean;
      }
    | (Pooled & { readonly kind: "dense" })
    | (Lexical & {
        readonly kind: "splade";
        readonly pooled?: false;
        readonly aggregation?: "max" | "sum";
        readonly withoutCls?: boolean;
      })
    | (Lexical & { readonly kind: "unicoil"; readonly pooled?: false })
    | (Lexical & { readonly kind: "delade"; readonly pooled?: false })
    | (Lexical & Pooled & { readonly kind: "splade" | "delade" })
  );

const KINDS = ["dense", "splade", "unicoil", "delade"];

/** An example of each required field, for messages. */
const EXAMPLE =
  '{"kind": "dense", "pooling": "mean", "normalise": true, "maxLength": {"query": 64, "passage": 256}}';

/** A parsed sluice.json, checked. */
export function checkedDescription(value: unknown, where: string, code?: ErrorCode): Description {
  const description = value as Partial<Record<string, unknown>>;
  const fail = (what: string) =>
    new UsageError(`${where}: ${what}`, `a description looks like ${EXAMPLE}`, code);
  if (typeof value !== "object" || value === null) throw fail("expected a JSON object");
  if (!KINDS.includes(description.kind as string)) {
    throw fail(
      `"kind" is ${JSON.stringify(description.kind) ?? "missing"}, expected one of ${KINDS.join(", ")}`,
    );
  }
  const lengths = description.maxLength as Partial<Description["maxLength"]> | undefined;
  for (const role of ["query", "passage"] as const) {
    const length = lengths?.[role];
    if (!Number.isInteger(length) || length! < 3)
      throw fail(`"maxLength.${role}" must be a whole number of at least 3`);
  }
  const { lambda } = description;
  if (lambda !== undefined && !(typeof lambda === "number" && lambda > 0 && Number.isFinite(lambda)))
    throw fail('"lambda" must be a number above 0');
  if (![undefined, true, false].includes(description.pooled as boolean))
    throw fail('"pooled" is true or false');
  if (description.kind === "unicoil" && description.pooled) {
    throw fail("uniCOIL cannot be pooled by a graph: queries and passages pool differently");
  }
  if (description.kind === "dense" && !description.pooled) {
    if (!["mean", "cls"].includes(description.pooling as string)) throw fail('"pooling" is "mean" or "cls"');
    if (typeof description.normalise !== "boolean") throw fail('"normalise" is true or false');
  }
  if (
    description.kind === "splade" &&
    ![undefined, "max", "sum"].includes(description.aggregation as undefined)
  ) {
    throw fail('"aggregation" is "max" or "sum"');
  }
  return value as Description;
}

/** A description from a file of any name. */
export async function readDescription(path: string): Promise<Description> {
  return checkedDescription(parseJson(await readText(path), path), path);
}
