// The search page: the search box, the results and the filters; before the first query, what is in the index.

import { useEffect, useRef } from "preact/hooks";
import type { IndexAnswer, SearchAnswer, SearchRequest } from "../../src/schemas/index.ts";
import { FIRST_HITS, MOST_HITS } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { describeIndex, listFields } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ResultSheet } from "../document/result-sheet.tsx";
import { Failure } from "../shell/states.tsx";
import { Suggestions } from "../suggest/suggestions.tsx";
import { addDenseRanges } from "./dense-range.ts";
import { type Field, groupFieldOf } from "./field.ts";
import { FilterPanel } from "./filter-panel.tsx";
import { HitList } from "./hit-list.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { SearchBox } from "./search-box.tsx";
import { askSearch, searchOf } from "./search-request.ts";
import { Status } from "./status.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useSearchKeys } from "./use-search-keys.ts";
import { Welcome } from "./welcome.tsx";

interface Described {
  readonly info: IndexAnswer;
  readonly fields: readonly Field[];
}

async function describe(index: string, signal: AbortSignal): Promise<Described> {
  const [info, { fields }] = await Promise.all([describeIndex(index, signal), listFields(index, signal)]);
  return { info, fields: await addDenseRanges(index, fields, signal) };
}

/** Whether there are more results. */
function mayHaveMore({ hits, total, groups }: SearchAnswer, request: SearchRequest | undefined): boolean {
  if (!request || hits.length !== request.k) return false;
  return hits.length < (groups ?? total ?? 0);
}

export function SearchPage({ index }: { readonly index: string }) {
  const [address, go] = useAddress();
  const { answer: described, request: describedIndex, error } = useAnswer(index, describe);
  // Nothing is asked before the index is known, so that a query is asked once.
  const current = describedIndex === index ? described : undefined;
  const fields = current?.fields ?? [];
  const completes = current?.info.hasWords === true;
  const isByMeaning =
    current !== undefined && current.info.semanticDims > 0 && current.info.encoder !== undefined;
  const wantedSearch = current && searchOf({ name: index, fields, completes, isByMeaning }, address);
  const search = useAnswer(wantedSearch, askSearch);
  const noun = groupFieldOf(fields) === undefined ? "document" : "passage";
  const frame = useRef<HTMLDivElement>(null);
  useSearchKeys(frame);
  useEffect(() => {
    // On a device with a keyboard, focus the box so that the user can type.
    if (address.query === "" && matchMedia("(hover: hover)").matches)
      document.getElementById("query")?.focus();
  }, []);

  // Ignore the answer of another index.
  const answer = search.request?.index === index ? search.answer : undefined;
  const isCurrent =
    search.request?.request.query === address.query &&
    search.request.request.typos === wantedSearch?.request.typos;
  const isEmpty = answer !== undefined && answer.hits.length === 0;
  // Counts of nothing help nobody. With a filter, its choices do: they can be taken back.
  const isBare = isEmpty && Object.keys(address.filters).length === 0;
  const hasMore = answer !== undefined && mayHaveMore(answer, search.request?.request);
  return (
    <div class="search" ref={frame}>
      <h1 class="for-ears">Search</h1>
      <SearchBox index={index} />
      {completes && <Suggestions index={index} text={address.query} found={isCurrent ? answer : undefined} />}
      {error && <Failure error={error} />}
      {current && (address.query.trim() === "" || current.info.docs === 0) ? (
        <Welcome info={current.info} fields={fields} />
      ) : (
        <>
          <div class="above">
            <Status search={search} request={wantedSearch?.request} noun={noun} />
            {!isBare && <Toolbar fields={fields} isByMeaning={isByMeaning} />}
          </div>
          <div class="columns">
            <section aria-label="Results" aria-busy={search.isBusy} class={search.isBusy ? "stale" : ""}>
              {search.error && <Failure error={search.error} />}
              {answer && <HitList hits={answer.hits} />}
              {isEmpty && !search.isBusy && <NothingFound index={index} hasWords={answer.terms.length > 0} />}
              {hasMore && address.k >= MOST_HITS && (
                <p class="quiet">
                  The first {MOST_HITS} are shown. Other words or a filter find those that are not.
                </p>
              )}
              {hasMore && address.k < MOST_HITS && (
                <button
                  type="button"
                  class="more"
                  onClick={() => go({ k: Math.min(MOST_HITS, address.k + FIRST_HITS) }, { replaces: true })}
                >
                  More results
                </button>
              )}
            </section>
            {!isBare && <FilterPanel fields={fields} noun={noun} answer={answer} />}
          </div>
        </>
      )}
      {current && <ResultSheet index={index} completes={completes} />}
    </div>
  );
}
