// Numbers that many schemas need.

import { z } from "zod";

export const whole = (least: number) => z.int().min(least);
export const count = whole(0);
export const share = z.number().min(0).max(1);
export const milliseconds = z.number().min(0);
