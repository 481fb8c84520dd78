// Numbers that many schemas need.

import { z } from "zod";
import { LARGEST_LAMBDA } from "../../support/options/lambda.ts";

export const wholeSchema = (least: number) => z.int().min(least);
export const countSchema = wholeSchema(0);
export const shareSchema = z.number().min(0).max(1);
export const millisecondsSchema = z.number().min(0);
/** The weight of the semantic part, in the same range as in the library. */
export const lambdaSchema = z.number().min(0).max(LARGEST_LAMBDA);
