// Search time and overlap for each setting: the paper's trade-off, measured for this query on this machine.

import type { ReportPlot } from "../../src/report/report.ts";
import type { AskedQuery } from "../address/asked-query.ts";
import { Chart } from "../chart/chart.tsx";
import { millisecondsText } from "../text/numbers.ts";
import type { Settings } from "./settings.ts";
import { useSweep } from "./use-sweep.ts";

interface TradeoffProps {
  readonly index: string;
  readonly beside: string;
  readonly asked: AskedQuery;
  readonly settings: Settings;
  readonly heaviest: number;
}

export function Tradeoff({ index, beside, asked, settings, heaviest }: TradeoffProps) {
  const { knob, value, candidates } = settings;
  const { points, exactMs, isBusy } = useSweep({ index, beside, asked, knob, heaviest, candidates });
  const x = knob === "theta" ? { label: "θ" } : { label: "share of the weight", percent: true };
  const plotOf = (
    caption: string,
    y: ReportPlot["y"],
    readValue: (point: (typeof points)[number]) => number,
  ): ReportPlot => ({
    caption,
    x,
    y,
    series: [{ name: caption, points: points.map((point) => ({ x: point.value, y: readValue(point) })) }],
  });
  return (
    <section class="tradeoff" aria-label="Trade-off" aria-busy={isBusy}>
      <h2>What it costs, what it saves</h2>
      <p class="quiet">
        {isBusy ? "Measuring … " : ""}
        Each time covers both stages and is the fastest of several, measured by the server.
      </p>
      <div class="pair">
        <Chart
          isPlain
          height={200}
          mark={value}
          reach={[0]}
          level={
            exactMs === undefined ? undefined : { y: exactMs, label: `exact: ${millisecondsText(exactMs)}` }
          }
          plot={plotOf("Time of a search, in milliseconds", { label: "ms" }, ({ ms }) => ms)}
        />
        <Chart
          isPlain
          height={200}
          mark={value}
          reach={[0, 1]}
          plot={plotOf(
            "Overlap@10 with the exact ranking",
            { label: "overlap", percent: true },
            (point) => point.overlap,
          )}
        />
      </div>
    </section>
  );
}
