// Work that goes on while another view is shown: a line for each index below the header, and what ended meanwhile.

import { useRef } from "preact/hooks";
import { Link } from "../shell/link.tsx";
import { counted } from "../text/numbers.ts";
import { JobBar } from "./job-status.tsx";
import { type JobResult, type JobState, useAllJobs } from "./use-jobs.ts";

export function JobsElsewhere() {
  const { states } = useAllJobs();
  const known = useRef<ReadonlySet<JobResult>>(undefined);
  known.current ??= new Set([...states.values()].flatMap(({ results }) => results));
  const ended = [...states.values()]
    .flatMap(({ results }) => results)
    .filter((result) => !known.current!.has(result) && (result.error || result.done));
  const busy = [...states].filter(([, { doing }]) => doing !== undefined);
  const failures = ended.filter(({ error }) => error !== undefined);
  return (
    <div class="jobs-elsewhere">
      {busy.map(([index, state]) => (
        <p key={index}>
          <Link change={{ view: "indexes" }}>
            {isNamed(state, index) ? state.doing : `${state.doing} to ${index}`}
          </Link>{" "}
          <JobBar state={state} />
          {state.waiting.length > 0 && (
            <span class="quiet"> {counted(state.waiting.length, "file")} more</span>
          )}
        </p>
      ))}
      <p role="status">
        {busy.length === 0 && ended.length > 0 && (
          <>
            {failures.length > 0 ? `${failures[0].about} failed.` : ended.at(-1)!.done}{" "}
            <Link change={{ view: "indexes" }}>Indexes</Link>
          </>
        )}
      </p>
    </div>
  );
}

const isNamed = ({ doing = "" }: JobState, index: string): boolean => doing.endsWith(index);
