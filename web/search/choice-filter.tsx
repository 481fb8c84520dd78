// A filter on some values of a field, the most frequent first.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type FieldFilter, toggled } from "../address/filters.ts";
import { countText } from "../text/numbers.ts";
import { valueText } from "../text/value-text.ts";
import { type Facet, type Field, fieldLabel } from "./field.ts";
import { sharedFolder } from "./shared-folder.ts";

/** Choices shown at first; a button shows the rest. */
const FIRST_CHOICES = 6;
/** More choices than this get a box to find one. */
const LONG_LIST = 10;

interface ChoiceFilterProps {
  readonly name: string;
  /** What the counts are, if that is not plain. */
  readonly note: ComponentChildren;
  readonly choices: NonNullable<Field["choices"]>;
  /** How many documents of the answer have each value; undefined while that is not known. */
  readonly facet: Facet | undefined;
  readonly filter: FieldFilter;
  readonly onChange: (filter: FieldFilter) => void;
}

export function ChoiceFilter({ name, note, choices, facet, filter, onChange }: ChoiceFilterProps) {
  const [all, setAll] = useState(false);
  const [wanted, setWanted] = useState("");
  const chosen = filter.in ?? [];
  const counted = countedChoices(choices, facet);
  const named = counted.filter(({ value }) => holds(valueText(value), wanted));
  const isShort = !all && wanted.trim() === "";
  const shown = isShort ? named.filter(({ value }, i) => i < FIRST_CHOICES || chosen.includes(value)) : named;
  const label = fieldLabel(name);
  const folder = sharedFolder(choices.map(({ value }) => value));
  return (
    <fieldset>
      <legend>
        <bdi>{label}</bdi>
      </legend>
      {note}
      {choices.length > LONG_LIST && (
        <input
          class="find-choice"
          type="search"
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          aria-label={`Find a value of ${label}`}
          placeholder={`Find one of ${counted.length}`}
          value={wanted}
          onInput={({ currentTarget: { value } }) => setWanted(value)}
        />
      )}
      {shown.map(({ value, docs }) => (
        <label key={String(value)} class={docs === 0 ? "choice none" : "choice"}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onChange(toggled(filter, value))}
          />
          <ChoiceName name={valueText(value)} folder={folder} />
          <span class="quiet">{countText(docs)}</span>
        </label>
      ))}
      {isShort && named.length > shown.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          {named.length - shown.length} more
        </button>
      )}
      {named.length === 0 && <p class="quiet">No value has this.</p>}
    </fieldset>
  );
}

/** The name of a choice, without the folder that all of them are in. Who points at it, or hears it, gets all of it. */
function ChoiceName({ name, folder }: { readonly name: string; readonly folder: string }) {
  if (folder === "") return <bdi title={name}>{name}</bdi>;
  return (
    <>
      <span class="for-ears">{name}</span>
      <bdi title={name} aria-hidden="true">
        …/{name.slice(folder.length)}
      </bdi>
    </>
  );
}

const holds = (name: string, wanted: string) => name.toLowerCase().includes(wanted.trim().toLowerCase());

function countedChoices(choices: ChoiceFilterProps["choices"], facet: Facet | undefined) {
  if (!facet?.values) return choices;
  const counts = new Map(facet.values.map(({ value, docs }) => [value, docs]));
  return choices
    .map(({ value }) => ({ value, docs: counts.get(value) ?? 0 }))
    .sort((one, other) => other.docs - one.docs);
}
