// What a job does now, what waits, and how each of its tasks ended. Screen readers hear the beginnings and the ends.

import type { ComponentChildren } from "preact";
import { Failure } from "../shell/states.tsx";
import { countText, percentText } from "../text/numbers.ts";
import type { JobResult, JobState } from "./use-jobs.ts";

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
  /** What can be done here about a task that failed. */
  readonly mend?: (result: JobResult) => ComponentChildren;
}

export function JobStatus({ state, onStop, mend }: JobStatusProps) {
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
      {results.map((result, i) => {
        const { about, error } = result;
        if (!error) return null;
        const choices = mend?.(result);
        return (
          <div key={`${i} ${about}`}>
            <Failure error={error} about={about} hasChoices={Boolean(choices)} />
            {choices}
          </div>
        );
      })}
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
