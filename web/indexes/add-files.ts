// Files for an index → the tasks that add them.

import { type UploadColumns, uploadFile } from "../api/calls.ts";
import type { Task } from "../jobs/use-jobs.ts";
import { counted, countText, millisecondsText } from "../text/numbers.ts";

export const addFiles = (index: string, files: readonly File[]): Task[] =>
  files.map((file) => addFile(index, file));

/** The task that adds one file; of a table, with what its columns are. */
export function addFile(index: string, file: File, columns: UploadColumns = {}): Task {
  return {
    doing: `Adding ${file.name}`,
    about: file.name,
    mayStop: true,
    upload: { file, columns },
    work: async (report, signal) => {
      const {
        added = 0,
        replaced = 0,
        deleted = 0,
        totalMs,
      } = await uploadFile(index, file, columns, report, signal);
      const what =
        deleted === 0
          ? addedText(added, replaced)
          : `it has no words any more, ${counted(deleted, "passage")} deleted`;
      return `${file.name}: ${what} in ${millisecondsText(totalMs)}.`;
    },
  };
}

function addedText(added: number, replaced: number): string {
  const whole = `${counted(added, "document")} added`;
  return replaced === 0 ? whole : `${whole}, ${countText(replaced)} replaced`;
}
