// A value while the user types or drags it. The box or slider shows it at once; the rest of the page follows a moment
// after the last change.

import { useEffect, useRef, useState } from "preact/hooks";

interface Draft<T> {
  readonly value: T;
  /** Applies after the pause. */
  set(value: T): void;
  /** Applies at once. */
  settle(): void;
}

export function useDraft<T>(settled: T, onSettle: (value: T) => void, pauseMs: number): Draft<T> {
  const [value, setValue] = useState(settled);
  const pending = useRef<{ readonly value: T; readonly timer: number } | undefined>(undefined);
  /** The value that this draft applied last. It comes back as `settled`, and must not overwrite newer typing. */
  const lastSettled = useRef(settled);
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
    lastSettled.current = current.value;
    latest.current(current.value);
  };
  // A value from elsewhere, such as the back button or a link, replaces the draft.
  useEffect(() => {
    if (Object.is(settled, lastSettled.current)) return;
    lastSettled.current = settled;
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
