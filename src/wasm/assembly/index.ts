// The exports of the WebAssembly module: plain functions that take addresses. TypeScript owns the memory and decides what
// lies where.

export * from "./exact";
export * from "./gaps";
export * from "./layout";
export * from "./packed";
export * from "./planes";
export * from "./postings";
export * from "./pq";
export * from "./rotate";
export * from "./sums";
export * from "./tables";
