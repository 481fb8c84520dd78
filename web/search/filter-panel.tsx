// The filters, built from the fields of the index, and the choice of the plan. On a small screen they are closed at first.

import { useEffect, useState } from "preact/hooks";
import type { FieldsAnswer } from "../../src/schemas/index.ts";
import { FIRST_HITS } from "../address/address.ts";
import { type FieldFilter, type Filters, withFilter } from "../address/filters.ts";
import { useAddress } from "../address/use-address.ts";
import { ChoiceFilter } from "./choice-filter.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { RangeFilter } from "./range-filter.tsx";

export type Field = FieldsAnswer["fields"][number];

const WIDE = "(min-width: 60rem)";

export function FilterPanel({ fields }: { readonly fields: readonly Field[] }) {
  const [{ filters, q }, go] = useAddress();
  const wide = useMedia(WIDE);
  const [open, setOpen] = useState(false);
  const set = (name: string, filter: FieldFilter) =>
    go({ filters: withFilter(filters, name, filter), k: FIRST_HITS, explain: undefined });
  const active = Object.keys(filters).length;
  return (
    <aside class="filters" aria-label="Filters">
      <details open={wide || open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Narrow down{active > 0 && ` (${active})`}</summary>
        {fields.filter(isFilterable).map((field) => (
          <FieldControl key={field.name} field={field} filters={filters} onChange={set} />
        ))}
        {active > 0 && (
          <button type="button" class="plain" onClick={() => go({ filters: {}, k: FIRST_HITS })}>
            Remove all filters
          </button>
        )}
        {q !== "" && <PlanChoice />}
      </details>
    </aside>
  );
}

/** A field with the same value in every document is useless as a filter. */
function isFilterable({ range, choices = [] }: Field): boolean {
  return choices.length > 1 || (range !== undefined && range.least < range.greatest);
}

interface ControlProps {
  readonly field: Field;
  readonly filters: Filters;
  readonly onChange: (name: string, filter: FieldFilter) => void;
}

function FieldControl({ field, filters, onChange }: ControlProps) {
  const { name, range, choices } = field;
  const filter = Object.hasOwn(filters, name) ? filters[name] : {};
  const change = (next: FieldFilter) => onChange(name, next);
  return (
    <>
      {choices && choices.length > 1 && (
        <ChoiceFilter name={name} choices={choices} filter={filter} onChange={change} />
      )}
      {range && range.least < range.greatest && (
        <RangeFilter name={name} range={range} filter={filter} onChange={change} />
      )}
    </>
  );
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const onChange = () => setMatches(media.matches);
    media.addEventListener("change", onChange);
    return () => media.removeEventListener("change", onChange);
  }, [query]);
  return matches;
}
