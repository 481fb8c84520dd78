// What is open above a list of results: a document, or the reasons of its score.

import { askedQuery } from "../address/asked-query.ts";
import { useAddress } from "../address/use-address.ts";
import { Explanation } from "../explain/explanation.tsx";
import { Sheet } from "../shell/sheet.tsx";
import { DocumentView } from "./document-view.tsx";

interface ResultSheetProps {
  readonly index: string;
  /** Whether the search completed and corrected words. */
  readonly completes: boolean;
  readonly lambda?: number | undefined;
}

export function ResultSheet({ index, completes, lambda }: ResultSheetProps) {
  const [address, go] = useAddress();
  const { query, document, explain } = address;
  const asked = { ...askedQuery(address, { completes, lambda }), highlight: true };
  const search = query.trim() === "" ? undefined : asked;
  if (explain !== undefined && search) {
    return (
      <Sheet
        label="Why this result"
        about={`why ${explain}`}
        onClose={() => go({ explain: undefined }, { undoes: true })}
      >
        <Explanation index={index} request={{ ...search, id: explain }} />
      </Sheet>
    );
  }
  if (document === undefined) return null;
  return (
    <Sheet label="Document" about={document} onClose={() => go({ document: undefined }, { undoes: true })}>
      <DocumentView index={index} id={document} search={search} />
    </Sheet>
  );
}
