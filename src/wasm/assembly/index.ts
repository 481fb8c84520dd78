// What the WebAssembly module exports: plain functions over addresses. The memory and its layout are TypeScript's.

export * from "./exact";
export * from "./planes";
export * from "./postings";
export * from "./pq";
export * from "./rotate";
export * from "./slices";
export * from "./sums";
