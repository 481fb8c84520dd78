// A batch in, better parameters out: one optimisation step, and what the model says meanwhile.
//
// A batch that is small enough is computed in one piece. A larger one goes through in chunks (gradient caching): what
// the model says about each chunk, nothing else kept; the loss of all of it together and the gradients of what was
// said; then each chunk again, forward and backward from those. The gradients are the same, the memory that of a chunk,
// and the price a second forward pass.

import type { Role } from "../encode/description.ts";
import { loadRuntime, type Runtime } from "../encode/runtime.ts";
import { UsageError } from "../errors.ts";
import type { Batch, StepReport, Tensors, TokenRows, TrainerState } from "./batch.ts";
import type { WrittenGraph } from "./graph/graph.ts";
import { type Provider, Session, type Values } from "./graph/session.ts";
import { checkLoss, flopsWeight, needsTeacher } from "./loss/loss.ts";
import { checkParameters } from "./model/parameters.ts";
import {
  checkModel,
  type LossSettings,
  type ModelSettings,
  type OptimiserSettings,
  type Rates,
} from "./model/settings.ts";
import { type Chunk, checkTexts, chunksOf, wholeOf } from "./step/chunks.ts";
import { DeviceParameters, disposeAll } from "./step/device.ts";
import {
  backwardGraph,
  forwardGraph,
  lossGraph,
  type Part,
  partsOf,
  scoreGraph,
  wholeGraph,
  widthOf,
} from "./step/graphs.ts";
import { HostParameters } from "./step/host.ts";
import { diverged, type TrainedParameters } from "./step/parameters.ts";

export interface TrainerOptions {
  /** What computes: the processor unless said otherwise. */
  readonly provider?: Provider;
  /** Threads of the runtime; 0, the default, leaves it to the runtime. With 1 a run repeats bit for bit. */
  readonly threads?: number;
  /** Positions (rows × longest) that are computed at once: what bounds the memory. */
  readonly chunkPositions?: number;
  readonly loss?: LossSettings;
  readonly optimiser?: OptimiserSettings;
}

/** What the model says about texts, one after the other. */
export interface Representations {
  /** By text: ids with a weight above the threshold, ascending, and the weights. Absent without a lexical part. */
  readonly lexical?: readonly { readonly ids: Uint32Array; readonly weights: Float32Array }[];
  /** By text: the vector. Absent without a semantic part. */
  readonly semantic?: readonly Float32Array[];
}

/** What the model says about texts, part by part, as arrays: rows × (tokens ×) width. */
interface Spoken {
  readonly rows: number;
  /** Tokens a row has room for; 1 where a part has none. */
  readonly width: number;
  readonly parts: ReadonlyMap<Part, Float32Array>;
}

/** A tensor of positions × 30,522 entries is then 250 MB and, on a device, 1 GB; a step holds about four at a time. */
const CHUNK_POSITIONS = { cpu: 2048, webgpu: 8192 };

/** What a weight must exceed to be more than 0 in float16. */
const VANISHING = 2 ** -25;

export class Trainer {
  readonly model: ModelSettings;
  readonly #runtime: Runtime;
  readonly #provider: Provider;
  readonly #threads: number;
  readonly #chunkPositions: number;
  readonly #loss: LossSettings;
  readonly #parameters: TrainedParameters;
  /** Graphs that were needed so far, by name. */
  readonly #sessions = new Map<string, Promise<Session>>();
  #steps = 0;

  private constructor(
    model: ModelSettings,
    runtime: Runtime,
    parameters: TrainedParameters,
    options: TrainerOptions,
  ) {
    const { provider = "cpu", threads = 0, loss = {} } = options;
    this.model = model;
    this.#runtime = runtime;
    this.#parameters = parameters;
    this.#provider = provider;
    this.#threads = threads;
    this.#chunkPositions = options.chunkPositions ?? CHUNK_POSITIONS[provider];
    this.#loss = loss;
  }

