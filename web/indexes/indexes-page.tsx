// The indexes of the server: create one, add documents, optimize, back up and delete. Below, the state of the process.

import { useEffect, useRef, useState } from "preact/hooks";
import { describeIndex, describeServer, isReady, listIndexes } from "../api/calls.ts";
import { hasKey } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { bytesText, durationText } from "../text/numbers.ts";
import { Figures } from "./figures.tsx";
import { IndexCard } from "./index-card.tsx";
import { NewIndex } from "./new-index.tsx";

const LOOK_MS = 5000;
/** What the page leaves out for a key that may do less. */
const LIMITED = {
  read: "Your key may read. To change indexes, enter another key above.",
  write: "Your key may change documents. To create, back up or delete indexes, enter another key above.",
};
const DROPS = ["dragover", "drop"] as const;

async function describeAll(_: "all", signal: AbortSignal) {
  const [server, ready, { indexes, canCreate, access, unavailable }] = await Promise.all([
    describeServer(signal),
    isReady(signal),
    listIndexes(signal),
  ]);
  const described = await Promise.all(indexes.map(({ name }) => describeIndex(name, signal)));
  return { server, ready, canCreate, access, unavailable, indexes: described };
}

interface IndexesPageProps {
  /** Counts the changes that were made here: after each, the page looks again. */
  readonly changes: number;
}

export function IndexesPage({ changes }: IndexesPageProps) {
  const round = useRounds(LOOK_MS);
  const { answer, error } = useAnswer("all" as const, describeAll, round + changes);
  const [created, setCreated] = useState<string>();
  const [dropped, setDropped] = useState<string>();
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (dropped) said.current?.focus(); // the button that had the focus is gone
  }, [dropped]);
  useEffect(() => {
    // A browser opens a file that is dropped beside the frame, and so leaves the page.
    const keep = (event: Event) => event.preventDefault();
    for (const kind of DROPS) addEventListener(kind, keep);
    return () => {
      for (const kind of DROPS) removeEventListener(kind, keep);
    };
  }, []);
  return (
    <div class="indexes">
      <h1>Indexes</h1>
      <p role="status" ref={said} tabIndex={-1}>
        {dropped && `${dropped} is deleted.`}
      </p>
      {error && <Failure error={error} />}
      {!answer && !error && <Waiting what="the indexes" />}
      {answer?.indexes.map((info) => (
        <IndexCard
          key={info.name}
          info={info}
          formats={answer.server.formats}
          canDrop={answer.canCreate}
          access={answer.access}
          isNew={created === info.name}
          onDropped={() => setDropped(info.name)}
        />
      ))}
      {answer?.indexes.length === 0 && answer.unavailable.length === 0 && (
        <p class="lead">
          There are no indexes yet{answer.canCreate && ": name one below, or drop a file on the form"}.
        </p>
      )}
      {answer && answer.unavailable.length > 0 && (
        <p class="failure">Not available: {answer.unavailable.join(", ")}. The log of the server says why.</p>
      )}
      {answer?.canCreate && <NewIndex formats={answer.server.formats} onCreate={setCreated} />}
      {answer && !answer.canCreate && answer.access !== "admin" && (
        <p class="quiet">{LIMITED[answer.access]}</p>
      )}
      {answer && !answer.canCreate && answer.access === "admin" && (
        <p class="quiet">
          <code>sluice serve --folder FOLDER</code> lets you create and delete indexes here.
        </p>
      )}
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
            {!hasKey() && ( // a browser sends no key with a link
              <>
                <a href="/metrics">Metrics</a> ·{" "}
              </>
            )}
            <Link change={{ view: "docs" }}>All routes</Link>
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
