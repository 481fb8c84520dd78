// The entry point of the worker.

import type { Port } from "./messages.ts";
import { serveCalls } from "./worker-side.ts";

serveCalls(globalThis as unknown as Port);
