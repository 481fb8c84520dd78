import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuildOptions, type Document, Sluice } from "../../src/index.ts";
import { Container } from "../../src/segment/container/container.ts";
import type { Meta, SectionArray } from "../../src/segment/container/container-format.ts";
import { MemorySections } from "../../src/segment/memory-sections.ts";
import { openSource } from "../../src/segment/open-segment.ts";
import { SEGMENTS_FOLDER } from "../../src/segment/segment-file.ts";

type Parts = { meta: Meta; sections: Record<string, SectionArray> };

const refuse = (what: string) => new RangeError(what);
const open = ({ meta, sections }: Parts) => openSource("s", meta, new MemorySections(sections), refuse);

const documents = (count: number, dims: number): Document[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    title: `word${i % 7}`,
    text: `word${i % 5} word${i % 3} word${i % 11}`,
    year: 1900 + (i % 50),
    ...(dims > 0 && { vector: Array.from({ length: dims }, (_, d) => Math.sin(i * 7 + d * 3)) }),
  }));

/** Sections that may have any length, or that may be missing. */
const FREE = new Set(
  [
    "ids",
    "idLengths",
    "serials",
    "columns",
    "columnCodes",
    "positionDirectory",
    "positions",
    "fieldDirectory",
  ]
    .concat(["fieldCounts", "fieldLengths", "factors"])
    .concat(["cells", "classStarts", "classValues", "levels"].map((name) => `layout.${name}`)),
);
const OPTIONAL = new Set(["serials", "columns", "columnCodes"]);
/** Numbers of a header that no length depends on. */
const UNBOUND = /^(settings|counts|averages)\.|roundings|longest|layout\.windowDocs/;

describe.each<[string, number, number, BuildOptions]>([
  ["posting lists, positions and fields", 40, 0, { positions: true, fieldWeights: { title: 2, text: 1 } }],
  ["slices and product codes", 40, 20, { dims: 4, quantize: { parts: 2 } }],
  ["rotated vectors", 600, 32, {}],
  ["sketches", 4200, 64, { dims: 4, quantize: { parts: 4, bits: 8 } }],
])("a segment with %s", (_, count, dims, options) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-sizes-"));
  const sound: Parts = { meta: {}, sections: {} };
  beforeAll(async () => {
    const index = await Sluice.build(documents(count, dims), {
      encoder: "none",
      analyzer: "whitespace",
      ...options,
    });
    await index.save(join(folder, "index"));
    await index.close();
    const [file] = readdirSync(join(folder, "index", SEGMENTS_FOLDER));
    const container = Container.open(join(folder, "index", SEGMENTS_FOLDER, file));
    sound.meta = container.meta;
    for (const name of container.names) sound.sections[name] = container.sectionSync(name);
    container.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("opens", () => {
    expect(open(sound).rowCount).toBe(count);
  });

  test("is refused if a number of its header is another", () => {
    const numbers = [...numbersOf(sound.meta)];
    expect(numbers.map(([path]) => path)).toContain("docs");
    for (const [path, value] of numbers.filter(([path]) => !UNBOUND.test(path))) {
      // A varint may take more bytes than one, so that a few more cells would have room.
      const near = path.includes("windowCells") ? value : value + 1;
      for (const other of [
        near + 16,
        ...(near > value ? [near] : []),
        2 ** 31,
        2 ** 52,
        -1,
        0.5,
        null,
        {},
        undefined,
      ])
        expect(() => open({ ...sound, meta: changed(sound.meta, path, other) }), `${path} ${other}`).toThrow(
          RangeError,
        );
    }
    for (const windowDocs of [0, 15, 65_537, 2 ** 40])
      expect(() => open({ ...sound, meta: changed(sound.meta, "layout.windowDocs", windowDocs) })).toThrow(
        RangeError,
      );
  });

  test("is refused if a section is shorter, longer, of another type, or missing", () => {
    for (const [name, array] of Object.entries(sound.sections)) {
      const { [name]: _, ...others } = sound.sections;
      const refused = (other: SectionArray) =>
        expect(() => open({ ...sound, sections: { ...others, [name]: other } }), name).toThrow(RangeError);
      const Type = array.constructor as new (length: number) => SectionArray;
      refused(new Float64Array(array.length));
      if (!FREE.has(name)) refused(new Type(array.length + 1));
      if (!FREE.has(name) && array.length > 0) refused(new Type(array.length - 1));
      const without = () => open({ ...sound, sections: others });
      if (OPTIONAL.has(name)) without();
      else expect(without, name).toThrow(`names no section "${name}"`);
    }
  });

  test("is refused if its layout is missing, and its rows too", () => {
    const { starts, ...sections } = sound.sections;
    expect(() => open({ meta: { ...sound.meta, layout: undefined }, sections })).toThrow('"starts"');
  });
});

/** The numbers in a value, with where they are. */
function* numbersOf(value: unknown, path = ""): Generator<[string, number]> {
  if (typeof value === "number") yield [path, value];
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* numbersOf(inner, path ? `${path}.${key}` : key);
}

function changed(meta: Meta, path: string, value: unknown): Meta {
  const copy = structuredClone(meta);
  const keys = path.split(".");
  const last = keys.pop()!;
  let at = copy as Record<string, unknown>;
  for (const key of keys) at = at[key] as Record<string, unknown>;
  at[last] = value;
  return copy;
}
