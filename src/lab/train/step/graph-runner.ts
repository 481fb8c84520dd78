// Runs a model's graphs. Texts come in; their representations, or the gradients of a loss, go out.
//
// A small batch is computed in one piece. A larger one is computed in chunks (gradient caching):
//   1. a forward pass of each chunk, which keeps only the representations;
//   2. the loss of the whole batch, and the gradients of the representations;
//   3. a forward and a backward pass of each chunk, from these gradients.
// The gradients are the same. The memory is that of one chunk; the cost is a second forward pass.

import type { Role } from "../../../encode/contract/description.ts";
import type { Runtime } from "../../../encode/onnx/runtime.ts";
import type { Batch, BatchWords, MaskedBatch, StepReport, TokenRows } from "../data/batch.ts";
import type { WrittenGraph } from "../graph/graph.ts";
import { type Provider, Session, type Values } from "../graph/session.ts";
import type { LossSettings, ModelSettings } from "../model/settings.ts";
import { disposeAll } from "./device-parameters.ts";
import { Feeds, type RepresentationArrays } from "./feeds.ts";
import {
  backwardGraph,
  forwardGraph,
  lossGraph,
  maskedGraph,
  partsOf,
  scoreGraph,
  wholeGraph,
} from "./graphs.ts";
import { type Chunk, chunksOf, wholeOf } from "./text-chunks.ts";
import { divergenceError, type TrainedParameters } from "./trained-parameters.ts";

/** The stages of a step. For a batch in one piece, `whole` is forward, loss and backward together. */
export type Stage = "forward" | "loss" | "backward" | "whole" | "update";

interface GraphRunnerOptions {
  readonly provider: Provider;
  readonly threads: number;
  readonly chunkPositions: number;
  readonly loss: LossSettings;
  readonly onStage?: (stage: Stage, seconds: number) => void;
}

/** A loss, and the gradients of the trained parameters under "gradient." + the parameter's name. */
export interface Gradients {
  readonly report: Omit<StepReport, "gradientNorm">;
  readonly gradients: Values;
}

export class GraphRunner {
  readonly #runtime: Runtime;
  readonly #model: ModelSettings;
  readonly #parameters: TrainedParameters;
  readonly #options: GraphRunnerOptions;
  readonly #feeds: Feeds;
  /** Open graphs by name. A graph is opened when it is first needed. */
  readonly #sessions = new Map<string, Promise<Session>>();

  constructor(
    runtime: Runtime,
    model: ModelSettings,
    parameters: TrainedParameters,
    options: GraphRunnerOptions,
  ) {
    this.#runtime = runtime;
    this.#model = model;
    this.#parameters = parameters;
    this.#options = options;
    this.#feeds = new Feeds(runtime, model);
  }

