// Documents by filter, a page at a time, and the passages of a document, found by OpenSearch. Serial numbers give the order of a
// list and say where a page ends, as for a folder.

import { noDocumentError } from "../../documents/no-document.ts";
import { pickFields } from "../../search/hits/pick-fields.ts";
import type { DocumentList, ListedDocument } from "../../search/list/list-documents.ts";
import { conditionOfPassages, sortPassages } from "../../search/list/list-passages.ts";
import {
  checkListOptions,
  checkPassagesOptions,
  type ListOptions,
  type PassagesOptions,
} from "../../search/options/list-options.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { visibleFilter } from "../commit/visibility.ts";
import { toClusterQuery } from "../rows/field-tokens.ts";

export async function listOnCluster(
  { documents: stored, record }: ClusterView,
  options: ListOptions,
): Promise<DocumentList> {
  const { condition, limit, afterSerial, fields, signal } = checkListOptions(options);
  signal?.throwIfAborted();
  if (!stored) return { documents: [], total: 0 };
  const passing = condition ? [toClusterQuery(condition)] : [];
  const total = await stored.count([visibleFilter(record!), ...passing], signal);
  const documents: ListedDocument[] = [];
  let last = afterSerial;
  if (limit === 0) return { documents, total };
  for await (const { id, serial, document } of stored.readAll(record!, last, passing, signal)) {
    if (documents.length === limit) return { documents, total, next: String(last) };
    documents.push({ id, document: fields ? pickFields(document, fields) : document });
    last = serial;
  }
  return { documents, total };
}

/** The passages of a document, in the order of its text; itself, if it was not cut. Throws if there is neither. */
export async function listPassagesOnCluster(
  view: Pick<ClusterView, "documents" | "record" | "find">,
  id: string,
  options: PassagesOptions,
): Promise<ListedDocument[]> {
  const { limit, fields, signal } = checkPassagesOptions(options);
  signal?.throwIfAborted();
  const whole = (await view.find([id], signal)).get(id);
  const found = whole ? [whole] : await readPassages(view, id, signal);
  if (found.length === 0) throw noDocumentError(id);
  return found.slice(0, limit).map(({ id, document }) => ({
    id,
    document: fields ? pickFields(document, fields) : document,
  }));
}

async function readPassages(
  { documents, record }: Pick<ClusterView, "documents" | "record">,
  of: string,
  signal: AbortSignal | undefined,
): Promise<ListedDocument[]> {
  const found: ListedDocument[] = [];
  const passing = [toClusterQuery(conditionOfPassages(of))];
  if (documents)
    for await (const { id, document } of documents.readAll(record!, 0, passing, signal))
      found.push({ id, document });
  return sortPassages(found, of, ({ id }) => id);
}
