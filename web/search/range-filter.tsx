// A filter on a range of a field's numbers.

import type { ComponentChildren } from "preact";
import { type FieldFilter, isReversed } from "../address/filters.ts";
import { useDraft } from "../address/use-draft.ts";
import { countText, plainText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import type { DenseRange, Facet, Field } from "./field.ts";

/** Milliseconds between the last key and the search. */
const PAUSE_MS = 400;

interface RangeFilterProps {
  readonly name: string;
  /** What the counts are, if that is not plain. */
  readonly note: ComponentChildren;
  readonly range: NonNullable<Field["range"]>;
  /** Where most of the numbers are, if the others have bars of their own. */
  readonly denseRange: DenseRange | undefined;
  /** How many documents of the answer are in each part of the range. */
  readonly facet: Facet | undefined;
  readonly filter: FieldFilter;
  readonly onChange: (filter: FieldFilter) => void;
}

export function RangeFilter({
  name,
  note,
  range,
  denseRange = {},
  facet,
  filter,
  onChange,
}: RangeFilterProps) {
  return (
    <fieldset>
      <legend>
        <bdi>{visible(name)}</bdi>
      </legend>
      {note}
      {facet?.ranges && <Bars ranges={facet.ranges} denseRange={denseRange} />}
      <div class="range">
        <Bound
          label="from"
          hint={range.min}
          value={filter.gte}
          isWrong={isReversed(filter)}
          onChange={(gte) => onChange({ ...filter, gte })}
        />
        <Bound
          label="to"
          hint={range.max}
          value={filter.lte}
          isWrong={isReversed(filter)}
          onChange={(lte) => onChange({ ...filter, lte })}
        />
      </div>
      {isReversed(filter) && <p class="wrong">“from” is above “to”.</p>}
    </fieldset>
  );
}

interface BarsProps {
  readonly ranges: NonNullable<Facet["ranges"]>;
  readonly denseRange: DenseRange;
}

/** A bar for each part of the range. The numbers below say the same to those who do not see it. */
function Bars({ ranges, denseRange: { from, below } }: BarsProps) {
  const most = Math.max(...ranges.map(({ docs }) => docs), 1);
  const isBeyond = (i: number) =>
    (i === 0 && from !== undefined) || (i === ranges.length - 1 && below !== undefined);
  return (
    <div aria-hidden="true">
      <div class="bars">
        {ranges.map(({ gte, lt, docs }, i) => (
          <span
            key={gte ?? ""}
            class={isBeyond(i) ? "beyond" : undefined}
            title={`${rangeText(gte, lt)}: ${countText(docs)}`}
            style={{ height: `${(100 * docs) / most}%`, ...(docs > 0 && { minHeight: "2px" }) }}
          />
        ))}
      </div>
      {(from !== undefined || below !== undefined) && (
        <p class="ends">
          <span>{from !== undefined && rangeText(undefined, from)}</span>
          <span>{below !== undefined && rangeText(below, undefined)}</span>
        </p>
      )}
    </div>
  );
}

type End = string | number | undefined;

function rangeText(gte: End, lt: End): string {
  if (gte === undefined) return `below ${plainText(Number(lt))}`;
  return `from ${plainText(Number(gte))}${lt === undefined ? "" : ` to below ${plainText(Number(lt))}`}`;
}

interface BoundProps {
  readonly label: string;
  /** Shown while the field is empty. */
  readonly hint: number;
  readonly value: number | undefined;
  readonly isWrong: boolean;
  readonly onChange: (value: number | undefined) => void;
}

function Bound({ label, hint, value, isWrong, onChange }: BoundProps) {
  const draft = useDraft(
    value === undefined ? "" : String(value),
    (text) => onChange(text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)),
    PAUSE_MS,
  );
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        step="any"
        placeholder={plainText(hint)}
        aria-invalid={isWrong}
        value={draft.value}
        onInput={({ currentTarget }) => draft.set(currentTarget.value)}
        onBlur={draft.settle}
      />
    </label>
  );
}
