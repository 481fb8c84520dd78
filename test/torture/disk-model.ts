// A disk that can lose its power. Calls of trace.ts in; folders as a computer may find them after the power came back, out.
//
// - What a file was given is safe after a sync of that file. Any of its later writes may be there, be missing, or be torn: of each
//   of its sectors, the old or the new bytes are there.
// - A name in a folder (new, renamed or removed) is safe after a sync of that folder. Of later changes of a folder, the first few
//   are there: file systems with a journal keep their order. Folders are independent of each other, and of files.
// - A sector of 512 bytes is written as a whole. Drives promise that.

import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DiskCall } from "./trace.ts";

const SECTOR_BYTES = 512;

type FileChange =
  | { readonly ended: number; readonly at: number; readonly bytes: Buffer }
  | { readonly ended: number; readonly length: number };

/** A file or a folder, whatever its name is now. */
class Node {
  /** Of a file: bytes that are safe. */
  safe: Buffer = Buffer.alloc(0);
  /** Of a file: later changes, in order. */
  changes: FileChange[] = [];
  /** Of a folder: names that are safe, and later states, the newest last. */
  safeNames: Map<string, Node> | undefined;
  states: { readonly ended: number; readonly names: Map<string, Node> }[] = [];

  /** The names as the running process sees them. */
  get names(): Map<string, Node> {
    return this.states.at(-1)?.names ?? this.safeNames!;
  }

  /** The bytes as the running process sees them. */
  get bytes(): Buffer {
    return this.changes.reduce(applied, this.safe);
  }

  rename(ended: number, change: (names: Map<string, Node>) => void): void {
    const names = new Map(this.names);
    change(names);
    this.states.push({ ended, names });
  }

  /** What was finished before `began` is safe now. */
  sync(began: number): void {
    const done = this.states.filter(({ ended }) => ended < began);
    if (done.length > 0) this.safeNames = done.at(-1)!.names;
    this.states = this.states.slice(done.length);
    // Changes keep their order, so all before the last finished one are applied with it.
    const finished = this.changes.filter(({ ended }) => ended < began);
    for (const change of finished) this.safe = applied(this.safe, change);
    this.changes = this.changes.filter(({ ended }) => ended >= began);
  }
}

export class DiskModel {
  readonly #root: string;
  readonly #folder = new Node();
  /** Files that were removed, which may still be open, by the names that they had. */
  readonly #removed = new Map<string, Node>();
  /** What the process has said so far. */
  readonly said: string[] = [];

  constructor(root: string) {
    this.#root = root;
    this.#folder.safeNames = new Map();
  }

  apply({ began, ended, action }: DiskCall): void {
    if (action.kind === "said") {
      this.said.push(action.line);
      return;
    }
    if (action.path === this.#root) {
      if (action.kind === "sync") this.#folder.sync(began);
      return;
    }
    const [parent, name] = [this.#node(dirname(action.path))!, basename(action.path)];
    const node = parent.names.get(name);
    switch (action.kind) {
      case "folder": {
        const made = new Node();
        made.safeNames = new Map();
        parent.rename(ended, (names) => names.set(name, made));
        return;
      }
      case "create":
        if (!node && !action.exists) parent.rename(ended, (names) => names.set(name, new Node()));
        else if (node && action.truncated) node.changes.push({ ended, length: 0 });
        return;
      case "write":
        node!.changes.push({ ended, at: action.at, bytes: action.bytes });
        if (action.isSynced) node!.sync(ended + 1);
        return;
      case "copy": {
        const { at, start, length } = action;
        const source = this.#node(action.from) ?? this.#removed.get(action.from);
        const bytes = source!.bytes.subarray(start, start + length);
        node!.changes.push({ ended, at, bytes });
        return;
      }
      case "truncate":
        node!.changes.push({ ended, length: action.length });
        return;
      case "sync":
        node?.sync(began);
        return;
      case "remove":
        this.#removed.set(action.path, node!);
        parent.rename(ended, (names) => names.delete(name));
        return;
      case "link":
        this.#node(dirname(action.to))!.rename(ended, (names) => names.set(basename(action.to), node!));
        return;
      case "rename": {
        const target = this.#node(dirname(action.to))!;
        if (target !== parent) throw new Error("a rename into another folder is not modeled");
        parent.rename(ended, (names) => {
          names.delete(name);
          names.set(basename(action.to), node!);
        });
        return;
      }
    }
  }

  /** Writes what may be left after a power loss now into a new folder. */
  writeAfterLoss(target: string, random: () => number): void {
    // Sometimes nothing of the last changes arrived, sometimes all, mostly some.
    const kind = random();
    const share = kind < 0.15 ? 0 : kind < 0.3 ? 1 : random();
    const write = (node: Node, path: string) => {
      if (!node.safeNames) {
        writeFileSync(path, torn(node, share, random));
        return;
      }
      mkdirSync(path);
      const kept = Math.floor(random() * (node.states.length + 1));
      const names = kept === 0 ? node.safeNames : node.states[kept - 1].names;
      for (const [name, child] of names) write(child, join(path, name));
    };
    write(this.#folder, target);
  }

  #node(path: string): Node | undefined {
    if (path === this.#root) return this.#folder;
    return this.#node(dirname(path))?.names.get(basename(path));
  }
}

/** A file with a share of its last changes, some of them torn. */
function torn({ safe, changes }: Node, share: number, random: () => number): Buffer {
  let bytes = safe;
  for (const change of changes) {
    if (random() >= share) continue;
    if ("length" in change || random() < 0.5) bytes = applied(bytes, change);
    else {
      for (const sector of sectorsOf(change.at, change.bytes)) {
        if (random() < 0.5) bytes = applied(bytes, { ended: change.ended, ...sector });
      }
    }
  }
  return bytes;
}

/** A write as one write for each sector of the disk that it touches. */
function* sectorsOf(at: number, bytes: Buffer): Generator<{ at: number; bytes: Buffer }> {
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
    yield { at: at + from, bytes: bytes.subarray(from, to) };
    from = to;
  }
}

function applied(file: Buffer, change: FileChange): Buffer {
  const length = "length" in change ? change.length : Math.max(file.length, change.at + change.bytes.length);
  const changed = Buffer.alloc(length);
  file.copy(changed, 0, 0, length);
  if ("at" in change) change.bytes.copy(changed, change.at);
  return changed;
}
