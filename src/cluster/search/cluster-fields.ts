// The fields of the documents on a cluster and their values, counted by OpenSearch from the tokens that filters use. Tokens of a
// field lie together, in order: booleans, then "has a value", numbers, and texts.

import { type FieldInfo, mayBeChosen } from "../../store/snapshot/fields.ts";
import { ALL_SHARDS } from "../commit/cluster-documents.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { visibleFilter } from "../commit/visibility.ts";
import { FIELD_TOKENS, parseTokenName, parseTokenNumber, parseTokenValue } from "../rows/field-tokens.ts";

/** The most fields, and the most values of one, that are listed: as many as for a folder. */
const MOST_LISTED = 50;

interface TokenCount {
  readonly token: string;
  readonly docs: number;
}

type FieldChoice = NonNullable<FieldInfo["choices"]>[number];

/** The fields that most documents have, the most common first. */
export async function describeClusterFields(view: ClusterView): Promise<FieldInfo[]> {
  if (view.record?.documents === undefined) return [];
  const found: FieldInfo[] = [];
  for (const { token, docs } of await countCommonFields(view)) {
    const start = token.slice(0, -1); // the name of the field and a tab
    const [least] = await countTokensFrom(view, `${start}n`, 1);
    const [greatest] = await countTokensFrom(view, `${start}o`, 1, "desc");
    const texts = await countTokensFrom(view, `${start}s`, MOST_LISTED + 1);
    const truths = await countTokensFrom(view, `${start}b`, 3);
    const choices: FieldChoice[] = [
      ...truths.filter((each) => each.token.startsWith(`${start}b`)),
      ...texts.filter((each) => each.token.startsWith(`${start}s`)),
    ].map((each) => ({ value: parseTokenValue(each.token), docs: each.docs }));
    const hasNumbers = least?.token.startsWith(`${start}n`) === true;
    found.push({
      name: parseTokenName(token),
      docs,
      ...(hasNumbers && {
        range: { min: parseTokenNumber(least.token), max: parseTokenNumber(greatest.token) },
      }),
      ...(mayBeChosen(choices.map(({ value }) => value)) && { choices: choices.sort(byDocs) }),
    });
  }
  return found.sort((a, b) => b.docs - a.docs || (a.name < b.name ? -1 : 1));
}

const byDocs = (a: FieldChoice, b: FieldChoice) =>
  b.docs - a.docs || (String(a.value) < String(b.value) ? -1 : 1);

/** The tokens that say that a document has a field. */
async function countCommonFields(view: ClusterView): Promise<TokenCount[]> {
  const terms = { field: FIELD_TOKENS, include: ".*\te", size: MOST_LISTED, shard_size: 20 * MOST_LISTED };
  const { buckets } = await aggregate<{ key: string; doc_count: number }>(view, { terms });
  return buckets.map(({ key, doc_count }) => ({ token: key, docs: doc_count }));
}

/** The tokens after a text, in order, each with the number of its documents. */
async function countTokensFrom(
  view: ClusterView,
  after: string,
  size: number,
  order: "asc" | "desc" = "asc",
): Promise<TokenCount[]> {
  const sources = [{ token: { terms: { field: FIELD_TOKENS, order } } }];
  const composite = { sources, size, after: { token: after } };
  const { buckets } = await aggregate<{ key: { token: string }; doc_count: number }>(view, { composite });
  return buckets.map(({ key, doc_count }) => ({ token: key.token, docs: doc_count }));
}

async function aggregate<Bucket>(view: ClusterView, counted: object): Promise<{ buckets: Bucket[] }> {
  const { record, connection } = view;
  const { aggregations } = await connection.ask<{ aggregations: { counted: { buckets: Bucket[] } } }>({
    method: "POST",
    path: `/${record!.documents}/_search`,
    query: ALL_SHARDS,
    body: { size: 0, query: visibleFilter(record!), aggs: { counted } },
  });
  return aggregations.counted;
}
