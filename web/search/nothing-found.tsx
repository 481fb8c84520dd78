// What to do if a query has no result: other words, or fewer filters.

import { FIRST_HITS } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { QueriesToTry, useExamples } from "./queries-to-try.tsx";

interface NothingFoundProps {
  readonly index: string;
  /** Whether the query has words that are searched: very common ones are not. */
  readonly hasWords: boolean;
}

export function NothingFound({ index, hasWords }: NothingFoundProps) {
  const [{ filters }, go] = useAddress();
  const examples = useExamples(index);
  if (Object.keys(filters).length > 0)
    return (
      <button type="button" class="more" onClick={() => go({ filters: {}, k: FIRST_HITS })}>
        Search without filters
      </button>
    );
  return (
    <div class="nothing">
      <p>
        {hasWords
          ? "Look for typos, or use fewer or more common words."
          : "The words of this query are so common that they are ignored. Add others."}
      </p>
      <QueriesToTry examples={examples} />
    </div>
  );
}
