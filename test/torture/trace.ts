// The system calls of a process, as strace recorded them, in; what they did to files, in order, out. LMDB writes by itself, so
// nothing inside the process sees all writes; strace does.

/** What one finished system call did. `began` and `ended` are positions in the record: other calls may have run in between. */
export interface DiskCall {
  readonly began: number;
  readonly ended: number;
  readonly action: DiskAction;
}

export type DiskAction =
  | { readonly kind: "create"; readonly path: string; readonly truncated: boolean; readonly exists: boolean }
  | { readonly kind: "folder"; readonly path: string }
  | {
      readonly kind: "write";
      readonly path: string;
      readonly at: number;
      readonly bytes: Buffer;
      /** Written through a descriptor that waits for the disk. */
      readonly isSynced: boolean;
    }
  /** Bytes of another file, which the system copied by itself. */
  | {
      readonly kind: "copy";
      readonly path: string;
      readonly at: number;
      readonly from: string;
      readonly start: number;
      readonly length: number;
    }
  | { readonly kind: "truncate"; readonly path: string; readonly length: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  /** A line on standard output. */
  | { readonly kind: "said"; readonly line: string };

const CALLS =
  "openat,lseek,pwrite64,pwritev,writev,write,fdatasync,fsync,ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,msync,sync_file_range,copy_file_range";

/** The command that runs a program and records it. */
export function tracedCommand(record: string, command: readonly string[]): string[] {
  const flags = ["-f", "--seccomp-bpf", "-y", "-xx", "-s", "8000000", "-e", `trace=${CALLS}`, "-o", record];
  return ["strace", ...flags, ...command];
}

/** Reads a record. Calls on files outside `root` are left out, and so is a call that did not finish. */
export function readTrace(record: string, root: string): DiskCall[] {
  const calls: DiskCall[] = [];
  const unfinished = new Map<string, { began: number; text: string }>();
  const descriptors = new Descriptors(root);
  for (const [position, line] of record.split("\n").entries()) {
    const [, thread, text] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text === undefined) continue;
    if (text.endsWith("<unfinished ...>")) {
      unfinished.set(thread, { began: position, text: text.slice(0, -"<unfinished ...>".length) });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const start = resumed === undefined ? undefined : unfinished.get(thread);
    if (resumed !== undefined && !start) continue;
    unfinished.delete(thread);
    const whole = start ? `${start.text.trimEnd()}${resumed}` : text;
    for (const action of descriptors.actionsOf(whole)) {
      calls.push({ began: start?.began ?? position, ended: position, action });
    }
  }
  return calls;
}

/** What is known of open files: where the next write goes, and whether writes wait for the disk. */
class Descriptors {
  readonly #root: string;
  readonly #at = new Map<string, number>();
  readonly #synced = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  actionsOf(text: string): DiskAction[] {
    const [, name, body, returned] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(text) ?? [];
    if (name === undefined || Number(returned) < 0) return [];
    if (name === "openat") return this.#opened(body, returned);
    if (name === "copy_file_range") return this.#copied(body, Number(returned));
    const fd = /^(\d+)<((?:\\x[0-9a-f]{2})*|[^>]*)>/.exec(body);
    if (fd) return this.#onDescriptor(name, body, fd[1], unescaped(fd[2]).toString(), Number(returned));
    const paths = [...body.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, path]) =>
      unescaped(path).toString(),
    );
    if (!paths.every((path) => this.#isInside(path)) || paths.length === 0) return [];
    const [path, to] = paths;
    if (name.startsWith("rename")) return [{ kind: "rename", path, to }];
    if (name.startsWith("link")) return [{ kind: "link", path, to }];
    if (name.startsWith("mkdir")) return [{ kind: "folder", path }];
    if (name.startsWith("unlink") || name === "rmdir") return [{ kind: "remove", path }];
    if (name === "truncate") return [{ kind: "truncate", path, length: lastNumber(body) }];
    throw new Error(`a call the disk's model does not know: ${name}`);
  }

  #isInside(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  #opened(body: string, fd: string): DiskAction[] {
    const path = unescaped(/"((?:\\x[0-9a-f]{2})*)"/.exec(body)![1]).toString();
    const flags = body.slice(body.lastIndexOf('"'));
    this.#at.set(fd, 0);
    if (/O_D?SYNC/.test(flags)) this.#synced.add(fd);
    else this.#synced.delete(fd);
    if (!this.#isInside(path) || !/O_CREAT|O_TRUNC/.test(flags)) return [];
    return [
      { kind: "create", path, truncated: flags.includes("O_TRUNC"), exists: !flags.includes("O_CREAT") },
    ];
  }

  #copied(body: string, length: number): DiskAction[] {
    const [from, to] = [...body.matchAll(/(\d+)<((?:\\x[0-9a-f]{2})*|[^>]*)>/g)].map(([, fd, path]) => ({
      fd,
      path: unescaped(path).toString(),
    }));
    if (!this.#isInside(to.path)) return [];
    if (!this.#isInside(from.path)) throw new Error(`a copy from elsewhere: ${from.path}`);
    const at = this.#at.get(to.fd) ?? 0;
    this.#at.set(to.fd, at + length);
    const start = Number(/>, \[(\d+)\]/.exec(body)?.[1] ?? 0);
    return [{ kind: "copy", path: to.path, at, from: from.path, start, length }];
  }

  #onDescriptor(name: string, body: string, fd: string, path: string, returned: number): DiskAction[] {
    if (name === "lseek") this.#at.set(fd, returned);
    if (fd === "1" && name === "write") {
      return stringsOf(body)
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => ({ kind: "said", line }));
    }
    if (!this.#isInside(path) || name === "lseek") return [];
    if (name === "fsync" || name === "fdatasync") return [{ kind: "sync", path }];
    if (name === "ftruncate") return [{ kind: "truncate", path, length: lastNumber(body) }];
    if (!/^p?writev?(64)?$/.test(name)) throw new Error(`a call the disk's model does not know: ${name}`);
    const isPlaced = name.startsWith("p");
    const at = isPlaced ? lastNumber(body) : (this.#at.get(fd) ?? 0);
    if (!isPlaced) this.#at.set(fd, at + returned);
    const bytes = stringsOf(body).subarray(0, returned);
    if (bytes.length !== returned) throw new Error(`${name}: ${bytes.length} bytes recorded of ${returned}`);
    return [{ kind: "write", path, at, bytes, isSynced: this.#synced.has(fd) }];
  }
}

const unescaped = (text: string) =>
  text.startsWith("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text);

/** All strings of a call, joined. */
function stringsOf(body: string): Buffer {
  const parts: Buffer[] = [];
  for (let from = body.indexOf('"'); from >= 0; ) {
    const end = body.indexOf('"', from + 1);
    parts.push(unescaped(body.slice(from + 1, end)));
    from = body.indexOf('"', end + 1);
  }
  return Buffer.concat(parts);
}

const lastNumber = (body: string) => Number(/(-?\d+)$/.exec(body.trimEnd())![1]);
