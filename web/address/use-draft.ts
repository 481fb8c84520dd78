// What is being typed or dragged, before it counts: the box and the slider follow at once, the rest of the page a moment
// after the last change.

import { useEffect, useRef, useState } from "preact/hooks";

export interface Draft<T> {
  readonly value: T;
  /** Counts after the pause. */
  set(value: T): void;
  /** Counts now. */
  settle(): void;
}

export function useDraft<T>(settled: T, onSettle: (value: T) => void, pauseMs: number): Draft<T> {
  const [value, setValue] = useState(settled);
  const pending = useRef<{ readonly value: T; readonly timer: number } | undefined>(undefined);
  /** What this draft settled on last: it comes back as `settled`, and must not undo what was typed meanwhile. */
  const own = useRef(settled);
  const latest = useRef(onSettle);
  latest.current = onSettle;
  const forget = () => {
    clearTimeout(pending.current?.timer);
    pending.current = undefined;
  };
  const settle = () => {
    const { current } = pending;
    forget();
    if (!current) return;
    own.current = current.value;
    latest.current(current.value);
  };
  // The back button, a link: what was settled elsewhere goes before what is being typed.
  useEffect(() => {
    if (Object.is(settled, own.current)) return;
    own.current = settled;
    forget();
    setValue(settled);
  }, [settled]);
  useEffect(() => forget, []);
  return {
    value,
    set(next) {
      setValue(next);
      forget();
      pending.current = { value: next, timer: window.setTimeout(settle, pauseMs) };
    },
    settle,
  };
}
