// A request that changes → its newest answer. A new request aborts the older one, so answers never arrive out of order. The
// last answer stays on the page until the next one arrives.

import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "./client.ts";

export interface RequestState<Request, Answer> {
  /** The newest answer, and the request it belongs to. */
  readonly answer?: Answer;
  readonly request?: Request;
  /** The error of the newest request. */
  readonly error?: ApiError;
  /** Whether a request is running. */
  readonly isBusy: boolean;
}

/** Sends a request when its content changes; undefined sends none. A new value of `round` repeats the same request. */
export function useAnswer<Request, Answer>(
  request: Request | undefined,
  ask: (request: Request, signal: AbortSignal) => Promise<Answer>,
  round = 0,
): RequestState<Request, Answer> {
  const [state, setState] = useState<RequestState<Request, Answer>>({ isBusy: request !== undefined });
  const key = request === undefined ? undefined : JSON.stringify(request);
  // The key stands for the content of the request; `ask` never changes.
  useEffect(() => {
    if (request === undefined) {
      setState({ isBusy: false });
      return;
    }
    const controller = new AbortController();
    setState(({ answer, request: answered }) => ({ answer, request: answered, isBusy: true }));
    ask(request, controller.signal).then(
      (answer) => {
        if (!controller.signal.aborted) setState({ answer, request, isBusy: false });
      },
      (error) => {
        if (!controller.signal.aborted) setState({ error, isBusy: false });
      },
    );
    return () => controller.abort();
  }, [key, round]);
  return state;
}
