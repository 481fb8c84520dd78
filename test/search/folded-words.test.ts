// Words with letters that an analyzer folds: completed, corrected and suggested, however they are typed.

import { describe, expect, test } from "vitest";
import { ANALYZER_NAMES, type AnalyzerName, loadAnalyzer } from "../../src/analyze/index.ts";
import { Sluice } from "../../src/index.ts";

const indexOf = (texts: readonly string[], analyzer?: AnalyzerName) =>
  Sluice.build(
    texts.map((text) => ({ id: text, text })),
    { encoder: "none", ...(analyzer && { analyzer }) },
  );

const WORDS = [
  ...["le résumé du café", "eine Küche", "viele Häuser", "un gâteau", "ñandú", "Việtnam", "ёлка", "Ελλάδα"],
  ...["Straßenbahn", "İstanbul", "ＡＢＣdef", "ﬁnesse", "O'Reilly"],
];

describe("a beginning with folded letters", () => {
  test.each([
    ...["résu", "resu", "RÉSU", "Küc", "kuc", "Häus", "haus", "gât", "gat", "ñan", "nan", "Việtn", "vietn"],
    ...[
      "ёлк",
      "елк",
      "Ελλά",
      "ελλα",
      "straße",
      "strasse",
      "İsta",
      "ista",
      "ＡＢＣd",
      "abcd",
      "ﬁnes",
      "fines",
    ],
    ...["o'rei", "o’rei", "orei", "re\u0301su"],
  ])("%s finds its word", async (typed) => {
    const index = await indexOf(WORDS);
    const { hits } = await index.search(typed, { prefix: true });
    expect(hits).toHaveLength(1);
    const [suggestion] = await index.suggest(typed, { typos: false });
    expect(hits[0].id.toLowerCase().replaceAll("i\u0307", "i")).toContain(suggestion.text);
  });

  test.each([
    ["german", "eine Küche", ["Küc", "kuc", "Kuec", "Küch"]],
    ["german", "die Straßenbahn", ["Straß", "strass", "straße"]],
    ["french", "le résumé du café", ["résu", "resu", "rés", "caf"]],
    ["french", "la belle vue", ["bel", "bell"]],
    ["spanish", "una canción", ["canció", "cancio", "canc"]],
    ["italian", "la società", ["soci", "societ", "società"]],
    ["portuguese", "a estação", ["estaç", "estac"]],
    ["galician", "as nacións", ["nació", "nacio"]],
    ["serbian", "добра шетња", ["шет", "šet", "set"]],
    ["arabic", "مدرسة", ["مدر", "مدرس"]],
    ["english", "a résumé", ["rés", "Résu"]],
    ["turkish", "İstanbul", ["İsta", "ista"]],
  ] as const)("%s: %s", async (analyzer, text, beginnings) => {
    const index = await indexOf([text], analyzer);
    for (const typed of beginnings)
      expect((await index.search(typed, { prefix: true })).hits, typed).toHaveLength(1);
  });

  test("english keeps accents, so other letters find nothing", async () => {
    const index = await indexOf(["a résumé"], "english");
    expect((await index.search("resu", { prefix: true })).hits).toEqual([]);
  });

  test.each(ANALYZER_NAMES)("%s says how terms begin", async (name) => {
    const analyzer = await loadAnalyzer(name);
    expect(analyzer.beginnings?.("window")).toContain("window");
  });
});

describe("suggestions", () => {
  test.each([
    ["resu", ["résumé"]],
    ["résu", ["résumé"]],
    ["gat", ["gâteau"]],
    ["gât", ["gâteau"]],
    ["kuc", ["küche"]],
    ["Küc", ["küche"]],
    ["un gat", ["un gâteau"]],
    ["résmué", ["résumé"]],
    ["gateua", ["gâteau"]],
  ])("%s", async (typed, expected) => {
    const index = await indexOf(["résumé", "gâteau", "Küche"]);
    expect((await index.suggest(typed)).map(({ text }) => text)).toEqual(expected);
  });

  test("the spelling that is nearer to what was typed comes first", async () => {
    const index = await indexOf(["résumé resume resume"]);
    expect((await index.suggest("résum"))[0].text).toBe("résumé");
    expect((await index.suggest("resum"))[0].text).toBe("resume");
  });

  test.each([
    ["e-mai", "e-mailing"],
    ["an e-mai", "an e-mailing"],
    ["well-kn", "well-known"],
    ["co-ope", "co-operate"],
  ])("a word with a hyphen is replaced once: %s", async (typed, expected) => {
    const index = await indexOf(["e-mailing well-known co-operate"]);
    expect((await index.suggest(typed)).map(({ text }) => text)).toEqual([expected]);
  });
});

test.each([
  ["japanese", "東", ["東京"]],
  ["japanese", "カタ", ["カタカナ"]],
  ["chinese", "東", ["東京"]],
  ["chinese", "한", ["한국"]],
  ["japanese", "canl 東", ["canal 東", "canal 東京"]], // 東 may be finished, and right
  ["universal", "東", ["東京"]],
] as const)("with %s, %s is completed once", async (analyzer, typed, expected) => {
  const index = await indexOf(["東京 is east", "カタカナ", "한국", "a canal"], analyzer);
  expect((await index.suggest(typed)).map(({ text }) => text)).toEqual(expected);
});
