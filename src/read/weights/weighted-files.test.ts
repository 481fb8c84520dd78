import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readTermWeights } from "./term-weight-files.ts";
import { readWeighted } from "./weighted-files.ts";
import { readTopics } from "./weighted-queries.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-lexical-"));
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
const asObjects = (items: { id: string; weights: ReadonlyMap<string, number> }[]) =>
  items.map(({ id, weights }) => [id, Object.fromEntries(weights)]);

describe("JsonVectorCollection", () => {
  const one = '{"id": "a", "contents": "text", "vector": {"x": 1.5, "##y": 2}}';
  const two = '{"id": 7, "vector": {"z": 0}}';

  test("lines, one object, an array, gzip", async () => {
    const lines = file("lines.jsonl", `${one}\n\n${two}`);
    expect(await all(readTermWeights(lines))).toEqual([
      { id: "a", contents: "text", weights: new Map(Object.entries({ x: 1.5, "##y": 2 })) },
      { id: "7", weights: new Map([["z", 0]]) },
    ]);
    const expected = asObjects(await all(readTermWeights(lines)));
    expect(asObjects(await all(readTermWeights(file("array.json", `[${one},\n${two}]`))))).toEqual(expected);
    expect(
      asObjects(await all(readTermWeights(file("packed.jsonl.gz", gzipSync(`${one}\n${two}\n`))))),
    ).toEqual(expected);
    const spread = JSON.stringify(JSON.parse(one), null, 2);
    expect(asObjects(await all(readTermWeights(file("one.json", spread))))).toEqual(expected.slice(0, 1));
  });

  test("a folder is read in name order", async () => {
    const nested = mkdtempSync(join(folder, "collection-"));
    for (const name of ["b.jsonl", "a.json", "c.json.gz", "d.gz"]) {
      const line = JSON.stringify({ id: name, vector: { t: 1 } });
      writeFileSync(join(nested, name), name.endsWith("gz") ? gzipSync(line) : line);
    }
    writeFileSync(join(nested, "README"), "not a vector");
    expect((await all(readTermWeights(nested))).map(({ id }) => id)).toEqual([
      "a.json",
      "b.jsonl",
      "c.json.gz",
      "d.gz",
    ]);
  });

  test("weights are scaled, ids of a vocabulary are named", async () => {
    const path = file("ids.jsonl", '{"id": "a", "vector": {"1": 50}}');
    const [{ weights }] = await all(readTermWeights(path, { scale: 0.01, idsOf: ["zero", "one"] }));
    expect(weights).toEqual(new Map([["one", 0.5]]));
    await expect(all(readTermWeights(path, { idsOf: ["zero"] }))).rejects.toThrow('"1" is not an id');
  });

  test.each([
    ['{"id": "a", "vector": {"x": -1}}', 'the weight of "x" is -1'],
    ['{"id": "a", "vector": {"x": 1e999}}', 'the weight of "x" is Infinity'],
    ['{"id": "a", "vector": {"x": NaN}}', "not valid JSON"],
    ['{"id": "a", "vector": {"x": "3"}}', 'the weight of "x" is 3'],
    ['{"id": "a", "vector": [1, 2]}', "a list of numbers"],
    ['{"id": "a"}', '"vector" is missing'],
    ['{"vector": {"x": 1}}', 'no "id"'],
    ['{"id": 9007199254740993, "vector": {}}', "more digits than can be kept"],
    ['{"id": "ok", "vector": {}}', 'the id "ok" appears twice'],
    ["just text", "not valid JSON"],
  ])("%s is refused with file and line", async (line, message) => {
    const path = file("bad.jsonl", `{"id": "ok", "vector": {"x": 1}}\n${line}\n`);
    await expect(all(readTermWeights(path))).rejects.toThrow(message);
    await expect(all(readTermWeights(path))).rejects.toThrow("bad.jsonl:2");
  });

  test("what is not there is said", async () => {
    await expect(all(readTermWeights(join(folder, "nowhere")))).rejects.toThrow("no such file");
    await expect(
      all(readTermWeights(file("broken.jsonl.gz", Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])))),
    ).rejects.toThrow("gzip");
    await expect(all(readTermWeights(file("latin1.jsonl", Buffer.from([0x7b, 0xe9, 0x7d]))))).rejects.toThrow(
      "not UTF-8",
    );
  });
});

describe("weighted queries", () => {
  test("repetition is the weight; objects are taken as they are", async () => {
    const path = file("topics.tsv", 'q1\tb a b\r\nq2\t\n{"id": "q3", "vector": {"c": 0.5}}\n');
    expect(asObjects(await all(readTopics(path)))).toEqual([
      ["q1", { b: 2, a: 1 }],
      ["q2", {}],
      ["q3", { c: 0.5 }],
    ]);
    expect(asObjects(await all(readWeighted(path, { scale: 2 })))[0]).toEqual(["q1", { b: 4, a: 2 }]);
  });

  test.each([
    ["q2 no tab", "1 tab-separated fields"],
    ["q2\ta\tb", "3 tab-separated fields"],
    ["q1\tagain", 'the query "q1" appears twice'],
  ])("%j is refused with file and line", async (line, message) => {
    const path = file("bad.tsv", `q1\ta\n${line}\n`);
    await expect(all(readTopics(path))).rejects.toThrow(message);
    await expect(all(readTopics(path))).rejects.toThrow("bad.tsv:2");
  });
});
