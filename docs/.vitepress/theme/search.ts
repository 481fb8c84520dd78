// What is typed → passages of the pages, with the words that matched. The index is opened in a worker on the first search.

import { openInWorker, type WorkerReader } from "sluice/browser/worker";
import { english } from "../../../src/analyze/analyzers/english.ts";
import { highlight, type TextRange } from "../../../src/analyze/highlight.ts";

/** A piece of text; `marked` if it is a word that was asked for. */
interface Piece {
  readonly text: string;
  readonly marked: boolean;
}

export interface Found {
  /** Below the site's base, with the heading's id. */
  readonly address: string;
  readonly title: readonly Piece[];
  readonly text: readonly Piece[];
}

/** Results that are shown at most, and of one page: a heading is shown once, and a long page does not fill the list. */
const SHOWN = 12;
const SHOWN_OF_PAGE = 3;
/** Passages that are asked for: more than are shown, since several may stand under one heading. */
const ASKED = 60;
/** Characters of a passage that are shown, and how many of them stand before the first word that matched. */
const SNIPPET = 180;
const BEFORE = 40;

export class SiteSearch {
  readonly #url: string;
  #reader: Promise<WorkerReader> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Fetches the index, unless that has begun. After a failure the next call tries again. */
  open(): Promise<WorkerReader> {
    this.#reader ??= openInWorker(this.#url).catch((error) => {
      this.#reader = undefined;
      throw error;
    });
    return this.#reader;
  }

  async find(question: string, signal: AbortSignal): Promise<Found[]> {
    const reader = await this.open();
    const { hits, terms } = await reader.search(question, { k: ASKED, signal });
    const wanted = new Set(terms.map(({ term }) => term));
    const found = new Map<string, Found>();
    const ofPage = new Map<string, number>();
    for (const { document } of hits) {
      const { address, title, text } = document as { address: string; title: string; text: string };
      const page = address.split("#")[0];
      const count = ofPage.get(page) ?? 0;
      if (found.has(address) || count === SHOWN_OF_PAGE) continue;
      ofPage.set(page, count + 1);
      found.set(address, {
        address,
        title: piecesOf(title, highlight(english, title, wanted)),
        text: snippetOf(text, highlight(english, text, wanted)),
      });
      if (found.size === SHOWN) break;
    }
    return [...found.values()];
  }
}

/** The part of a text around its first match, between whole words. */
function snippetOf(text: string, ranges: readonly TextRange[]): Piece[] {
  const first = ranges[0]?.[0] ?? 0;
  const start = first <= BEFORE ? 0 : text.indexOf(" ", first - BEFORE) + 1 || first;
  const from = Math.min(start, first);
  const cut = from + SNIPPET < text.length ? text.lastIndexOf(" ", from + SNIPPET) : text.length;
  const to = cut > from ? cut : Math.min(from + SNIPPET, text.length);
  const inside = ranges.filter(([begin, end]) => begin >= from && end <= to);
  const pieces = piecesOf(
    text.slice(from, to),
    inside.map(([begin, end]) => [begin - from, end - from]),
  );
  const plain = (dots: string): Piece => ({ text: dots, marked: false });
  return [...(from > 0 ? [plain("… ")] : []), ...pieces, ...(to < text.length ? [plain(" …")] : [])];
}

function piecesOf(text: string, ranges: readonly TextRange[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}
