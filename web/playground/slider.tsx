// A slider that shows its name and value.

import { useId } from "preact/hooks";
import { useDraft } from "../address/use-draft.ts";

/** Milliseconds between the last move and the change of the page. */
const PAUSE_MS = 60;

interface SliderProps {
  readonly label: string;
  readonly text: (value: number) => string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export function Slider({ label, text, min, max, step, value, onChange }: SliderProps) {
  const draft = useDraft(value, onChange, PAUSE_MS);
  const id = useId();
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <output for={id} class="number">
        {text(draft.value)}
      </output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={draft.value}
        aria-valuetext={text(draft.value)}
        onInput={({ currentTarget }) => draft.set(currentTarget.valueAsNumber)}
      />
    </div>
  );
}
