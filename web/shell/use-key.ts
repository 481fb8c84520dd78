// When a key is asked for, and what happens after it was entered. Requests that need a key wait for it, and are sent again.

import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, onKeyNeeded, setKey } from "../api/client.ts";

interface KeyPrompt {
  /** Undefined if the user asked to change the key. */
  readonly error?: ApiError;
}

interface KeyState {
  /** The form to show now, if any. */
  readonly prompt: KeyPrompt | undefined;
  /** Whether the server has asked for a key. */
  readonly wasAsked: boolean;
  /** Counts the keys that were entered for requests that wait. The page keeps what it shows. */
  readonly entered: number;
  /** Counts the keys that the user changed or forgot. The page starts again. */
  readonly session: number;
  change(): void;
  enter(key: string): void;
  cancel(): void;
  forget(): void;
}

export function useKey(): KeyState {
  const [prompt, setPrompt] = useState<KeyPrompt>();
  const [wasAsked, setAsked] = useState(false);
  const [entered, setEntered] = useState(0);
  const [session, setSession] = useState(0);
  /** Set when the user goes on without a key, so that the page does not ask again and again. */
  const isDeclined = useRef(false);
  const waiting = useRef<((isEntered: boolean) => void)[]>([]);
  useEffect(
    () =>
      onKeyNeeded((error) => {
        if (error.status === 401 && isDeclined.current) return Promise.resolve(false);
        setPrompt({ error });
        setAsked(true);
        return new Promise((resolve) => waiting.current.push(resolve));
      }),
    [],
  );
  const close = (isEntered: boolean) => {
    isDeclined.current = !isEntered && prompt?.error?.status === 401;
    setPrompt(undefined);
    for (const resolve of waiting.current.splice(0)) resolve(isEntered);
  };
  return {
    prompt,
    wasAsked,
    entered,
    session,
    change: () => setPrompt({}),
    enter(key) {
      setKey(key);
      if (prompt?.error) setEntered((last) => last + 1);
      else setSession((last) => last + 1);
      close(true);
    },
    cancel: () => close(false),
    forget() {
      setKey(undefined);
      close(false);
      setSession((last) => last + 1);
    },
  };
}
