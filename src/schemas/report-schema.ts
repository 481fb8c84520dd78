// The report of an experiment: text, tables and plots.

import { z } from "zod";
import type { Immutable } from "./shared/immutable.ts";
import { countSchema } from "./shared/quantities.ts";
import { components } from "./shared/schema-names.ts";

export const reportsAnswerSchema = z
  .object({
    reports: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        made: z.string().describe("The date of the experiment."),
      }),
    ),
  })
  .describe("The reports in the server's folder of reports; empty when it has none.")
  .register(components, { id: "Reports" });

const table = z.object({
  caption: z.string(),
  header: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  elsewhere: z.array(countSchema).describe("Rows with figures of the paper.").optional(),
});

const axis = z.object({
  label: z.string(),
  scale: z.enum(["linear", "log"]).optional(),
  percent: z.boolean().optional(),
});
// JSON has no infinity or NaN: a failed measurement is null.
const coordinate = z.number().nullable();
const point = z.object({ x: coordinate, y: coordinate, label: z.string().optional() });

const plot = z.object({
  caption: z.string(),
  x: axis,
  y: axis,
  scattered: z.boolean().optional(),
  series: z.array(z.object({ name: z.string(), points: z.array(point) })),
});

export const reportAnswerSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    about: z.string(),
    made: z.object({ command: z.string(), date: z.string(), machine: z.string() }),
    tables: z.array(table),
    plots: z.array(plot),
    notes: z.array(z.string()),
  })
  .describe("The report of an experiment: text, tables and plots.")
  .register(components, { id: "Report" });

export type ReportsAnswer = Immutable<z.infer<typeof reportsAnswerSchema>>;
export type ReportAnswer = Immutable<z.infer<typeof reportAnswerSchema>>;
