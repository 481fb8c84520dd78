// A filter and an index → its documents, a page at a time, in the order in which they were added.
//
// A page ends with the serial number of its last document, and the next page begins after it. Documents keep their serial numbers
// for life, and merges keep the order. So pages fit together while others write. A document that nobody changes is listed exactly
// once. A document that is added or replaced meanwhile comes at the end. A document that is deleted before its page is left out.

import type { Fields } from "../../documents/document.ts";
import type { Condition } from "../../documents/filter.ts";
import type { Notice } from "../../query/ask/notice.ts";
import type { Segment } from "../../segment/segment.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Bits } from "../../support/numbers/bits.ts";
import { firstAtLeast } from "../../support/numbers/sorted.ts";
import { Turns } from "../../support/work/turns.ts";
import { pickFields } from "../hits/pick-fields.ts";
import { findAllowedDocuments, toSets } from "../match/allowed-documents.ts";
import { checkListOptions, type ListOptions } from "../options/list-options.ts";
import { findFieldNotices } from "../ranking/field-notice.ts";

/** A document with its id. With the option `fields`, it has those fields alone. */
export interface ListedDocument<FieldsType = Fields> {
  readonly id: string;
  readonly document: FieldsType;
}

/** A page of documents, as of one commit. */
export interface DocumentList<FieldsType = Fields> {
  /** In the order in which they were added. A document that was replaced counts as added then. */
  readonly documents: readonly ListedDocument<FieldsType>[];
  /** How many documents the filter accepts, on all pages together. */
  readonly total: number;
  /** Where the next page begins: give it as `after`. Absent on the last page. */
  readonly next?: string;
  /** Say what the filter asks for in vain, such as a field that no document has. Absent if it asks for nothing in vain. */
  readonly notices?: readonly Notice[];
}

/** @internal What a list needs of an index. */
export interface ListedIndex {
  readonly snapshot: Snapshot;
  /** The fields of documents, in the order of their numbers as they are given. */
  fieldsOf(docNumbers: readonly number[]): Promise<Fields[]>;
  /** Throws if the index lacks a field that a filter needs. */
  checkCondition?(condition: Condition): void;
}

/** Documents that are read before other work gets a turn. */
const READ_AT_ONCE = 64;

/** @internal */
export async function listDocuments(index: ListedIndex, options: ListOptions): Promise<DocumentList> {
  const { condition, limit, afterSerial, fields, signal } = checkListOptions(options);
  signal?.throwIfAborted();
  const { snapshot } = index;
  if (condition) index.checkCondition?.(condition);
  const accepted = toSets(snapshot, await findAllowedDocuments(snapshot, new Turns(signal), condition));
  signal?.throwIfAborted();
  const found = findDocsAfter(snapshot.segments, accepted, afterSerial, limit + 1);
  const docNumbers = found.slice(0, limit);
  const documents = await readListed(index, docNumbers, { fields, signal });
  const notices = await findFieldNotices(snapshot, [], condition);
  return {
    documents,
    total: accepted.reduce((sum, bits) => sum + bits.count(), 0),
    ...(docNumbers.length > 0 &&
      found.length > limit && { next: String(serialOfDoc(snapshot, docNumbers.at(-1)!)) }),
    ...(notices && { notices }),
  };
}

/** @internal Reads documents, in the order of their numbers as they are given. */
export async function readListed(
  index: ListedIndex,
  docNumbers: readonly number[],
  { fields, signal }: Pick<ListOptions, "fields" | "signal">,
): Promise<ListedDocument[]> {
  const { snapshot } = index;
  const turns = new Turns(signal);
  const documents: ListedDocument[] = [];
  for (let from = 0; from < docNumbers.length; from += READ_AT_ONCE) {
    const some = docNumbers.slice(from, from + READ_AT_ONCE);
    const read = fields?.length === 0 ? some.map(() => ({})) : await turns.raceAbort(index.fieldsOf(some));
    for (const [i, doc] of some.entries())
      documents.push({ id: snapshot.idAt(doc), document: fields ? pickFields(read[i], fields) : read[i] });
    if (turns.isDue) await turns.next();
  }
  return documents;
}

/** The first documents with a serial number above `after`, at most `most` of them. */
function findDocsAfter(
  segments: readonly Segment[],
  accepted: readonly Bits[],
  after: number,
  most: number,
): number[] {
  const docNumbers: number[] = [];
  for (const [i, { source, first }] of segments.entries()) {
    if (docNumbers.length === most) break;
    const from = after === 0 ? 0 : firstAtLeast(source.serials, after + 1);
    for (let local = from; local < source.rowCount && docNumbers.length < most; local++)
      if (accepted[i].get(local)) docNumbers.push(first + local);
  }
  return docNumbers;
}

function serialOfDoc(snapshot: Snapshot, doc: number): number {
  const { source, first } = snapshot.segmentOf(doc);
  return source.serials[doc - first];
}
