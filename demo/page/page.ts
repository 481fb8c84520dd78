// The demo's page: opens the export beside it in a worker, and searches as you type.

import type { Answer, Explanation, Hit, Plan } from "sluice/browser";
import { openInWorker, type WorkerReader } from "sluice/browser/worker";

const SHOWN = 20;

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const [form, query, kind] = [
  element<HTMLFormElement>("form"),
  element<HTMLInputElement>("query"),
  element<HTMLSelectElement>("kind"),
];
const [loading, status, list] = [element<HTMLProgressElement>("loading"), element("status"), element("hits")];
const numbers = new Intl.NumberFormat("en");

try {
  const { searchParams } = new URL(location.href);
  const index = await openInWorker(searchParams.get("index") ?? "./index/", {
    kernel: (searchParams.get("kernel") as "auto" | null) ?? "auto",
    onProgress: ({ done, total = done }) => {
      loading.value = done / total;
    },
  });
  loading.hidden = true;
  describe(index);
  listen(index);
} catch (error) {
  loading.hidden = true;
  tell(error);
}

/** Shows the number of definitions and the kernel. */
function describe(index: WorkerReader): void {
  const { docs, slicingSettings: slicing, diskBytes = 0 } = index.info();
  const { name, reason } = index.kernel;
  element("about").textContent =
    `${numbers.format(docs)} documents, ${numbers.format(slicing.vocabularySize)} terms, rows of ${slicing.dims} slots; ` +
    `${(diskBytes / 2 ** 20).toFixed(1)} MB of files. Kernel: ${name} (${reason}). ` +
    "Definitions: WordNet 3.1, Princeton University.";
  status.textContent = `${numbers.format(docs)} definitions are ready.`;
}

function listen(index: WorkerReader): void {
  for (const control of [query, kind]) control.disabled = false;
  query.focus();
  let last: AbortController | undefined;
  const search = async () => {
    last?.abort(); // newer typing replaces the older search
    last = new AbortController();
    const text = query.value.trim();
    history.replaceState(
      null,
      "",
      text === "" ? location.pathname + location.search : `#${encodeURIComponent(text)}`,
    );
    if (text === "") return clear();
    const { signal } = last;
    const started = performance.now();
    try {
      const plan: Plan = { kind: "exact" };
      const filter = kind.value === "" ? {} : { filter: { kind: kind.value } };
      const answer = await index.search(text, { k: SHOWN, plan, lambda: 0, signal, ...filter });
      show(index, text, answer, performance.now() - started);
    } catch (error) {
      if (!signal.aborted) tell(error);
    }
  };
  query.addEventListener("input", search);
  kind.addEventListener("change", search);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === query) return;
    event.preventDefault();
    query.select();
  });
  if (location.hash.length > 1) {
    query.value = decodeURIComponent(location.hash.slice(1));
    void search();
  }
}

function clear(): void {
  list.replaceChildren();
  element("legend").hidden = true;
  status.textContent = "";
}

function show(index: WorkerReader, text: string, { hits, terms, stats }: Answer, ms: number): void {
  const best = hits[0]?.score ?? 1;
  list.replaceChildren(...hits.map((hit) => item(index, text, hit, best)));
  element("legend").hidden = hits.length === 0;
  const unknown = terms.filter(({ fate }) => fate === "unknown").map(({ term }) => term);
  const search = stats.firstStageMs + stats.secondStageMs;
  status.textContent =
    (hits.length === 0
      ? "Nothing matches."
      : `The best ${hits.length} of ${numbers.format(stats.allowedCount)}`) +
    ` in ${ms.toFixed(1)} ms, ${search.toFixed(2)} of it searching (${stats.kernel}).` +
    (unknown.length > 0 ? ` Not in any definition: ${unknown.join(", ")}.` : "");
}

/** Shows a hit. The text is never read as HTML, because documents come from other people. */
function item(index: WorkerReader, text: string, hit: Hit, best: number): HTMLElement {
  const { id, score, lexical, semantic } = hit;
  const {
    words = [id],
    kind: of = "",
    text: definition = "",
  } = hit.document as Partial<{
    words: string[];
    kind: string;
    text: string;
  }>;
  const shown = make("span", "text", definition);
  const summary = make("summary");
  summary.append(
    make("span", "score", score.toFixed(2)),
    make("span", "word", words.join(", ")),
    " ",
    make("span", "kind", of),
    shown,
    bar(lexical, semantic, best),
  );
  const details = make("details") as HTMLDetailsElement;
  details.append(summary);
  details.addEventListener("toggle", async () => {
    if (!details.open || details.childElementCount > 1) return;
    try {
      const explanation = await index.explain(text, id, { lambda: 0 });
      details.append(table(explanation));
    } catch (error) {
      tell(error);
    }
  });
  const entry = make("li");
  entry.append(details);
  return entry;
}

function bar(lexical: number, semantic: number, best: number): HTMLElement {
  const whole = make("span", "bar");
  whole.setAttribute("role", "img");
  whole.setAttribute("aria-label", `words ${lexical.toFixed(2)}, meaning ${semantic.toFixed(2)}`);
  for (const [part, value] of Object.entries({ lexical, semantic })) {
    const piece = make("span", part);
    piece.style.width = `${Math.max(0, (100 * value) / best)}%`;
    whole.append(piece);
  }
  return whole;
}

/** A table of the terms whose contributions add up to the score. */
function table({ matched, missed }: Explanation): HTMLElement {
  const whole = make("table");
  const row = (cell: string, ...texts: string[]) => {
    const line = make("tr");
    line.append(...texts.map((text) => make(cell, "", text)));
    return line;
  };
  whole.append(row("th", "term", "in the query", "in the definition", "adds"));
  for (const { term, queryWeight, documentWeight, contribution } of matched) {
    whole.append(row("td", term, ...[queryWeight, documentWeight, contribution].map((x) => x.toFixed(2))));
  }
  for (const { term, queryWeight } of missed) whole.append(row("td", term, queryWeight.toFixed(2), "–", "0"));
  return whole;
}

function make(tag: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function tell(error: unknown): void {
  const { message, hint } = error as { message: string; hint?: string };
  status.textContent = `${message}${hint ? ` (${hint})` : ""}`;
}
