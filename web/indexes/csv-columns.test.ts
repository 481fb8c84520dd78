import { expect, test } from "vitest";
import { columnsOf, likelyColumns, likelyDelimiter, readTables } from "./csv-columns.ts";

const fileOf = (text: string | Uint8Array<ArrayBuffer>, name = "a.csv") => new File([text], name);
const table = async (text: string) => {
  const tables = await readTables(fileOf(text));
  return tables[likelyDelimiter(tables)];
};

test.each([
  ["id,text\n1,a;b\n", ","],
  ['\ufeffNr;Name, lang;"a;b"\n1;2;3\n', ";"],
  ["id\ttext\n", "\t"],
  ["id|text|more\n", "|"],
  ["one\n", ","],
])("%j has the delimiter %j", async (text, delimiter) => {
  expect(likelyDelimiter(await readTables(fileOf(text)))).toBe(delimiter);
});

test("columns are named once, without blanks, and also those of a packed file", async () => {
  expect(columnsOf(await table(" id , text,,text\n"))).toEqual(["id", "text"]);
  const packed = new Response(
    new Blob(["id;text\n1;a\n"]).stream().pipeThrough(new CompressionStream("gzip")),
  );
  const tables = await readTables(fileOf(new Uint8Array(await packed.arrayBuffer()), "a.csv.gz"));
  expect(columnsOf(tables[";"])).toEqual(["id", "text"]);
});

test("of a long file the beginning is read, also if it ends within quotes", async () => {
  const long = `a,b\n${Array.from({ length: 10 }, (_, i) => `${i},x\n`).join("")}1,"${"y\n".repeat(100_000)}`;
  const rows = await table(long);
  expect(rows).toHaveLength(11);
  expect(rows[0]).toEqual(["a", "b"]);
});

test.each([
  ["ID,Title,Body\n", { id: "ID", title: "Title", text: "Body" }],
  ["kind,code,words\na,1,long words\na,2,longer words\n", { id: "code", title: "", text: "words" }],
  ["a,b\n1,1\n1,1\n", { id: "a", title: "", text: "b" }],
  ["only\nx\n", { id: "only", title: "", text: "only" }],
])("the columns of %j are probably %j", async (text, columns) => {
  expect(likelyColumns(await table(text))).toEqual(columns);
});
