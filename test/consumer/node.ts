// A program for Node, as a user writes it: documents with the user's own interface, and hits with their fields.

import { type Document, readFiles, Sluice, UsageError } from "sluice";
import { Densifier, Slicing } from "sluice/densify";
import { evaluate, type Qrels, readQrels } from "sluice/lab";
import manifest from "sluice/package.json" with { type: "json" };
import { createServer } from "sluice/server";

interface Article {
  id: string;
  title: string;
  text: string;
}

class Note {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

async function* streamed(): AsyncGenerator<Article> {
  yield { id: "3", title: "Weir", text: "A low dam" };
}

const articles: Article[] = [{ id: "1", title: "Sluice", text: "A gate" }];
const index = await Sluice.open("index", { encoder: "builtin:vectors" });
await index.add(articles);
await index.upsert(new Set(articles));
await index.upsert(streamed());
await index.add([new Note("2")]);
await index.add([{ id: "4", text: "Literals may have more fields", year: 1919, tags: ["a"] }]);
const documents: Document[] = [...articles, { id: "5", text: "so may those of a list", year: 1919 }];
const built = await Sluice.build(documents, { dims: 128 });
await Sluice.build(articles);

for await (const read of readFiles("notes")) console.log(read.id, read.title?.length, read.author);

const { hits, stats } = await built.search("gate", { k: 2, filter: { year: { lt: 1933 } } });
const title: unknown = hits[0].document.title;
const bytes: number | undefined = index.kernel.bytes;
console.log(title, bytes, stats.scan.windows, manifest, createServer);
const qrels: Qrels = await readQrels("qrels.txt");
console.log(qrels, evaluate, Densifier, Slicing);

// @ts-expect-error A document has an id.
await index.add([{ title: "none", text: "none" }]);
// @ts-expect-error Its text is a text.
await index.add([{ id: "6", text: 5 }]);
// @ts-expect-error An index comes from open or build.
new Sluice();

try {
  await index.close();
} catch (error) {
  if (error instanceof UsageError) console.log(error.code, error.hint);
}
