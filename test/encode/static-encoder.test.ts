import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { Encoder } from "../../src/encode/encoder.ts";
import { findPackagedFolder } from "../../src/encode/folder/packaged-encoders.ts";
import { StaticEncoder } from "../../src/encode/static/static-encoder.ts";
import { packTable, parseTable, quantizeTable } from "../../src/encode/static/table-file.ts";
import { Sluice } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const PIECES = ["insomnia", "sleep", "night", "un", "##able", "boat", ".", "ca", "##nal"];
const DIMS = 16;

/** A small encoder with random rows. */
function files() {
  const random = mulberry32(7);
  const numbers = Float32Array.from({ length: PIECES.length * DIMS }, () => random() - 0.5);
  return {
    description: { kind: "static", sizes: [{ dims: 16, lambda: 10 }, { dims: 8 }, { dims: 4 }] },
    table: packTable(quantizeTable(numbers, DIMS)),
    pieces: `${PIECES.join("\n")}\n`,
  };
}

/** The definition, in float64: Σ √count · scale · values, at length 1. */
function defined(counts: Record<string, number>, dims: number): number[] {
  const { scales, values } = parseTable(files().table, "t");
  const sum = Array.from({ length: dims }, (_, i) =>
    Object.entries(counts).reduce((total, [piece, count]) => {
      const row = PIECES.indexOf(piece);
      return total + Math.sqrt(count) * scales[row] * values[row * DIMS + i];
    }, 0),
  );
  const length = Math.sqrt(sum.reduce((total, x) => total + x * x, 0));
  return sum.map((x) => x / length);
}

test("Encoder is a type and an object that opens one, not a class that no encoder would be an instance of", async () => {
  expect(Encoder).not.toBeInstanceOf(Function);
  const encoder = await Encoder.open("static:64");
  expectTypeOf(encoder).toEqualTypeOf<Encoder>();
  expect(() => {
    // @ts-expect-error there is no class
    return encoder instanceof Encoder;
  }).toThrow(TypeError);
  await encoder.close();
});

