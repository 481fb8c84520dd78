// A damaged index → a new, sound index of all documents that are whole, in another folder, and a report of what was lost. Documents
// are analyzed again, so the new index is what a build of these documents gives.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkIndexOptions } from "../ingest/options/index-options.ts";
import { isClusterAddress } from "../open/location.ts";
import { NoIndexError } from "../store/database/database.ts";
import { DATABASE_FILE } from "../store/database/lmdb-database.ts";
import { hasIndexInFolder, indexExistsError } from "../store/medium/index-folder.ts";
import { verifyFolder } from "../store/verify/verify.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { checkPath } from "../support/files/check-path.ts";
import { requireOutside } from "../support/files/same-folder.ts";
import { checkOptions } from "../support/options/options.ts";
import type { OnProgress } from "../support/options/progress.ts";
import { checkSaveOptions } from "../support/options/save-options.ts";
import { DamagedIndex } from "./damaged-index.ts";
import { RecordedSalvage } from "./recorded-salvage.ts";
import { REPAIR_OPTIONS, type RepairOptions, type RepairResult } from "./repair-options.ts";
import { Salvage } from "./salvage.ts";

/** @internal Reads what is whole in `folder`, and writes it into the folder `into`. */
export async function repairIndex(
  folder: string,
  into: string,
  options: RepairOptions,
): Promise<RepairResult> {
  const address = [folder, into].find(isClusterAddress);
  if (address) throw new SluiceError(`${address}: only an index in a folder can be repaired`);
  checkPath("the folder of an index", folder);
  checkPath("the folder of the new index", into);
  checkOptions(options, REPAIR_OPTIONS, "repair");
  const { analyzer, encoder, ...saving } = options;
  checkSaveOptions("repair", saving);
  checkIndexOptions({ analyzer, encoder });
  requireOutside(into, folder, "the damaged index", "the new index");
  if (!options.overwrite && (await hasIndexInFolder(into))) throw indexExistsError(into);
  const { onProgress, signal } = options;
  const { problems } = await verifyFolder(folder, { onProgress, signal }).catch(rethrow);
  const damaged = await DamagedIndex.open(folder).catch(rethrow);
  try {
    const salvage = new Salvage(damaged, folder, options);
    const { record } = damaged;
    const saved = record
      ? await new RecordedSalvage(salvage, damaged, record, options).writeInto(into)
      : await salvage.writeAsNew(into);
    await requireSound(into, onProgress);
    return { ...salvage.report(saved), hasSettings: record !== undefined, problems };
  } finally {
    await damaged.close();
  }

  function rethrow(error: unknown): never {
    throw error instanceof NoIndexError ? nothingToRepairError(folder) : error;
  }
}

/** The error about a folder without a commit. The hint of `NoIndexError` would say how to make an index. */
function nothingToRepairError(folder: string): SluiceError {
  const database = join(folder, DATABASE_FILE);
  return existsSync(database)
    ? new SluiceError(
        `${database}: holds nothing of an index; the documents were in this file, so nothing can be saved`,
        "restore a backup, or build the index again",
        "ERR_SLUICE_DAMAGED",
      )
    : new SluiceError(
        `${folder}: there is no index to repair`,
        "look for a typing error in its location",
        "ERR_SLUICE_NO_INDEX",
      );
}

async function requireSound(into: string, onProgress: OnProgress | undefined): Promise<void> {
  const [problem] = (await verifyFolder(into, onProgress ? { onProgress } : {})).problems;
  if (problem !== undefined) throw new Error(`the new index is damaged: ${problem}`);
}
