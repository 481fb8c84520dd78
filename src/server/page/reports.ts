// A folder of JSON files → reports of experiments. The folder is read on every request, because experiments may add files;
// files that are not reports are skipped.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ReportAnswer, ReportsAnswer } from "../../schemas/index.ts";
import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { reportAnswerSchema } from "../../schemas/report-schema.ts";
import { readText } from "../../support/files/text-file.ts";
import { HttpError } from "../wire/http-errors.ts";

/** Bytes of the largest file that is read: a report is a page of tables, so a larger file is something else. */
const MAX_BYTES = 8 * 2 ** 20;
/** Files that are read for a list; later names are left out. */
const MAX_REPORTS = 500;

export class Reports {
  readonly #folder: string | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Whether there is a folder to read reports from. */
  get hasFolder(): boolean {
    return this.#folder !== undefined;
  }

  /** Newest first. */
  async list(): Promise<ReportsAnswer["reports"]> {
    const reports: ReportsAnswer["reports"][number][] = [];
    for (const name of (await this.#listNames()).slice(0, MAX_REPORTS)) {
      const report = await this.#read(name);
      if (report) reports.push({ name, title: report.title, made: report.made.date });
    }
    return reports.sort((a, b) =>
      a.made === b.made ? (a.name < b.name ? -1 : 1) : a.made > b.made ? -1 : 1,
    );
  }

  async get(name: string): Promise<ReportAnswer> {
    const report = (await this.#listNames()).includes(name) ? await this.#read(name) : undefined;
    if (report) return report;
    throw new HttpError(404, "no_report", "there is no report with this name", {
      hint: "GET /v1/reports lists them",
    });
  }

  /** Names of files that may be reports. Only these names are ever turned into paths. */
  async #listNames(): Promise<string[]> {
    if (this.#folder === undefined) return [];
    try {
      const files = await readdir(this.#folder, { withFileTypes: true });
      return files
        .filter((file) => file.isFile() && file.name.endsWith(".json"))
        .map(({ name }) => name.slice(0, -".json".length))
        .filter((name) => NAME_PATTERN.test(name))
        .sort();
    } catch {
      return []; // the folder does not exist yet, or was removed
    }
  }

  async #read(name: string): Promise<ReportAnswer | undefined> {
    const path = join(this.#folder!, `${name}.json`);
    try {
      if ((await stat(path)).size > MAX_BYTES) return undefined;
      return reportAnswerSchema.safeParse(JSON.parse(await readText(path))).data;
    } catch {
      return undefined;
    }
  }
}
