// What the test of threads uses, to be bundled beside the worker: threads need a file that Node can run.

export { Bits } from "../src/bits.ts";
export { layOut } from "../src/layout/layout.ts";
export { memorySource } from "../src/scan/memory-source.ts";
export { ScanPool } from "../src/scan/pool.ts";
export { Scanner } from "../src/scan/scanner.ts";
export { searchSegments, searchSegmentsForAll } from "../src/search/engine.ts";
export { residentRows } from "../src/search/segments.ts";
export { Sluice } from "../src/sluice.ts";
export { Side } from "../src/store/side.ts";
export { Turns } from "../src/turns.ts";
