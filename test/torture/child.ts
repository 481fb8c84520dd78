// A program of this folder as a process: what it says, and how it ends.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class TortureChild {
  readonly lines: string[] = [];
  /** Its standard error. */
  errors = "";
  readonly #process: ChildProcess;
  /** The signal that ended it, or its status. */
  readonly ended: Promise<NodeJS.Signals | number>;
  #listeners: (() => void)[] = [];
  #isOver = false;

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    this.#process = spawn(command[0], command.slice(1), { env: { ...process.env, ...environment } });
    this.#process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    createInterface({ input: this.#process.stdout! }).on("line", (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.#process.stdin!.on("error", () => {}); // it may have ended
    this.ended = new Promise((resolve) =>
      this.#process.on("close", (status, signal) => {
        this.#isOver = true;
        this.#wake();
        resolve(signal ?? status ?? 0);
      }),
    );
  }

  /** Waits for a line that begins with the word, or for the end. */
  async said(word: string): Promise<void> {
    while (!this.#isOver && !this.lines.some((line) => line.startsWith(word))) {
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** What followed this word, by line. */
  linesWith(word: string): string[] {
    return this.lines
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  }

  tell(line: string): void {
    this.#process.stdin!.write(`${line}\n`);
  }

  endInput(): void {
    this.#process.stdin!.end();
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  #wake(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
