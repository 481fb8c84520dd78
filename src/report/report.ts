// The result of a bench or an experiment as data: tables, plots, and how they were made. Other files here write it as
// HTML or Markdown.

export interface Report {
  /** A short name that can be a file name. */
  readonly name: string;
  readonly title: string;
  /** What was measured and why; a blank line starts a new paragraph. */
  readonly about: string;
  readonly made: { readonly command: string; readonly date: string; readonly machine: string };
  readonly tables: readonly ReportTable[];
  readonly plots: readonly ReportPlot[];
  readonly notes: readonly string[];
}

export interface ReportTable {
  readonly caption: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Numbers of the rows that hold the paper's own figures. They are shown in a group of their own. */
  readonly elsewhere?: readonly number[];
}

export interface ReportPlot {
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Draw no lines between the points: they are not a sequence. */
  readonly scattered?: boolean;
  readonly series: readonly Series[];
}

export interface Axis {
  readonly label: string;
  /** Default: linear. */
  readonly scale?: "linear" | "log";
  /** The values are shares (0.5), written in percent (50 %). */
  readonly percent?: boolean;
}

/** Points that a line connects, in the order given. */
export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label?: string;
}

export const ELSEWHERE =
  "The paper: other models, another machine, and other collections than ours where none of ours is named";

/** Splits the rows of a table into two groups: ours, and those of the paper. */
export function rowGroups({ rows, elsewhere = [] }: ReportTable) {
  return {
    ours: rows.filter((_, row) => !elsewhere.includes(row)),
    elsewhere: rows.filter((_, row) => elsewhere.includes(row)),
  };
}

export function paragraphs(text: string): string[] {
  return text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
}
