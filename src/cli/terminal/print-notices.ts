// How an answer differs from what was asked, for people: a line on stderr for each notice. With --json they are in the answer, too.

import type { Answer } from "../../index.ts";
import type { Terminal } from "./command.ts";

/** Notices that name options of the library, in words that name flags instead. */
const MESSAGES: Readonly<Record<string, string>> = {
  words_only:
    "answered by words only: the documents came with vectors of your own, and the index has no encoder for the text of a " +
    "query; --lambda 0 says that words are enough",
};

export function printNotices(notices: Answer["notices"], terminal: Terminal): void {
  for (const { code, message } of notices ?? []) terminal.err(`sluice: ${MESSAGES[code] ?? message}\n`);
}
