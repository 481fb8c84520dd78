// A program for Node, as a user writes it: documents with the user's own interface, and hits with their fields.

import type * as main from "sluice";
import { type Document, type Fields, type Hit, Sluice, SluiceError } from "sluice";
import type * as analyze from "sluice/analyze";
import { english } from "sluice/analyze";
import { Densifier, Slicing } from "sluice/densify";
import type * as encode from "sluice/encode";
import { Encoder } from "sluice/encode";
import { evaluate, type Qrels, readQrels } from "sluice/lab";
import manifest from "sluice/package.json" with { type: "json" };
import type * as read from "sluice/read";
import { readFiles } from "sluice/read";
import type * as search from "sluice/search";
import type * as server from "sluice/server";
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
await index.upsert(readFiles("notes"));
async function* inEnglish() {
  for await (const read of readFiles("notes")) yield { ...read, lang: "en" };
}
await index.upsert(inEnglish());
await Sluice.build(readFiles("notes"));

const { hits, stats } = await built.search("gate", { k: 2, filter: { year: { lt: 1933 } } });
const title: unknown = hits[0].document.title;
const bytes: number | undefined = index.kernel.bytes;
console.log(title, bytes, stats.scan.windows, manifest, createServer);
const qrels: Qrels = await readQrels("qrels.txt");
console.log(qrels, evaluate, Densifier, Slicing);

// Documents have a type, and so do hits. No cast is needed.
const typed = await Sluice.open<Article>("articles");
await typed.upsert(articles);
await typed.commit({ signal: AbortSignal.timeout(60_000) });
const first: Hit<Fields<Article>> = (await typed.search("gate")).hits[0];
const length: number = first.document.title.length + (await typed.document("1")).text.length;
const explained: string = (await typed.explain("gate", "1")).document.title;
const [{ terms }] = await typed.searchAll(["gate"]);
console.log(length, explained, (await typed.highlight(terms, first.document)).text?.[0]);
// @ts-expect-error An article has no year.
first.document.year;
// @ts-expect-error The id is beside the document.
first.document.id;
// @ts-expect-error An article has a text.
await typed.add([{ id: "7", title: "Lock" }]);

// Options know the fields of the documents, paths into them, and those of passages.
await typed.search("gate", { sort: "title:desc", groupBy: "title", fields: ["title", "passage"] });
await typed.search("gate", { sort: { field: "passage.number" }, fieldWeights: { title: 3 } });
await typed.search("gate", { boosts: [{ field: "title", log: true }], facets: ["title", { field: "text" }] });
await typed.explain("gate", "1", { boosts: [{ field: "title" }], fieldWeights: { text: 0.5 } });
await index.search("gate", { sort: "any:asc", groupBy: "any", facets: ["any"], fields: ["any"] });
// @ts-expect-error An article has no year to sort by,
await typed.search("gate", { sort: "year" });
// @ts-expect-error nor to group by,
await typed.search("gate", { groupBy: "year" });
// @ts-expect-error nor to count,
await typed.search("gate", { facets: ["year"] });
// @ts-expect-error nor to count in ranges,
await typed.search("gate", { facets: [{ field: "year", ranges: [{ lt: 1900 }] }] });
// @ts-expect-error nor to boost by,
await typed.search("gate", { boosts: [{ field: "year" }] });
// @ts-expect-error nor to weigh,
await typed.search("gate", { fieldWeights: { year: 2 } });
// @ts-expect-error nor to return,
await typed.search("gate", { fields: ["year"] });
// @ts-expect-error nor to explain a boost by.
await typed.explain("gate", "1", { boosts: [{ field: "year" }] });

// A facet has values, or else ranges.
for (const facet of (await typed.search("gate", { facets: ["title"] })).facets ?? []) {
  const counted: number = facet.values ? facet.values.length + facet.distinct : facet.ranges.length;
  console.log(facet.field, counted);
}

