// The bytes of an ONNX model → the bytes of a model with only the nodes that some of its outputs need. onnxruntime always
// computes every node. If you want only the vectors of a model that has a head over the vocabulary, more than half of the
// work would be wasted.
//
// This file knows only the fields of ONNX's protocol buffers that it reads, by their numbers.

import { fieldText, LENGTH_DELIMITED, type MessageField, parseMessage } from "./protobuf.ts";

const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5, output: 12 };
const NODE = { input: 1, output: 2, attribute: 5 };
const ATTRIBUTE = { graph: 6, graphs: 11 };
const TENSOR = { name: 8, externalData: 13 };
const VALUE_NAME = 1;

/**
 * The model with only these outputs. Undefined if there is nothing to remove, or if it cannot be done safely: a graph inside
 * a node sees the values of the outer graph, and parameters in other files are found by the path of the model.
 */
export function keepOutputs(model: Uint8Array, wanted: readonly string[]): Uint8Array | undefined {
  try {
    return removeUnusedNodes(model, wanted);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // not ONNX: the runtime refuses it, with its own message
    throw error;
  }
}

function removeUnusedNodes(model: Uint8Array, wanted: readonly string[]): Uint8Array | undefined {
  const messages = parseMessage(model);
  const graph = messages.find(({ number }) => number === MODEL_GRAPH);
  if (!graph) return undefined;
  const parts = parseMessage(graph.content);
  const partsOf = (number: number) => parts.filter((part) => part.number === number);
  const outputs = partsOf(GRAPH.output).map(({ content }) => fieldText(content, VALUE_NAME));
  if (!wanted.every((name) => outputs.includes(name)) || outputs.length === wanted.length) return undefined;
  const nodes = partsOf(GRAPH.node).map(parseNode);
  const initializers = partsOf(GRAPH.initializer).map(({ content }) => parseMessage(content));
  const hasFiles = initializers.some((fields) => fields.some(({ number }) => number === TENSOR.externalData));
  if (hasFiles || nodes.some(({ hasGraphs }) => hasGraphs)) return undefined;

  // Each node comes after the nodes it needs, so one pass from the end finds all that are needed.
  const needed = new Set(wanted);
  const kept = new Set<MessageField>();
  for (const { field, inputs, outputs } of nodes.reverse()) {
    if (!outputs.some((name) => needed.has(name))) continue;
    kept.add(field);
    for (const name of inputs) needed.add(name);
  }
  const isKept = (part: MessageField) => {
    if (part.number === GRAPH.node) return kept.has(part);
    if (part.number === GRAPH.initializer) return needed.has(fieldText(part.content, TENSOR.name));
    return part.number !== GRAPH.output || wanted.includes(fieldText(part.content, VALUE_NAME));
  };
  const rest = joinBytes(parts.filter(isKept).map(({ whole }) => whole));
  const tag = (MODEL_GRAPH << 3) | LENGTH_DELIMITED;
  const written = joinBytes([Uint8Array.of(tag), varint(rest.length), rest]);
  return joinBytes(messages.map((field) => (field === graph ? written : field.whole)));
}

function parseNode(field: MessageField) {
  const fields = parseMessage(field.content);
  const texts = (number: number) =>
    fields.filter((each) => each.number === number).map(({ content }) => new TextDecoder().decode(content));
  const attributes = fields.filter(({ number }) => number === NODE.attribute);
  const hasGraphs = attributes.some(({ content }) =>
    parseMessage(content).some(({ number }) => number === ATTRIBUTE.graph || number === ATTRIBUTE.graphs),
  );
  return { field, inputs: texts(NODE.input), outputs: texts(NODE.output), hasGraphs };
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.of(...bytes, rest);
    bytes.push((rest % 128) | 128);
  }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces));
}
