// LangChain's documents ↔ ours. Metadata goes into a field of its own, since it may have names that mean something else here:
// an id, a title, a text.

import { Document as LangChainDocument } from "@langchain/core/documents";
import { type Document, type Filter, UsageError } from "../index.ts";

/** What both of LangChain's kinds of documents have. */
export interface GivenDocument {
  readonly pageContent: string;
  readonly metadata?: Record<string, unknown>;
  readonly id?: string;
}

/** A document to be indexed. */
export function toSluice({ pageContent, metadata }: GivenDocument, id: string): Document {
  return { id, text: pageContent, metadata: metadata ?? {} };
}

/** A document of an index, whoever put it there: fields that are not metadata yet become it. */
export function toLangChain(id: string, fields: Readonly<Record<string, unknown>>): LangChainDocument {
  const { text, metadata, ...others } = fields;
  return new LangChainDocument({
    id,
    pageContent: typeof text === "string" ? text : "",
    metadata: { ...others, ...(isRecord(metadata) ? metadata : metadata === undefined ? {} : { metadata }) },
  });
}

/** A filter on metadata as a filter on the field it is in: year → metadata.year. */
export function onMetadata(filter: Filter): Filter {
  if (!isRecord(filter)) throw new UsageError("a filter is an object: { year: { lt: 1933 } }");
  const entries = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if ((key === "and" || key === "or") && Array.isArray(value)) return [key, value.map(onMetadata)];
    if (key === "not" && isRecord(value)) return [key, onMetadata(value as Filter)];
    return [`metadata.${key.startsWith("\\") ? key.slice(1) : key}`, value];
  });
  return Object.fromEntries(entries) as Filter;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
