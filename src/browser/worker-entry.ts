// The entry point of the worker.

import type { Port } from "./reader-messages.ts";
import { serveCalls } from "./reader-worker.ts";

serveCalls(globalThis as unknown as Port);
