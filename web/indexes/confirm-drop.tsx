// Asks before an index is deleted. The focus goes to the button that does no harm.

import { useEffect, useRef } from "preact/hooks";
import { type IndexSize, sizeText } from "../text/index-size.ts";
import { counted } from "../text/numbers.ts";

interface ConfirmDropProps {
  readonly name: string;
  readonly docs: number;
  /** Undefined while it is not known. */
  readonly size: IndexSize | undefined;
  readonly onDrop: () => void;
  readonly onKeep: () => void;
}

export function ConfirmDrop({ name, docs, size, onDrop, onKeep }: ConfirmDropProps) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") onKeep();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [onKeep]);
  const whole =
    docs === 0
      ? ""
      : docs === 1
        ? " with its document"
        : ` with all ${size ? sizeText(size) : counted(docs, "document")}`;
  return (
    <div class="confirm" role="alertdialog" aria-label={`Delete ${name}?`}>
      <p>
        Delete {name}
        {whole}? Only a backup can bring it back.
      </p>
      <p class="doors">
        <button type="button" class="danger" onClick={onDrop}>
          Delete it
        </button>
        <button type="button" ref={keep} onClick={onKeep}>
          Keep it
        </button>
      </p>
    </div>
  );
}
