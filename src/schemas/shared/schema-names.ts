// The schemas that have a name of their own in /openapi.json. Others refer to them by that name.

import { z } from "zod";

/** Not zod's global registry: names such as "Error" there could clash with those of your program. */
export const components = z.registry<{ id: string }>();
