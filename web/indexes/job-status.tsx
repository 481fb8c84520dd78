// What a job does now, and how each of its tasks ended. Screen readers hear the beginnings and the ends.

import { Failure } from "../shell/states.tsx";
import { countText, percentText } from "../text/numbers.ts";
import type { JobState } from "./use-job.ts";

const TASKS = {
  reading: "reading documents",
  encoding: "encoding texts",
  slicing: "ordering words",
  densifying: "building rows",
  merging: "merging",
  verifying: "checking",
};

export function JobStatus({ state: { doing, progress, results } }: { readonly state: JobState }) {
  return (
    <div class="job">
      <div role="status">
        {results.map(({ about, done }, i) => done && <p key={`${i} ${about}`}>{done}</p>)}
        {doing && <p>{doing} …</p>}
      </div>
      {doing && (
        <>
          <progress
            aria-label={doing}
            max={progress?.total ?? undefined}
            value={progress?.total === undefined ? undefined : Math.min(progress.done, progress.total)}
          />
          {progress && <p class="quiet">{stepText(progress)}</p>}
        </>
      )}
      {results.map(
        ({ about, error }, i) => error && <Failure key={`${i} ${about}`} error={error} about={about} />,
      )}
    </div>
  );
}

function stepText({ task, done, total }: NonNullable<JobState["progress"]>): string {
  const share = total ? ` (${percentText(Math.min(1, done / total))})` : "";
  return `${TASKS[task]}: ${countText(done)}${share}`;
}
