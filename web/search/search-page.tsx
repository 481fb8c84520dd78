// The search page: the search box, the results and the filters.

import { useEffect, useRef } from "preact/hooks";
import type { SearchRequest } from "../../src/schemas/index.ts";
import { type Address, FIRST_HITS, MOST_HITS, planOf } from "../address/address.ts";
import { requestOfFilters } from "../address/filters.ts";
import { useAddress } from "../address/use-address.ts";
import { listFields, search } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ExplainDialog } from "../explain/explain-dialog.tsx";
import { Failure } from "../shell/states.tsx";
import { FilterPanel } from "./filter-panel.tsx";
import { HitList } from "./hit-list.tsx";
import { SearchBox } from "./search-box.tsx";
import { Status } from "./status.tsx";
import { useSearchKeys } from "./use-search-keys.ts";
import { Welcome } from "./welcome.tsx";

interface Question {
  readonly index: string;
  readonly request: SearchRequest;
}

const ask = ({ index, request }: Question, signal: AbortSignal) => search(index, request, signal);

function questionOf(index: string, address: Address): Question | undefined {
  const { q, k, filters, lambda } = address;
  if (q.trim() === "") return undefined;
  const filter = requestOfFilters(filters);
  const plan = planOf(address);
  return {
    index,
    request: {
      query: q,
      k,
      highlight: true,
      ...(plan.kind !== "auto" && { plan }),
      ...(lambda !== undefined && { lambda }),
      ...(Object.keys(filter).length > 0 && { filter }),
    },
  };
}

export function SearchPage({ index }: { readonly index: string }) {
  const [address, go] = useAddress();
  const fields = useAnswer(index, listFields);
  const question = questionOf(index, address);
  const found = useAnswer(question, ask);
  const frame = useRef<HTMLDivElement>(null);
  useSearchKeys(frame);
  useEffect(() => {
    // On a device with a keyboard, focus the box so that the user can type.
    if (address.q === "" && matchMedia("(hover: hover)").matches) document.getElementById("query")?.focus();
  }, []);

  // Ignore the answer of another index.
  const answer = found.question?.index === index ? found.answer : undefined;
  const hasMore = answer !== undefined && answer.hits.length === found.question?.request.k;
  return (
    <div class="search" ref={frame}>
      <h1 class="for-ears">Search</h1>
      <SearchBox index={index} />
      <Status asked={found} question={question?.request} />
      <div class="columns">
        <section aria-label="Results" aria-busy={found.busy} class={found.busy ? "stale" : ""}>
          {found.error && <Failure error={found.error} />}
          {answer && <HitList hits={answer.hits} />}
          {hasMore && address.k < MOST_HITS && (
            <button
              type="button"
              class="more"
              onClick={() => go({ k: Math.min(MOST_HITS, address.k + FIRST_HITS) }, { replace: true })}
            >
              More results
            </button>
          )}
          {!question && <Welcome index={index} />}
        </section>
        <FilterPanel fields={fields.answer?.fields ?? []} />
      </div>
      {address.explain !== undefined && question && (
        <ExplainDialog index={index} id={address.explain} query={address.q} lambda={address.lambda} />
      )}
    </div>
  );
}
