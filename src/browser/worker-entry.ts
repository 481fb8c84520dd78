// The entry point of the worker.

import type { Port } from "./messages.ts";
import { serve } from "./worker-side.ts";

serve(globalThis as unknown as Port);
