// The folder of an index and a plain model in; what is wrong with the index out. The model is a Map of documents, and answers are
// found by looking at each of them.

import { existsSync } from "node:fs";
import { Sluice } from "../../src/sluice.ts";
import { clearLeftovers } from "../../src/support/files/write-folder.ts";
import { COUNTER, type Expected } from "../helpers/durability-script.ts";

/** Words to ask for. Each document that contains one must be a hit, and no other. */
const ASKED = ["gate", "water", "sea", "w7"];

interface Finding {
  /** The commit that was found; 0 if there is no index. */
  readonly commit: number;
  /** Acknowledged commits that are gone. */
  readonly lost: number;
  /** Documents and answers that differ from the model. */
  readonly wrong: readonly string[];
  /** What `verify` found, or why the index could not be opened: an index that would need repair. */
  readonly problems: readonly string[];
}

/** Moves `expected` on to the commit that is found: the last acknowledged one, or the one that was in progress. */
export async function checkIndex(folder: string, expected: Expected, acknowledged: number): Promise<Finding> {
  const nothing = { commit: 0, lost: acknowledged, wrong: [], problems: [] };
  try {
    if (!(await Sluice.exists(folder))) return nothing;
    const { problems } = await Sluice.verify(folder);
    if (problems.length > 0) return { ...nothing, lost: 0, problems };
    const index = await Sluice.open(folder, { readOnly: true });
    try {
      return await compared(index, expected, acknowledged);
    } finally {
      await index.close();
    }
  } catch (error) {
    return { ...nothing, lost: 0, problems: [(error as Error).stack ?? String(error)] };
  }
}

/**
 * A backup is one commit, whole: the last one that was acknowledged as `backedUp`, or a later one. Returns what is wrong with it.
 * Between two renames it has another name. The next backup would begin by giving it its own back.
 */
export async function checkBackup(
  folder: string,
  expected: Expected,
  { acknowledged, backedUp }: { acknowledged: number; backedUp: number },
): Promise<string[]> {
  try {
    if (!existsSync(folder)) await clearLeftovers(folder);
    if (!(await Sluice.exists(folder))) {
      return backedUp === 0 ? [] : [`the backup: missing, but one of commit ${backedUp} was acknowledged`];
    }
    const { problems } = await Sluice.verify(folder);
    if (problems.length > 0) return problems.map((problem) => `the backup: ${problem}`);
    const index = await Sluice.open(folder, { readOnly: true });
    try {
      const { commit } = (await index.document(COUNTER)) as { commit: number };
      if (commit > acknowledged + 1) return [`the backup: commit ${commit} after ${acknowledged}`];
      if (commit < backedUp) return [`the backup: commit ${commit}, but one of ${backedUp} was acknowledged`];
      return (await differences(index, expected.to(commit))).map((difference) => `the backup: ${difference}`);
    } finally {
      await index.close();
    }
  } catch (error) {
    return [`the backup: ${(error as Error).stack ?? error}`];
  }
}

async function compared(index: Sluice, expected: Expected, acknowledged: number): Promise<Finding> {
  const commit = index.docs === 0 ? 0 : ((await index.document(COUNTER)).commit as number);
  if (commit < acknowledged) return { commit, lost: acknowledged - commit, wrong: [], problems: [] };
  if (commit > acknowledged + 1) {
    return { commit, lost: 0, wrong: [`commit ${commit} after ${acknowledged}`], problems: [] };
  }
  expected.to(commit);
  return { commit, lost: 0, wrong: await differences(index, expected), problems: [] };
}

/** Every document and some answers that are not those of the model. */
export async function differences(index: Sluice, { documents, ids, commit }: Expected): Promise<string[]> {
  const wrong: string[] = [];
  const differ = (what: string, found: unknown, wanted: unknown) => {
    const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
    if (a !== b) wrong.push(`commit ${commit}: ${what}: found ${a}, expected ${b}`);
  };
  differ("ids", await index.listIds(), ids);
  if (wrong.length > 0) return wrong;
  const found = await index.documents(ids);
  for (const [i, id] of ids.entries()) differ(`document ${id}`, sorted(found[i]), sorted(documents.get(id)!));
  for (const word of ASKED) {
    const { hits } = await index.search(word, { k: 100_000 });
    const holds = (text: string) => text.split(" ").includes(word);
    const wanted = ids.filter((id) => holds((documents.get(id) as { text: string }).text));
    differ(`answer to ${word}`, hits.map(({ id }) => id).sort(), wanted.sort());
  }
  return wrong;
}

const sorted = (fields: object) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
