// The program of the thread that runs a graph: batches in, outputs out. graph-messages.ts defines both.

import { parentPort, workerData } from "node:worker_threads";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import type { GraphFile, GraphReply, GraphTask } from "./graph-messages.ts";
import { LocalGraph } from "./graph-session.ts";
import { loadRuntime, openSession } from "./runtime.ts";

const { path, threads, bytes, provider } = workerData as GraphFile;
const opening = open();
// Tasks run one after the other: the runtime has no more than one run at a time on a GPU.
let last: Promise<unknown> = opening;

parentPort!.on("message", (task: GraphTask) => {
  last = last.then(async () => {
    const graph = await opening;
    if (task.kind === "run" && graph) await run(graph, task);
    if (task.kind === "close") await graph?.release();
    if (task.kind === "close") parentPort!.close();
  });
});

async function open(): Promise<LocalGraph | undefined> {
  try {
    const runtime = await loadRuntime();
    const graph = new LocalGraph(runtime, await openSession(runtime, path, threads, bytes, provider));
    const { inputNames, outputNames } = graph;
    reply({ kind: "opened", inputNames: [...inputNames], outputNames: [...outputNames] });
    return graph;
  } catch (error) {
    fail(error);
    return undefined;
  }
}

async function run(graph: LocalGraph, { batch }: GraphTask & { readonly kind: "run" }): Promise<void> {
  try {
    reply({ kind: "ran", outputs: await graph.run(batch) });
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  const code = error instanceof SluiceError ? error.code : undefined;
  reply({ kind: "failed", message: (error as Error).message, code });
}

function reply(message: GraphReply): void {
  parentPort!.postMessage(message);
}
