// The frame of every view: the header with the views and the index, and the content below.

import { useEffect, useRef, useState } from "preact/hooks";
import type { IndexesAnswer, ServerAnswer } from "../src/schemas/index.ts";
import type { Address } from "./address/address.ts";
import { AddressContext, useAddressBar } from "./address/use-address.ts";
import { describeServer, listAllowedIndexes, listIndexes } from "./api/calls.ts";
import { hasKey } from "./api/client.ts";
import { useAnswer } from "./api/use-answer.ts";
import { DocsPage } from "./docs/docs-page.tsx";
import { IndexesPage } from "./indexes/indexes-page.tsx";
import { JobsElsewhere } from "./jobs/jobs-elsewhere.tsx";
import { JobsProvider, useJobs } from "./jobs/use-jobs.ts";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { ReportsPage } from "./reports/reports-page.tsx";
import { SearchPage } from "./search/search-page.tsx";
import { Header } from "./shell/header.tsx";
import { KeyForm } from "./shell/key-form.tsx";
import { Failure, Missing, Notice, Waiting } from "./shell/states.tsx";
import { useKey } from "./shell/use-key.ts";
import { visible } from "./text/visible.ts";

const TITLES = {
  search: "Search",
  playground: "Playground",
  indexes: "Indexes",
  reports: "Reports",
  docs: "API",
  missing: "Not found",
};
/** What is asked of the list of indexes: the API is described without a key. */
interface ListOfIndexes {
  readonly asksNoKey: boolean;
}

async function describeAll(
  { asksNoKey }: ListOfIndexes,
  signal: AbortSignal,
): Promise<IndexesAnswer & Pick<ServerAnswer, "hasReports">> {
  const indexes = await (asksNoKey ? listAllowedIndexes : listIndexes)(signal);
  return { ...indexes, hasReports: (await describeServer(signal)).hasReports };
}

export function Page() {
  const bar = useAddressBar();
  const [address, go] = bar;
  const key = useKey();
  const [changes, setChanges] = useState(0);
  const jobs = useJobs(() => setChanges((last) => last + 1));
  const indexes = useAnswer(
    { asksNoKey: address.view === "docs" },
    describeAll,
    key.session + key.entered + changes,
  );
  const served = indexes.answer?.indexes ?? [];
  const index = served.find(({ name }) => name === address.index) ?? served[0];
  useEffect(() => {
    const what = address.report ?? (address.query && `${address.query} – ${TITLES[address.view]}`);
    document.title = `${what || TITLES[address.view]} – Sluice`;
  }, [address]);

  useFocusOnArrival(`${address.view} ${address.report}`);

  // Where there is nothing to search, an index can be created.
  const isEmpty = indexes.answer !== undefined && index === undefined;
  useEffect(() => {
    if (isEmpty && needsIndex(address.view)) go({ view: "indexes" }, { replaces: true });
  }, [isEmpty, address.view]);

  return (
    <AddressContext.Provider value={bar}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header
        indexes={served}
        index={index?.name}
        hasReports={indexes.answer?.hasReports ?? false}
        onKey={key.wasAsked || hasKey() || indexes.error?.status === 401 ? key.change : undefined}
      />
      {key.prompt && (
        <KeyForm
          error={key.prompt.error}
          onEnter={key.enter}
          onCancel={key.cancel}
          onForget={hasKey() ? key.forget : undefined}
        />
      )}
      <JobsProvider value={jobs}>
        {address.view !== "indexes" && <JobsElsewhere />}
        <main id="main" key={key.session} tabIndex={-1}>
          {address.view === "docs" ? (
            <DocsPage index={index?.name} />
          ) : indexes.error && !indexes.answer ? (
            <Failure error={indexes.error} />
          ) : indexes.answer ? (
            <>
              {index &&
                needsIndex(address.view) &&
                address.index !== undefined &&
                address.index !== index.name && (
                  <Notice
                    text={`There is no index named ${visible(address.index)} here${hasKey() ? ", or your key is not for it" : ""}. This is ${index.name}.`}
                  />
                )}
              {address.hasLostFilter && (
                <Notice text="The filter in this address has a part that this page cannot use. It was left out." />
              )}
              <CurrentView view={address.view} index={index?.name} changes={changes} />
            </>
          ) : (
            <Waiting what="the indexes" />
          )}
        </main>
      </JobsProvider>
    </AddressContext.Provider>
  );
}

const needsIndex = (view: Address["view"]) => view === "search" || view === "playground";

interface CurrentViewProps {
  readonly view: Address["view"];
  /** Undefined if there is no index yet. */
  readonly index: string | undefined;
  /** Counts the changes that were made in this page. */
  readonly changes: number;
}

function CurrentView({ view, index, changes }: CurrentViewProps) {
  switch (view) {
    case "search":
      return index === undefined ? null : <SearchPage index={index} />;
    case "playground":
      return index === undefined ? null : <PlaygroundPage index={index} />;
    case "indexes":
      return <IndexesPage changes={changes} />;
    case "reports":
      return <ReportsPage />;
    case "docs":
      return null; // it needs no index, and no key
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
