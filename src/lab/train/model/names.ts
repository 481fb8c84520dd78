// Renames parameters of other programs to ours, which are those of Hugging Face's BERT. DistilBERT is a BERT with fewer
// layers and other names. The masked-LM heads of both become the initial lexical head. The shapes of the
// renamed parameters say how large the model is.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Tensors } from "../data/batch.ts";
import { checkParameters } from "./parameters.ts";
import type { EncoderShape } from "./settings.ts";

const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/^(distil)?bert\./, ""],
  [/\.gamma$/, ".weight"],
  [/\.beta$/, ".bias"],
  [/^transformer\.layer\.(\d+)\.attention\.q_lin\./, "encoder.layer.$1.attention.self.query."],
  [/^transformer\.layer\.(\d+)\.attention\.k_lin\./, "encoder.layer.$1.attention.self.key."],
  [/^transformer\.layer\.(\d+)\.attention\.v_lin\./, "encoder.layer.$1.attention.self.value."],
  [/^transformer\.layer\.(\d+)\.attention\.out_lin\./, "encoder.layer.$1.attention.output.dense."],
  [/^transformer\.layer\.(\d+)\.sa_layer_norm\./, "encoder.layer.$1.attention.output.LayerNorm."],
  [/^transformer\.layer\.(\d+)\.ffn\.lin1\./, "encoder.layer.$1.intermediate.dense."],
  [/^transformer\.layer\.(\d+)\.ffn\.lin2\./, "encoder.layer.$1.output.dense."],
  [/^transformer\.layer\.(\d+)\.output_layer_norm\./, "encoder.layer.$1.output.LayerNorm."],
  [/^(vocab_transform|cls\.predictions\.transform\.dense)\./, "lexical.transform.dense."],
  [/^(vocab_layer_norm|cls\.predictions\.transform\.LayerNorm)\./, "lexical.transform.norm."],
  [/^(vocab_projector|cls\.predictions)\.bias$/, "lexical.bias"],
];

const WORDS = "embeddings.word_embeddings.weight";
const TYPES = "embeddings.token_type_embeddings.weight";

/** Returns the tensors under our names. */
export function renameParameters(tensors: Tensors): Tensors {
  const named = new Map(Array.from(tensors, ([name, tensor]) => [ourName(name), tensor]));
  const words = named.get(WORDS);
  // DistilBERT has no token types. Add type embeddings of 0, which change nothing.
  if (words && !named.has(TYPES)) {
    const width = words.shape[1];
    named.set(TYPES, { shape: [2, width], data: new Float32Array(2 * width) });
  }
  return named;
}

function ourName(name: string): string {
  return RENAMED.reduce((renamed, [pattern, ours]) => renamed.replace(pattern, ours), name);
}

/** What a model's config.json says that its parameters do not. */
export interface ConfiguredShape {
  readonly heads?: number;
  readonly layers?: number;
  readonly layerNormEpsilon?: number;
}

/** Reads the config.json of a BERT, or of a DistilBERT, which has other names for the same. */
export function readConfiguredShape(config: Record<string, unknown>, where: string): ConfiguredShape {
  const count = (...names: string[]) =>
    names.map((name) => config[name]).find((value) => Number.isInteger(value)) as number | undefined;
  const [heads, layers] = [count("num_attention_heads", "n_heads"), count("num_hidden_layers", "n_layers")];
  const { layer_norm_eps: epsilon } = config;
  if (epsilon !== undefined && !(typeof epsilon === "number" && epsilon > 0 && epsilon < 1)) {
    throw new SluiceError(
      `${where}: "layer_norm_eps" of its config.json is ${JSON.stringify(epsilon)}, expected a number between 0 and 1`,
      undefined,
      "ERR_SLUICE_DAMAGED",
    );
  }
  return {
    ...(heads !== undefined && { heads }),
    ...(layers !== undefined && { layers }),
    ...(epsilon !== undefined && epsilon !== BERT_EPSILON && { layerNormEpsilon: epsilon }),
  };
}

/** BERT's and DistilBERT's `layer_norm_eps`. */
const BERT_EPSILON = 1e-12;

/**
 * Reads all sizes but the number of attention heads from the shapes of the parameters, and throws if the encoder lacks one. A
 * layer that is missing between others, or at the end of those that config.json counts, is a damaged file.
 */
export function shapeOf(
  tensors: Tensors,
  { heads, layers: expected, layerNormEpsilon }: ConfiguredShape & { readonly heads: number },
  file: string,
): EncoderShape {
  const sizes = (name: string) => {
    const tensor = tensors.get(name);
    if (tensor) return tensor.shape;
    throw new SluiceError(
      `${file}: no ${name}`,
      "expected the parameters of a BERT with Hugging Face's names",
    );
  };
  const [vocabularySize, width] = sizes(WORDS);
  const [positions] = sizes("embeddings.position_embeddings.weight");
  const [ffn] = sizes("encoder.layer.0.intermediate.dense.weight");
  let layers = 0;
  for (const name of tensors.keys()) layers = Math.max(layers, Number(LAYER.exec(name)?.[1] ?? -1) + 1);
  if (expected !== undefined && expected !== layers) {
    throw new SluiceError(
      `${file}: has ${layers} layers, but config.json says ${expected}`,
      "give all parameters of the model, and the config.json that they came with",
      "ERR_SLUICE_DAMAGED",
    );
  }
  if (!(heads > 0) || width % heads !== 0) {
    throw new SluiceError(`${file}: the width ${width} is not a multiple of ${heads} attention heads`);
  }
  const shape = { vocabulary: vocabularySize, width, layers, heads, ffn, positions };
  const encoder = layerNormEpsilon === undefined ? shape : { ...shape, layerNormEpsilon };
  checkParameters({ encoder, head: { kind: "joint" } }, tensors, file);
  return encoder;
}

/** The name of a parameter of a layer, with the layer's number. */
const LAYER = /^encoder\.layer\.(\d+)\./;
