// What fields of documents add to scores. The library checks boosts again, and knows which durations and dates there are.

import { z } from "zod";
import { DECAYS, MOST_BOOSTS, MOST_WEIGHT } from "../../documents/boost.ts";
import { components } from "../shared/schema-names.ts";

const common = {
  field: z.string().min(1).describe("The field with a number or a date."),
  weight: z
    .number()
    .min(-MOST_WEIGHT)
    .max(MOST_WEIGHT)
    .describe("What the result is multiplied by; 1 by default. A weight below 0 lowers scores.")
    .optional(),
};

const boost = z
  .union([
    z.strictObject({
      ...common,
      decay: z
        .enum(DECAYS)
        .describe("By the distance from the origin; one half of the weight is left at one scale."),
      scale: z
        .union([z.number().positive(), z.string()])
        .describe('A number, or a duration such as "12h", "30d" or "2y".'),
      origin: z
        .union([z.number(), z.string()])
        .describe("A number or an ISO date; the time of the search by default.")
        .optional(),
    }),
    z.strictObject({
      ...common,
      log: z
        .boolean()
        .describe("True: by the logarithm of 1 + value. Otherwise by the value itself.")
        .optional(),
    }),
  ])
  .register(components, { id: "Boost" });

export const boostsSchema = z
  .array(boost)
  .max(MOST_BOOSTS)
  .meta({
    description: "What fields of documents add to their scores, such as how recent or how popular they are.",
    examples: [[{ field: "updated", decay: "exp", scale: "30d", weight: 2 }]],
  });

export const boostPartSchema = z.object({
  field: z.string(),
  value: z
    .number()
    .describe("The document's number in the field; a date is in milliseconds since 1970.")
    .optional(),
  contribution: z.number(),
});
