// The thread beside a build: side.ts says what it is asked.

import { parentPort } from "node:worker_threads";
import { layOutVectors } from "../layout/layout.ts";
import type { StoredDocument } from "./group.ts";
import { packed } from "./pack.ts";
import type { SideReply, SideTask } from "./side.ts";

parentPort!.on("message", (task: SideTask) => {
  try {
    if (task.kind === "pack") {
      const groups = [...packed(documentsOf(task), task.dictionary)];
      reply({ result: groups });
    } else {
      const layout = layOutVectors(task.vectors);
      reply(
        { result: layout },
        Object.values(layout.sections).map((array) => array.buffer as ArrayBuffer),
      );
    }
  } catch (error) {
    reply({ error: error as Error });
  }
});

function reply(message: SideReply, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transfer);
}

function* documentsOf({ serials, ends, json }: SideTask & { kind: "pack" }): Generator<StoredDocument> {
  for (const [i, serial] of serials.entries())
    yield { serial, json: json.subarray(ends[i - 1] ?? 0, ends[i]) };
}
