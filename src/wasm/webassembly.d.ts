// The part of WebAssembly's interface that is used here: the types are the browser's, and no other type of a browser
// should be in reach.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(description: { initial: number; maximum: number; shared?: boolean });
    readonly buffer: ArrayBufferLike;
  }
}
