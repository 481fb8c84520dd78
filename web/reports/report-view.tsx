// A report with its text, tables and plots. It is built from the report's data, so nothing in a report is read as HTML.

import type { ReportPlot } from "../../src/report/report.ts";
import type { ReportAnswer } from "../../src/schemas/index.ts";
import { readReport } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Chart } from "../chart/chart.tsx";
import { Link } from "../shell/link.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { ReportTable } from "./report-table.tsx";

export function ReportView({ name }: { readonly name: string }) {
  const { answer, error } = useAnswer(name, readReport);
  return (
    <>
      <p class="overline">
        <Link change={{ report: undefined }}>All reports</Link>
      </p>
      {error ? <Failure error={error} /> : answer ? <Body report={answer} /> : <Waiting what="the report" />}
    </>
  );
}

function Body({ report: { title, about, made, tables, plots, notes } }: { readonly report: ReportAnswer }) {
  return (
    <article>
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {about.split(/\n\s*\n/).map((paragraph) => (
        <p key={paragraph} dir="auto">
          {paragraph}
        </p>
      ))}
      {tables.map((table) => (
        <ReportTable key={table.caption} table={table} />
      ))}
      {plots.map((plot) => (
        <Chart key={plot.caption} plot={drawable(plot)} />
      ))}
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <li key={note} dir="auto">
              {note}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {made.date}, {made.machine}
        <br />
        <code>{made.command}</code>
      </p>
    </article>
  );
}

/** JSON has no NaN: failed measurements are null. */
function drawable(plot: ReportAnswer["plots"][number]): ReportPlot {
  return {
    ...plot,
    series: plot.series.map(({ name, points }) => ({
      name,
      points: points.map(({ x, y, ...rest }) => ({ ...rest, x: x ?? Number.NaN, y: y ?? Number.NaN })),
    })),
  };
}
