// What a bench or an experiment found, before it is written down: figures, plots, and how they were made.

export interface Report {
  /** A short name, fit for a file. */
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
  /** Rows that are the paper's own figures, on another collection: shown apart. */
  readonly elsewhere?: readonly number[];
}

export interface ReportPlot {
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Points that are no sequence, and are not joined. */
  readonly scattered?: boolean;
  readonly series: readonly Series[];
}

export interface Axis {
  readonly label: string;
  /** Linear when left out. */
  readonly scale?: "linear" | "log";
  /** The values are shares (0.5), written in percent (50 %). */
  readonly percent?: boolean;
}

/** Points that a line joins, in the order given. */
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

/** The rows of a table in two groups: ours, and those of the paper. */
export function rowGroups({ rows, elsewhere = [] }: ReportTable) {
  return {
    ours: rows.filter((_, row) => !elsewhere.includes(row)),
    elsewhere: rows.filter((_, row) => elsewhere.includes(row)),
  };
}

export function paragraphs(text: string): string[] {
  return text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
}
