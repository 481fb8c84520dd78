// Long documents in passages: found by document, replaced and deleted without a trace.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Document } from "../../src/documents/document.ts";
import { cutPassages, type PassageOptions } from "../../src/passages/cut-passages.ts";
import type { PassageOrigin } from "../../src/passages/passage.ts";
import { countWords } from "../../src/passages/text-words.ts";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

interface Passage {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
  readonly passage: PassageOrigin;
  readonly year?: number;
}

async function cut(documents: readonly Document[], options: PassageOptions = {}): Promise<Passage[]> {
  const passages: Passage[] = [];
  for await (const passage of cutPassages(documents, options)) passages.push(passage as unknown as Passage);
  return passages;
}

const letters = (text: string) => text.replace(/\s+/g, "");

/** A long text with headings, paragraphs, lists, code and long sentences. One word of it is in no other. */
function longText(seed: number): string {
  const random = mulberry32(seed);
  const words = (count: number) =>
    Array.from(
      { length: count },
      () => ["lock", "gate", "canal", "weir", "mill"][Math.floor(random() * 5)],
    ).join(" ");
  const parts = Array.from({ length: 12 }, (_, i) => {
    const kind = Math.floor(random() * 4);
    if (kind === 0) return `## Part ${i}\n\n${words(40)}. ${words(60)}.`;
    if (kind === 1) return `- ${words(30)}  \n- ${words(20)}\n- ${words(300)}`;
    if (kind === 2) return `\`\`\`\n${words(10)}\n\n${words(10)}\n\`\`\`\r\n`;
    return `${words(250)}. ${words(20)}!\n${words(10)}`;
  });
  parts.splice(Math.floor(random() * 12), 0, `The word unique${seed} stands here.`);
  return parts.join("\n\n");
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides")).map((name) => ({
  id: name,
  title: name,
  text: readFileSync(join(root, "docs/guides", name), "utf8"),
}));
const long = Array.from({ length: 100 }, (_, i) => ({
  id: `long-${i}`,
  title: `Long ${i}`,
  text: longText(i),
  year: 1900 + (i % 10),
}));

const withoutRules = (squeezed: string) => squeezed.replace(/---|\*\*\*/g, "");

/** The text, and what is left of it without the lines that a part of code or of a table repeats. */
function unframed(text: string): string[] {
  const lines = text.split("\n");
  return [0, 1, 2].flatMap((before) => [lines.length, -1].map((end) => lines.slice(before, end).join("\n")));
}

