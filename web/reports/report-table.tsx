import { ELSEWHERE, rowGroups } from "../../src/report/report.ts";
import type { ReportAnswer } from "../../src/server/schemas.ts";
import { Scrolling } from "../shell/scrolling.tsx";

/** A table of a report; the paper's own figures stand apart. */
export function ReportTable({ table }: { readonly table: ReportAnswer["tables"][number] }) {
  const { ours, elsewhere } = rowGroups(table);
  return (
    <Scrolling label={table.caption}>
      <table>
        <caption>{table.caption}</caption>
        <thead>
          <tr>
            {table.header.map((cell) =>
              cell === "" ? (
                <td key="" />
              ) : (
                <th key={cell} scope="col">
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
        <td key={i} class={/^[−\d]/.test(cell) ? "number" : ""}>
          {cell}
        </td>
      ))}
    </tr>
  );
}
