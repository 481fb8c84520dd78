import { useState } from "preact/hooks";
import { type FieldFilter, toggled } from "../address/filters.ts";
import { countText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import type { Field } from "./filter-panel.tsx";

/** Choices shown at first; a button shows the rest. */
const FIRST_CHOICES = 6;

interface ChoiceFilterProps {
  readonly name: string;
  readonly choices: NonNullable<Field["choices"]>;
  readonly filter: FieldFilter;
  readonly onChange: (filter: FieldFilter) => void;
}

/** A filter on some values of a field. */
export function ChoiceFilter({ name, choices, filter, onChange }: ChoiceFilterProps) {
  const [all, setAll] = useState(false);
  const chosen = filter.in ?? [];
  const shown = all ? choices : choices.filter(({ value }, i) => i < FIRST_CHOICES || chosen.includes(value));
  return (
    <fieldset>
      <legend>
        <bdi>{visible(name)}</bdi>
      </legend>
      {shown.map(({ value, docs }) => (
        <label key={String(value)} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onChange(toggled(filter, value))}
          />
          <bdi>{visible(String(value)) || "(empty)"}</bdi>
          <span class="quiet">{countText(docs)}</span>
        </label>
      ))}
      {choices.length > shown.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          {choices.length - shown.length} more
        </button>
      )}
    </fieldset>
  );
}
