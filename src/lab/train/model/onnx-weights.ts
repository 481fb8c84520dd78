// Reads the parameters of a BERT from its ONNX graph. Exports by PyTorch keep the names of embeddings, norms and biases,
// but not those of matrices: a matrix is found as the factor of the product that its bias is added to. Constants may be
// float32, float16 with a Cast behind them, or int8 as onnxruntime's quantizer writes them.

import { type MessageField, parseMessage, readVarint } from "../../../encode/onnx/protobuf.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { toFloat32s } from "../../../support/numbers/float16.ts";
import type { Tensors } from "../data/batch.ts";

const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5 };
const NODE = { input: 1, output: 2, operation: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, integer: 3, tensor: 5 };
const TENSOR = { dims: 1, type: 2, floats: 4, integers: 5, longs: 7, name: 8, raw: 9, externalData: 13 };
/** Codes of element types. */
const [FLOAT, UINT8, INT8, INT64, HALF] = [1, 2, 3, 7, 10];

interface Constant {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

interface ParsedNode {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, MessageField[]>;
}

interface OnnxWeights {
  readonly tensors: Tensors;
  /** The whole numbers of small constants, in the order of the graph; among them are the attention heads. */
  readonly numbers: readonly number[];
}

export function parseOnnxWeights(bytes: Uint8Array, path: string): OnnxWeights {
  try {
    return new Reader(bytes, path).weights();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SluiceError(
      `${path}: ${error.message}`,
      "check that it is a complete .onnx file",
      "ERR_SLUICE_DAMAGED",
    );
  }
}

class Reader {
  readonly #path: string;
  readonly #nodes: ParsedNode[] = [];
  readonly #initializers = new Map<string, Uint8Array>();
  readonly #makers = new Map<string, ParsedNode>();

