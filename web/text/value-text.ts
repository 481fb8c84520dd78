// A value of a field → what people read of it. An empty text would look like a missing one.

import { visible } from "./visible.ts";

export const valueText = (value: string | boolean): string => visible(String(value)) || "(empty)";
