// The state of the server: its indexes with their segments, sizes and kernels, and the process.

import { useEffect, useState } from "preact/hooks";
import { describeIndex, describeServer, isReady, listIndexes } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Failure, Waiting } from "../shell/states.tsx";
import { bytesText, durationText } from "../text/numbers.ts";
import { Figures } from "./figures.tsx";
import { IndexSection } from "./index-section.tsx";

const LOOK_MS = 5000;

async function describeAll(_: "all", signal: AbortSignal) {
  const [server, ready, { indexes }] = await Promise.all([
    describeServer(signal),
    isReady(signal),
    listIndexes(signal),
  ]);
  return {
    server,
    ready,
    indexes: await Promise.all(indexes.map(({ name }) => describeIndex(name, signal))),
  };
}

export function IndexesPage() {
  const round = useRounds(LOOK_MS);
  const { answer, error } = useAnswer("all" as const, describeAll, round);
  return (
    <div class="indexes">
      <h1>Indexes</h1>
      {error && <Failure error={error} />}
      {!answer && !error && <Waiting what="the indexes" />}
      {answer?.indexes.map((info) => (
        <IndexSection key={info.name} info={info} />
      ))}
      {answer && (
        <section aria-labelledby="server">
          <h2 id="server">Server</h2>
          <Figures
            figures={[
              ["Health", answer.ready ? "ready" : "not ready: an index is closed, or the server is stopping"],
              ["Up for", durationText(answer.server.uptimeSeconds)],
              ["Memory", bytesText(answer.server.memory.residentBytes)],
              ["JavaScript memory", bytesText(answer.server.memory.heapBytes)],
            ]}
          />
          <p class="quiet">
            <a href="/metrics">Metrics</a> · <a href="/docs">All routes</a>
          </p>
        </section>
      )}
    </div>
  );
}

/** Counts up while the page is visible. */
function useRounds(ms: number): number {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setRound((last) => last + 1);
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
  return round;
}
