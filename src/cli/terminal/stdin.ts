// Standard input: "-" on a command line means it instead of a file, and a question is answered there.

import type { FileSource } from "../../support/files/source.ts";
import type { Terminal } from "./command.ts";

export const STDIN = "-";

/** The file of a path, or standard input for "-". Messages and ids of passages call it "stdin". */
export function sourceOf(path: string, terminal: Terminal): FileSource {
  return path === STDIN ? { name: "stdin", bytes: terminal.in } : path;
}

/** Asks a question on the terminal. Returns whether the answer is yes. */
export async function askYesNo(question: string, terminal: Terminal): Promise<boolean> {
  terminal.err(`${question} [y/N] `);
  let answer = "";
  const decoder = new TextDecoder();
  for await (const chunk of terminal.in) {
    answer += decoder.decode(chunk, { stream: true });
    if (answer.includes("\n")) break;
  }
  return /^\s*y(es)?\s*$/i.test(answer.split("\n")[0]);
}
