// Documents by filter, a page at a time, found by OpenSearch. Serial numbers give the order and say where a page ends, as for a
// folder.

import { pickFields } from "../../search/hits/pick-fields.ts";
import type { DocumentList, ListedDocument } from "../../search/list-documents.ts";
import { checkListOptions, type ListOptions } from "../../search/options/list-options.ts";
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
