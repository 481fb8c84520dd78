// A table of a report. Rows with the paper's own numbers are set apart.

import { ELSEWHERE, rowGroups } from "../../src/report/report.ts";
import type { ReportAnswer } from "../../src/schemas/index.ts";
import { Scrolling } from "../shell/scrolling.tsx";

export function ReportTable({ table }: { readonly table: ReportAnswer["tables"][number] }) {
  const { ours, elsewhere } = rowGroups(table);
  return (
    <Scrolling label={table.caption}>
      <table>
        <caption>{table.caption}</caption>
        <thead>
          <tr>
            {table.header.map((cell, i) =>
              cell === "" ? (
                <td key={i} />
              ) : (
                <th key={i} scope="col" class={isNumeric(ours, i) ? "number" : ""}>
                  {cell}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{ours.map(row)}</tbody>
        {elsewhere.length > 0 && (
          <tbody>
            <tr>
              <th scope="rowgroup" class="group" colSpan={table.header.length}>
                {ELSEWHERE}
              </th>
            </tr>
            {elsewhere.map(row)}
          </tbody>
        )}
      </table>
    </Scrolling>
  );
}

function row([first, ...rest]: readonly string[], at: number) {
  return (
    <tr key={at}>
      <th scope="row">{first}</th>
      {rest.map((cell, i) => (
        <td key={i} class={isNumber(cell) ? "number" : ""}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

const isNumber = (cell = "") => /^[−-]?\d/.test(cell);

/** Aligns columns of numbers, and their headers, to the right. */
const isNumeric = (rows: readonly (readonly string[])[], column: number) =>
  column > 0 && rows.some((row) => isNumber(row[column]));
