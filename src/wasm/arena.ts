// A WebAssembly memory for kernels, with an allocator that only moves forward: nothing is freed. A memory ends at 4 GiB,
// so a large index uses several.

import { instantiate, type Kernels } from "./module.ts";

const PAGE_BYTES = 65_536;

/** Bytes one memory may have: 16 MiB less than 4 GiB, so that no address is near the end. */
export const LARGEST_ARENA_BYTES = 4 * 2 ** 30 - 2 ** 24;

const ALIGNMENT = 64;

/** What an allocation of `bytes` takes: rounded up to the alignment. */
export function alignedBytes(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

type ViewClass<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

export class Arena {
  readonly kernels: Kernels;
  readonly memory: WebAssembly.Memory;
  /** All bytes of the memory, which never grows: to read single bytes without a view for each. */
  readonly bytes: Uint8Array;
  #next = ALIGNMENT; // address 0 means "none" to some kernels

  /**
   * `bytes`: how many will be allocated, each allocation rounded by `alignedBytes`; or a memory that another thread filled.
   */
  constructor(bytes: number | WebAssembly.Memory, isShared = false) {
    this.memory = typeof bytes === "number" ? createMemory(bytes, isShared) : bytes;
    this.bytes = new Uint8Array(this.memory.buffer);
    this.kernels = instantiate(this.memory, hasSharedBuffer(this.memory));
  }

  /** Reserves `bytes` and returns their address. */
  allocate(bytes: number): number {
    const address = this.#next;
    this.#next += alignedBytes(bytes);
    if (this.#next > this.memory.buffer.byteLength) throw new RangeError("the WebAssembly memory is full");
    return address;
  }

  view<T>(Type: ViewClass<T>, address: number, length: number): T {
    return new Type(this.memory.buffer, address, length);
  }
}

/** A page without cross-origin isolation has no `SharedArrayBuffer` at all, so the name must be tested first. */
function hasSharedBuffer({ buffer }: WebAssembly.Memory): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

function createMemory(bytes: number, isShared: boolean): WebAssembly.Memory {
  if (bytes > LARGEST_ARENA_BYTES) throw new RangeError(`${bytes} bytes do not fit one WebAssembly memory`);
  const pages = Math.ceil((bytes + ALIGNMENT) / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: isShared });
}
