// Reads training files into examples over token ids. All of them are in memory: a pair of short texts takes some hundred
// bytes.

import type { Role } from "../../../encode/contract/description.ts";
import type { TextTokenizer } from "../../../encode/tokenize/tokenizer.ts";
import { Fingerprint } from "../../../support/bytes/hash.ts";
import { SluiceError } from "../../../support/errors/sluice-error.ts";
import { type ExampleTable, type GatherOptions, gather, type TrainingSource } from "./examples.ts";
import { TokenLists } from "./token-lists.ts";
import type { Text } from "./training-lines.ts";
import { WordTable } from "./word-table.ts";

export interface DatasetOptions extends GatherOptions {
  readonly maxLength: Readonly<Record<Role, number>>;
  /** What to do with a query that is longer than the model reads: cut it, or throw. Default: cut. */
  readonly longQueries?: "cut" | "refuse";
  /** Text before every query or passage. */
  readonly prefix?: { readonly query?: string; readonly passage?: string };
  /** Keep the texts themselves too, for a teacher that reads texts. */
  readonly keepsTexts?: boolean;
  /** Find the words of the texts, for an anchored head. */
  readonly findsWords?: boolean;
}

export interface Dataset {
  readonly examples: ExampleTable;
  readonly queries: TokenLists;
  readonly passages: TokenLists;
  /** Number of texts that were cut because they were longer than the model reads. */
  readonly cut: Readonly<Record<Role, number>>;
  /** The texts by number, if `keepsTexts` was set. */
  readonly texts?: Readonly<Record<Role, readonly string[]>>;
  /** The words of the texts, if `findsWords` was set. */
  readonly words?: WordTable;
  /** Changes if any of the training data changes. */
  readonly fingerprint: string;
}

export async function readDataset(
  sources: readonly TrainingSource[],
  tokenizer: TextTokenizer,
  options: DatasetOptions,
): Promise<Dataset> {
  const { maxLength, longQueries = "cut", keepsTexts = false, prefix = {} } = options;
  const vocabularySize = tokenizer.terms.length;
  const lists = { query: new TokenLists(vocabularySize), passage: new TokenLists(vocabularySize) };
  const texts: Record<Role, string[]> = { query: [], passage: [] };
  const words = options.findsWords ? new WordTable(tokenizer, { maxLength, prefix }) : undefined;
  const cut = { query: 0, passage: 0 };
  const add = (text: Text, role: Role, where: string): number => {
    const rolePrefix = prefix[role] ?? "";
    const bare =
      typeof text === "string"
        ? tokenizer.bare(rolePrefix + text)
        : [...tokenizer.bare(rolePrefix), ...checkedIds(text, vocabularySize, where)];
    const whole = tokenizer.framed(bare, Number.POSITIVE_INFINITY);
    if (whole.length > maxLength[role]) {
      if (role === "query" && longQueries === "refuse") {
        throw new SluiceError(
          `${where}: the query has ${whole.length} tokens, but the model reads at most ${maxLength.query}`,
          'raise "maxLength", or set "longQueries" to "cut"',
        );
      }
      cut[role]++;
    }
    const textCount = lists[role].size;
    const number = lists[role].add(tokenizer.framed(bare, maxLength[role]));
    if (number < textCount) return number;
    if (keepsTexts) texts[role].push(stringOf(text, where, "a teacher"));
    words?.add(stringOf(text, where, "an anchored head"), role);
    return number;
  };
  const sink = {
    query: (text: Text, where: string) => add(text, "query", where),
    passage: (text: Text, where: string) => add(text, "passage", where),
  };
  const examples = await gather(sources, sink, options);
  return {
    examples,
    queries: lists.query,
    passages: lists.passage,
    cut,
    ...(keepsTexts && { texts }),
    ...(words && { words }),
    fingerprint: fingerprintOf(examples, [lists.query, lists.passage]),
  };
}

function checkedIds(ids: readonly number[], vocabularySize: number, where: string): readonly number[] {
  const strange = ids.find((id) => id >= vocabularySize);
  if (strange === undefined) return ids;
  throw new SluiceError(
    `${where}: the token id is ${strange}, but the tokenizer has ${vocabularySize} tokens`,
    "the file was made with another tokenizer",
  );
}

function stringOf(text: Text, where: string, reader: string): string {
  if (typeof text === "string") return text;
  throw new SluiceError(`${where}: holds token ids, but ${reader} reads texts`, "give the texts themselves");
}

function fingerprintOf(examples: ExampleTable, lists: readonly TokenLists[]): string {
  const fingerprint = new Fingerprint();
  for (const list of lists) for (const bytes of list.content()) fingerprint.add(bytes);
  examples.addTo(fingerprint);
  return fingerprint.toString();
}
