// A folder of indexes: each of its folders that holds an index, and each link to one, under its name. Indexes are created and
// dropped by renaming a folder, so a crash leaves an index whole or leaves none. What it leaves beside them is removed at the next
// start.

import { type Dirent, existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type OpenOptions, Sluice, SluiceError } from "../../index.ts";
import { NAME_PATTERN } from "../../schemas/indexes/index-schema.ts";
import { refuseOtherFiles } from "../../store/medium/drop-folder.ts";
import { fileError } from "../../support/files/file-error.ts";
import { makeFolders } from "../../support/files/make-folders.ts";
import { isRunning } from "../../support/files/process-id.ts";
import { syncFolder } from "../../support/files/sync-folder.ts";
import { writeFolder } from "../../support/files/write-folder.ts";
import { nameTakenError } from "../wire/http-errors.ts";

/** What process N left when it ended in a create, a drop or a backup: NAME.N.tmp, NAME.N.dropped, NAME.N.1.backup. */
const LEFTOVER = /^[\w-]+\.(\d+)\.(?:tmp|dropped|\d+\.backup.*)$/;

/** How all indexes of a folder are opened. */
export type FolderOptions = Pick<OpenOptions, "readOnly" | "threads" | "kernel" | "gpu">;

/** The indexes of a folder, to be served. Clients of the server can create and drop indexes there. */
export class ServedFolder {
  readonly path: string;
  readonly #options: FolderOptions;
  readonly #indexes = new Map<string, Sluice>();
  readonly #unavailable = new Map<string, SluiceError>();
  readonly #misnamed: string[] = [];
  /** Names that are being created or dropped. */
  readonly #changing = new Set<string>();

  private constructor(path: string, options: FolderOptions) {
    this.path = path;
    this.#options = options;
  }

  /** Opens every index of a folder, which is created if it is missing. An index that cannot be opened does not stop the others. */
  static async open(path: string, options: FolderOptions = {}): Promise<ServedFolder> {
    const folder = new ServedFolder(resolve(path), options);
    try {
      await folder.#openAll();
      return folder;
    } catch (error) {
      await folder.close();
      throw fileError(error, path);
    }
  }

  /** @internal The open indexes, by name. */
  get indexes(): ReadonlyMap<string, Sluice> {
    return this.#indexes;
  }

  /** The indexes that could not be opened, each with the reason. */
  get unavailable(): ReadonlyMap<string, SluiceError> {
    return this.#unavailable;
  }

  /** @internal Folders that hold an index and whose names cannot be in a URL, so they are not served. */
  get misnamed(): readonly string[] {
    return this.#misnamed;
  }

  /** @internal */
  get writable(): boolean {
    return !this.#options.readOnly;
  }

  /** @internal How many indexes are being created or dropped. */
  get changing(): number {
    return this.#changing.size;
  }

  /** @internal Makes an index without documents. */
  async create(name: string, settings: OpenOptions): Promise<Sluice> {
    const target = join(this.path, name);
    return this.#change(name, async () => {
      if (existsSync(target)) throw nameTakenError();
      await writeFolder(
        target,
        async () => false,
        async (inside) => {
          const index = await Sluice.open(inside, settings);
          try {
            await index.commit();
          } finally {
            await index.close();
          }
        },
      );
      await syncFolder(this.path);
      return this.#open(name);
    });
  }

  /** @internal Removes an index after `close` has closed it. If that fails, the index stays. */
  async remove(name: string, close: () => Promise<void>): Promise<void> {
    await this.#change(name, async () => {
      const folder = join(this.path, name);
      await refuseOtherFiles(folder); // while the index can still go on
      await close();
      this.#indexes.delete(name);
      try {
        await Sluice.drop(folder);
      } catch (error) {
        this.#unavailable.set(name, notRemovedError(error)); // it is still there, and closed
        throw error;
      }
      this.#unavailable.delete(name);
    });
  }

  /** Closes all indexes. */
  async close(): Promise<void> {
    for (const index of this.#indexes.values()) await index.close();
  }

  async #openAll(): Promise<void> {
    await makeFolders(this.path);
    for (const entry of await readdir(this.path, { withFileTypes: true })) {
      const { name } = entry;
      const path = join(this.path, name);
      const [, process] = LEFTOVER.exec(name) ?? [];
      if (process !== undefined) {
        if (isLeft(Number(process))) await rm(path, { recursive: true, force: true });
        continue;
      }
      try {
        if (!(await isFolder(entry, path)) || !(await Sluice.exists(path))) continue;
        if (NAME_PATTERN.test(name)) await this.#open(name);
        else this.#misnamed.push(name);
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error;
        if (NAME_PATTERN.test(name)) this.#unavailable.set(name, error);
      }
    }
  }

  async #open(name: string): Promise<Sluice> {
    const index = await Sluice.open(join(this.path, name), this.#options);
    this.#indexes.set(name, index);
    return index;
  }

  /** One change of a name at a time. */
  async #change<T>(name: string, work: () => Promise<T>): Promise<T> {
    const key = name.toLowerCase(); // some disks do not tell upper from lower case
    if (this.#changing.has(key)) throw nameTakenError();
    this.#changing.add(key);
    try {
      return await work();
    } catch (error) {
      // Another process made an index of this name meanwhile.
      if ((error as NodeJS.ErrnoException).code === "ENOTEMPTY") throw nameTakenError();
      throw fileError(error, join(this.path, name));
    } finally {
      this.#changing.delete(key);
    }
  }
}

/** Whether an entry is a folder, or a link to one. Throws if it is a link that leads nowhere. */
async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Whether the process is gone. An older process may have had our own id: in a container, all have the same. */
function isLeft(id: number): boolean {
  return id === process.pid || !isRunning(id);
}

function notRemovedError(error: unknown): SluiceError {
  return new SluiceError(
    `the index was closed, and cannot be removed: ${error}`,
    "drop it again, or start the server again",
    "ERR_SLUICE_FILE",
  );
}
