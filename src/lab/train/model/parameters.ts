// Lists the parameters of a model, by the names of Hugging Face's BERT, and makes their initial values.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { mulberry32 } from "../../../support/numbers/random.ts";
import type { Tensors } from "../data/batch.ts";
import type { EncoderShape, ModelSettings } from "./settings.ts";

export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
  /** Initial values: one number everywhere, small random numbers, or an identity matrix. */
  readonly begin: number | "normal" | "identity";
  /** Learning rates differ by group. */
  readonly group: "encoder" | "heads";
}

export const WORD_EMBEDDINGS = "embeddings.word_embeddings.weight";
export const POSITION_EMBEDDINGS = "embeddings.position_embeddings.weight";
export const TYPE_EMBEDDINGS = "embeddings.token_type_embeddings.weight";

/** Standard deviation of random initial values, as in BERT. */
const SPREAD = 0.02;
/** Initial scale of unit vectors. Semantic scores are then between −9 and 9. */
const FIRST_SCALE = 3;

/** Returns all parameters of a model, in a fixed order. */
export function parametersOf({ encoder, head }: ModelSettings): ParameterSpec[] {
  const { width, vocabulary: vocabularySize } = encoder;
  const specs = encoderParameters(encoder);
  const heads = (name: string, shape: readonly number[], begin: ParameterSpec["begin"]) =>
    specs.push({ name, shape, begin, group: "heads" });
  const linear = (name: string, out: number) => {
    heads(`${name}.weight`, [out, width], "normal");
    heads(`${name}.bias`, [out], 0);
  };
  if (head.kind === "colbert") {
    linear("colbert.projection", head.width);
    return specs;
  }
  const { lexical, semantic } = head;
  if (lexical?.kind === "delade" || lexical?.kind === "splade") {
    // Start from the identity: a state already predicts its own token.
    heads("lexical.transform.dense.weight", [width, width], "identity");
    heads("lexical.transform.dense.bias", [width], 0);
    heads("lexical.transform.norm.weight", [width], 1);
    heads("lexical.transform.norm.bias", [width], 0);
    heads("lexical.bias", [vocabularySize], 0);
  }
  if (lexical?.kind === "delade" || lexical?.kind === "unicoil") {
    heads("lexical.weight.weight", [1, width], "normal");
    // Start from 1: a token without a positive weight has no gradient and learns nothing.
    heads("lexical.weight.bias", [1], 1);
  }
  if (lexical?.kind === "anchored") {
    heads("anchored.mix.0.weight", [2 * width, width], "normal");
    heads("anchored.mix.0.bias", [2 * width], 0);
    heads("anchored.mix.2.weight", [width, 2 * width], "normal");
    heads("anchored.mix.2.bias", [width], 0);
    // Start from 0: all factors are 1, and the model is BM25.
    for (const role of ["passage", "query"]) {
      heads(`anchored.${role}.weight`, [1, width], 0);
      heads(`anchored.${role}.bias`, [1], 0);
    }
  }
  if (semantic?.width !== undefined) linear("semantic.projection", semantic.width);
  if (semantic?.scale) {
    heads("semantic.scale", [], typeof semantic.scale === "number" ? semantic.scale : FIRST_SCALE);
  }
  return specs;
}

function encoderParameters({
  vocabulary: vocabularySize,
  width,
  layers,
  ffn,
  positions,
}: EncoderShape): ParameterSpec[] {
  const specs: ParameterSpec[] = [];
  const add = (name: string, shape: readonly number[], begin: ParameterSpec["begin"]) =>
    specs.push({ name, shape, begin, group: "encoder" });
  const linear = (name: string, into: number, out: number) => {
    add(`${name}.weight`, [out, into], "normal");
    add(`${name}.bias`, [out], 0);
  };
  const norm = (name: string) => {
    add(`${name}.weight`, [width], 1);
    add(`${name}.bias`, [width], 0);
  };
  add(WORD_EMBEDDINGS, [vocabularySize, width], "normal");
  add(POSITION_EMBEDDINGS, [positions, width], "normal");
  add(TYPE_EMBEDDINGS, [2, width], "normal");
  norm("embeddings.LayerNorm");
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`;
    for (const part of ["query", "key", "value"]) linear(`${at}.attention.self.${part}`, width, width);
    linear(`${at}.attention.output.dense`, width, width);
    norm(`${at}.attention.output.LayerNorm`);
    linear(`${at}.intermediate.dense`, width, ffn);
    linear(`${at}.output.dense`, ffn, width);
    norm(`${at}.output.LayerNorm`);
  }
  return specs;
}

/** Returns the parameters that are trained. */
export function trainedParametersOf(model: ModelSettings): ParameterSpec[] {
  const specs = parametersOf(model).filter(({ group }) => !model.frozenEncoder || group === "heads");
  if (model.frozenWordEmbeddings === false) return specs;
  return specs.filter(({ name }) => name !== WORD_EMBEDDINGS);
}

/** Returns initial values: those of a checkpoint if it has them, otherwise made from the seed. */
export function initialParameters(model: ModelSettings, seed: number, checkpoint?: Tensors): Tensors {
  const parameters = new Map<string, { shape: readonly number[]; data: Float32Array }>();
  for (const [at, spec] of parametersOf(model).entries()) {
    const held = checkpoint?.get(spec.name) ?? checkpoint?.get(`bert.${spec.name}`);
    const data = held ? held.data.slice() : firstValues(spec, seed * 1000 + at);
    if (held) checkParameter(spec, held);
    parameters.set(spec.name, { shape: spec.shape, data });
  }
  return parameters;
}

/** Throws if a parameter of the model is missing or has another shape. `file` is where the parameters come from. */
export function checkParameters(model: ModelSettings, parameters: Tensors, file?: string): void {
  const where = file === undefined ? "" : `${file}: `;
  for (const spec of parametersOf(model)) {
    const held = parameters.get(spec.name);
    if (!held) {
      throw new SluiceError(
        `${where}the parameters lack ${spec.name}`,
        "give all parameters of the model, and the settings that they were made with",
        file === undefined ? undefined : "ERR_SLUICE_DAMAGED",
      );
    }
    checkParameter(spec, held, where);
  }
}

function checkParameter(
  { name, shape }: ParameterSpec,
  held: { shape: readonly number[] },
  where = "",
): void {
  if (held.shape.length === shape.length && held.shape.every((dim, i) => dim === shape[i])) return;
  // Some programs write a scalar with one axis.
  if (shape.length === 0 && held.shape.length === 1 && held.shape[0] === 1) return;
  throw new SluiceError(
    `${where}${name} is ${held.shape.join(" × ") || "one number"}, but the model needs ${shape.join(" × ") || "one number"}`,
    "correct the model's vocabulary, width, layers or positions",
  );
}

function firstValues({ shape, begin }: ParameterSpec, seed: number): Float32Array {
  const data = new Float32Array(shape.reduce((product, dim) => product * dim, 1));
  if (typeof begin === "number") return data.fill(begin);
  if (begin === "identity") {
    for (let i = 0; i < shape[0]; i++) data[i * shape[1] + i] = 1;
    return data;
  }
  const random = mulberry32(seed);
  return data.map(() => SPREAD * normal(random));
}

/** A Gaussian number, by the method of Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
