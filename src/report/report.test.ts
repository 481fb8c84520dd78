import { DOMParser } from "linkedom";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Explanation } from "../rank/explain.ts";
import { Sluice } from "../sluice.ts";
import type { SluiceError } from "../support/errors/sluice-error.ts";
import { rulerFor, valueText } from "./axis.ts";
import { escaped, plainText } from "./escape.ts";
import { explanationHtml } from "./explain-html.ts";
import { reportHtml } from "./html.ts";
import { type Label, placeLabels } from "./labels.ts";
import { reportMarkdown } from "./markdown-report.ts";
import { plotSvg } from "./plot.ts";
import { ELSEWHERE, type Report, type ReportPlot } from "./report.ts";

const SIZE = { width: 640, height: 400 };
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />`;

const plot: ReportPlot = {
  caption: "Quality against time",
  x: { label: "ms", scale: "log" },
  y: { label: "of full nDCG@10", percent: true },
  series: [
    {
      name: "pruned",
      points: [
        { x: 1.5, y: 0.9, label: "θ = 1" },
        { x: 12, y: 0.9987 },
      ],
    },
    { name: "exact", points: [{ x: 1500, y: 1 }] },
  ],
};

const report: Report = {
  name: "pruning",
  title: "What pruning costs",
  about: "Every plan on\nthe same index.\n\nλ = 0.",
  made: { command: "npm run bench -- speed", date: "2026-11-15", machine: "2 cores" },
  tables: [
    {
      caption: "By plan",
      header: ["plan", "nDCG@10"],
      rows: [
        ["the paper", "0.358"],
        ["exact", "0.6789"],
        ["a | b", "p < 0.05"],
      ],
      elsewhere: [0],
    },
  ],
  plots: [plot],
  notes: ["Times leave out <b>analysis</b>.", "# no heading"],
};

const SCRIPT = "<script>alert(1)</script>";
const IMAGE = `"><img src=x onerror='alert(1)'>`;
const HOSTILE = [
  SCRIPT,
  IMAGE,
  "]]></style></svg><!-- &amp; &lt",
  "W".repeat(500),
  "\u202eשלום עולם\u2066",
  "👩‍👩‍👧‍👦 😀",
  "NUL \0, escape \u001b[31m, half \ud83d, end \uffff",
  "two\r\nlines | a `cell`",
  "",
];

describe("Markdown", () => {
  test("of a small report", () => {
    expect(reportMarkdown(report)).toBe(`# What pruning costs

Every plan on the same index.

λ = 0.

**By plan**

| plan        |  nDCG@10 |
| ----------- | -------: |
| exact       |   0.6789 |
| a \\| b      | p < 0.05 |
| the paper ‡ |    0.358 |

‡ The paper: other models, another machine, and other collections than ours where none of ours is named.

**Quality against time**

| series | point |    ms | of full nDCG@10 |
| ------ | ----: | ----: | --------------: |
| pruned | θ = 1 |   1.5 |            90 % |
| pruned |       |    12 |         99.87 % |
| exact  |       | 1,500 |           100 % |

- Times leave out \\<b>analysis\\</b>.
- \\# no heading

Made with \`npm run bench -- speed\` on 2026-11-15, 2 cores.
`);
  });

  test("lets nothing hostile begin a tag, a link or another cell", () => {
    const text = reportMarkdown(hostileReport());
    // The command is in a code span whose fence has more backticks than the command.
    const [before, after] = text.split("Made with ");
    expect(/(?<!\\)<[a-z/!]/i.test(before)).toBe(false);
    expect(after).toMatch(/^`` <script>.* `` on /);
    expect(controlCharacters(text)).toEqual([]);
    const table = text.split("\n").filter((line) => line.startsWith("|"));
    for (const line of table.slice(0, HOSTILE.length + 2)) expect(line.match(/(?<!\\)\|/g)).toHaveLength(3);
  });
});

