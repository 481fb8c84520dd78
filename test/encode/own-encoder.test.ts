// An encoder that a caller wrote: what it lacks, and what it gives wrongly, is one error that names it, for documents and queries.

import { describe, expect, test } from "vitest";
import type { Encoder, Encoding } from "../../src/encode/encoder.ts";
import { Sluice } from "../../src/index.ts";

const DOCUMENTS = [
  { id: "a", text: "boats in a canal" },
  { id: "b", text: "ships at sea" },
];

const vectorOf = (text: string) => ({ vector: Float32Array.of(text.length, text.charCodeAt(0), 1) });

function ownEncoder(changes: object = {}): Encoder {
  return {
    description: { kind: "dense", pooled: true, maxLength: { query: 64, passage: 256 } },
    fingerprint: "f1",
    path: "mine",
    space: "s1",
    vocabulary: [],
    gives: { weights: false, vector: true },
    encode: async (texts: readonly string[]) => texts.map(vectorOf),
    tokenIds: () => [],
    ownTerms: () => undefined,
    close: async () => {},
    ...changes,
  } as Encoder;
}

/** An encoder that gives what `answer` makes of the right encodings, for one role. */
function wrongFor(role: string, answer: (right: Encoding[]) => unknown): Encoder {
  const encode = async (texts: readonly string[], asked: string) => {
    const right = texts.map(vectorOf);
    return asked === role ? answer(right) : right;
  };
  return ownEncoder({ encode });
}

const WRONG: [string, (right: Encoding[]) => unknown, string][] = [
  ["nothing", () => undefined, "encode gave undefined, expected a list of "],
  ["a number", () => 5, "encode gave 5, expected a list of "],
  ["an object", () => ({}), "encode gave an object, expected a list of "],
  ["an empty list", () => [], "encode gave a list of 0, expected a list of "],
  ["too few", (right) => right.slice(1), "expected a list of "],
  ["too many", (right) => [right[0], ...right], "expected a list of "],
  ["null for a text", (right) => right.map(() => null), "encode gave a list with null, expected a list of "],
  ["nothing for a text", (right) => right.map(() => ({})), "encode gave an encoding without vector"],
];

describe.each(WRONG)("an encoder that gives %s", (_, answer, message) => {
  test("for documents is refused", async () => {
    const building = Sluice.build(DOCUMENTS, { encoder: wrongFor("passage", answer) });
    await expect(building).rejects.toMatchObject({
      code: "ERR_SLUICE_INVALID",
      message: expect.stringMatching(new RegExp(`^mine: .*${message}`)),
    });
  });

  test("for queries is refused", async () => {
    const index = await Sluice.build(DOCUMENTS, { encoder: wrongFor("query", answer) });
    const error = { code: "ERR_SLUICE_INVALID", message: expect.stringContaining(message) };
    await expect(index.search("boats at sea")).rejects.toMatchObject(error);
    await expect(index.encodeQueries(["boats", "ships"])).rejects.toMatchObject(error);
    await index.close();
  });
});

test.each([
  [
    "gives",
    undefined,
    "encoder.gives must be an object like { weights: false, vector: true }, not undefined",
  ],
  ["gives", { vector: true }, "encoder.gives must be an object like"],
  ["encode", 5, "encoder.encode must be a function, not 5"],
  ["ownTerms", undefined, "encoder.ownTerms must be a function, not undefined"],
  ["fingerprint", undefined, "encoder.fingerprint must be a text, not undefined"],
  ["path", 7, "encoder.path must be a text, not 7"],
  ["description", undefined, "encoder.description must be an object, not undefined"],
])("an encoder whose %s is %j is refused before anything is encoded", async (name, value, message) => {
  const encoder = ownEncoder({ [name]: value });
  const code = "ERR_SLUICE_INVALID";
  await expect(Sluice.build(DOCUMENTS, { encoder })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  const pair = { documents: encoder, queries: encoder };
  await expect(Sluice.build(DOCUMENTS, { encoder: pair })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message.replace("encoder.", "encoder.documents.")),
  });
});

test("an encoder that is right is used for documents and queries", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: ownEncoder() });
  expect((await index.search("ships at sea")).hits[0].id).toBe("b");
  expect(await index.encodeQueries(["abc"])).toEqual([{ text: "abc", ...vectorOf("abc") }]);
  await index.close();
});

test("an abort does not wait for an encoder that does not look at the signal", async () => {
  const controller = new AbortController();
  const encode = async (texts: readonly string[], role: string) => {
    if (role === "passage") return texts.map(vectorOf);
    controller.abort("enough");
    return new Promise<never>(() => {});
  };
  const index = await Sluice.build(DOCUMENTS, { encoder: ownEncoder({ encode }) });
  await expect(index.encodeQueries(["ships"], { signal: controller.signal })).rejects.toBe("enough");
  await index.close();
});
