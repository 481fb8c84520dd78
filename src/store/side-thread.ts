// The thread beside a build: side.ts says what it is asked.

import { parentPort } from "node:worker_threads";
import type { SectionArray } from "../segment/container-format.ts";
import { layOutVectors } from "../segment/layout.ts";
import { layOut } from "../segment/stored-layout.ts";
import type { StoredDocument } from "./group.ts";
import { packed } from "./pack.ts";
import type { SideReply, SideTask } from "./side.ts";

parentPort!.on("message", (task: SideTask) => {
  try {
    if (task.kind === "pack") reply([...packed(documentsOf(task), task.dictionary)]);
    else if (task.kind === "layOutVectors") replyLayout(layOutVectors(task.vectors));
    else replyLayout(layOut(task.rows, task.quantize));
  } catch (error) {
    parentPort!.postMessage({ error: error as Error } satisfies SideReply);
  }
});

function replyLayout(layout: { readonly sections: Readonly<Record<string, SectionArray>> }): void {
  const buffers = new Set(Object.values(layout.sections).map((array) => array.buffer as ArrayBuffer));
  reply(layout, [...buffers]);
}

function reply(result: unknown, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage({ result } satisfies SideReply, transfer);
}

function* documentsOf({ serials, ends, json }: SideTask & { kind: "pack" }): Generator<StoredDocument> {
  for (const [i, serial] of serials.entries())
    yield { serial, json: json.subarray(ends[i - 1] ?? 0, ends[i]) };
}
