// The id of a document → its passages, in the order of its text, all as of one commit. A list by filter has another order: a
// passage that was replaced comes at its end.

import type { Condition } from "../../documents/filter.ts";
import { parsePassageId } from "../../passages/passage.ts";
import { requireDoc } from "../../store/snapshot/require-doc.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { Turns } from "../../support/work/turns.ts";
import { findAllowedDocuments } from "../match/allowed-documents.ts";
import { checkPassagesOptions, type PassagesOptions } from "../options/list-options.ts";
import { type ListedDocument, type ListedIndex, readListed } from "./list-documents.ts";

/** @internal The passages of a document; itself, if it was not cut. Throws if there is neither. */
export async function listPassages(
  index: ListedIndex,
  id: string,
  options: PassagesOptions,
): Promise<ListedDocument[]> {
  const { limit, fields, signal } = checkPassagesOptions(options);
  signal?.throwIfAborted();
  const { snapshot } = index;
  const whole = snapshot.docOf(id);
  const docNumbers = whole === undefined ? await findPassages(index, id, new Turns(signal)) : [whole];
  signal?.throwIfAborted();
  if (docNumbers.length === 0) requireDoc(snapshot, id);
  return readListed(index, docNumbers.slice(0, limit), { fields, signal });
}

/** @internal The condition that the passages of a document meet. */
export function conditionOfPassages(id: string): Condition {
  return { kind: "in", field: "passage.of", values: new Set([id]) };
}

/** @internal Sorts the passages of a document by their numbers. Leaves out others: a field `passage` may be a user's own. */
export function sortPassages<T>(found: Iterable<T>, of: string, idOf: (item: T) => string): T[] {
  const numbered: { item: T; number: number }[] = [];
  for (const item of found) {
    const parts = parsePassageId(idOf(item));
    if (parts?.of === of) numbered.push({ item, number: parts.number });
  }
  return numbered.sort((a, b) => a.number - b.number).map(({ item }) => item);
}

async function findPassages(
  { snapshot, checkCondition }: ListedIndex,
  of: string,
  turns: Turns,
): Promise<number[]> {
  const condition = conditionOfPassages(of);
  checkCondition?.(condition);
  return sortPassages(await findDocs(snapshot, condition, turns), of, (doc) => snapshot.idAt(doc));
}

async function findDocs(snapshot: Snapshot, condition: Condition, turns: Turns): Promise<number[]> {
  const accepted = await findAllowedDocuments(snapshot, turns, condition);
  return snapshot.segments.flatMap(({ first }, i) => Array.from(accepted[i]!, (local) => first + local));
}