describe("cutting", () => {
  test.each([{}, { words: 30 }, { words: 40, overlap: 10 }, { format: "text" as const, words: 50 }])(
    "%j keeps all words, ids, fields, titles and places",
    async (options) => {
      for (const document of [...long.slice(0, 20), ...guides]) {
        const passages = await cut([document], options);
        let end = 0;
        passages.forEach(({ id, title, text, passage }, i) => {
          expect([id, passage.of, passage.number]).toEqual([`${document.id}#${i + 1}`, document.id, i + 1]);
          expect(title!.length).toBeGreaterThan(0);
          expect(text.match(/\S+/g)!.length).toBeLessThanOrEqual(options.words ?? 200);
          expect(passage.start).toBeGreaterThanOrEqual(end);
          end = passage.end;
          // What stands at its place is its text: without repeated words, and apart from white space and rules between blocks.
          const there = withoutRules(letters(document.text.slice(passage.start, passage.end)));
          const own = unframed(text).map((part) => withoutRules(letters(part)));
          if (!options.overlap) expect(own).toContain(there);
          else expect(own.some((part) => part.endsWith(there))).toBe(true);
          expect(document.text.slice(0, passage.start).split("\n")).toHaveLength(passage.line);
          if (options.format !== "text")
            expect(text.match(/^```/gm)?.length ?? 0).toSatisfy((fences) => fences % 2 === 0);
        });
      }
      expect((await cut(long.slice(0, 1), options))[0].year).toBe(1900);
    },
  );

  test.each([
    ["Japanese", "京都は古い都市です。".repeat(500), 20],
    ["Japanese without marks", "京都は古い都市です".repeat(500), 20],
    ["Chinese with half-width and other marks", "你好吗？北京是首都！他说：「好。」｡".repeat(200), 30],
    ["Thai", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย".repeat(200), 25],
    ["letters that no space ends", "𝒳x".repeat(20_000), 20],
    ["a mix", "The iPhoneを買った。 It is new! 京都 ".repeat(200), 15],
  ])("cuts %s into passages of about the same length", async (_, text, words) => {
    for (const overlap of [0, 5]) {
      const passages = await cut([{ id: "a", text }], { words, overlap });
      expect(passages.length).toBeGreaterThan(5);
      let end = 0;
      for (const { text: part, passage } of passages) {
        expect(countWords(part)).toBeLessThanOrEqual(words);
        expect(part).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
        const there = letters(text.slice(passage.start, passage.end));
        expect(letters(part).endsWith(there)).toBe(true);
        if (overlap === 0) expect(letters(part)).toBe(there);
        expect(letters(text.slice(end, passage.start))).toBe("");
        end = passage.end;
      }
      expect(letters(text.slice(end))).toBe("");
    }
  });

  test("sentences without spaces between them get none, and stay whole", async () => {
    const [first, ...others] = await cut([{ id: "a", text: "京都は古い都市です。雨！".repeat(50) }], {
      words: 20,
    });
    expect(first.text).toBe("京都は古い都市です。雨！".repeat(3));
    for (const { text } of others) expect(text).toMatch(/^(?:京都|雨).*[。！]$/);
  });

  test.each([
    ["two words", 2],
    ["京都です", 2],
    ["「京都」です。", 2],
    ["ประเทศไทย", 3],
    ["iPhoneを買う", 3],
    ["한국어 문장", 2],
    ["  ", 0],
    ["x".repeat(1000), 4],
  ])("%j has %d words", (text, count) => {
    expect(countWords(text)).toBe(count);
  });

  test("a table that is cut repeats its header in every passage", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `| gate ${i} | opens at ${i} |`);
    const head = "| name | when it opens |\n| ---- | --- |";
    const text = `Before.\n\n${head}\n${rows.join("\n")}\n\nAfter.`;
    const passages = await cut([{ id: "t", text }], { words: 60 });
    expect(passages.length).toBeGreaterThan(2);
    for (const { text: part, passage } of passages.slice(1)) {
      expect(part.startsWith(`${head}\n| gate `)).toBe(true);
      expect(part.endsWith(text.slice(passage.start, passage.end))).toBe(true);
      expect(text.slice(passage.start)).toMatch(/^\| gate/);
      expect(countWords(part)).toBeLessThanOrEqual(60);
    }
    const found = passages.flatMap(({ text: part }) => part.match(/^\| gate.*$/gm) ?? []);
    expect(found).toEqual(rows);
    // Without bars at the edges it is a table, too.
    const bare = text.replaceAll(/^\| | \|$/gm, "");
    for (const { text: part } of (await cut([{ id: "t", text: bare }], { words: 60 })).slice(1))
      expect(part).toMatch(/^name \| when it opens\n---- \| ---\ngate \d+ \| opens/);
  });

  test("code that is cut is opened and closed in every passage", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `  open(gate${i}); // number ${i}`);
    const text = `Before.\n\n~~~~js\n${lines.join("\n")}\n~~~~\n\nAfter.`;
    const passages = await cut([{ id: "c", text }], { words: 30 });
    expect(passages.length).toBeGreaterThan(4);
    const bodies = passages.flatMap(
      ({ text: part }) => /(?:^|\n)~~~~js\n([^~]+)\n~~~~(?:$|\n)/.exec(part)?.[1].split("\n") ?? [],
    );
    expect(bodies).toEqual(lines);
    for (const { text: part, passage } of passages) {
      expect(part).toContain(text.slice(passage.start, passage.end));
      expect(countWords(part)).toBeLessThanOrEqual(30);
    }
  });

  test("code and tables of many characters stay what they are", async () => {
    const rows = Array.from({ length: 8000 }, (_, i) => `| gate ${i} | opens |`);
    const code = `\`\`\`\n${rows.join("\n")}\n\`\`\``;
    for (const { text } of await cut([{ id: "c", text: code }]))
      expect(text).toMatch(/^```\n\|[^`]*\|\n```$/);
    const table = `| a | b |\n|---|---|\n${rows.join("\n")}`;
    for (const { text } of await cut([{ id: "t", text: table }]))
      expect(text).toMatch(/^\| a \| b \|\n\|---\|---\|\n\| gate[^-]*\|$/);
  });

  test("what passages repeat of tables and code is little", async () => {
    const wordsOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + countWords(text), 0);
    const passages = await cut(guides);
    const own = passages.map(({ passage: { of, start, end } }) =>
      guides.find(({ id }) => id === of)!.text.slice(start, end),
    );
    const share = wordsOf(passages.map(({ text }) => text)) / wordsOf(own) - 1;
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(0.02);
  });

  test("a frame that would fill a passage is left out, and plain text has none", async () => {
    const text = "# H\n\n```js\nconst a = 1; // x\nconst b = 2; // y\n```\n";
    const passages = await cut([{ id: "d", text }], { words: 4 });
    expect(passages.map((one) => [one.passage.line, one.text])).toEqual([
      [3, "```js"],
      [4, "const a = 1;"],
      [4, "// x"],
      [5, "const b = 2;"],
      [5, "// y\n```"],
    ]);
    const plain = await cut([{ id: "d", text: `\`\`\`\n${"gate\n".repeat(100)}` }], {
      words: 40,
      format: "text",
    });
    expect(plain.map((one) => one.text.includes("```"))).toEqual([true, false, false]);
  });

  test("titles hold the headings, and a heading that is the title comes once", async () => {
    const text = "# Canal\n\nA way.\n\n## Locks\n\nThey raise boats.";
    const titles = (await cut([{ id: "c", title: "Canal", text }])).map(({ title }) => title);
    expect(titles).toEqual(["Canal", "Canal › Locks"]);
  });

  test("a document without a text is one passage", async () => {
    expect(await cut([{ id: "empty", title: "Canal" }])).toEqual([
      {
        id: "empty#1",
        title: "Canal",
        text: "",
        passage: { of: "empty", number: 1, line: 1, start: 0, end: 0 },
      },
    ]);
  });

  test.each([
    [{ id: "a", text: "x", vector: [1] }, "it has vector of its own"],
    [{ id: "a", text: "x", passage: 3 }, "it has passage of its own"],
  ])("refuses %j", async (document, message) => {
    await expect(cut([document as Document])).rejects.toThrow(message);
  });
});

describe("an index of passages", () => {
  const build = () =>
    Sluice.build([...long, ...guides], { passages: { words: 100 }, encoder: "none" }) as Promise<Sluice>;

  test("hits by document, with the best passage and its place, and explains the passage", async () => {
    const index = await build();
    for (const { id, text } of long.filter((_, i) => i % 9 === 0)) {
      const query = `unique${id.slice("long-".length)} stands`;
      const { hits } = await index.search(query, { groupBy: "passage.of", k: 20 });
      const { passage, text: best } = hits[0].document as unknown as Passage;
      expect(passage.of).toBe(id);
      expect(text.slice(passage.start, passage.end)).toContain(query.split(" ")[0]);
      expect(best).toContain(query.split(" ")[0]);
      const documents = hits.map(({ document }) => (document as unknown as Passage).passage.of);
      expect(new Set(documents).size).toBe(documents.length);
      expect((await index.explain(query, hits[0].id)).score).toBeCloseTo(hits[0].score, 5);
    }
    const filtered = await index.search("lock", { filter: { year: 1903 }, groupBy: "passage.of", k: 100 });
    expect(filtered.hits).toHaveLength(10);
  });

  test("upsert leaves no passage of the old text, and delete none at all", async () => {
    const index = await build();
    const before = index.docs;
    const ids = new Set(await index.listIds());
    const passagesLeft = async (of: string) =>
      (await index.listIds()).filter((id) => id.startsWith(`${of}#`));
    await index.upsert([{ id: "long-7", text: "A short text about pumps" }], { passages: true });
    await index.commit();
    expect(await passagesLeft("long-7")).toEqual(["long-7#1"]);
    expect((await index.search("unique7")).hits).toEqual([]);
    expect(
      (await index.delete(["long-7", "guides", "long-8"], { withPassages: true })).deleted,
    ).toBeGreaterThan(2);
    await index.commit();
    expect([...(await passagesLeft("long-7")), ...(await passagesLeft("long-8"))]).toEqual([]);
    await index.upsert([long[7], long[8]], { passages: { words: 100 } });
    await index.commit();
    expect(index.docs).toBe(before);
    expect(new Set(await index.listIds())).toEqual(ids);
    await index.delete(
      [...long, ...guides].map(({ id }) => id),
      { withPassages: true },
    );
    await index.commit();
    expect(index.docs).toBe(0);
  });

  test.each([undefined, { words: 3 }])(
    "passages are recognized: with passages %j they stay whole, and replace their document",
    async (passages) => {
      const documents: Document[] = long.slice(0, 2);
      const index = await Sluice.build(documents, { passages: { words: 100 }, encoder: "none" });
      const given = (await cut([
        { id: "long-0", text: "# A\n\nA short text about pumps.\n\n# B\n\nMore." },
      ])) as unknown[] as Document[];
      const other = { id: "other#1", text: "no passage", passage: { of: "long-1", number: 1 } };
      await index.upsert([...given, ...(passages ? [] : [other])], { passages });
      await index.commit();
      const ids = await index.listIds();
      expect(ids.filter((id) => id.startsWith("long-0#")).sort()).toEqual(["long-0#1", "long-0#2"]);
      expect((await index.document("long-0#1")).text).toBe("A short text about pumps.");
      const untouched = (await cut([long[1]], { words: 100 })).length;
      expect(ids.length).toBe(untouched + 2 + (passages ? 0 : 1));
      // A later passage alone replaces only itself.
      await index.upsert([{ ...given[1], text: "Changed." }], { passages });
      await index.commit();
      expect(index.docs).toBe(ids.length);
      expect((await index.document("long-0#2")).text).toBe("Changed.");
    },
  );

  test("passages and long documents may come in one call", async () => {
    const given = (await cut([long[0]], { words: 100 })) as unknown[] as Document[];
    const index = await Sluice.build([] as Document[], { encoder: "none" });
    await index.upsert([...given, long[1]], { passages: { words: 100 } });
    await index.commit();
    const expected = await cut(long.slice(0, 2), { words: 100 });
    expect([...(await index.listIds())].sort()).toEqual(expected.map(({ id }) => id).sort());
  });

  test("a call that fails brings the old passages back, those without a successor, too", async () => {
    const index = await build();
    const before = [...(await index.listIds())].sort();
    await index.delete(["guides"]);
    await index.upsert([{ id: "pending", text: "waits" }], { passages: true });
    const failing = [
      { id: "long-7", text: "short" },
      { id: "", text: "no id" },
    ];
    await expect(index.upsert(failing, { passages: true })).rejects.toThrow();
    await index.commit();
    expect([...(await index.listIds())].sort()).toEqual([...before, "pending#1"].sort());
    expect((await index.search("unique7")).hits).toHaveLength(1);
    await expect(index.add([{ id: "long-7", text: "again" }], { passages: true })).rejects.toThrow(
      "is in the index already",
    );
  });

  test.each([
    [{ passages: 3 }, "passages must be true, false or an object"],
    [{ passages: "given" }, "documents that are passages already are recognized by themselves"],
    [{ passages: { word: 3 } }, 'did you mean "words"'],
    [{ passages: { format: "html" } }, 'passages.format must be "markdown" or "text"'],
  ])("refuses %j", async (options, message) => {
    const index = await Sluice.build([], { encoder: "none" });
    const error = await index.add([], options as never).catch((error) => error);
    expect(`${error.message}; ${error.hint}`).toContain(message);
  });
});

test("a field passage that is no place in a document is refused before it is lost", async () => {
  for (const passage of ["Genesis 1", { of: "a", number: 1 }, { of: 3, number: 1 }, null]) {
    const document = { id: "a", text: "water", passage } as unknown as Document;
    const cutting = cutPassages([document], {}).next();
    await expect(cutting).rejects.toThrow('document "a": it has passage of its own, and is to be cut');
  }
});

test("a text that is null is empty, and one that is no text is refused", async () => {
  const passages: Document[] = [];
  const documents = [{ id: "a", title: null, text: null }] as unknown as Document[];
  for await (const passage of cutPassages(documents, {})) passages.push(passage);
  expect(passages).toEqual([
    { id: "a#1", text: "", passage: { of: "a", number: 1, line: 1, start: 0, end: 0 } },
  ]);
  const wrong = [{ id: "b", text: 5 }] as unknown as Document[];
  await expect(cutPassages(wrong, {}).next()).rejects.toThrow('document "b"');
});

describe("a document that was added uncut, and one that was cut,", () => {
  const idsOf = async (index: Sluice) => [...(await index.listIds())].sort();

  test.each([false, true])("replace each other; committed before: %s", async (isCommitted) => {
    const text = "A lock raises boats. A weir holds water. ".repeat(20);
    const index = await Sluice.build(
      [
        { id: "a", text: "whole" },
        { id: "b#1", text: "no passage" },
      ],
      {
        encoder: "none",
      },
    );
    const settle = () => (isCommitted ? index.commit() : undefined);
    await index.upsert([{ id: "a", text }], { passages: { words: 100 } });
    await settle();
    await index.upsert([{ id: "b", text: "not cut" }]);
    await index.commit();
    expect(await idsOf(index)).toEqual(["a#1", "a#2", "b", "b#1"]);
    await index.upsert([{ id: "b", text: "cut" }], { passages: false });
    await index.commit();
    expect(await idsOf(index)).toEqual(["a#1", "a#2", "b", "b#1"]);
    expect((await index.search("whole")).hits).toEqual([]);
    await index.upsert([{ id: "a", text: "whole again" }]);
    await settle();
    const failing = (function* () {
      yield { id: "a", text };
      throw new Error("no more");
    })();
    await expect(index.upsert(failing, { passages: true })).rejects.toThrow("no more");
    await index.commit();
    expect(await idsOf(index)).toEqual(["a", "b", "b#1"]);
    await index.close();
  });

  test("are deleted by the same id", async () => {
    const index = await Sluice.build([{ id: "a", text: "whole" }], { encoder: "none" });
    await index.add([{ id: "c", text: "cut" }], { passages: true });
    expect(await index.delete(["a", "c", "d"], { withPassages: true })).toEqual({ deleted: 2 });
    await index.commit();
    expect(await idsOf(index)).toEqual([]);
    await index.close();
  });
});

test("the passages of a document by its id, however many; itself if it was not cut", async () => {
  const long = { id: "long", text: "one two three ".repeat(1500) };
  await using index = await Sluice.build([long], { encoder: "none", passages: { words: 3 } });
  const passages = await index.passages("long");
  expect(passages).toHaveLength(1500);
  expect(passages.map(({ id }) => id)).toEqual(await index.listIds());
  expect(await index.passages("long#7")).toEqual([
    { id: "long#7", document: await index.document("long#7") },
  ]);
  await expect(index.passages("never")).rejects.toMatchObject({ code: "ERR_SLUICE_NO_DOCUMENT" });
});

describe("passages with numbers that are missing", () => {
  const six = Array.from({ length: 6 }, (_, i) => `# H${i + 1}\n\nriver number ${i + 1}.`).join("\n\n");
  const open = async (folder: string | undefined) => {
    const index = await Sluice.open(folder ?? mkdtempSync(join(tmpdir(), "sluice-gaps-")), {
      encoder: "none",
    });
    await index.add(
      [
        { id: "a", text: six },
        { id: "ab", text: six },
      ],
      { passages: true },
    );
    await index.commit();
    return index;
  };
  const build = () =>
    Sluice.build(
      [
        { id: "a", text: six },
        { id: "ab", text: six },
      ],
      { passages: true, encoder: "none" },
    );
  const idsOf = async (index: Sluice) =>
    [...(await index.listIds())].filter((id) => !id.startsWith("ab")).sort();

  const gaps = [["a#3"], ["a#1"], ["a#6"], ["a#1", "a#2"]];
  const cases = gaps.flatMap((gone) =>
    [true, false].flatMap((isCommitted) => [build, open].map((make) => ({ gone, isCommitted, make }))),
  );
  test.each(cases)("$gone gone, committed: $isCommitted, $make.name", async ({ gone, isCommitted, make }) => {
    const index = await make(undefined);
    const removeSome = async () => {
      await index.upsert([{ id: "a", text: six }], { passages: true });
      expect(await index.delete(gone)).toEqual({ deleted: gone.length });
      if (isCommitted) await index.commit();
    };
    await removeSome();
    expect(await index.delete(["a"], { withPassages: true })).toEqual({ deleted: 6 - gone.length });
    await index.commit();
    expect(await idsOf(index)).toEqual([]);
    await removeSome();
    await index.upsert([{ id: "a", text: "# X\n\nshort." }], { passages: true });
    await index.commit();
    expect(await idsOf(index)).toEqual(["a#1"]);
    await removeSome();
    await index.upsert([{ id: "a", text: "whole" }]);
    await index.commit();
    expect(await idsOf(index)).toEqual(["a"]);
    expect((await index.list({ filter: { "passage.of": "ab" } })).total).toBe(6);
    await index.close();
  });

  test("that wait in the database are found as well", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-gaps-"));
    const index = await Sluice.open(folder, { encoder: "none", bufferBytes: 1 });
    await index.add([{ id: "a", text: six }], { passages: true });
    await index.delete(["a#1", "a#4"]);
    expect(await index.delete(["a"], { withPassages: true })).toEqual({ deleted: 4 });
    await index.commit();
    expect(index.docs).toBe(0);
    await index.close();
  });

  test("a document of its own with the id of a passage is neither deleted nor replaced", async () => {
    const two = "# H\n\nriver one.\n\n# G\n\nboat two.";
    const index = await Sluice.build<Document>([{ id: "own#2", text: "a plain document" }], {
      encoder: "none",
    });
    await index.upsert([{ id: "a", text: two }], { passages: true });
    await index.upsert([{ id: "a#1", text: "Notes on section one of a." }], { passages: true });
    await index.commit();
    expect([...(await index.listIds())].sort()).toEqual(["a#1", "a#1#1", "a#2", "own#2"]);
    await expect(index.upsert([{ id: "own", text: two }], { passages: true })).rejects.toThrow(
      'document 2: passage 2 of "own" has the id "own#2", and so has a document of its own; give one of them another id',
    );
    await expect(index.upsert([{ id: "a#2", text: "plain" }])).rejects.toThrow(
      'document 1: the id "a#2" is that of passage 2 of "a"',
    );
    await index.upsert([{ id: "own", text: "whole" }]);
    expect(await index.delete(["own"], { withPassages: true })).toEqual({ deleted: 1 });
    await index.commit();
    expect([...(await index.listIds())].sort()).toEqual(["a#1", "a#1#1", "a#2", "own#2"]);
    // The first passage replaces all passages of its document, and not the document of another one that has this id.
    await index.upsert([{ id: "a#1", text: "other notes" }], { passages: true });
    await index.upsert([{ id: "own#2", text: "another plain document" }]);
    await index.commit();
    expect(index.docs).toBe(4);
  });
});
