// The modules that threads.test.ts uses. They are bundled beside the worker, since threads need a file that Node can run.

export { BuildPool } from "../../src/ingest/build/build-pool.ts";
export { runEngine } from "../../src/rank/engine.ts";
export { createRowParts } from "../../src/rank/engine-segment.ts";
export { ScanPool } from "../../src/scan/wasm/scan-pool.ts";
export { Scanner } from "../../src/scan/wasm/scanner.ts";
export { WasmFirstStage } from "../../src/scan/wasm/wasm-first-stage.ts";
export { layOut } from "../../src/segment/layout.ts";
export { Sluice } from "../../src/sluice.ts";
export { Bits } from "../../src/support/numbers/bits.ts";
export { Turns } from "../../src/support/work/turns.ts";
export { createMemorySource } from "./memory-source.ts";
