// An index → how many documents it holds, and how many of them are passages. It is counted again when the index has changed.

import { listDocuments } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import type { IndexSize } from "../text/index-size.ts";

interface Counted {
  readonly name: string;
  readonly docs: number;
  readonly generation: number;
}

async function countPassages({ name, docs }: Counted, signal: AbortSignal): Promise<IndexSize> {
  const count = async (filter: Readonly<Record<string, object | number>>) =>
    (await listDocuments(name, { filter, limit: 0 }, signal)).total;
  const [passages, cut] = await Promise.all([
    count({ "passage.of": { exists: true } }),
    count({ "passage.number": 1 }),
  ]);
  return { docs, passages, cut };
}

/** Undefined while it is not known. */
export function useIndexSize({ name, docs, generation }: Counted): IndexSize | undefined {
  return useAnswer(docs > 0 ? { name, docs, generation } : undefined, countPassages).answer;
}
