// LangChain documents ↔ Sluice documents. Metadata goes into a field of its own, because it may have keys that Sluice uses:
// id, title, text.

import { Document as LangChainDocument } from "@langchain/core/documents";
import { type Document, type Filter, SluiceError } from "../index.ts";
import { isRecord } from "../support/options/options.ts";

/** The part that both kinds of LangChain documents have. */
export interface GivenDocument {
  readonly pageContent: string;
  readonly metadata?: Record<string, unknown>;
  readonly id?: string;
}

/** A LangChain document → a document to index. */
export function toSluice({ pageContent, metadata }: GivenDocument, id: string): Document {
  return { id, text: pageContent, metadata: metadata ?? {} };
}

/** A document of any index → a LangChain document. Fields other than text become metadata. */
export function toLangChain(id: string, fields: Readonly<Record<string, unknown>>): LangChainDocument {
  const { text, metadata, ...others } = fields;
  return new LangChainDocument({
    id,
    pageContent: typeof text === "string" ? text : "",
    metadata: { ...others, ...(isRecord(metadata) ? metadata : metadata === undefined ? {} : { metadata }) },
  });
}

/** A filter on metadata → a filter on the fields of the index: year becomes metadata.year. */
export function onMetadata(filter: Filter): Filter {
  if (!isRecord(filter)) throw new SluiceError("a filter must be an object such as { year: { lt: 1933 } }");
  const entries = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if ((key === "and" || key === "or") && Array.isArray(value)) return [key, value.map(onMetadata)];
    if (key === "not" && isRecord(value)) return [key, onMetadata(value as Filter)];
    return [`metadata.${key.startsWith("\\") ? key.slice(1) : key}`, value];
  });
  return Object.fromEntries(entries) as Filter;
}
