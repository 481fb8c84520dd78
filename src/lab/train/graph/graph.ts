// A graph of ONNX operations with automatic differentiation. An operation (elementwise.ts, matmul.ts, …) adds nodes and
// records how to compute the gradients of its inputs from the gradient of its result. `gradients` walks these records
// backwards and adds the nodes of the backward pass to the same graph.

import {
  type Attribute,
  type Dim,
  type ElementType,
  type Initializer,
  modelBytes,
  type Node,
  type ValueInfo,
} from "./onnx.ts";
import { factors, hasSameShape, type Shape } from "./shape.ts";

/** A value of a graph: a name, a type and a shape. Its numbers exist only when the graph runs. */
export interface Tensor extends ValueInfo {
  readonly graph: Graph;
  /** For an int8 matrix (int8.ts): the float32 number that 1 stands for, in each row. */
  readonly steps?: Tensor;
  /** No number is below this, if it is known. */
  readonly atLeast?: number;
  /** All numbers are 0. */
  readonly isZero?: boolean;
}

/** Computes the gradient of each input from the gradient of the result; undefined for an input that has none. */
type Backward = (gradient: Tensor) => readonly (Tensor | undefined)[];

interface GradientRecord {
  readonly result: Tensor;
  readonly inputs: readonly Tensor[];
  readonly backward: Backward;
}

/** A graph as an ONNX model. */
export interface WrittenGraph {
  readonly bytes: Uint8Array;
  readonly outputs: readonly string[];
}

interface Addition {
  readonly type?: ElementType;
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly domain?: string;
}

/** Versions of the operations by domain. com.microsoft holds operations that only onnxruntime has. */
const OPSETS = { "": 20, "com.microsoft": 1 };

export class Graph {
  readonly #nodes: Node[] = [];
  readonly #initializers: Initializer[] = [];
  readonly #inputs: ValueInfo[] = [];
  readonly #records: GradientRecord[] = [];
  /** Constants and sizes by content, so that each exists once. */
  readonly #known = new Map<string, Tensor>();
  #names = 0;

