// The box for the query.

import { useRef } from "preact/hooks";
import { asking } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { useDraft } from "../address/use-draft.ts";

/** Milliseconds between the last key and the search. */
const PAUSE_MS = 120;
/** After a pause this long (milliseconds), typing starts a new query: the back button leads to the one before. */
const SETTLED_MS = 2000;

export function SearchBox({ index }: { readonly index: string }) {
  const [{ query }, go] = useAddress();
  const changedAt = useRef(0);
  const draft = useDraft(
    query,
    (next) => {
      const replaces = performance.now() - changedAt.current < SETTLED_MS && query !== "" && next !== "";
      changedAt.current = performance.now();
      go(asking(next), { replaces });
    },
    PAUSE_MS,
  );
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          draft.settle();
        }}
      >
        <label class="for-ears" for="query">
          Search {index}
        </label>
        <input
          id="query"
          type="search"
          enterkeyhint="search"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          dir="auto"
          placeholder={`Search ${index}`}
          aria-keyshortcuts="/"
          value={draft.value}
          onInput={({ currentTarget }) => draft.set(currentTarget.value)}
        />
        <span class="shortcut" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