describe("HTML", () => {
  test("is well-formed, has the policy, and holds every text", async () => {
    const html = await reportHtml(report);
    checkWellFormed(html);
    expect(html).toContain(POLICY);
    expect(html).not.toMatch(/<script|<link|<img|url\(|@import/i);
    for (const text of [report.title, report.name, ...report.notes, ...Object.values(report.made)]) {
      expect(html).toContain(escaped(text));
    }
    for (const { caption, header, rows } of report.tables) {
      for (const text of [caption, ...header, ...rows.flat()]) expect(html).toContain(`>${escaped(text)}<`);
    }
    expect(html).toContain(`<th scope="col"><bdi>plan</bdi></th>`);
    expect(html).toContain(`<th scope="row"><bdi>exact</bdi></th>`);
  });

  test("sets the paper's rows apart", async () => {
    const html = await reportHtml(report);
    const [ours, elsewhere] = html.split('<tbody class="elsewhere">');
    expect(ours).toContain("0.6789");
    expect(ours).not.toContain("0.358");
    expect(elsewhere).toContain(ELSEWHERE);
    expect(elsewhere).toContain("0.358");
  });

  test("makes hostile texts harmless, wherever they stand", async () => {
    const html = await reportHtml(hostileReport());
    checkWellFormed(html);
    checkHarmless(html);
    for (const text of HOSTILE) expect(html).toContain(`<bdi>${escaped(text)}</bdi>`);
  });

  test("needs no tables, plots or notes", async () => {
    const html = await reportHtml({ ...report, tables: [], plots: [], notes: [] });
    checkWellFormed(html);
    expect(html).not.toContain("<table");
  });
});

describe("plots", () => {
  test("parse as XML, with a line and its dots for each series", async () => {
    for (const dark of [false, true]) {
      const svg = await plotSvg(plot, { ...SIZE, dark });
      checkWellFormed(svg);
      expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      expect(svg).toContain("<title>Quality against time</title>");
      expect(svg).toContain("<desc>");
      expect(svg).toContain(`fill="${dark ? "#16191d" : "#ffffff"}"`);
      expect(drawn(svg, 2)).toEqual([
        { paths: 1, circles: 2 },
        { paths: 1, circles: 1 },
      ]);
      expect(texts(svg)).toEqual(
        expect.arrayContaining(["pruned", "exact", "θ = 1", "ms →", "↑ of full nDCG@10"]),
      );
    }
  });

  test("can be drawn with no series, no points, one point and equal points", async () => {
    const at = (...points: { x: number; y: number }[]) => [{ name: "only", points }];
    for (const scale of ["linear", "log"] as const) {
      for (const [series, circles] of [
        [[], 0],
        [at(), 0],
        [at({ x: 3, y: 0 }), 1],
        [at({ x: 3, y: 7 }, { x: 3, y: 7 }), 2],
        [at({ x: 1e-9, y: 1e12 }, { x: 1e9, y: -1e12 }), 2],
      ] as const) {
        const svg = await plotSvg({ ...plot, x: { label: "x", scale }, y: { label: "y" }, series }, SIZE);
        checkWellFormed(svg);
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        if (series.length > 0) expect(drawn(svg, 1)[0].circles).toBe(circles);
        expect(texts(svg).includes("no points")).toBe(circles === 0);
      }
    }
  });

  test("say how many points could not be drawn on a log axis", async () => {
    const points = [0, -1, Number.NaN, 10, 100].map((x) => ({ x, y: 1 }));
    const svg = await plotSvg({ ...plot, series: [{ name: "s", points }] }, SIZE);
    checkWellFormed(svg);
    expect(drawn(svg, 1)).toEqual([{ paths: 1, circles: 2 }]);
    expect(texts(svg)).toContain("not drawn: 3 points outside the axes");
  });

  test("make hostile texts harmless", async () => {
    const svg = await plotSvg(hostileReport().plots[0], SIZE);
    checkWellFormed(svg);
    checkHarmless(svg);
    expect(drawn(svg, HOSTILE.length).every(({ circles }) => circles === 1)).toBe(true);
  });

  describe("without the packages", () => {
    afterEach(() => {
      vi.doUnmock("@observablehq/plot");
      vi.doUnmock("linkedom");
      vi.resetModules();
    });

    test.each(["@observablehq/plot", "linkedom"])("say that %s is missing, and what to do", async (name) => {
      vi.resetModules();
      vi.doMock(name, () => {
        throw new Error("Cannot find package");
      });
      const [fresh, errors] = [await import("./plot.ts"), await import("../support/errors/sluice-error.ts")];
      const error = await fresh.plotSvg(plot, SIZE).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(errors.SluiceError);
      expect((error as SluiceError).message).toContain(name);
      expect((error as SluiceError).hint).toBe("install it: npm install @observablehq/plot linkedom");
    });
  });
});

describe("axes", () => {
  test.each([
    [{ label: "" }, [0, 1], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]],
    [{ label: "", percent: true }, [0.951, 0.999], ["95 %", "96 %", "97 %", "98 %", "99 %", "100 %"]],
    [{ label: "" }, [-2000, 2000], ["−2,000", "−1,000", "0", "1,000", "2,000"]],
    [{ label: "", scale: "log" }, [1, 40], ["1", "2", "5", "10", "20"]],
    [{ label: "", scale: "log" }, [0.01, 1000], ["0.01", "0.1", "1", "10", "100", "1,000"]],
    [{ label: "", scale: "log" }, [31, 38], ["31", "32", "33", "34", "35", "36", "37", "38"]],
  ] as const)("%o of %o", (axis, values, ticks) => {
    const ruler = rulerFor(axis, values, 8);
    expect(ruler.ticks.map(ruler.tickText)).toEqual(ticks);
  });

  test("values keep four digits", () => {
    expect(valueText({ label: "" }, 0.123456)).toBe("0.1235");
    expect(valueText({ label: "" }, -8_841_823)).toBe("−8,841,823");
    expect(valueText({ label: "", percent: true }, 0.5)).toBe("50 %");
  });
});