describe("a static encoder", () => {
  test("gives the vector of its definition, within half a bit of float32", () => {
    for (const dims of [16, 8, 4]) {
      const text = "Unable to sleep: sleep at NIGHT, sleep. Canal.";
      const encoder = new StaticEncoder("t", files(), dims);
      const vector = encoder.vectorOf(text, "passage");
      const expected = defined({ un: 1, "##able": 1, sleep: 3, night: 1, ".": 2, ca: 1, "##nal": 1 }, dims);
      expect(vector.length).toBe(dims);
      for (const [i, x] of vector.entries()) expect(Math.abs(x - expected[i])).toBeLessThanOrEqual(2 ** -24);
    }
  });

  test("makes the vector of a query as long as the query has pieces", () => {
    const encoder = new StaticEncoder("t", files());
    const [query, passage] = (["query", "passage"] as const).map((role) =>
      encoder.vectorOf("sleep sleep night", role),
    );
    expect(Math.hypot(...query)).toBeCloseTo(3 / 12, 6);
    for (const [i, x] of query.entries()) expect(x).toBeCloseTo((passage[i] * 3) / 12, 7);
  });

  test("gives long texts the same bits, while others are encoded between their pieces", async () => {
    const encoder = new StaticEncoder("t", files());
    const random = mulberry32(3);
    const words = ["insomnia ", "sleep, ", "unable\n", "canal. ", "nïght ", "夜。", "Boat\t"];
    const texts = [1e5, 10, 3e5, 20, 30].map((length) =>
      Array.from({ length: length / 5 }, () => words[Math.floor(random() * words.length)]).join(""),
    );
    for (const role of ["passage", "query"] as const) {
      let others = 0;
      let isOver = false;
      const encodeOther = () => {
        encoder.vectorOf("night boat", role);
        others++;
        if (!isOver) setImmediate(encodeOther);
      };
      setImmediate(encodeOther);
      const encoded = await encoder.encode(texts, role);
      isOver = true;
      expect(encoded.map(({ vector }) => vector)).toEqual(texts.map((text) => encoder.vectorOf(text, role)));
      expect(others).toBeGreaterThan(3);
    }
  });

  test("gives zeros, never NaN, for a text without a known piece", async () => {
    const encoder = new StaticEncoder("t", files());
    for (const text of ["", "   ", "Здравствуйте", "水", "zzz"]) {
      expect([...encoder.vectorOf(text, "query")]).toEqual(new Array(DIMS).fill(0));
    }
    const empty = await encoder.encode(["", "sleep"], "query");
    expect(empty.map(({ vector }) => vector!.some((x) => x !== 0))).toEqual([false, true]);
  });

  test("does not depend on the texts before", () => {
    const [one, other] = [new StaticEncoder("t", files()), new StaticEncoder("t", files())];
    other.vectorOf("insomnia night night", "query");
    expect(other.vectorOf("unable to sleep", "query")).toEqual(one.vectorOf("unable to sleep", "query"));
  });

  test("has another fingerprint with other dims, pieces or numbers", () => {
    const { description, table, pieces } = files();
    const other = quantizeTable(new Float32Array(PIECES.length * DIMS).fill(1), DIMS);
    const prints = [
      new StaticEncoder("t", files()),
      new StaticEncoder("t", files(), 8),
      new StaticEncoder("t", { description, table, pieces: pieces.replace("boat", "ship") }),
      new StaticEncoder("t", { description, table: packTable(other), pieces }),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(prints).size).toBe(4);
    expect(new StaticEncoder("elsewhere", files()).fingerprint).toBe(prints[0]);
  });

  test("gives the same vectors from the files that it writes", () => {
    const encoder = new StaticEncoder("t", files(), 8);
    const copy = new StaticEncoder("t", encoder.files());
    expect(copy.vectorOf("sleep at night", "query")).toEqual(encoder.vectorOf("sleep at night", "query"));
  });

  test("stops when its signal is aborted", async () => {
    const encoder = new StaticEncoder("t", files());
    const stop = new AbortController();
    const work = encoder.encode(new Array(1000).fill("sleep"), "passage", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
  });
});

describe("bad files are refused with one clear error", () => {
  const code = "ERR_SLUICE_DAMAGED";
  const withTable = (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array) => () =>
    new StaticEncoder("m", { ...files(), table: change(files().table) });

  test.each([
    ["truncated", (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 3), /bytes, expected/],
    ["empty", () => new Uint8Array(), /not a table of vectors/],
    ["of something else", () => new TextEncoder().encode("hello hello hello hello"), /not a table/],
    [
      "with a changed byte",
      (bytes: Uint8Array) => {
        bytes[100] ^= 1;
        return bytes;
      },
      /checksum/,
    ],
  ])("a table that is %s", (_, change, message) => {
    expect(withTable(change)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])("a scale of %d", (scale) => {
    const table = quantizeTable(new Float32Array(PIECES.length * DIMS).fill(1), DIMS);
    table.scales[3] = scale;
    expect(withTable(() => packTable(table))).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining("the scale of row 3") }),
    );
  });

  test("a vocabulary of another size", () => {
    expect(() => new StaticEncoder("m", { ...files(), pieces: "a\nb\n" })).toThrow(
      expect.objectContaining({ code, problem: "m: the table has 9 rows, but there are 2 pieces" }),
    );
  });

  test("more dims than the table has, or dims that are not offered", () => {
    const description = { kind: "static", sizes: [{ dims: 32 }] };
    expect(() => new StaticEncoder("m", { ...files(), description })).toThrow(
      expect.objectContaining({ code }),
    );
    expect(() => new StaticEncoder("m", files(), 5)).toThrow("there are no 5 dims, but 16, 8, 4");
  });

  test.each([{ kind: "dense" }, { kind: "static" }, { kind: "static", sizes: [] }, null])(
    "a description %j",
    (bad) => {
      expect(() => new StaticEncoder("m", { ...files(), description: bad })).toThrow(
        expect.objectContaining({ code }),
      );
    },
  );

  test("a folder that lacks a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "static-"));
    writeFileSync(join(folder, "vectors.table"), files().table);
    await expect(Encoder.open(folder)).rejects.toMatchObject({ code: "ERR_SLUICE_FILE" });
  });
});

