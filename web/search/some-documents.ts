// Some documents of an index, found by frequent words: completions of single letters are words that many documents have. If there
// are none, the first documents.

import type { SearchRequest } from "../../src/schemas/index.ts";
import { listDocuments, search, suggest } from "../api/calls.ts";
import type { Example } from "./examples.ts";

/** Letters that many words begin with, in several scripts. */
const LETTERS = ["s", "c", "m", "п", "ال", "中"];
/** Words that are searched for. */
const MOST_WORDS = 3;
/** Documents for each word. */
const EACH = 4;

export async function listSomeDocuments(index: string, signal: AbortSignal): Promise<readonly Example[]> {
  const completed = await Promise.all(
    LETTERS.map((text) => suggest(index, { text, k: 1, typos: false }, signal)),
  );
  const words = completed
    .flatMap(({ suggestions }) => suggestions.map(({ text }) => text))
    .slice(0, MOST_WORDS);
  const request = { k: EACH, lambda: 0 } satisfies Partial<SearchRequest>;
  const answers = await Promise.all(words.map((query) => search(index, { query, ...request }, signal)));
  const examples = answers.flatMap(({ hits }) => hits.map(({ id, document }) => ({ id, document })));
  return examples.length > 0 ? examples : (await listDocuments(index, { limit: EACH }, signal)).documents;
}
