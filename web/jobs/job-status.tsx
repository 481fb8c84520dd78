// What a job does now, what waits, and how each of its tasks ended. Screen readers hear the beginnings and the ends.

import { Failure } from "../shell/states.tsx";
import { countText, percentText } from "../text/numbers.ts";
import type { JobState } from "./use-jobs.ts";

const TASKS = {
  reading: "reading documents",
  encoding: "encoding texts",
  slicing: "ordering words",
  densifying: "building rows",
  merging: "merging",
  verifying: "checking",
};
/** Names of files that wait and are shown. */
const MOST_NAMES = 5;

interface JobStatusProps {
  readonly state: JobState;
  readonly onStop: () => void;
}

export function JobStatus({ state, onStop }: JobStatusProps) {
  const { doing, progress, mayStop, waiting, results } = state;
  return (
    <div class="job">
      <div role="status">
        {results.map(({ about, done }, i) => done && <p key={`${i} ${about}`}>{done}</p>)}
        {doing && <p>{doing} …</p>}
        {waiting.length > 0 && <p class="quiet">{waitingText(waiting)}</p>}
      </div>
      {doing && (
        <>
          <JobBar state={state} />
          {progress && <p class="quiet">{stepText(progress)}</p>}
          {mayStop && (
            <p>
              <button type="button" class="plain" aria-label={`Stop: ${doing}`} onClick={onStop}>
                Stop
              </button>
            </p>
          )}
        </>
      )}
      {results.map(
        ({ about, error }, i) => error && <Failure key={`${i} ${about}`} error={error} about={about} />,
      )}
    </div>
  );
}

/** How far a job is. */
export function JobBar({ state: { doing, progress } }: Pick<JobStatusProps, "state">) {
  return (
    <progress
      aria-label={doing}
      max={progress?.total ?? undefined}
      value={progress?.total === undefined ? undefined : Math.min(progress.done, progress.total)}
    />
  );
}

/** books.csv and birds.csv wait. */
function waitingText(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `${countText(more)} more`] : names;
  const list = new Intl.ListFormat("en", { type: "conjunction" }).format(shown);
  return `${list} ${names.length === 1 ? "waits" : "wait"}.`;
}

function stepText({ task, done, total }: NonNullable<JobState["progress"]>): string {
  const share = total ? ` (${percentText(Math.min(1, done / total))})` : "";
  return `${TASKS[task]}: ${countText(done)}${share}`;
}
