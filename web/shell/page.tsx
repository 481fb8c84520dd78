// The frame of every view: the header with the views and the index, and the content below.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Address } from "../address/address.ts";
import { AddressContext, useAddressBar } from "../address/use-address.ts";
import { listIndexes } from "../api/calls.ts";
import { type ApiError, onKeyNeeded, setKey } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { IndexesPage } from "../indexes/indexes-page.tsx";
import { PlaygroundPage } from "../playground/playground-page.tsx";
import { ReportsPage } from "../reports/reports-page.tsx";
import { SearchPage } from "../search/search-page.tsx";
import { Header } from "./header.tsx";
import { KeyForm } from "./key-form.tsx";
import { Failure, Missing, Waiting } from "./states.tsx";

const TITLES = {
  search: "Search",
  playground: "Playground",
  indexes: "Indexes",
  reports: "Reports",
  missing: "Not found",
};
const ALL = "indexes";

export function Page() {
  const bar = useAddressBar();
  const [address] = bar;
  const [refused, setRefused] = useState<ApiError>();
  const [session, setSession] = useState(0);
  const indexes = useAnswer(ALL, (_, signal) => listIndexes(signal), session);
  useEffect(() => onKeyNeeded(setRefused), []);
  useEffect(() => {
    const what = address.report ?? (address.q && `${address.q} – ${TITLES[address.view]}`);
    document.title = `${what || TITLES[address.view]} – Sluice`;
  }, [address]);

  useFocusOnArrival(`${address.view} ${address.report}`);

  const enter = (key: string) => {
    setKey(key);
    setRefused(undefined);
    setSession(session + 1);
  };
  const served = indexes.answer?.indexes ?? [];
  const index = served.find(({ name }) => name === address.index) ?? served[0];
  return (
    <AddressContext.Provider value={bar}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header indexes={served} index={index?.name} />
      <main id="main" key={session} tabIndex={-1}>
        {refused ? (
          <KeyForm error={refused} onEnter={enter} />
        ) : indexes.error ? (
          <Failure error={indexes.error} />
        ) : index ? (
          <Current view={address.view} index={index.name} />
        ) : (
          <Waiting what="the indexes" />
        )}
      </main>
    </AddressContext.Provider>
  );
}

function Current({ view, index }: { readonly view: Address["view"]; readonly index: string }) {
  switch (view) {
    case "search":
      return <SearchPage index={index} />;
    case "playground":
      return <PlaygroundPage index={index} />;
    case "indexes":
      return <IndexesPage />;
    case "reports":
      return <ReportsPage />;
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
