// The program of the build thread: tasks in, results out. build-messages.ts defines both.

import { parentPort, workerData } from "node:worker_threads";
import type { SectionArray } from "../../segment/container/container-format.ts";
import { layOut, layOutVectors } from "../../segment/layout.ts";
import type { DocumentJson } from "../../store/packed/group.ts";
import { type PackedGroup, packGroups } from "../../store/packed/pack.ts";
import { BUILD_STATE, type BuildReply, type BuildTask } from "./build-messages.ts";

const state = workerData as Int32Array;

parentPort!.on("message", (task: BuildTask) => {
  try {
    if (task.kind === "pack") reply(packedUntilStopped(task));
    else if (task.kind === "layOutVectors") replyLayout(layOutVectors(task.vectors));
    else replyLayout(layOut(task.rows, { quantize: task.quantize }));
  } catch (error) {
    parentPort!.postMessage({ error: error as Error } satisfies BuildReply);
  }
});

/** Returns early if the thread is told to stop: its groups are not needed then. */
function packedUntilStopped(task: BuildTask & { kind: "pack" }): PackedGroup[] {
  const groups: PackedGroup[] = [];
  Atomics.store(state, BUILD_STATE.packing, 1);
  try {
    if (Atomics.load(state, BUILD_STATE.stop) === 1) return groups;
    for (const group of packGroups(documentsInTask(task), task.dictionary)) {
      groups.push(group);
      if (Atomics.load(state, BUILD_STATE.stop) === 1) break;
    }
    return groups;
  } finally {
    Atomics.store(state, BUILD_STATE.packing, 0);
  }
}

function replyLayout(layout: { readonly sections: Readonly<Record<string, SectionArray>> }): void {
  const buffers = new Set(Object.values(layout.sections).map((array) => array.buffer as ArrayBuffer));
  reply(layout, [...buffers]);
}

function reply(result: unknown, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage({ result } satisfies BuildReply, transfer);
}

function* documentsInTask({ serials, ends, json }: BuildTask & { kind: "pack" }): Generator<DocumentJson> {
  for (const [i, serial] of serials.entries())
    yield { serial, json: json.subarray(ends[i - 1] ?? 0, ends[i]) };
}
