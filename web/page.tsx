// The frame of every view: the header with the views and the index, and the content below.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Address } from "./address/address.ts";
import { AddressContext, useAddressBar } from "./address/use-address.ts";
import { listIndexes } from "./api/calls.ts";
import { type ApiError, onKeyNeeded, setKey } from "./api/client.ts";
import { useAnswer } from "./api/use-answer.ts";
import { DocsPage } from "./docs/docs-page.tsx";
import { IndexesPage } from "./indexes/indexes-page.tsx";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { ReportsPage } from "./reports/reports-page.tsx";
import { SearchPage } from "./search/search-page.tsx";
import { Header } from "./shell/header.tsx";
import { KeyForm } from "./shell/key-form.tsx";
import { Failure, Missing, Waiting } from "./shell/states.tsx";

const TITLES = {
  search: "Search",
  playground: "Playground",
  indexes: "Indexes",
  reports: "Reports",
  docs: "API",
  missing: "Not found",
};
const ALL = "indexes";

export function Page() {
  const bar = useAddressBar();
  const [address, go] = bar;
  const [refused, setRefused] = useState<ApiError>();
  const [session, setSession] = useState(0);
  const [changes, setChanges] = useState(0);
  const indexes = useAnswer(ALL, (_, signal) => listIndexes(signal), session + changes);
  const served = indexes.answer?.indexes ?? [];
  const index = served.find(({ name }) => name === address.index) ?? served[0];
  useEffect(() => onKeyNeeded(setRefused), []);
  useEffect(() => {
    const what = address.report ?? (address.query && `${address.query} – ${TITLES[address.view]}`);
    document.title = `${what || TITLES[address.view]} – Sluice`;
  }, [address]);

  useFocusOnArrival(`${address.view} ${address.report}`);

  // Where there is nothing to search, an index can be created.
  const isEmpty = indexes.answer !== undefined && index === undefined;
  useEffect(() => {
    if (isEmpty && needsIndex(address.view)) go({ view: "indexes" }, { replace: true });
  }, [isEmpty, address.view]);

  const enter = (key: string) => {
    setKey(key);
    setRefused(undefined);
    setSession(session + 1);
  };
  return (
    <AddressContext.Provider value={bar}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header indexes={served} index={index?.name} />
      <main id="main" key={session} tabIndex={-1}>
        {refused ? (
          <KeyForm error={refused} onEnter={enter} onCancel={() => setRefused(undefined)} />
        ) : indexes.error ? (
          <Failure error={indexes.error} />
        ) : indexes.answer ? (
          <Current view={address.view} index={index?.name} onChange={() => setChanges((last) => last + 1)} />
        ) : (
          <Waiting what="the indexes" />
        )}
      </main>
    </AddressContext.Provider>
  );
}

const needsIndex = (view: Address["view"]) => view === "search" || view === "playground";

interface CurrentProps {
  readonly view: Address["view"];
  /** Undefined if there is no index yet. */
  readonly index: string | undefined;
  /** Called when indexes were created, changed or deleted. */
  readonly onChange: () => void;
}

function Current({ view, index, onChange }: CurrentProps) {
  switch (view) {
    case "search":
      return index === undefined ? null : <SearchPage index={index} />;
    case "playground":
      return index === undefined ? null : <PlaygroundPage index={index} />;
    case "indexes":
      return <IndexesPage onChange={onChange} />;
    case "reports":
      return <ReportsPage />;
    case "docs":
      return <DocsPage index={index} />;
    case "missing":
      return <Missing />;
  }
}

/** Moves the focus into the new view when the user follows a link to it. */
function useFocusOnArrival(place: string): void {
  const last = useRef(place);
  useEffect(() => {
    const main = document.getElementById("main");
    if (last.current !== place && !main?.contains(document.activeElement)) main?.focus();
    last.current = place;
  }, [place]);
}