  /** Parameters by the names of `parametersOf`; each that the model needs must be there. They are copied. */
  static async create(
    model: ModelSettings,
    parameters: Tensors,
    options: TrainerOptions = {},
  ): Promise<Trainer> {
    checkModel(model);
    checkParameters(model, parameters);
    checkLoss(options.loss ?? {}, model);
    const runtime = await loadRuntime();
    const { optimiser = {} } = options;
    const held =
      options.provider === "webgpu"
        ? await DeviceParameters.open(runtime, model, parameters, optimiser)
        : new HostParameters(runtime, model, parameters, optimiser);
    return new Trainer(model, runtime, held, options);
  }

  /** Steps made. */
  get steps(): number {
    return this.#steps;
  }

  /** One optimisation step. A loss or gradient that is no number is a UsageError, and no parameter has changed. */
  async step(batch: Batch, rates: Rates): Promise<StepReport> {
    this.#checkBatch(batch);
    const { encoder } = this.model;
    const [queries, passages] = [wholeOf(batch.queries, encoder), wholeOf(batch.passages, encoder)];
    const positions = queries.ids.length + passages.ids.length;
    const step = this.#steps + 1;
    const { said, gradients } =
      positions <= this.#chunkPositions
        ? await this.#wholeGradients(batch, queries, passages, step)
        : await this.#cachedGradients(batch, step);
    try {
      const norm = await this.#parameters.update(gradients, rates, step);
      this.#steps = step;
      return { ...said, gradientNorm: norm };
    } finally {
      disposeAll(Object.values(gradients));
    }
  }

  /** The fused scores of a batch: B rows of B × n. */
  async score(batch: Omit<Batch, "teacher">): Promise<Float32Array> {
    this.#checkBatch(batch);
    const session = await this.#session("score", "cpu", () => scoreGraph(this.model, this.#loss));
    const { scores } = await session.run({
      ...this.#sideFeeds(await this.#speak(batch.queries, "query"), "query"),
      ...this.#sideFeeds(await this.#speak(batch.passages, "passage"), "passage"),
    });
    return scores.data as Float32Array;
  }

  /** What the model says about texts: weights above `least` (what vanishes in float16 unless given), and vectors. */
  async encode(rows: TokenRows, role: Role, least = VANISHING): Promise<Representations> {
    if (this.model.head.kind === "colbert") {
      throw new UsageError("a ColBERT model has no vector of a text", "ask for scores");
    }
    checkTexts(rows, this.model.encoder, `${role} texts`);
    const { parts } = await this.#speak(rows, role);
    const each = <T>(part: Part, make: (row: Float32Array) => T): T[] | undefined => {
      const data = parts.get(part);
      const width = widthOf(part, this.model);
      return (
        data && Array.from({ length: rows.rows }, (_, i) => make(data.subarray(i * width, (i + 1) * width)))
      );
    };
    const lexical = each("lexical", (row) => heavier(row, least));
    const semantic = each("semantic", (row) => row.slice());
    return { ...(lexical && { lexical }), ...(semantic && { semantic }) };
  }

  /** A copy of everything a run needs to go on from here. */
  async state(): Promise<TrainerState> {
    return { step: this.#steps, ...(await this.#parameters.read()) };
  }

  async restore(state: TrainerState): Promise<void> {
    await this.#parameters.write(state);
    this.#steps = state.step;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await (await session).close();
    this.#sessions.clear();
    await this.#parameters.close();
  }

  async #wholeGradients(batch: Batch, queries: Chunk, passages: Chunk, step: number) {
    const session = await this.#session("whole", this.#provider, () => wholeGraph(this.model, this.#loss));
    const outputs = await session.run({
      ...this.#parameters.values,
      ...this.#chunkFeeds(queries, "query."),
      ...this.#chunkFeeds(passages, "passage."),
      ...this.#targets(batch, step),
    });
    const said = report(outputs, step);
    return { said, gradients: gradientsOf(outputs) };
  }

