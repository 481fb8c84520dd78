// The file of a graph → the open graph. It refuses at opening, not at the first text, a graph that does not fit its description.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { EncoderDescription } from "../contract/description.ts";
import type { GraphFile } from "./graph-messages.ts";
import { listOutputs } from "./graph-outputs.ts";
import { GraphPool } from "./graph-pool.ts";
import { type GraphSession, LocalGraph } from "./graph-session.ts";
import { loadRuntime, openSession } from "./runtime.ts";

const KNOWN_INPUTS = ["input_ids", "attention_mask", "token_type_ids"];

/**
 * Opens a graph: with `needsThread` on a thread of its own, if that is possible.
 * @param path what errors name
 */
export async function openGraph(
  file: GraphFile,
  needsThread: boolean,
  description: EncoderDescription,
  path: string,
): Promise<GraphSession> {
  const graph = (needsThread ? await GraphPool.open(file) : undefined) ?? (await openLocally(file));
  try {
    checkGraph(graph, description, path);
    return graph;
  } catch (error) {
    await graph.release();
    throw error;
  }
}

async function openLocally({ path, threads, bytes, provider }: GraphFile): Promise<GraphSession> {
  const runtime = await loadRuntime();
  return new LocalGraph(runtime, await openSession(runtime, path, threads, bytes, provider));
}

/** Throws if the graph has an unknown input, or lacks an output that its kind needs. */
function checkGraph(graph: GraphSession, description: EncoderDescription, path: string): void {
  const unknown = graph.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
  if (unknown) {
    throw new SluiceError(
      `${path}: the graph has an unknown input "${unknown}", expected ${KNOWN_INPUTS.join(", ")}`,
      undefined,
      "ERR_SLUICE_DAMAGED",
    );
  }
  const missing = listOutputs(description).filter((name) => !graph.outputNames.includes(name));
  if (missing.length > 0) {
    throw new SluiceError(
      `${path}: the graph has no output "${missing[0]}"; it has ${graph.outputNames.join(", ")}`,
      'name it in sluice.json under "outputs", or correct "kind"',
      "ERR_SLUICE_DAMAGED",
    );
  }
}