  input(name: string, type: ElementType, shape: Shape): Tensor {
    const input = { graph: this, name, type, shape };
    this.#inputs.push(input);
    shape.forEach((dim, axis) => {
      if (typeof dim !== "string" || this.#known.has(`size ${dim}`)) return;
      const attributes = { start: axis, end: axis + 1 };
      this.#known.set(`size ${dim}`, this.add("Shape", [input], [1], { type: "int64", attributes }));
    });
    return input;
  }

  /** Adds constant numbers to the graph. */
  constant(type: ElementType, shape: readonly number[], bytes: Uint8Array, name = this.#name()): Tensor {
    this.#initializers.push({ name, type, shape, bytes });
    return { graph: this, name, type, shape };
  }

  /** A constant float32 without axes. */
  number(value: number): Tensor {
    return this.once(`number ${value}`, () =>
      this.constant("float32", [], new Uint8Array(Float32Array.of(value).buffer)),
    );
  }

  integers(values: readonly number[]): Tensor {
    return this.once(`integers ${values}`, () => {
      const longs = BigInt64Array.from(values, BigInt);
      return this.constant("int64", [values.length], new Uint8Array(longs.buffer));
    });
  }

  /** Returns what `make` made when this key was first asked for. */
  once(key: string, make: () => Tensor): Tensor {
    const made = this.#known.get(key) ?? make();
    this.#known.set(key, made);
    return made;
  }

  /** A shape as a value. */
  sizes(shape: Shape): Tensor {
    if (shape.every((dim) => typeof dim === "number")) return this.integers(shape);
    return this.once(`sizes ${shape}`, () => {
      const each = shape.map((dim) => this.#size(dim));
      if (each.length === 1) return each[0];
      return this.add("Concat", each, [shape.length], { type: "int64", attributes: { axis: 0 } });
    });
  }

  /** Zeros of a shape. Expand, not ConstantOfShape: the WebGPU provider runs the latter on the host and copies the result. */
  zeros(shape: Shape): Tensor {
    return this.add("Expand", [this.number(0), this.sizes(shape)], shape);
  }

  /** Adds a node with one result, without recording a gradient. Default type of the result: that of the first input. */
  add(operation: string, inputs: readonly Tensor[], shape: Shape, addition: Addition = {}): Tensor {
    return this.addAll(operation, inputs, [shape], addition)[0];
  }

  /** Adds a node with several results, without recording a gradient. */
  addAll(
    operation: string,
    inputs: readonly Tensor[],
    shapes: readonly Shape[],
    { type = inputs[0].type, attributes, domain }: Addition = {},
  ): Tensor[] {
    const results = shapes.map((shape) => ({ graph: this, name: this.#name(), type, shape }));
    this.#nodes.push({
      operation,
      inputs: inputs.map(({ name }) => name),
      outputs: results.map(({ name }) => name),
      ...(attributes && { attributes }),
      ...(domain && { domain }),
    });
    return results;
  }

  /** Records how to compute the gradients of the inputs from the gradient of the result. */
  recordGradient(result: Tensor, inputs: readonly Tensor[], backward: Backward): Tensor {
    this.#records.push({ result, inputs, backward });
    return result;
  }

  /** Adds the gradients of `wrt`, given those of some results. A tensor that no result depends on gets zeros. */
  gradients(seeds: readonly (readonly [Tensor, Tensor])[], wrt: readonly Tensor[]): Tensor[] {
    const dependent = new Set(wrt.map(({ name }) => name));
    for (const { result, inputs } of this.#records) {
      if (inputs.some(({ name }) => dependent.has(name))) dependent.add(result.name);
    }
    const found = new Map<string, Tensor>();
    const collect = (tensor: Tensor, gradient: Tensor) => {
      if (!hasSameShape(tensor.shape, gradient.shape)) {
        throw new Error(`a gradient of ${gradient.shape} for ${tensor.name}, expected ${tensor.shape}`);
      }
      const held = found.get(tensor.name);
      found.set(tensor.name, held ? this.add("Add", [held, gradient], tensor.shape) : gradient);
    };
    for (const [tensor, gradient] of seeds) collect(tensor, gradient);
    // Backward functions add nodes but no records, so the list does not grow during the loop.
    for (const { result, inputs, backward } of [...this.#records].reverse()) {
      const gradient = found.get(result.name);
      if (!gradient || !dependent.has(result.name)) continue;
      backward(gradient).forEach((each, i) => {
        if (each && dependent.has(inputs[i].name)) collect(inputs[i], each);
      });
    }
    return wrt.map((tensor) => found.get(tensor.name) ?? this.zeros(tensor.shape));
  }

  /** Writes an ONNX model with the nodes that these outputs need. */
  written(outputs: Readonly<Record<string, Tensor>>): WrittenGraph {
    const named = Object.entries(outputs).map(([name, { name: from }]) => ({
      operation: "Identity",
      inputs: [from],
      outputs: [name],
    }));
    const needed = new Set(named.map(({ inputs }) => inputs[0]));
    const nodes: Node[] = [];
    for (const node of [...this.#nodes].reverse()) {
      if (!node.outputs.some((name) => needed.has(name))) continue;
      nodes.push(node);
      for (const name of node.inputs) needed.add(name);
    }
    const bytes = modelBytes({
      nodes: [...nodes.reverse(), ...named],
      initializers: this.#initializers.filter(({ name }) => needed.has(name)),
      inputs: this.#inputs.filter(({ name }) => needed.has(name)),
      outputs: Object.entries(outputs).map(([name, { type, shape }]) => ({ name, type, shape })),
      opsets: OPSETS,
    });
    return { bytes, outputs: Object.keys(outputs) };
  }

  #size(dim: Dim): Tensor {
    if (typeof dim === "number") return this.integers([dim]);
    return this.once(`size ${dim}`, () =>
      factors(dim)
        .map((factor) => {
          if (typeof factor === "number") return this.integers([factor]);
          const size = this.#known.get(`size ${factor.name}`);
          if (!size) throw new Error(`no input has an axis called ${factor.name}`);
          return factor.less === 0 ? size : this.add("Sub", [size, this.integers([factor.less])], [1]);
        })
        .reduce((a, b) => this.add("Mul", [a, b], [1])),
    );
  }

  #name(): string {
    return `t${this.#names++}`;
  }
}
