// Ids that no document has → a hint, if one of them is that of a document or a file that was cut into passages.

import type { Sluice } from "../../index.ts";
import { countOf } from "../terminal/format.ts";

/** The most ids that are looked at. */
const MOST_IDS = 100;

/** A hint that names the flag, which prints or deletes them. Undefined if no id has passages. */
export async function findPassagesHint(
  index: Sluice,
  ids: readonly string[],
  does: "prints" | "deletes",
): Promise<string | undefined> {
  for (const id of ids.slice(0, MOST_IDS)) {
    const { total } = await index.list({ filter: { "passage.of": id }, limit: 0 });
    if (total > 0)
      return `${JSON.stringify(id)} was cut into ${countOf(total, "passage")}: ${does === "prints" ? "--passages" : "--with-passages"} ${does} them`;
  }
  return undefined;
}
