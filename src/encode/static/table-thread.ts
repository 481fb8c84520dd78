// The program of the thread that encodes documents by a table: texts in, vectors out. table-messages.ts defines both.

import { parentPort, workerData } from "node:worker_threads";
import { findEncoderFiles } from "../folder/encoder-folder.ts";
import { openStaticEncoder } from "./static-folder.ts";
import type { TableFile, TableReply, TableTask } from "./table-messages.ts";

const { path, description, fingerprint } = workerData as TableFile;
const encoder = await openStaticEncoder(await findEncoderFiles(path), description);
if (encoder.fingerprint !== fingerprint) throw new Error(`${path}: another table than the main thread has`);

// Texts come while those before are being encoded, and the encoder pauses now and then: each task waits for the one before.
let last: Promise<void> = Promise.resolve();
parentPort!.on("message", (texts: TableTask) => {
  last = last.then(() => encode(texts));
});
reply({ kind: "ready" });

async function encode(texts: TableTask): Promise<void> {
  const vectors = await encoder.encodeToHalves(texts, "passage");
  reply({ kind: "encoded", vectors }, [vectors.buffer]);
}

function reply(message: TableReply, transfer: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transfer);
}
