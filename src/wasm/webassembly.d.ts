// The types of WebAssembly that we use. TypeScript has them in its browser library only, and the rest of that library
// must stay out of reach.

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
