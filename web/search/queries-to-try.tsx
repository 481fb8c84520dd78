// Queries that find something: on the start page, and where a query found nothing.

import { asking } from "../address/address.ts";
import { describeIndex } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { visible } from "../text/visible.ts";
import { chosenExamples, type Example, queriesOf } from "./examples.ts";
import { listSomeDocuments } from "./some-documents.ts";

/** Examples of an index; none if its documents cannot be found by words. */
async function findExamples(index: string, signal: AbortSignal): Promise<Example[]> {
  const info = await describeIndex(index, signal);
  return info.docs > 0 && info.hasWords ? chosenExamples(await listSomeDocuments(index, signal)) : [];
}

export function useExamples(index: string): readonly Example[] {
  return useAnswer(index, findExamples).answer ?? [];
}

export function QueriesToTry({ examples }: { readonly examples: readonly Example[] }) {
  const queries = queriesOf(examples);
  if (queries.length === 0) return null;
  return (
    <p class="suggestions">
      <span class="quiet">Try</span>
      {queries.map((query) => (
        <Link key={query} change={asking(query)}>
          <bdi>{visible(query)}</bdi>
        </Link>
      ))}
    </p>
  );
}
