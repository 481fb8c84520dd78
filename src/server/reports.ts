// Reports of experiments: a folder's JSON files, as `sluice experiment --out` writes them. The folder is read anew when it
// is asked for, since experiments go on; a file that is no report is none.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "../index.ts";
import { HttpError } from "./http-errors.ts";
import { NAME_PATTERN, type ReportAnswer, type ReportsAnswer, reportAnswer } from "./schemas.ts";

/** A report is a page of tables; what is larger is something else. */
const MOST_BYTES = 8 * 2 ** 20;
const MOST_REPORTS = 500;

export class Reports {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Newest first. */
  async list(): Promise<ReportsAnswer["reports"]> {
    const reports: ReportsAnswer["reports"] = [];
    for (const name of (await this.#names()).slice(0, MOST_REPORTS)) {
      const report = await this.#read(name);
      if (report) reports.push({ name, title: report.title, made: report.made.date });
    }
    return reports.sort((a, b) =>
      a.made === b.made ? (a.name < b.name ? -1 : 1) : a.made > b.made ? -1 : 1,
    );
  }

  async named(name: string): Promise<ReportAnswer> {
    const report = (await this.#names()).includes(name) ? await this.#read(name) : undefined;
    if (report) return report;
    throw new HttpError(404, "no_report", "there is no report of this name", {
      hint: "GET /v1/reports lists them",
    });
  }

  /** Names of files that may be reports. No other name is ever made into a path. */
  async #names(): Promise<string[]> {
    if (this.#folder === undefined) return [];
    try {
      const files = await readdir(this.#folder, { withFileTypes: true });
      return files
        .filter((file) => file.isFile() && file.name.endsWith(".json"))
        .map(({ name }) => name.slice(0, -".json".length))
        .filter((name) => NAME_PATTERN.test(name))
        .sort();
    } catch {
      return []; // the folder is not there yet, or no longer
    }
  }

  async #read(name: string): Promise<ReportAnswer | undefined> {
    const path = join(this.#folder!, `${name}.json`);
    try {
      if ((await stat(path)).size > MOST_BYTES) return undefined;
      return reportAnswer.safeParse(JSON.parse(await readText(path))).data;
    } catch {
      return undefined;
    }
  }
}