  /** Computes the representations of texts, in the order of the texts. */
  async represent(texts: TokenRows, role: Role): Promise<RepresentationArrays> {
    const chunks = this.#chunks(texts);
    const { width } = chunks[0];
    const session = await this.#roleSession("forward", role, (role) => forwardGraph(this.#model, role));
    const parts = new Map(
      partsOf(this.#model).map((part) => [
        part,
        new Float32Array(texts.rows * this.#feeds.stride(part, width)),
      ]),
    );
    for (const chunk of chunks) {
      const outputs = await this.#runTimed("forward", () =>
        session.run({ ...this.#parameters.values, ...this.#feeds.texts(chunk) }),
      );
      for (const [part, all] of parts) {
        const data = outputs[part].data as Float32Array;
        const each = this.#feeds.stride(part, chunk.width);
        chunk.numbers.forEach((number, row) => {
          all.set(data.subarray(row * each, (row + 1) * each), number * this.#feeds.stride(part, width));
        });
      }
    }
    return { rows: texts.rows, width, parts };
  }

  /** Returns the scores: queries × passages. */
  async computeScores(
    queries: RepresentationArrays,
    passages: RepresentationArrays,
    words?: BatchWords,
  ): Promise<Float32Array> {
    const session = await this.#session("score", "cpu", () => scoreGraph(this.#model, this.#options.loss));
    const { scores } = await session.run({
      ...this.#feeds.side(queries, "query"),
      ...this.#feeds.side(passages, "passage"),
      ...(words && this.#feeds.words(words)),
    });
    return scores.data as Float32Array;
  }

  /** Computes the gradients of a batch's loss at a step. */
  async computeGradients(batch: Batch, step: number): Promise<Gradients> {
    const { encoder } = this.#model;
    const [queries, passages] = [wholeOf(batch.queries, encoder), wholeOf(batch.passages, encoder)];
    const fits = queries.ids.length + passages.ids.length <= this.#options.chunkPositions;
    return fits
      ? this.#computeWholeGradients(batch, queries, passages, step)
      : this.#computeChunkedGradients(batch, step);
  }

  /** Computes the gradients of a masked-LM head's loss, and of the error of token weights if they have targets. */
  async computeMaskedGradients(
    { texts, at, labels, weighed }: MaskedBatch,
    step: number,
  ): Promise<Gradients> {
    const name = weighed ? "masked and weighed" : "masked";
    const session = await this.#session(name, this.#options.provider, () =>
      maskedGraph(this.#model, weighed !== undefined),
    );
    const parts = new Map<string, number>();
    let sums = this.#parameters.noGradients;
    for (const chunk of this.#chunks(texts)) {
      const outputs = await this.#runTimed("whole", () =>
        session.run({
          ...this.#parameters.values,
          ...this.#feeds.texts(chunk),
          ...this.#feeds.masked(chunk, texts, { at, labels }),
          ...(weighed && this.#feeds.weighed(chunk, texts, weighed)),
          ...sums,
        }),
      );
      for (const [part, value] of partsOfLoss(outputs)) parts.set(part, (parts.get(part) ?? 0) + value);
      sums = this.#nextSums(sums, gradientsOf(outputs));
    }
    const loss = [...parts.values()].reduce((a, b) => a + b, 0);
    if (!Number.isFinite(loss)) {
      disposeAll(Object.values(sums));
      throw divergenceError("the loss", step, loss);
    }
    return { report: { loss, parts: Object.fromEntries(parts) }, gradients: asGradients(sums) };
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await (await session).close();
    this.#sessions.clear();
  }

  async #computeWholeGradients(
    batch: Batch,
    queries: Chunk,
    passages: Chunk,
    step: number,
  ): Promise<Gradients> {
    const { provider, loss } = this.#options;
    const session = await this.#session("whole", provider, () => wholeGraph(this.#model, loss));
    const outputs = await this.#runTimed("whole", () =>
      session.run({
        ...this.#parameters.values,
        ...this.#feeds.texts(queries, "query."),
        ...this.#feeds.texts(passages, "passage."),
        ...this.#feeds.targets(batch, loss, step),
        ...(batch.words && this.#feeds.words(batch.words)),
      }),
    );
    return { report: reportOf(outputs, step), gradients: gradientsOf(outputs) };
  }

  async #computeChunkedGradients(batch: Batch, step: number): Promise<Gradients> {
    const represented = {
      query: await this.represent(batch.queries, "query"),
      passage: await this.represent(batch.passages, "passage"),
    };
    // On the CPU: the loss is little work on much data that is already in the host's memory.
    const { loss } = this.#options;
    const session = await this.#session("loss", "cpu", () => lossGraph(this.#model, loss));
    const outputs = await this.#runTimed("loss", () =>
      session.run({
        ...this.#feeds.side(represented.query, "query"),
        ...this.#feeds.side(represented.passage, "passage"),
        ...this.#feeds.targets(batch, loss, step),
        ...(batch.words && this.#feeds.words(batch.words)),
      }),
    );
    const report = reportOf(outputs, step);
    let sums = this.#parameters.noGradients;
    for (const role of ["query", "passage"] as const) {
      const backward = await this.#roleSession("backward", role, (role) => backwardGraph(this.#model, role));
      for (const chunk of this.#chunks(role === "query" ? batch.queries : batch.passages)) {
        const upstream = Object.fromEntries(
          partsOf(this.#model).map((part) => {
            const all = outputs[`gradient.${role}.${part}`].data as Float32Array;
            return [`gradient.${part}`, this.#feeds.rows(all, part, chunk, represented[role].width)];
          }),
        );
        const next = await this.#runTimed("backward", () =>
          backward.run({ ...this.#parameters.values, ...this.#feeds.texts(chunk), ...upstream, ...sums }),
        );
        sums = this.#nextSums(sums, next);
      }
    }
    return { report, gradients: asGradients(sums) };
  }

  /** Names the new sums as inputs for the next chunk, and frees the old ones. */
  #nextSums(before: Values, next: Values): Values {
    if (before !== this.#parameters.noGradients) disposeAll(Object.values(before));
    return Object.fromEntries(
      Object.entries(next).map(([name, sum]) => [name.replace("gradient.", "before."), sum]),
    );
  }

  #chunks(texts: TokenRows): Chunk[] {
    return chunksOf(texts, this.#options.chunkPositions, this.#model.encoder);
  }

  /** Opens a graph for a role. Models that treat queries and passages alike share one graph. */
  #roleSession(name: string, role: Role, build: (role: Role) => WrittenGraph): Promise<Session> {
    const { head } = this.#model;
    const isApart = head.kind === "colbert" || ["unicoil", "anchored"].includes(head.lexical?.kind ?? "");
    const asked = isApart ? role : "passage";
    return this.#session(`${name} ${asked}`, this.#options.provider, () => build(asked));
  }

  #session(name: string, provider: Provider, build: () => WrittenGraph): Promise<Session> {
    const held = this.#sessions.get(name);
    if (held) return held;
    const opened = Session.open(this.#runtime, build(), {
      provider,
      threads: this.#options.threads,
      isResident: (output) => output.startsWith("gradient."),
    });
    this.#sessions.set(name, opened);
    return opened;
  }

  async #runTimed<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const done = await work();
    this.#options.onStage?.(stage, (performance.now() - started) / 1000);
    return done;
  }
}

function reportOf(outputs: Values, step: number): Gradients["report"] {
  const loss = (outputs.loss.data as Float32Array)[0];
  if (!Number.isFinite(loss)) {
    disposeAll(Object.values(outputs));
    throw divergenceError("the loss", step, loss);
  }
  return { loss, parts: Object.fromEntries(partsOfLoss(outputs)) };
}

function partsOfLoss(outputs: Values): (readonly [name: string, value: number])[] {
  return Object.entries(outputs)
    .filter(([name]) => name.startsWith("part."))
    .map(([name, { data }]) => [name.slice("part.".length), (data as Float32Array)[0]] as const);
}

function gradientsOf(outputs: Values): Values {
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => name.startsWith("gradient.")));
}

/** Names sums of gradients as the optimizer expects them. */
function asGradients(sums: Values): Values {
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [name.replace("before.", "gradient."), sum]),
  );
}
