// Work that takes a while: what it does now, and how it ended. One job runs at a time; leaving the page stops it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ProgressEvent } from "../../src/schemas/index.ts";
import type { ApiError } from "../api/client.ts";

/** How one task of a job ended. */
interface JobResult {
  /** What the task was about, such as the name of a file. */
  readonly about: string;
  /** A sentence on what was done; empty where nothing needs to be said. */
  readonly done?: string;
  readonly error?: ApiError;
}

export interface JobState {
  /** What is being done, such as "Adding books.csv". */
  readonly doing?: string;
  readonly progress?: ProgressEvent;
  /** The tasks that ended, in their order. */
  readonly results: readonly JobResult[];
}

type Report = (progress: ProgressEvent) => void;

interface Task {
  readonly doing: string;
  readonly about: string;
  /** Does the work, and returns a sentence on what it did. */
  work(report: Report, signal: AbortSignal): Promise<string>;
}

interface Job {
  readonly state: JobState;
  /** Does one task after the other. One that fails does not stop the next. */
  run(...tasks: readonly Task[]): Promise<void>;
  /** Forgets how earlier tasks ended. */
  forget(): void;
}

export function useJob(): Job {
  const [state, setState] = useState<JobState>({ results: [] });
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  return {
    state,
    forget: () => setState({ results: [] }),
    async run(...tasks) {
      const { signal } = controller.current;
      const results: JobResult[] = [];
      const show = (next: Omit<JobState, "results">) => {
        if (!signal.aborted) setState({ ...next, results: [...results] });
      };
      for (const { doing, about, work } of tasks) {
        if (signal.aborted) return;
        show({ doing });
        try {
          results.push({ about, done: await work((progress) => show({ doing, progress }), signal) });
        } catch (error) {
          results.push({ about, error: error as ApiError });
        }
      }
      show({});
    },
  };
}
