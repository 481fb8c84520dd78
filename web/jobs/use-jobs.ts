// Work that takes a while, such as an upload: what it does now, what waits, and how it ended. Each index has a queue, so that its
// tasks run one after the other. The frame of the page owns the queues: going from view to view stops nothing.

import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { ProgressEvent } from "../../src/schemas/index.ts";
import type { UploadColumns } from "../api/calls.ts";
import type { ApiError } from "../api/client.ts";

/** A file, and what was said of its columns. */
interface Upload {
  readonly file: File;
  readonly columns: UploadColumns;
}

/** How one task ended. */
export interface JobResult {
  /** What the task was about, such as the name of a file. */
  readonly about: string;
  /** A sentence on what was done; empty where nothing needs to be said. */
  readonly done?: string;
  readonly error?: ApiError;
  /** What was to be added, if it was a file. */
  readonly upload?: Upload | undefined;
}

export interface JobState {
  /** What is being done, such as "Adding books.csv". */
  readonly doing?: string | undefined;
  readonly progress?: ProgressEvent | undefined;
  /** Whether what is being done can be stopped. */
  readonly mayStop?: boolean;
  /** What the tasks that wait are about, in their order. */
  readonly waiting: readonly string[];
  /** The tasks that ended since the queue was empty, in their order. */
  readonly results: readonly JobResult[];
}

type Report = (progress: ProgressEvent) => void;

export interface Task {
  readonly doing: string;
  readonly about: string;
  /** Whether it can be stopped halfway: then nothing was done. */
  readonly mayStop?: boolean;
  /** What it adds, if it is a file. */
  readonly upload?: Upload;
  /** Does the work, and returns a sentence on what it did. */
  work(report: Report, signal: AbortSignal): Promise<string>;
}

interface Jobs {
  /** Of each index that has or had work, by its name. */
  readonly states: ReadonlyMap<string, JobState>;
  /** Queues tasks of an index. One that fails does not stop the next. */
  run(index: string, ...tasks: readonly Task[]): void;
  /** Stops what an index does now, and forgets what waits. */
  stop(index: string): void;
  /** Queues a task in place of one that failed. How others ended stays. */
  redo(index: string, failed: JobResult, task: Task): void;
  /** Forgets how earlier tasks of an index ended. */
  forget(index: string): void;
}

/** The queue of an index that is created: no index has this name. */
export const NEW_INDEX = "";
const IDLE: JobState = { waiting: [], results: [] };

interface Queue {
  readonly controller: AbortController;
  readonly tasks: Task[];
}

const JobsContext = createContext<Jobs>({ states: new Map(), run() {}, redo() {}, stop() {}, forget() {} });
export const JobsProvider = JobsContext.Provider;
export const useAllJobs = () => useContext(JobsContext);

/** The work of one index. */
export function useJob(index: string) {
  const jobs = useAllJobs();
  return {
    state: jobs.states.get(index) ?? IDLE,
    run: (...tasks: readonly Task[]) => jobs.run(index, ...tasks),
    stop: () => jobs.stop(index),
    redo: (failed: JobResult, task: Task) => jobs.redo(index, failed, task),
    forget: () => jobs.forget(index),
  };
}

/** Owns the queues; used once per page. `onEnd` is called after each task. */
export function useJobs(onEnd: () => void): Jobs {
  const [states, setStates] = useState<ReadonlyMap<string, JobState>>(new Map());
  const queues = useRef(new Map<string, Queue>());
  const ended = useRef(onEnd);
  ended.current = onEnd;
  const show = (index: string, change: (last: JobState) => Partial<JobState>) =>
    setStates((last) => {
      const state = last.get(index) ?? IDLE;
      return new Map(last).set(index, { ...state, ...change(state) });
    });

  const work = async (index: string, queue: Queue) => {
    const { signal } = queue.controller;
    for (let task = queue.tasks.shift(); task; task = queue.tasks.shift()) {
      const { doing, about, mayStop = false, upload } = task;
      const waiting = queue.tasks.map((one) => one.about);
      show(index, () => ({ doing, mayStop, progress: undefined, waiting }));
      let result: JobResult;
      try {
        const done = await task.work((progress) => show(index, () => ({ progress })), signal);
        result = { about, done };
      } catch (error) {
        result = signal.aborted
          ? { about, done: `${about}: stopped.` }
          : { about, error: error as ApiError, upload };
      }
      show(index, ({ results }) => ({ results: [...results, result] }));
      ended.current();
    }
    queues.current.delete(index);
    show(index, () => ({ doing: undefined, progress: undefined, waiting: [] }));
  };

  const isBusy = [...states.values()].some(({ doing }) => doing !== undefined);
  useEffect(() => {
    if (!isBusy) return;
    // The browser asks whether to leave the page: that would stop the work.
    const ask = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isBusy]);

  const enqueue = (index: string, tasks: readonly Task[], isKept: (result: JobResult) => boolean) => {
    const running = queues.current.get(index);
    const queue: Queue = running ?? { controller: new AbortController(), tasks: [] };
    queue.tasks.push(...tasks);
    queues.current.set(index, queue);
    show(index, ({ results }) => ({ results: results.filter(isKept) }));
    if (running) show(index, () => ({ waiting: running.tasks.map(({ about }) => about) }));
    else void work(index, queue);
  };

  return {
    states,
    run(index, ...tasks) {
      const isRunning = queues.current.has(index);
      enqueue(index, tasks, () => isRunning);
    },
    redo: (index, failed, task) => enqueue(index, [task], (result) => result !== failed),
    stop(index) {
      const queue = queues.current.get(index);
      queue?.tasks.splice(0);
      queue?.controller.abort();
    },
    forget: (index) => show(index, () => ({ results: [] })),
  };
}