  async #cachedGradients(batch: Batch, step: number) {
    const sides = {
      query: { texts: batch.queries, spoken: await this.#speak(batch.queries, "query") },
      passage: { texts: batch.passages, spoken: await this.#speak(batch.passages, "passage") },
    };
    // The loss is small work on much data that is in the host's memory already.
    const session = await this.#session("loss", "cpu", () => lossGraph(this.model, this.#loss));
    const outputs = await session.run({
      ...this.#sideFeeds(sides.query.spoken, "query"),
      ...this.#sideFeeds(sides.passage.spoken, "passage"),
      ...this.#targets(batch, step),
    });
    const said = report(outputs, step);
    let sums: Values = this.#parameters.noGradients;
    for (const [role, { texts, spoken }] of Object.entries(sides) as [Role, (typeof sides)[Role]][]) {
      const backward = await this.#roleSession("backward", role, (role) => backwardGraph(this.model, role));
      for (const chunk of chunksOf(texts, this.#chunkPositions, this.model.encoder)) {
        const upstream = Object.fromEntries(
          Array.from(spoken.parts.keys(), (part) => {
            const gradient = outputs[`gradient.${role}.${part}`].data as Float32Array;
            const rows = this.#rowsOf(gradient, part, chunk, spoken.width);
            return [`gradient.${part}`, rows];
          }),
        );
        const next = await backward.run({
          ...this.#parameters.values,
          ...this.#chunkFeeds(chunk),
          ...upstream,
          ...sums,
        });
        if (sums !== this.#parameters.noGradients) disposeAll(Object.values(sums));
        sums = Object.fromEntries(
          Object.entries(next).map(([name, sum]) => [name.replace("gradient.", "before."), sum]),
        );
      }
    }
    const gradients = Object.fromEntries(
      Object.entries(sums).map(([name, sum]) => [name.replace("before.", "gradient."), sum]),
    );
    return { said, gradients };
  }

  /** What the model says about texts, chunk by chunk, in the order of the texts. */
  async #speak(texts: TokenRows, role: Role): Promise<Spoken> {
    const { encoder } = this.model;
    const chunks = chunksOf(texts, this.#chunkPositions, encoder);
    const width = chunks[0].width;
    const session = await this.#roleSession("forward", role, (role) => forwardGraph(this.model, role));
    const parts = new Map(
      partsOf(this.model).map((part) => [
        part,
        new Float32Array(texts.rows * widthOf(part, this.model) * (part === "tokens" ? width : 1)),
      ]),
    );
    for (const chunk of chunks) {
      const outputs = await session.run({ ...this.#parameters.values, ...this.#chunkFeeds(chunk) });
      for (const [part, into] of parts) {
        const data = outputs[part].data as Float32Array;
        const each = data.length / chunk.numbers.length;
        const stride = into.length / texts.rows;
        chunk.numbers.forEach((number, row) => {
          into.set(data.subarray(row * each, (row + 1) * each), number * stride);
        });
      }
    }
    return { rows: texts.rows, width, parts };
  }

  /** A chunk's rows of an array that has all. */
  #rowsOf(all: Float32Array, part: Part, chunk: Chunk, allWidth: number): Values[string] {
    const dims = part === "tokens" ? [chunk.width] : [];
    const shape = [chunk.numbers.length, ...dims, widthOf(part, this.model)];
    const each = widthOf(part, this.model) * (part === "tokens" ? chunk.width : 1);
    const stride = widthOf(part, this.model) * (part === "tokens" ? allWidth : 1);
    const data = new Float32Array(chunk.numbers.length * each);
    chunk.numbers.forEach((number, row) => {
      data.set(all.subarray(number * stride, number * stride + each), row * each);
    });
    return new this.#runtime.Tensor("float32", data, shape);
  }

  #chunkFeeds({ ids, mask, numbers, width }: Chunk, prefix = ""): Values {
    const shape = [numbers.length, width];
    return {
      [`${prefix}ids`]: new this.#runtime.Tensor("int32", ids, shape),
      [`${prefix}mask`]: new this.#runtime.Tensor("float32", mask, shape),
    };
  }

  #sideFeeds({ rows, width, parts }: Spoken, role: Role): Values {
    return Object.fromEntries(
      Array.from(parts, ([part, data]) => {
        const shape = [rows, ...(part === "tokens" ? [width] : []), widthOf(part, this.model)];
        return [`${role}.${part}`, new this.#runtime.Tensor("float32", data, shape)];
      }),
    );
  }

  #targets({ queries, passages, passagesPerQuery, teacher }: Batch, step: number): Values {
    const { Tensor } = this.#runtime;
    const { flops } = this.#loss;
    const shape = [queries.rows, passages.rows];
    const positives = new Float32Array(queries.rows * passages.rows);
    for (let i = 0; i < queries.rows; i++) positives[i * passages.rows + i * passagesPerQuery] = 1;
    const number = (value: number) => new Tensor("float32", Float32Array.of(value), []);
    return {
      positives: new Tensor("float32", positives, shape),
      ...(teacher && { teacher: new Tensor("float32", teacher, shape) }),
      ...(flops && {
        flopsQuery: number(flopsWeight(flops.query, step, flops.steps)),
        flopsPassage: number(flopsWeight(flops.passage, step, flops.steps)),
      }),
    };
  }

  #checkBatch({ queries, passages, passagesPerQuery, teacher }: Batch): void {
    checkTexts(queries, this.model.encoder, "queries");
    checkTexts(passages, this.model.encoder, "passages");
    if (passages.rows !== queries.rows * passagesPerQuery) {
      throw new UsageError(
        `${passages.rows} passages for ${queries.rows} queries of ${passagesPerQuery} passages each`,
      );
    }
    if (!teacher) {
      if (needsTeacher(this.#loss)) {
        throw new UsageError("distillation needs a teacher's scores in every batch");
      }
      return;
    }
    if (teacher.length !== queries.rows * passages.rows) {
      throw new UsageError(
        `${teacher.length} scores of a teacher for ${queries.rows} queries × ${passages.rows} passages`,
      );
    }
    if (!teacher.every(Number.isFinite)) throw new UsageError("a teacher's score is not a number");
  }

  /** Graphs of models that speak alike of queries and passages serve both. */
  #roleSession(name: string, role: Role, build: (role: Role) => WrittenGraph): Promise<Session> {
    const { head } = this.model;
    const apart = head.kind === "colbert" || head.lexical?.kind === "unicoil";
    const asked = apart ? role : "passage";
    return this.#session(`${name} ${asked}`, this.#provider, () => build(asked));
  }

  #session(name: string, provider: Provider, build: () => WrittenGraph): Promise<Session> {
    const held = this.#sessions.get(name);
    if (held) return held;
    const opened = openResident(this.#runtime, build(), provider, this.#threads);
    this.#sessions.set(name, opened);
    return opened;
  }
}

/** Gradients of parameters stay on the device. */
function openResident(
  runtime: Runtime,
  graph: WrittenGraph,
  provider: Provider,
  threads: number,
): Promise<Session> {
  return Session.open(runtime, graph, {
    provider,
    threads,
    isResident: (name) => name.startsWith("gradient."),
  });
}

function report(outputs: Values, step: number): Pick<StepReport, "loss" | "parts"> {
  const number = (name: string) => (outputs[name].data as Float32Array)[0];
  const loss = number("loss");
  if (!Number.isFinite(loss)) {
    disposeAll(Object.values(outputs));
    throw diverged("the loss", step, loss);
  }
  const names = Object.keys(outputs).filter((name) => name.startsWith("part."));
  return { loss, parts: Object.fromEntries(names.map((name) => [name.slice(5), number(name)])) };
}

function gradientsOf(outputs: Values): Values {
  return Object.fromEntries(Object.entries(outputs).filter(([name]) => name.startsWith("gradient.")));
}

function heavier(row: Float32Array, least: number): { ids: Uint32Array; weights: Float32Array } {
  let count = 0;
  for (let id = 0; id < row.length; id++) if (row[id] > least) count++;
  const [ids, weights] = [new Uint32Array(count), new Float32Array(count)];
  let at = 0;
  for (let id = 0; id < row.length; id++) {
    if (!(row[id] > least)) continue;
    ids[at] = id;
    weights[at++] = row[id];
  }
  return { ids, weights };
}
