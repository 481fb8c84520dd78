// The numbers of a plot in a table, closed until the user opens it.

import { valueText } from "../../src/report/axis.ts";
import type { ReportPlot } from "../../src/report/report.ts";
import { Scrolling } from "../shell/scrolling.tsx";

export function ChartTable({ plot: { caption, x, y, series } }: { readonly plot: ReportPlot }) {
  return (
    <details class="numbers">
      <summary>
        As a table<span class="for-ears">: {caption}</span>
      </summary>
      <Scrolling label={caption}>
        <table>
          <thead>
            <tr>
              {series.length > 1 && <th scope="col">Series</th>}
              <th scope="col">{x.label}</th>
              <th scope="col">{y.label}</th>
            </tr>
          </thead>
          <tbody>
            {series.flatMap(({ name, points }) =>
              points.map((point, i) => (
                <tr key={`${name} ${i}`}>
                  {series.length > 1 && <th scope="row">{name}</th>}
                  <td class="number">{valueText(x, point.x)}</td>
                  <td class="number">{valueText(y, point.y)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </Scrolling>
    </details>
  );
}
