// Builds BERT as a graph: token ids come in, the states of the last layer go out.

import { first, reshape, rowsOf, transpose } from "../graph/arrange.ts";
import { add, gelu, mul, sub } from "../graph/elementwise.ts";
import type { Tensor } from "../graph/graph.ts";
import { linear, matmul } from "../graph/matmul.ts";
import { layerNorm, softmax } from "../graph/normalize.ts";
import { POSITION_EMBEDDINGS, TYPE_EMBEDDINGS, WORD_EMBEDDINGS } from "./parameters.ts";
import type { EncoderShape } from "./settings.ts";

/** Returns a model's parameter as a value of the graph. */
export type ParameterOf = (name: string) => Tensor;

/** Texts as inputs of a graph. */
export interface Texts {
  /** [rows, tokens], int64. */
  readonly ids: Tensor;
  /** [rows, tokens], float32: 1 for a real token and 0 for padding. */
  readonly mask: Tensor;
  /** False if all texts of a batch have the same length. Attention then does not look at the mask. Default: true. */
  readonly isPadded?: boolean;
}

/** Subtracted from the attention score of a padded token, so that its softmax share is 0. */
const NOTHING = 1e9;

/** [rows, tokens, width]. */
export function encoderStates(
  { ids, mask, isPadded = true }: Texts,
  parameters: ParameterOf,
  shape: EncoderShape,
): Tensor {
  const [rows, tokens] = ids.shape;
  const bias = isPadded ? reshape(mul(sub(mask, 1), NOTHING), [rows, 1, 1, tokens]) : undefined;
  let states = embeddings(ids, parameters, shape);
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const context = attention(states, bias, parameters, `${at}.attention.self`, shape);
    const attended = linearLayer(context, parameters, `${at}.attention.output.dense`);
    states = norm(add(states, attended), parameters, `${at}.attention.output.LayerNorm`, shape);
    const inner = gelu(linearLayer(states, parameters, `${at}.intermediate.dense`));
    const outer = linearLayer(inner, parameters, `${at}.output.dense`);
    states = norm(add(states, outer), parameters, `${at}.output.LayerNorm`, shape);
  }
  return states;
}

function embeddings(ids: Tensor, parameters: ParameterOf, shape: EncoderShape): Tensor {
  const tokens = rowsOf(parameters(WORD_EMBEDDINGS), ids);
  const places = positions(parameters(POSITION_EMBEDDINGS), ids);
  // Every text has the first of BERT's two token types.
  const type = reshape(first(parameters(TYPE_EMBEDDINGS), 0, 1), [shape.width]);
  return norm(add(tokens, add(places, type)), parameters, "embeddings.LayerNorm", shape);
}

/** The position embeddings of the first positions, one for each token. */
function positions(table: Tensor, ids: Tensor): Tensor {
  const { graph } = table;
  const [, tokens] = ids.shape;
  const [length, width] = table.shape;
  const zero = graph.integers([0]);
  const axes = graph.integers([0]);
  const places = graph.add("Slice", [table, zero, graph.sizes([tokens]), axes], [tokens, width]);
  return graph.recordGradient(places, [table], (gradient) => {
    const none = graph.integers([0, 0]);
    const behind = graph.add("Sub", [graph.sizes([length]), graph.sizes([tokens])], [1]);
    const pads = graph.add("Concat", [none, behind, zero], [4], { attributes: { axis: 0 } });
    return [graph.add("Pad", [gradient, pads], table.shape)];
  });
}

function attention(
  states: Tensor,
  bias: Tensor | undefined,
  parameters: ParameterOf,
  name: string,
  { width, heads }: EncoderShape,
): Tensor {
  const [rows, tokens] = states.shape;
  const each = width / heads;
  const part = (which: string, order: readonly number[]) =>
    transpose(
      reshape(linearLayer(states, parameters, `${name}.${which}`), [rows, tokens, heads, each]),
      order,
    );
  const scores = matmul(part("query", [0, 2, 1, 3]), part("key", [0, 2, 3, 1]));
  const scaled = mul(scores, 1 / Math.sqrt(each));
  const shares = softmax(bias ? add(scaled, bias) : scaled);
  const context = matmul(shares, part("value", [0, 2, 1, 3]));
  return reshape(transpose(context, [0, 2, 1, 3]), [rows, tokens, width]);
}

/** Applies the linear layer of this name. */
export function linearLayer(x: Tensor, parameters: ParameterOf, name: string): Tensor {
  return linear(x, parameters(`${name}.weight`), parameters(`${name}.bias`));
}

/** `shape` is the encoder's: its norms may have another epsilon. Heads have BERT's. */
export function norm(
  x: Tensor,
  parameters: ParameterOf,
  name: string,
  { layerNormEpsilon }: { readonly layerNormEpsilon?: number } = {},
): Tensor {
  return layerNorm(x, parameters(`${name}.weight`), parameters(`${name}.bias`), layerNormEpsilon);
}
