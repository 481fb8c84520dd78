// A WebAssembly memory that is handed out from the front and never given back: what a kernel works on. A memory ends
// at 4 GiB, so a large index lies in several.

import { instantiate, type Kernels } from "./module.ts";

const PAGE_BYTES = 65_536;

/** What one memory may hold: a little less than 4 GiB, so that no address is near its end. */
export const LARGEST_ARENA_BYTES = 4 * 2 ** 30 - 2 ** 24;

const ALIGNMENT = 64;

/** `bytes` as an arena counts them. */
export function alignedBytes(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

type View<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

export class Arena {
  readonly kernels: Kernels;
  readonly memory: WebAssembly.Memory;
  #next = ALIGNMENT; // address 0 means "none" to some kernels

  /** Room for exactly `bytes`, counted with `alignedBytes` for each piece; or a memory that another thread filled. */
  constructor(room: number | WebAssembly.Memory, shared = false) {
    this.memory = typeof room === "number" ? memoryOf(room, shared) : room;
    this.kernels = instantiate(this.memory, isShared(this.memory));
  }

  /** The address of `bytes` free bytes. */
  allocate(bytes: number): number {
    const address = this.#next;
    this.#next += alignedBytes(bytes);
    if (this.#next > this.memory.buffer.byteLength) throw new RangeError("the WebAssembly memory is full");
    return address;
  }

  view<T>(Type: View<T>, address: number, length: number): T {
    return new Type(this.memory.buffer, address, length);
  }
}

/** Pages that are not isolated from others have no shared memory, and no name for it. */
function isShared({ buffer }: WebAssembly.Memory): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

function memoryOf(bytes: number, shared: boolean): WebAssembly.Memory {
  if (bytes > LARGEST_ARENA_BYTES) throw new RangeError(`${bytes} bytes do not fit one WebAssembly memory`);
  const pages = Math.ceil((bytes + ALIGNMENT) / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
}