  constructor(bytes: Uint8Array, path: string) {
    this.#path = path;
    const graph = parseMessage(bytes).find(({ number }) => number === MODEL_GRAPH);
    if (!graph) throw new RangeError("no graph in it");
    for (const { number, content } of parseMessage(graph.content)) {
      if (number === GRAPH.node) this.#nodes.push(nodeOf(content));
      if (number === GRAPH.initializer) this.#initializers.set(nameOf(content), content);
    }
    for (const node of this.#nodes) for (const output of node.outputs) this.#makers.set(output, node);
  }

  weights(): OnnxWeights {
    const tensors = new Map<string, { shape: readonly number[]; data: Float32Array }>();
    const keep = (name: string, { shape, data }: Constant) =>
      tensors.set(name, { shape, data: data instanceof Float32Array ? data : Float32Array.from(data) });
    for (const name of this.#constantNames()) {
      if (!/\.(weight|bias|gamma|beta)$/.test(name)) continue;
      const isNamed = /(embeddings|[Nn]orm)\.(weight|bias|gamma|beta)$/.test(name);
      if (isNamed) keep(name, this.#constant(name)!);
      else if (name.endsWith(".bias")) {
        const matrix = this.#factorBefore(name);
        keep(name, this.#constant(name)!);
        if (matrix) keep(name.replace(/bias$/, "weight"), matrix);
      }
    }
    return { tensors, numbers: this.#smallNumbers() };
  }

  /** Names of constants, with those that a graph converts from other types. */
  #constantNames(): Set<string> {
    const names = new Set<string>();
    for (const name of this.#initializers.keys()) names.add(name.replace(/_quantized$/, ""));
    for (const { operation, outputs } of this.#nodes) if (operation === "Cast") names.add(outputs[0]);
    return new Set([...names].filter((name) => this.#isConstant(name)));
  }

  #isConstant(name: string): boolean {
    if (this.#initializers.has(name) || this.#initializers.has(`${name}_quantized`)) return true;
    const maker = this.#makers.get(name);
    if (maker?.operation === "Cast" || maker?.operation === "Identity")
      return this.#isConstant(maker.inputs[0]);
    return false;
  }

  #constant(name: string): Constant | undefined {
    const held = this.#initializers.get(name);
    if (held) return constantOf(held, this.#path);
    if (this.#initializers.has(`${name}_quantized`)) return this.#dequantized(name);
    const maker = this.#makers.get(name);
    return maker && this.#isConstant(name) ? this.#constant(maker.inputs[0]) : undefined;
  }

  /** onnxruntime's quantizer puts three constants in the place of one. */
  #dequantized(name: string): Constant {
    const [{ shape, data }, scale, zero] = ["quantized", "scale", "zero_point"].map(
      (part) => this.#constant(`${name}_${part}`) ?? { shape: [], data: [0] },
    );
    // One scale for all, or one for each column.
    const columns = scale.data.length;
    return {
      shape,
      data: Float32Array.from(
        data,
        (x, i) => (x - zero.data[i % zero.data.length]) * scale.data[i % columns],
      ),
    };
  }

  /** The constant matrix of the product that this bias is added to, as [out, in]. */
  #factorBefore(bias: string): Constant | undefined {
    const user = this.#nodes.find(
      ({ operation, inputs }) => /^(Add|Gemm)$/.test(operation) && inputs.includes(bias),
    );
    if (!user) return undefined;
    if (user.operation === "Gemm") {
      const isTransposed = user.attributes.get("transB")?.[0]?.value === 1;
      const factor = this.#constant(user.inputs[1]);
      return factor && (isTransposed ? factor : transposed(factor));
    }
    let node = this.#makers.get(user.inputs.find((name) => name !== bias)!);
    // Behind a product of whole numbers come a Cast and a multiplication with the scales.
    while (node && /^(Mul|Cast|Reshape)$/.test(node.operation)) node = this.#makers.get(node.inputs[0]);
    if (!node || !/^(MatMul|MatMulInteger|Gemm)$/.test(node.operation)) return undefined;
    const factor = this.#constant(node.inputs[1].replace(/_quantized$/, ""));
    return factor && transposed(factor);
  }

  #smallNumbers(): number[] {
    const constants = [
      ...this.#initializers.values(),
      ...this.#nodes.flatMap(({ attributes }) =>
        (attributes.get("value") ?? []).map(({ content }) => content),
      ),
    ].filter((content) => isSmallInteger(content));
    return constants.flatMap((content) => Array.from(constantOf(content, this.#path).data));
  }
}

function nodeOf(content: Uint8Array): ParsedNode {
  const fields = parseMessage(content);
  const texts = (number: number) =>
    fields.filter((each) => each.number === number).map(({ content }) => decoded(content));
  const attributes = fields
    .filter(({ number }) => number === NODE.attribute)
    .map(({ content }) => parseMessage(content))
    .map((parts): [string, MessageField[]] => [
      decoded(parts.find(({ number }) => number === ATTRIBUTE.name)?.content ?? new Uint8Array()),
      parts.filter(({ number }) => number === ATTRIBUTE.integer || number === ATTRIBUTE.tensor),
    ]);
  return {
    operation: texts(NODE.operation)[0] ?? "",
    inputs: texts(NODE.input),
    outputs: texts(NODE.output),
    attributes: new Map(attributes),
  };
}

function isSmallInteger(content: Uint8Array): boolean {
  if (content.length > 200) return false;
  return parseMessage(content).some(({ number, value }) => number === TENSOR.type && value === INT64);
}

function constantOf(content: Uint8Array, path: string): Constant {
  const fields = parseMessage(content);
  const name = nameOf(content);
  if (fields.some(({ number }) => number === TENSOR.externalData)) {
    throw new SluiceError(
      `${path}: ${name} is in another file`,
      "give model.safetensors, or a graph in one file",
    );
  }
  const shape = fields.filter(({ number }) => number === TENSOR.dims).flatMap(varints);
  const size = shape.reduce((product, dim) => product * dim, 1);
  const type = fields.find(({ number }) => number === TENSOR.type)?.value;
  const raw = fields.find(({ number }) => number === TENSOR.raw)?.content;
  const data = raw ? rawNumbers(type, raw) : listedNumbers(type, fields);
  if (!data) throw new RangeError(`${name} has elements of type ${type}, expected floats or bytes`);
  if (data.length !== size)
    throw new RangeError(`${name} has ${data.length} numbers, expected ${shape.join(" × ")}`);
  return { shape, data };
}

function rawNumbers(type: number | undefined, raw: Uint8Array): ArrayLike<number> | undefined {
  // Copy the bytes: those of the file may not be aligned for their type. (A Buffer's slice is no copy.)
  const { buffer } = new Uint8Array(raw);
  if (type === FLOAT && raw.length % 4 === 0) return new Float32Array(buffer);
  if (type === HALF && raw.length % 2 === 0) return toFloat32s(new Uint16Array(buffer));
  if (type === INT8) return new Int8Array(buffer);
  if (type === UINT8) return new Uint8Array(buffer);
  if (type === INT64 && raw.length % 8 === 0) return Array.from(new BigInt64Array(buffer), Number);
  return undefined;
}

/** Numbers that are not written as bytes. Only float32 and whole numbers occur. */
function listedNumbers(
  type: number | undefined,
  fields: readonly MessageField[],
): ArrayLike<number> | undefined {
  if (type === FLOAT) {
    const parts = fields.filter(({ number }) => number === TENSOR.floats);
    return Float32Array.from(
      parts.flatMap(({ content, whole }) => [
        ...new Float32Array(new Uint8Array(content.length > 0 ? content : whole.subarray(-4)).buffer),
      ]),
    );
  }
  const wanted = type === INT64 ? TENSOR.longs : TENSOR.integers;
  return fields.filter(({ number }) => number === wanted).flatMap(varints);
}

/** The varints of a repeated field: one, or several in its content. */
function varints({ content, value }: MessageField): number[] {
  if (content.length === 0) return [value];
  const values: number[] = [];
  for (let at = 0; at < content.length; ) {
    const [each, next] = readVarint(content, at);
    values.push(each);
    at = next;
  }
  return values;
}

function transposed({ shape: [rows, columns], data }: Constant): Constant {
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = data[row * columns + column];
  }
  return { shape: [columns, rows], data: turned };
}

function nameOf(tensor: Uint8Array): string {
  const field = parseMessage(tensor).find(({ number }) => number === TENSOR.name);
  return field ? decoded(field.content) : "";
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
