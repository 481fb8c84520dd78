// sluice explain: a query and a document → its score, term by term.

import type { Explanation, Query } from "../../../index.ts";
import { explanationHtml } from "../../../report/explain-html.ts";
import { writeText } from "../../../support/files/text-file.ts";
import { LIKE_FLAG } from "../../flags/answer-flags.ts";
import { BOOST_FLAG, boostsFromFlags } from "../../flags/boost-flag.ts";
import { FIELD_WEIGHTS_FLAG, fieldWeightsFromFlags } from "../../flags/field-weights-flag.ts";
import { ENCODER_FLAGS, JSON_FLAG, openFromFlags, readWordFlags, WORD_FLAGS } from "../../flags/flags.ts";
import { operandsBeside, QUERY_FLAG, queryFromFlags } from "../../flags/query-flag.ts";
import type { Command, Terminal } from "../../terminal/command.ts";
import { bar, clip, painter, printable } from "../../terminal/format.ts";
import { printNotices } from "../../terminal/print-notices.ts";

const BAR_WIDTH = 20;

export const explainCommand: Command = {
  name: "explain",
  summary: "show which terms make up the score of a document",
  operands: "DIR (QUERY | --query JSON | --like ID) ID",
  flags: {
    lambda: { type: "string", value: "X", help: "weight of the semantic part; the index's own by default" },
    ...QUERY_FLAG,
    ...LIKE_FLAG,
    ...BOOST_FLAG,
    ...FIELD_WEIGHTS_FLAG,
    ...WORD_FLAGS,
    ...ENCODER_FLAGS,
    html: { type: "string", value: "FILE", help: "write an HTML page instead" },
    ...JSON_FLAG,
  },
  examples: [
    'sluice explain my-index "where was the bauhaus built" 7067032',
    'sluice explain my-index "where was the bauhaus built" 7067032 --html why.html',
    "sluice explain my-index --like canal-12 canal-7",
  ],

  async run(args, terminal) {
    const given = queryFromFlags(args, args.text("like"));
    const [folder, ...others] =
      given === undefined ? args.exactly("DIR", "QUERY", "ID") : operandsBeside(args, "DIR", "ID");
    const id = others.at(-1)!;
    const query = given ?? others[0];
    const index = await openFromFlags(folder, args);
    const [lambda, html] = [args.number("lambda"), args.text("html")];
    const explanation = await index.explain(query, id, {
      ...(lambda !== undefined && { lambda }),
      ...boostsFromFlags(args),
      ...fieldWeightsFromFlags(args),
      ...(await readWordFlags(args)),
    });
    printNotices(explanation.notices, terminal);
    if (html !== undefined) {
      await writeText(html, explanationHtml(explanation, titleOf(query)));
      terminal.out(`${html}\n`);
    } else if (args.is("json")) {
      terminal.out(`${JSON.stringify(explanation)}\n`);
    } else {
      terminal.out(explanationText(explanation, terminal));
    }
  },
};

/** A query as the page shows it. */
function titleOf(query: Query): string {
  if (typeof query === "string") return query;
  if ("like" in query && query.like !== undefined) return `like ${query.like}`;
  return ("text" in query && query.text) || JSON.stringify(query);
}

/** A term as it would be typed: with the field that it counts in, if it is one alone. */
function fieldAndTerm({
  term,
  field,
}: {
  readonly term: string;
  readonly field?: string | undefined;
}): string {
  return field === undefined ? term : `${field}:${term}`;
}

