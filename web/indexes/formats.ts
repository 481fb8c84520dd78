// The formats that the server reads → what a dialog for files accepts, and a sentence for people.

import type { ServerAnswer } from "../../src/schemas/index.ts";

export type Formats = ServerAnswer["formats"];

const NAMES: Readonly<Record<string, string>> = {
  jsonl: "JSON Lines",
  json: "JSON",
  csv: "CSV",
  parquet: "Parquet",
  markdown: "Markdown",
};

/** The endings of names, as the attribute `accept` takes them. Files may be compressed. */
export const acceptedEndings = (formats: Formats): string =>
  [...formats.flatMap(({ endings }) => endings), ".gz"].join(",");

/** JSON Lines, JSON, CSV or text */
export const formatsText = (formats: Formats): string =>
  new Intl.ListFormat("en", { type: "disjunction", style: "long" })
    .format(formats.map(({ format }) => NAMES[format] ?? format))
    .replace(", or ", " or ");
