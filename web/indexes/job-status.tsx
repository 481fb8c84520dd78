import { Failure } from "../shell/states.tsx";
import { countText, percentText } from "../text/numbers.ts";
import type { JobState } from "./use-job.ts";

const STAGES = {
  reading: "reading documents",
  encoding: "encoding texts",
  slicing: "ordering words",
  densifying: "building rows",
  merging: "merging",
  verifying: "checking",
};

/** What a job does now, or how it ended. Screen readers hear the beginning and the end. */
export function JobStatus({ state: { doing, progress, done, error } }: { readonly state: JobState }) {
  return (
    <div class="job">
      <p role="status">{done ?? (doing && `${doing} …`)}</p>
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
      {error && <Failure error={error} />}
    </div>
  );
}

function stepText({ stage, done, total }: NonNullable<JobState["progress"]>): string {
  const share = total ? ` (${percentText(Math.min(1, done / total))})` : "";
  return `${STAGES[stage]}: ${countText(done)}${share}`;
}
