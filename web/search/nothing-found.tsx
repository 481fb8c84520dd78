// What to do if a query has no result: other words, or fewer filters.

import { FIRST_HITS } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { QueriesToTry, useExamples } from "./queries-to-try.tsx";

export function NothingFound({ index }: { readonly index: string }) {
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
      <p>Look for typos, or use fewer or more common words.</p>
      <QueriesToTry examples={examples} />
    </div>
  );
}
