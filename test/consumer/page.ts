// A program for a page.

import { SluiceReader } from "sluice/browser";
import { openInWorker, WorkerReader } from "sluice/browser/worker";
import "sluice/browser/worker-entry";

const index = await openInWorker("/index/", {
  onProgress: ({ done, total = done }) => console.log(done / total),
});
const { hits } = await index.search("gate", { k: 10 });
document.body.append(String(hits[0].document.title));
export const onThePage = await SluiceReader.open<{ id: string; year: number }>("/index/");
const year: number = (await onThePage.search("gate")).hits[0].document.year;
const inWorker = await openInWorker<{ id: string; year: number }>("/index/");
console.log(year + (await inWorker.document("1")).year);
// @ts-expect-error openInWorker opens one.
export const wrong = () => new WorkerReader();
