// "-" on a command line means standard input instead of a file.

import type { FileSource } from "../../support/files/source.ts";
import type { Terminal } from "./command.ts";

export const STDIN = "-";

/** The file of a path, or standard input for "-". Messages and ids of passages call it "stdin". */
export function sourceOf(path: string, terminal: Terminal): FileSource {
  return path === STDIN ? { name: "stdin", bytes: terminal.in } : path;
}