test("labels stay in the frame and never overlap; a label that fits nowhere is left out", () => {
  const frame = { x: 0, y: 0, width: 300, height: 200 };
  const labels: Label[] = Array.from({ length: 60 }, (_, i) => ({
    at: { x: (i * 53) % 300, y: (i * 29) % 200 },
    text: `label ${i}`,
  }));
  const dots = labels.map(({ at }) => at);
  const boxes = placeLabels(labels, dots, [[dots[0], dots[1]]], frame, 12).filter((box) => box !== undefined);
  expect(boxes.length).toBeGreaterThan(15);
  expect(boxes.length).toBeLessThan(60);
  for (const [i, a] of boxes.entries()) {
    expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= 300 && a.y + a.height <= 200).toBe(true);
    for (const b of boxes.slice(i + 1)) {
      const apart =
        a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
      expect(apart).toBe(true);
    }
  }
});

describe("the page of an explanation", () => {
  const documents = [
    {
      id: "bauhaus",
      title: "Bauhaus <Dessau>",
      text: `built in 1925 & 1926 by Gropius ${SCRIPT}`,
      vector: [1, 2],
    },
    { id: "mill", text: "a mill near the river", vector: [0, 1] },
    { id: "other", text: "another mill, built of stone", vector: [1, 0] },
  ];

  test("adds up to the score", async () => {
    const index = await Sluice.build(documents, { encoder: "none", dims: "full" });
    const query = { text: "who built the bauhaus mill in zürich", vector: [0.5, 0.25] };
    const explanation = await index.explain(query, "bauhaus", { lambda: 2 });
    const html = explanationHtml(explanation, query.text);
    checkWellFormed(html);
    checkHarmless(html);
    expect(html).toContain(POLICY);
    expect(html).toContain("λ = 2");
    const added = [...html.matchAll(/<td>([\d.−]+)<\/td><td><span class="bar/g)].map(([, text]) =>
      Number(text),
    );
    expect(added.length).toBe(explanation.matched.length + 1);
    const sum = added.reduce((total, value) => total + value, 0);
    expect(Math.abs(sum - explanation.score)).toBeLessThan(1e-4 * added.length);
    expect(html).toContain(
      `<th scope="row">sum</th><td colspan="2"></td><td>${explanation.score.toFixed(4)}</td>`,
    );
    expect(html).toContain(`<strong>${explanation.score.toFixed(4)}</strong>`);
    expect(html).toContain("not in the document");
    expect(html).toContain("in no document");
    expect(html).toContain("Bauhaus &lt;Dessau&gt;");
    expect(html).toContain(escaped(documents[0].text));
  });

  const explanation: Explanation = {
    id: IMAGE,
    score: -0.25,
    lexical: 0.75,
    semantic: -1,
    lambda: 1,
    matched: [
      { term: SCRIPT, slice: 3, index: 1, queryWeight: 1.5, documentWeight: 0.5, contribution: 0.75 },
    ],
    missed: [
      { term: "light", queryWeight: 0.5, slotHolds: "<heavy>" },
      { term: "absent", queryWeight: 0.75 },
    ],
    lost: ["light"],
    terms: [
      { term: SCRIPT, weight: 1.5, fate: "kept" },
      // The weight in the row is 0.5; the term's own weight has more bits.
      { term: "light", weight: 0.50001, fate: "kept" },
      { term: "absent", weight: 0.75, fate: "kept" },
      { term: "weak", weight: 0.25, fate: "outweighed", by: IMAGE },
      { term: "thrown", weight: 0.25, fate: "discarded" },
      { term: "nowhere", weight: 0, fate: "unknown" },
      { term: "nil", weight: 0, fate: "weightless" },
    ],
    document: { title: 7, text: HOSTILE.join("\n") },
  };

  test("shows what happened to each term, and strikes out the terms that θ removes", () => {
    const html = explanationHtml(explanation, "q", { theta: 0.5 });
    expect([...html.matchAll(/<s><bdi>(.*?)<\/bdi><\/s>/g)].map(([, term]) => term)).toEqual(["light"]);
    expect(html).toContain("θ = 0.5");
    for (const text of [
      "<small>outweighed</small>",
      "<small>discarded</small>",
      "<small>unknown</small>",
      "in the document, but “<bdi>&lt;heavy&gt;</bdi>” has the slot of its slice",
      `lost its slice in the query to “<bdi>${escaped(IMAGE)}</bdi>”`,
      "its weight is 0",
      '<td>−1.0000</td><td><span class="bar minus" style="width:100.0%">',
      "<td>−0.2500</td>",
    ]) {
      expect(html).toContain(text);
    }
    for (const theta of [undefined, 0])
      expect(explanationHtml(explanation, "q", { theta })).not.toContain("<s>");
  });

  test.each(HOSTILE)("makes a hostile query harmless: %j", (query) => {
    const html = explanationHtml(explanation, query, { theta: 1 });
    checkWellFormed(html);
    checkHarmless(html);
    expect(html).toContain(`<h1 dir="auto">${escaped(query)}</h1>`);
  });

  test("works without terms and without a document's text", () => {
    const nothing = {
      score: 0,
      lexical: 0,
      semantic: 0,
      matched: [],
      missed: [],
      lost: [],
      terms: [],
      document: {},
    };
    const html = explanationHtml({ ...explanation, ...nothing }, "");
    checkWellFormed(html);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    expect(html).toContain("No text.");
  });
});

test("plain text keeps whole characters and replaces characters that XML forbids", () => {
  expect(plainText("a\0b\u001bc\ud83dd\u{1f600}\t\r\n\u202e")).toBe("a\ufffdb\ufffdc\ufffdd\u{1f600}\t\n");
});

/** A report in which every text is hostile. */
function hostileReport(): Report {
  const all = HOSTILE.join(" ");
  return {
    name: all,
    title: all,
    about: all,
    made: { command: all, date: all, machine: all },
    tables: [
      { caption: all, header: [SCRIPT, IMAGE], rows: HOSTILE.map((text) => [text, text]), elsewhere: [1] },
    ],
    plots: [
      {
        caption: all,
        x: { label: all, scale: "log" },
        y: { label: all },
        series: HOSTILE.map((name, i) => ({ name, points: [{ x: i + 1, y: i, label: name }] })),
      },
    ],
    notes: HOSTILE,
  };
}

/** Checks that no element and no attribute loads or runs anything. */
function checkHarmless(markup: string): void {
  const { elements, attributes } = checkWellFormed(markup);
  for (const name of ["script", "img", "iframe", "object", "a", "use", "foreignObject"]) {
    expect(elements).not.toContain(name);
  }
  expect([...attributes].filter((name) => /^on|href$|^src|^action$/i.test(name))).toEqual([]);
  expect(controlCharacters(markup)).toEqual([]);
}

/** Finds control characters: those of terminals and those of text direction. */
function controlCharacters(text: string): string[] {
  return text.match(/[^\P{Cc}\t\n]|\p{Bidi_Control}/gu) ?? [];
}

/**
 * Throws on markup that is not well-formed XML. Our pages are well-formed XML too. linkedom's parser cannot check this: it
 * repairs its input.
 */
function checkWellFormed(markup: string): { elements: Set<string>; attributes: Set<string> } {
  const ATTRIBUTE = /\s+[a-zA-Z][\w:-]*="(?:[^"<&]|&(?:amp|lt|gt|quot|#\d+);)*"/y;
  const TEXT = /(?:[^<&]|&(?:amp|lt|gt|quot|apos|#\d+);)*/y;
  const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)/y;
  const [elements, attributes] = [new Set<string>(), new Set<string>()];
  const open: string[] = [];
  let at = markup.startsWith("<!DOCTYPE html>") ? 15 : 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(markup);
    if (match) at += match[0].length;
    return match;
  };
  const around = () => markup.slice(Math.max(0, at - 80), at + 40);
  expect(/[^\P{Cc}\t\n]|[\p{Cs}\ufffe\uffff]/u.test(markup)).toBe(false);
  for (take(TEXT); at < markup.length; take(TEXT)) {
    const tag = take(TAG);
    if (!tag) throw new Error(`not a tag: ${around()}`);
    elements.add(tag[2]);
    const names = new Set<string>();
    for (let attribute = take(ATTRIBUTE); attribute; attribute = take(ATTRIBUTE)) {
      const name = attribute[0].trim().split("=")[0];
      if (names.has(name)) throw new Error(`${name} twice: ${around()}`);
      names.add(name);
      attributes.add(name);
    }
    const end = take(/\s*\/?>/y);
    if (!end) throw new Error(`not the end of a tag: ${around()}`);
    if (tag[1] === "/") {
      if (open.pop() !== tag[2]) throw new Error(`closes what is not open: ${around()}`);
    } else if (!end[0].includes("/")) open.push(tag[2]);
  }
  expect(open).toEqual([]);
  return { elements, attributes };
}

function parsed(svg: string) {
  return new DOMParser().parseFromString(svg, "image/svg+xml");
}

function drawn(svg: string, series: number) {
  const root = parsed(svg);
  return Array.from({ length: series }, (_, i) => ({
    paths: root.querySelectorAll(`.series-${i} path`).length,
    circles: root.querySelectorAll(`.series-${i} circle`).length,
  }));
}

function texts(svg: string): string[] {
  return [...parsed(svg).querySelectorAll("text")].map(({ textContent }) => textContent ?? "");
}
