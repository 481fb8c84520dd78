// Holds a model while it is trained. A step takes a batch and updates the parameters. The current model can also score
// batches and encode texts.

import type { Role } from "../../../encode/contract/description.ts";
import { loadRuntime } from "../../../encode/onnx/runtime.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { Batch, MaskedBatch, StepReport, Tensors, TokenRows, TrainerState } from "../data/batch.ts";
import type { Provider } from "../graph/session.ts";
import { checkParameters } from "../model/parameters.ts";
import type { LossSettings, ModelSettings, OptimizerSettings, Rates } from "../model/settings.ts";
import { DeviceParameters, disposeAll } from "./device-parameters.ts";
import { type Gradients, GraphRunner, type Stage } from "./graph-runner.ts";
import { isPerToken, type Part, widthOf } from "./graphs.ts";
import { HostParameters } from "./host-parameters.ts";
import type { TrainedParameters } from "./trained-parameters.ts";

export interface TrainerOptions {
  /** Where to compute. Default: cpu. */
  readonly provider?: Provider;
  /** Threads of the runtime. Default 0: the runtime chooses. With 1 a run repeats bit for bit. */
  readonly threads?: number;
  /** Positions (rows × longest row) computed at once. Fewer need less memory. */
  readonly chunkPositions?: number;
  readonly loss?: LossSettings;
  readonly optimizer?: OptimizerSettings;
  /** Called with the time of each stage of a step. */
  readonly onStage?: (stage: Stage, seconds: number) => void;
}

/** The model's weights and vectors of texts. */
interface Representations {
  /** Per text: the ids with a weight above the threshold, ascending, and the weights. Absent without a lexical part. */
  readonly lexical?: readonly { readonly ids: Uint32Array; readonly weights: Float32Array }[];
  /** Per text: the vector. Absent without a semantic part. */
  readonly semantic?: readonly Float32Array[];
  /** Per text: the exponent of each token, with padding. Only an anchored head gives them. */
  readonly exponents?: readonly Float32Array[];
}

/**
 * Default positions computed at once. A tensor of positions × 30,522 entries then takes 250 MB on the CPU and 1 GB on a
 * GPU; a step holds about four of them. More positions need more memory.
 */
const CHUNK_POSITIONS = { cpu: 2048, webgpu: 8192 };

/** A weight must be larger than this to be more than 0 in float16. */
const LEAST_FLOAT16 = 2 ** -25;

export class Trainer {
  readonly model: ModelSettings;
  readonly #parameters: TrainedParameters;
  readonly #runner: GraphRunner;
  readonly #onStage: TrainerOptions["onStage"];
  #steps = 0;

  private constructor(
    model: ModelSettings,
    parameters: TrainedParameters,
    runner: GraphRunner,
    { onStage }: TrainerOptions,
  ) {
    this.model = model;
    this.#parameters = parameters;
    this.#runner = runner;
    this.#onStage = onStage;
  }

  /** Creates a trainer with a copy of the parameters. All parameters of `parametersOf(model)` must be given. */
  static async create(
    model: ModelSettings,
    parameters: Tensors,
    options: TrainerOptions = {},
  ): Promise<Trainer> {
    const { provider = "cpu", threads = 0, loss = {}, optimizer = {}, onStage } = options;
    checkParameters(model, parameters);
    const runtime = await loadRuntime();
    const held =
      provider === "webgpu"
        ? await DeviceParameters.open(runtime, model, parameters, optimizer)
        : new HostParameters(runtime, model, parameters, optimizer);
    const { chunkPositions = CHUNK_POSITIONS[provider] } = options;
    const runner = new GraphRunner(runtime, model, held, {
      provider,
      threads,
      chunkPositions,
      loss,
      ...(onStage && { onStage }),
    });
    return new Trainer(model, held, runner, options);
  }

  /** Steps done. */
  get steps(): number {
    return this.#steps;
  }

  /** Does one optimization step. If the loss or the gradient is NaN or infinite, it throws and changes no parameter. */
  async step(batch: Batch, rates: Rates): Promise<StepReport> {
    return this.#update(await this.#runner.computeGradients(batch, this.#steps + 1), rates);
  }

  /**
   * Does one step of masked-LM training. A lexical head learns to predict tokens first, before it learns to weigh them for
   * search. The encoder is trained too, unless its rate is 0.
   */
  async warmUp(batch: MaskedBatch, rates: Rates): Promise<StepReport> {
    return this.#update(await this.#runner.computeMaskedGradients(batch, this.#steps + 1), rates);
  }

  /** Returns the fused scores of a batch: B rows of B × n. */
  async score(batch: Omit<Batch, "teacher">): Promise<Float32Array> {
    const queries = await this.#runner.represent(batch.queries, "query");
    const passages = await this.#runner.represent(batch.passages, "passage");
    return this.#runner.computeScores(queries, passages, batch.words);
  }

  /** Encodes texts: weights above `least` (default: those that are not 0 in float16), and vectors. */
  async encode(rows: TokenRows, role: Role, least = LEAST_FLOAT16): Promise<Representations> {
    if (this.model.head.kind === "colbert") {
      throw new SluiceError("a ColBERT model has no vector of a text", "use score() instead");
    }
    const { parts, width: tokens } = await this.#runner.represent(rows, role);
    const mapRows = <T>(part: Part, make: (row: Float32Array) => T): T[] | undefined => {
      const all = parts.get(part);
      const width = widthOf(part, this.model) * (isPerToken(part) ? tokens : 1);
      return all && Array.from(rows.lengths, (_, i) => make(all.subarray(i * width, (i + 1) * width)));
    };
    const lexical = mapRows("lexical", (row) => weightsAbove(row, least));
    const semantic = mapRows("semantic", (row) => row.slice());
    const exponents = mapRows("exponents", (row) => row.slice());
    return { ...(lexical && { lexical }), ...(semantic && { semantic }), ...(exponents && { exponents }) };
  }

  /** Returns a copy of the state from which a run continues. */
  async copyState(): Promise<TrainerState> {
    return { step: this.#steps, ...(await this.#parameters.read()) };
  }

  async restore(state: TrainerState): Promise<void> {
    await this.#parameters.write(state);
    this.#steps = state.step;
  }

  async close(): Promise<void> {
    await this.#runner.close();
    await this.#parameters.close();
  }

  async #update({ report, gradients }: Gradients, rates: Rates): Promise<StepReport> {
    const started = performance.now();
    try {
      const gradientNorm = await this.#parameters.update(gradients, rates, this.#steps + 1);
      this.#steps++;
      return { ...report, gradientNorm };
    } finally {
      disposeAll(Object.values(gradients));
      this.#onStage?.("update", (performance.now() - started) / 1000);
    }
  }
}

/** Returns the ids with a weight above `least`, and the weights. */
function weightsAbove(row: Float32Array, least: number): { ids: Uint32Array; weights: Float32Array } {
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
