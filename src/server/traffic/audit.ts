// The audit log: who changed what, and who was refused, as lines of JSON in a file. A change is written down before it is made,
// and again with its end. If the first line cannot be written, the change is not made.

import { closeSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fileError } from "../../support/files/file-error.ts";
import { HttpError } from "../wire/http-errors.ts";
import type { Log } from "./request-log.ts";

/** A line. `begin` and `end` are two lines of one change, `refused` is a request without the right key. */
interface AuditEntry {
  readonly event: "begin" | "end" | "refused";
  readonly requestId: string;
  /** The name of the key, or the first digits of its hash. */
  readonly key?: string | undefined;
  readonly address: string;
  readonly method: string;
  readonly route: string;
  readonly index?: string | undefined;
  readonly status?: number;
  readonly code?: string;
  readonly added?: number;
  readonly deleted?: number;
  readonly committed?: boolean;
}

export class AuditLog {
  readonly #path: string;
  readonly #log: Log | undefined;
  #file: Promise<FileHandle> | undefined;
  #queue: Promise<void> = Promise.resolve();
  /** Whether the last line may be cut off. */
  #isTorn = false;

  /** A file that cannot be written is an error at once. */
  constructor(path: string, log: Log | undefined) {
    this.#path = path;
    this.#log = log;
    try {
      closeSync(openSync(path, "a", 0o600));
    } catch (error) {
      throw fileError(error, path);
    }
  }

  /** Writes that a change begins. Rejects with a 503 if it cannot: then the change must not be made. */
  async begin(entry: Omit<AuditEntry, "event">): Promise<void> {
    try {
      await this.#write({ event: "begin", ...entry });
    } catch (error) {
      this.#report(error);
      throw new HttpError(503, "audit_failed", "the audit log cannot be written, so nothing is changed", {
        headers: { "Retry-After": "5" },
      });
    }
  }

  /** Writes how a change ended. It is made by now, so a failure is only logged; the next change is refused. */
  end(entry: Omit<AuditEntry, "event">): Promise<void> {
    return this.#write({ event: "end", ...entry }).catch((error) => this.#report(error));
  }

  /** Writes that a request was refused. */
  writeRefused(entry: Omit<AuditEntry, "event">): Promise<void> {
    return this.#write({ event: "refused", ...entry }).catch((error) => this.#report(error));
  }

  /** Opens the file again, after all lines that wait: something may have renamed it. */
  reopen(): Promise<void> {
    return this.#runInTurn(() => this.#close());
  }

  close(): Promise<void> {
    return this.reopen();
  }

  #write(entry: AuditEntry): Promise<void> {
    const line = `${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`;
    return this.#runInTurn(async () => {
      try {
        this.#file ??= open(this.#path, "a", 0o600);
        const file = await this.#file;
        await file.appendFile(this.#isTorn ? `\n${line}` : line);
        await file.datasync();
        this.#isTorn = false;
      } catch (error) {
        this.#isTorn = true;
        await this.#close().catch(() => {}); // the next line tries to open it again
        throw error;
      }
    });
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await (await file)?.close();
  }

  #runInTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  #report(error: unknown): void {
    this.#log?.error({ error: String(error) }, "the audit log cannot be written");
  }
}
