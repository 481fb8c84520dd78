// A question that changes → its newest answer. An older question is aborted when a newer one is asked, so that answers
// never come out of order; what was answered last stays on the page until the next answer is there.

import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "./client.ts";

export interface Asked<Question, Answer> {
  /** The newest answer, and what it answers. */
  readonly answer?: Answer;
  readonly question?: Question;
  /** What went wrong with the newest question. */
  readonly error?: ApiError;
  /** Whether an answer is waited for. */
  readonly busy: boolean;
}

/** Questions are told apart by what they hold; undefined asks nothing. `round` asks the same again when it changes. */
export function useAnswer<Question, Answer>(
  question: Question | undefined,
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
  round = 0,
): Asked<Question, Answer> {
  const [asked, setAsked] = useState<Asked<Question, Answer>>({ busy: question !== undefined });
  const key = question === undefined ? undefined : JSON.stringify(question);
  // The key stands for the question; `ask` is always the same.
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
