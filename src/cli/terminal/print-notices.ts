// How an answer differs from what was asked, for people: a line on stderr for each notice. With --json they are in the answer, too.

import type { Answer } from "../../index.ts";
import type { Terminal } from "./command.ts";

export function printNotices(notices: Answer["notices"], terminal: Terminal): void {
  for (const { message } of notices ?? []) terminal.err(`sluice: ${message}\n`);
}
