// What runs in the worker.

import type { Port } from "./messages.ts";
import { serve } from "./serve.ts";

serve(globalThis as unknown as Port);
