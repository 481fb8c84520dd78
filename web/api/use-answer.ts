// A request that changes → its newest answer. A new request aborts the older one, so answers never arrive out of order. The
// last answer stays on the page until the next one arrives.

import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "./client.ts";

export interface Asked<Question, Answer> {
  /** The newest answer, and the request it belongs to. */
  readonly answer?: Answer;
  readonly question?: Question;
  /** The error of the newest request. */
  readonly error?: ApiError;
  /** Whether a request is running. */
  readonly busy: boolean;
}

/** Sends a request when its content changes; undefined sends none. A new value of `round` repeats the same request. */
export function useAnswer<Question, Answer>(
  question: Question | undefined,
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
  round = 0,
): Asked<Question, Answer> {
  const [asked, setAsked] = useState<Asked<Question, Answer>>({ busy: question !== undefined });
  const key = question === undefined ? undefined : JSON.stringify(question);
  // The key stands for the content of the request; `ask` never changes.
  useEffect(() => {
    if (question === undefined) {
      setAsked({ busy: false });
      return;
    }
    const controller = new AbortController();
    setAsked(({ answer, question: of }) => ({ answer, question: of, busy: true }));
    ask(question, controller.signal).then(
      (answer) => {
        if (!controller.signal.aborted) setAsked({ answer, question, busy: false });
      },
      (error) => {
        if (!controller.signal.aborted) setAsked({ error, busy: false });
      },
    );
    return () => controller.abort();
  }, [key, round]);
  return asked;
}