/** The explanation as a table with bars. */
export function explanationText(explanation: Explanation, terminal: Terminal): string {
  const paint = painter(terminal);
  const {
    score,
    semantic,
    boosts = [],
    phrases = [],
    failed = [],
    matched,
    missed,
    lost,
    terms,
    document,
  } = explanation;
  const { title, text } = document as { title?: string; text?: string };
  const name = title ?? text;
  const others = [...boosts.map(({ field }) => field), ...phrases.map(({ phrase }) => phrase)];
  const width = Math.max(
    8,
    ...[...matched.map(fieldAndTerm), ...terms.map(({ term }) => term), ...others].map((term) =>
      Math.min(24, [...printable(term)].length),
    ),
  );
  const word = (term: string) => clip(printable(term), 24).padEnd(width);
  const expanded = new Set(terms.filter((term) => term.expanded).map(({ term }) => term));
  // Terms that the encoder added are underlined.
  const mark = (padded: string, term: string) => (expanded.has(term) ? paint("underlined", padded) : padded);
  const most = Math.max(
    ...[...matched, ...boosts, ...phrases].map(({ contribution }) => Math.abs(contribution)),
    Math.abs(semantic),
    Number.MIN_VALUE,
  );
  const line = (left: string, value: number, middle: string) =>
    `  ${left}  ${middle.padEnd(19)} ${value.toFixed(4).padStart(9)}  ${paint("cyan", bar(value / most, BAR_WIDTH))}`;

  const lines = [
    `${paint("bold", printable(explanation.id))} scores ${paint("green", score.toFixed(4))}`,
    ...(name ? [paint("dim", clip(printable(name), terminal.columns - 1))] : []),
    "",
    `  ${paint("dim", "term".padEnd(width))}  ${paint("dim", `${"query × document".padEnd(19)} ${"adds".padStart(9)}`)}`,
    ...matched.flatMap(({ term, field, queryWeight, documentWeight, contribution, fields = [] }) => [
      line(
        mark(word(fieldAndTerm({ term, field })), term),
        contribution,
        `${queryWeight.toFixed(4).padStart(8)} × ${documentWeight.toFixed(4)}`,
      ),
      ...fields.map(({ field, count, weight, value }) => {
        const name = `  ${clip(printable(field), 22)}`.padEnd(width);
        return paint(
          "dim",
          `  ${name}  ${`${count} × ${weight}`.padStart(17).padEnd(19)} ${value.toFixed(4).padStart(9)}`,
        );
      }),
    ]),
    ...(explanation.lambda > 0 && semantic !== 0
      ? [line(word("semantic"), semantic, `λ = ${explanation.lambda}`)]
      : []),
    ...boosts.map(({ field, value, contribution }) =>
      line(word(field), contribution, `boost${value === undefined ? ", no value" : ` by ${value}`}`),
    ),
    ...phrases.map(({ phrase, gap, contribution }) =>
      line(word(phrase), contribution, gap === undefined ? "phrase, not there" : `phrase, gap ${gap}`),
    ),
    `  ${"sum".padEnd(width)}  ${"".padEnd(19)} ${score.toFixed(4).padStart(9)}`,
  ];
  const notes = [
    ...failed.map((demand) => `${printable(demand)}: not met, so the document is no hit`),
    ...matched.flatMap(({ term, bm25, queryFactor, documentFactor }) => {
      if (bm25 === undefined) return [];
      const factors = [queryFactor!, documentFactor!].map((factor) => factor.toFixed(3));
      return [
        `${printable(term)}: BM25 ${bm25.toFixed(4)} × ${factors[0]} (query) × ${factors[1]} (document)`,
      ];
    }),
    ...terms.flatMap(({ term, from }) =>
      from === undefined ? [] : [`${printable(term)} ← ${printable(from)}`],
    ),
    ...[...expanded].map((term) => `${printable(term)}: added by the encoder`),
    ...missed.map(({ term, field, slotHolds }) => {
      if (field !== undefined) return `${printable(term)}: not in ${printable(field)}`;
      if (!lost.includes(term)) return `${printable(term)}: not in the document`;
      return `${printable(term)}: in the document, but its slot holds the heavier "${printable(slotHolds ?? "")}"`;
    }),
    ...terms.flatMap(({ term, fate, by, alternatives }) => {
      if (fate === "unknown") return alternatives ? [] : [`${printable(term)}: in no document`];
      if (fate === "outweighed")
        return [
          `${printable(term)}: dropped, because the heavier "${printable(by ?? "")}" has its slot in the query`,
        ];
      return fate === "kept" ? [] : [`${printable(term)}: ${fate}`];
    }),
  ];
  return `${[...lines, ...(notes.length > 0 ? ["", ...notes.map((note) => `  ${paint("dim", note)}`)] : [])].join("\n")}\n`;
}