describe("the static encoder of this package", () => {
  test("opens by its name, with fewer dims on request", async () => {
    for (const [name, dims] of [
      ["static", 256],
      ["static:128", 128],
      ["static:64", 64],
    ] as const) {
      const encoder = await Encoder.open(name);
      expect(encoder.path).toBe("static");
      const [{ vector }] = await encoder.encode(["unable to sleep at night"], "passage");
      expect(vector!.length).toBe(dims);
      expect(Math.hypot(...vector!)).toBeCloseTo(1, 6);
    }
    await expect(Encoder.open("static:100")).rejects.toThrow("there are no 100 dims");
    for (const name of ["STATIC", "static:abc", "static:", "static "])
      await expect(Encoder.open(name)).rejects.toThrow(`there is no encoder ${JSON.stringify(name)}`);
  });

  test("takes at most 8 MB", () => {
    const sizes = ["sluice.json", "vectors.table", "pieces.txt"].map(
      (file) => readFileSync(join(findPackagedFolder("static"), file)).length,
    );
    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(8_000_000);
  });

  test("finds by meaning, also after the index was closed", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "static-")), "index");
    const index = await Sluice.open(folder, { encoder: "static:64" });
    await index.upsert([
      { id: "insomnia", text: "Insomnia means lying awake for hours although you are tired" },
      { id: "lock", text: "A lock raises and lowers boats between two levels of a canal" },
      { id: "unknown", text: "水水" },
    ]);
    await index.commit();
    await index.close();
    const reopened = await Sluice.open(folder);
    const { hits } = await reopened.search("unable to sleep at night", { k: 3 });
    expect(hits[0].id).toBe("insomnia");
    expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true);
    const unknown = await reopened.search("Здравствуйте boats", { k: 1 });
    expect(unknown.hits[0].id).toBe("lock");
    const nothing = await reopened.search("Здравствуйте", { k: 1 });
    expect(nothing.hits.every(({ semantic }) => semantic === 0)).toBe(true);
    await reopened.close();
  });

  test("is refused if its pieces were damaged, even if their number is right", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "static-")), "model");
    cpSync(findPackagedFolder("static"), folder, { recursive: true });
    await Encoder.open(folder);
    const path = join(folder, "pieces.txt");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, lines.join("\r\n")); // other line ends are no damage
    await Encoder.open(folder);
    [lines[100], lines[200]] = [lines[200], lines[100]];
    writeFileSync(path, lines.join("\n"));
    await expect(Encoder.open(folder)).rejects.toMatchObject({
      message: expect.stringContaining(`${path}: its checksum is`),
      code: "ERR_SLUICE_DAMAGED",
    });
  });

  test("answers a query of very many equal words, and a text without a word", async () => {
    const index = await Sluice.build([
      { id: "lock", text: "A lock raises boats" },
      { id: "empty", text: "" },
    ]);
    for (const words of [1000, 43_690]) {
      const { hits } = await index.search("boats ".repeat(words), { k: 2 });
      expect(hits[0].id).toBe("lock");
      expect(hits.every(({ score, semantic }) => Number.isFinite(score) && Number.isFinite(semantic))).toBe(
        true,
      );
    }
    expect(await index.vector("empty")).toEqual(new Float32Array(256));
    await index.close();
  });

  test("is refused by an index of another space", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "static-")), "index");
    const index = await Sluice.open(folder, { encoder: "static" });
    await index.upsert([{ id: "a", text: "sleep" }]);
    await index.commit();
    await index.close();
    await expect(Sluice.open(folder, { encoder: "static:128" })).rejects.toThrow(
      "the documents were encoded with",
    );
    const changed = join(mkdtempSync(join(tmpdir(), "static-")), "model");
    cpSync(findPackagedFolder("static"), changed, { recursive: true });
    const table = parseTable(readFileSync(join(changed, "vectors.table")), "t");
    table.values[0] ^= 1;
    writeFileSync(join(changed, "vectors.table"), packTable(table));
    await expect(Sluice.open(folder, { encoder: changed })).rejects.toThrow(
      "the documents were encoded with",
    );
  });
});
