// The top of the page: links to the views, the index that is searched, and the key.

import type { IndexesAnswer } from "../../src/schemas/index.ts";
import type { View } from "../../src/server/page/page-address.ts";
import { CLOSED, NO_QUERY } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { countText } from "../text/numbers.ts";
import { Link } from "./link.tsx";

const WAYS: readonly (readonly [View, string])[] = [
  ["search", "Search"],
  ["playground", "Playground"],
  ["indexes", "Indexes"],
  ["reports", "Reports"],
  ["docs", "API"],
];

interface HeaderProps {
  readonly indexes: IndexesAnswer["indexes"];
  readonly index: string | undefined;
  readonly hasReports: boolean;
  /** Opens the form for the key; undefined on a server without keys. */
  readonly onKey: (() => void) | undefined;
}

export function Header({ indexes, index, hasReports, onKey }: HeaderProps) {
  const [address, go] = useAddress();
  return (
    <header class="top">
      <Link class="name" change={{ ...NO_QUERY, ...CLOSED, view: "search", report: undefined }}>
        Sluice
      </Link>
      <nav aria-label="Views">
        {WAYS.filter(([view]) => view !== "reports" || hasReports || address.view === view).map(
          ([view, label]) => (
            <Link
              key={view}
              change={{ ...CLOSED, view, report: undefined }}
              aria-current={address.view === view ? "page" : undefined}
            >
              {label}
            </Link>
          ),
        )}
      </nav>
      {indexes.length > 1 && (address.view === "search" || address.view === "playground") && (
        <label class="index-choice">
          <span>Index</span>
          <select
            value={index}
            onChange={({ currentTarget }) =>
              go({
                ...CLOSED,
                index: currentTarget.value,
                filters: {},
                sort: undefined,
                group: undefined,
                beside: undefined,
              })
            }
          >
            {indexes.map(({ name, docs }) => (
              <option key={name} value={name}>
                {name} ({countText(docs)})
              </option>
            ))}
          </select>
        </label>
      )}
      {onKey && (
        <button type="button" class="plain change-key" onClick={onKey}>
          Key
        </button>
      )}
    </header>
  );
}
