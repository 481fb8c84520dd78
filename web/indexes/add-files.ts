// Files for an index → the tasks that add them.

import { uploadFile } from "../api/calls.ts";
import type { Task } from "../jobs/use-jobs.ts";
import { counted, countText, millisecondsText } from "../text/numbers.ts";

export function addFiles(index: string, files: readonly File[]): Task[] {
  return files.map((file) => ({
    doing: `Adding ${file.name}`,
    about: file.name,
    mayStop: true,
    work: async (report, signal) => {
      const { added = 0, replaced = 0, deleted, totalMs } = await uploadFile(index, file, report, signal);
      const what =
        deleted === undefined
          ? addedText(added, replaced)
          : `it has no words any more, ${counted(deleted, "passage")} deleted`;
      return `${file.name}: ${what} in ${millisecondsText(totalMs)}.`;
    },
  }));
}

function addedText(added: number, replaced: number): string {
  const whole = `${counted(added, "document")} added`;
  return replaced === 0 ? whole : `${whole}, ${countText(replaced)} replaced`;
}
