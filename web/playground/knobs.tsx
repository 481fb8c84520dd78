// What the playground lets you change: how the first stage chooses words, how many candidates it finds, and λ.

import type { ExplainQueryAnswer } from "../../src/schemas/index.ts";
import type { Address } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { describeIndex, listIndexes } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText, percentText, plainText } from "../text/numbers.ts";
import { boundsOf, CANDIDATES, firstValueOf, heaviestOf, type Knob, type Settings } from "./settings.ts";
import { Slider } from "./slider.tsx";

interface KnobsProps {
  readonly index: string;
  readonly settings: Settings;
  /** The whole query. */
  readonly weights: ExplainQueryAnswer;
}

export function Knobs({ index, settings, weights }: KnobsProps) {
  const [, go] = useAddress();
  const { knob, value, candidates } = settings;
  const { terms, lambda } = weights;
  const turn = (change: Partial<Address>) => go(change, { replaces: true });
  const turnTo = (next: Knob, to: number) =>
    turn({ theta: undefined, mass: undefined, exact: undefined, [next]: to });
  const place = CANDIDATES.findIndex((count) => count >= candidates);
  const { answer: info } = useAnswer(index, describeIndex);
  return (
    <section class="knobs" aria-label="Knobs">
      <fieldset class="switch">
        <legend>First look at</legend>
        {(["theta", "mass"] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="knob"
              checked={knob === one}
              onChange={() => turnTo(one, firstValueOf(one, terms))}
            />
            <span>{one === "theta" ? "weights above θ" : "a share of the weight"}</span>
          </label>
        ))}
      </fieldset>
      <Slider
        label={knob === "theta" ? "Threshold θ" : "Share of the weight"}
        text={knob === "theta" ? plainText : percentText}
        {...boundsOf(knob, heaviestOf(terms))}
        value={value}
        onChange={(next) => turnTo(knob, next)}
      />
      <Slider
        label="Candidates"
        text={(at) => countText(CANDIDATES[at])}
        min={0}
        max={CANDIDATES.length - 1}
        step={1}
        value={place === -1 ? CANDIDATES.length - 1 : place}
        onChange={(at) => turn({ candidates: CANDIDATES[at] })}
      />
      {info?.encoder && info.semanticDims > 0 && (
        <Slider
          label="Weight of meaning λ"
          text={plainText}
          min={0}
          max={Math.max(1, 2 * info.lambda)}
          step={Math.max(1, 2 * info.lambda) / 40}
          value={lambda}
          onChange={(next) => turn({ lambda: next })}
        />
      )}
      <DimsChoice index={index} />
    </section>
  );
}

/** All indexes of the server, with their dimensions. */
async function describeAll(_: "all", signal: AbortSignal) {
  const { indexes } = await listIndexes(signal);
  return Promise.all(indexes.map(({ name }) => describeIndex(name, signal)));
}

/** Indexes with the same number of documents and other dimensions are assumed to hold the same documents. */
function DimsChoice({ index }: { readonly index: string }) {
  const [{ beside = index }, go] = useAddress();
  const { answer: all = [] } = useAnswer("all" as const, describeAll);
  const current = all.find(({ name }) => name === index);
  const family = all
    .filter(({ docs }) => docs === current?.docs)
    .sort((a, b) => b.slicingSettings.dims - a.slicingSettings.dims);
  if (new Set(family.map(({ slicingSettings }) => slicingSettings.dims)).size < 2) return null;
  return (
    <label class="dims">
      <span>Dimensions</span>
      <select
        value={beside}
        onChange={({ currentTarget: { value } }) =>
          go({ beside: value === index ? undefined : value }, { replaces: true })
        }
      >
        {family.map(({ name, slicingSettings: slicing }) => (
          <option key={name} value={name}>
            {countText(slicing.dims)} ({name})
          </option>
        ))}
      </select>
    </label>
  );
}
