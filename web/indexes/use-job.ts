// Work that takes a while: what it does now, and how it ended. One job runs at a time; leaving the page stops it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ProgressEvent } from "../../src/schemas/index.ts";
import type { ApiError } from "../api/client.ts";

export interface JobState {
  /** What is being done, such as "Adding books.csv". */
  readonly doing?: string;
  readonly progress?: ProgressEvent;
  /** What was done. */
  readonly done?: string;
  readonly error?: ApiError;
}

interface Job {
  readonly state: JobState;
  /** Does the work, which returns a sentence on what it did. */
  run(doing: string, work: (report: Report, signal: AbortSignal) => Promise<string>): Promise<void>;
}

type Report = (progress: ProgressEvent) => void;

export function useJob(): Job {
  const [state, setState] = useState<JobState>({});
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  return {
    state,
    async run(doing, work) {
      const { signal } = controller.current;
      const show = (next: JobState) => {
        if (!signal.aborted) setState(next);
      };
      show({ doing });
      try {
        show({ done: await work((progress) => show({ doing, progress }), signal) });
      } catch (error) {
        show({ error: error as ApiError });
      }
    },
  };
}
