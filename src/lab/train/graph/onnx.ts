// Writes ONNX models: the few protocol buffer messages that a graph needs. Initializers are not converted and are copied
// once, so a model of any size is written in one pass.

/** Codes of element types in TensorProto. */
const ELEMENT_TYPES = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
} as const;

export type ElementType = keyof typeof ELEMENT_TYPES;

/** A known length, or a name for a length that is known only when the graph runs. */
export type Dim = number | string;

/** A whole number, a list of whole numbers, a string, or another number as { float }. */
export type Attribute = number | readonly number[] | string | { readonly float: number };

export interface Node {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Empty for the standard's own operations. */
  readonly domain?: string;
}

export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Little-endian, row-major. */
  readonly bytes: Uint8Array;
}

export interface ValueInfo {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly Dim[];
}

interface Model {
  readonly nodes: readonly Node[];
  readonly initializers: readonly Initializer[];
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  /** Versions of the operations, by domain. */
  readonly opsets: Readonly<Record<string, number>>;
}

/** Pieces of a message, in order. */
type Bytes = readonly Uint8Array[];

/** The version of ONNX's file format that belongs to opset 20. */
const IR_VERSION = 9;

export function modelBytes(model: Model): Uint8Array {
  const graph = [
    ...model.nodes.flatMap((node) => message(1, nodeBytes(node))),
    ...text(2, "sluice"),
    ...model.initializers.flatMap((initializer) => message(5, tensorBytes(initializer))),
    ...model.inputs.flatMap((info) => message(11, infoBytes(info))),
    ...model.outputs.flatMap((info) => message(12, infoBytes(info))),
  ];
  const pieces = [
    ...integer(1, IR_VERSION),
    ...text(2, "sluice"),
    ...message(7, graph),
    ...Object.entries(model.opsets).flatMap(([domain, version]) =>
      message(8, [...text(1, domain), ...integer(2, version)]),
    ),
  ];
  return Buffer.concat(pieces);
}

function nodeBytes({ operation, inputs, outputs, attributes = {}, domain }: Node): Bytes {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...outputs.flatMap((name) => text(2, name)),
    ...text(4, operation),
    ...Object.entries(attributes).flatMap(([name, value]) => message(5, attributeBytes(name, value))),
    ...(domain ? text(7, domain) : []),
  ];
}

function attributeBytes(name: string, value: Attribute): Bytes {
  const named = text(1, name);
  if (typeof value === "string") return [...named, ...text(4, value), ...integer(20, 3)];
  if (typeof value === "number") return [...named, ...integer(3, value), ...integer(20, 2)];
  if ("float" in value) {
    const four = new Uint8Array(Float32Array.of(value.float).buffer);
    return [...named, Uint8Array.of((2 << 3) | 5), four, ...integer(20, 1)];
  }
  return [...named, ...value.flatMap((each) => integer(8, each)), ...integer(20, 7)];
}

function tensorBytes({ name, type, shape, bytes }: Initializer): Bytes {
  return [
    ...shape.flatMap((dim) => integer(1, dim)),
    ...integer(2, ELEMENT_TYPES[type]),
    ...text(8, name),
    ...message(9, [bytes]),
  ];
}

function infoBytes({ name, type, shape }: ValueInfo): Bytes {
  const dims = shape.flatMap((dim) => message(1, typeof dim === "number" ? integer(1, dim) : text(2, dim)));
  const tensor = [...integer(1, ELEMENT_TYPES[type]), ...message(2, dims)];
  return [...text(1, name), ...message(2, message(1, tensor))];
}

/** A field that holds a whole number; a negative one takes ten bytes. */
function integer(field: number, value: number): Bytes {
  return [varint(field << 3), varint(value)];
}

/** A field that holds a message or bytes. */
function message(field: number, content: Bytes): Bytes {
  return [
    varint((field << 3) | 2),
    varint(content.reduce((sum, piece) => sum + piece.length, 0)),
    ...content,
  ];
}

function text(field: number, value: string): Bytes {
  return message(field, [new TextEncoder().encode(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.of(...bytes, Number(rest));
}
