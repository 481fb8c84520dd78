// The filters, built from the fields of the index, with counts that follow the query. On a small screen they are closed at first.

import { useEffect, useState } from "preact/hooks";
import { FIRST_HITS } from "../address/address.ts";
import { type FieldFilter, type Filters, withFilter } from "../address/filters.ts";
import { useAddress } from "../address/use-address.ts";
import { counted } from "../text/numbers.ts";
import { ChoiceFilter } from "./choice-filter.tsx";
import { type Facet, type Field, isFilterable } from "./field.ts";
import { RangeFilter } from "./range-filter.tsx";
import type { CountedAnswer } from "./search-request.ts";
import type { CountedNoun } from "./status-text.ts";

const WIDE = "(min-width: 60rem)";

interface FilterPanelProps {
  readonly fields: readonly Field[];
  /** What the counts are counts of. */
  readonly noun: CountedNoun;
  readonly answer: CountedAnswer | undefined;
}

export function FilterPanel({ fields, noun, answer }: FilterPanelProps) {
  const [{ filters }, go] = useAddress();
  const isWide = useMedia(WIDE);
  const [open, setOpen] = useState(false);
  const set = (name: string, filter: FieldFilter) =>
    go({ filters: withFilter(filters, name, filter), k: FIRST_HITS });
  const active = Object.keys(filters).length;
  const shown = fields.filter(isFilterable);
  if (shown.length === 0) return null;
  const isOpen = ({ field }: Facet) => !Object.hasOwn(filters, field);
  const countedBest = answer?.facets.find((facet) => isOpen(facet) && facet.countedBest)?.countedBest;
  return (
    <aside class="filters" aria-label="Filters">
      <details open={isWide || open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Narrow down{active > 0 && ` (${active})`}</summary>
        {countedBest !== undefined ? (
          <p class="quiet counted">Counted among the best {counted(countedBest, nounOf(noun))}.</p>
        ) : (
          noun === "passage" && <p class="quiet counted">Passages are counted.</p>
        )}
        {shown.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            facet={answer?.facets?.find((facet) => facet.field === field.name)}
            filters={filters}
            noun={noun}
            onChange={set}
          />
        ))}
        {active > 0 && (
          <button type="button" class="plain" onClick={() => go({ filters: {}, k: FIRST_HITS })}>
            Remove all filters
          </button>
        )}
      </details>
    </aside>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly facet: Facet | undefined;
  readonly filters: Filters;
  readonly noun: CountedNoun;
  readonly onChange: (name: string, filter: FieldFilter) => void;
}

function FieldControl({ field, facet, filters, noun, onChange }: ControlProps) {
  const { name, range, choices, denseRange } = field;
  const filter = Object.hasOwn(filters, name) ? filters[name] : {};
  const change = (next: FieldFilter) => onChange(name, next);
  // A filtered field is counted among other results than the rest, so that its choices can be widened.
  const note = Object.hasOwn(filters, name) && facet?.countedBest !== undefined && (
    <p class="quiet counted">
      Counted among the best {counted(facet.countedBest, nounOf(noun))} without this filter.
    </p>
  );
  return (
    <>
      {choices && choices.length > 1 && (
        <ChoiceFilter
          name={name}
          note={note}
          choices={choices}
          facet={facet}
          filter={filter}
          onChange={change}
        />
      )}
      {range && range.min < range.max && (
        <RangeFilter
          name={name}
          note={note}
          range={range}
          denseRange={denseRange}
          facet={facet}
          filter={filter}
          onChange={change}
        />
      )}
    </>
  );
}

const nounOf = (noun: CountedNoun) => (noun === "document" ? "result" : noun);

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