// `build` takes the type from the documents, and a union stays a union.
const dams = await Sluice.build([
  { id: "1", text: "A low dam", year: 1919 },
  { id: "2", text: "A high dam", height: 305 },
]);
const { document } = (await dams.search("dam")).hits[0];
const numbers: (number | undefined)[] = [document.year, document.height];
const streamedHit: string = (await (await Sluice.build(streamed())).search("dam")).hits[0].document.title;
console.log(numbers, streamedHit);

// An index of any type of document goes wherever an index goes.
const anyIndex: Sluice = typed;
const anyHit: Hit = first;
createServer({ typed, dams });
console.log(anyIndex.docs, anyHit.document.whatever);
await using closedAtTheEnd = await Sluice.open<Article>("articles", { readOnly: true });
console.log(closedAtTheEnd.docs);

// @ts-expect-error A document has an id.
await index.add([{ title: "none", text: "none" }]);
// @ts-expect-error Its text is a text.
await index.add([{ id: "6", text: 5 }]);
// @ts-expect-error An index comes from open or build.
new Sluice();

try {
  await index.close();
} catch (error) {
  if (error instanceof SluiceError) console.log(error.code, error.hint);
}

// An option that is undefined is left out. So every option may be undefined, whatever `exactOptionalPropertyTypes` says.
type Optional<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? Key : never }[keyof T];
type TakesUndefined<T> = T extends unknown
  ? Record<Optional<T>, undefined> extends Pick<T, Optional<T>>
    ? true
    : false
  : never;
const takesUndefined = <T>(yes: false extends TakesUndefined<T> ? never : true) => yes;
takesUndefined<main.AddOptions>(true);
takesUndefined<main.Boost>(true);
takesUndefined<main.BuildOptions>(true);
takesUndefined<main.DocumentFields>(true);
takesUndefined<main.ExplainOptions>(true);
takesUndefined<main.ExplainQueryOptions>(true);
takesUndefined<main.ExportOptions>(true);
takesUndefined<search.KernelOptions>(true);
takesUndefined<main.OpenOptions>(true);
takesUndefined<main.Plan>(true);
takesUndefined<main.SearchOptions>(true);
takesUndefined<main.SuggestOptions>(true);
takesUndefined<main.WorkOptions>(true);
takesUndefined<analyze.AnalyzerOptions>(true);
takesUndefined<analyze.WordPieceOptions>(true);
takesUndefined<encode.CrossEncoderOptions>(true);
takesUndefined<encode.EncoderOptions>(true);
takesUndefined<read.PassageSize>(true);
takesUndefined<read.FileOptions>(true);
takesUndefined<read.PassageOptions>(true);
takesUndefined<search.CandidateOptions>(true);
takesUndefined<Exclude<search.FacetRequest, string>>(true);
takesUndefined<search.GpuOptions>(true);
takesUndefined<search.QueryParts>(true);
takesUndefined<search.SnippetOptions>(true);
takesUndefined<search.SortOptions>(true);
takesUndefined<search.TypoOptions>(true);
takesUndefined<server.GuardOptions>(true);
takesUndefined<server.ServeOptions>(true);
takesUndefined<server.ServerOptions>(true);
takesUndefined<main.SaveOptions>(true);
const signal: AbortSignal | undefined = undefined;
const onProgress: main.OnProgress | undefined = undefined;
await index.search({ text: "gate", vector: undefined }, { k: 3, signal, filter: undefined });
await index.explain("gate", "1", { signal });
await index.explainQuery("gate", { lambda: undefined });
await index.suggest("gat", { k: undefined });
await index.encodeQueries(["gate"], { signal, onProgress });
await index.add(articles, { signal, onProgress, passages: undefined });
await index.delete(["1"], { withPassages: undefined });
await index.lock();
await index.commit({ signal, onProgress });
await index.optimize({ signal, onProgress });
await index.save("saved", { overwrite: undefined, signal, onProgress });
await index.backup("backup", { signal, onProgress });
await index.exportWeb("site", { signal, onProgress, keepFields: undefined });
await Sluice.verify("index", { signal, onProgress });
await Sluice.restore("backup", "index", { overwrite: undefined, signal, onProgress });
console.log(english, Encoder);
