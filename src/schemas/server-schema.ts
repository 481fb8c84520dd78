// The server itself: whether it is alive and ready, its memory, and its errors.

import { z } from "zod";
import type { Immutable } from "./shared/immutable.ts";
import { countSchema } from "./shared/quantities.ts";
import { components } from "./shared/schema-names.ts";

export const healthAnswerSchema = z
  .object({ status: z.literal("ok") })
  .register(components, { id: "Health" });

export const readyAnswerSchema = z
  .object({
    status: z
      .enum(["ready", "unavailable", "stopping"])
      .describe("`unavailable`: an index was closed, or its files are missing or damaged."),
    indexes: z.record(z.string(), z.object({ ready: z.boolean() })),
  })
  .register(components, { id: "Ready" });

export const serverAnswerSchema = z
  .object({
    uptimeSeconds: z.number().min(0),
    memory: z.object({ residentBytes: countSchema, heapBytes: countSchema }),
    formats: z
      .array(
        z.object({
          format: z.string().meta({ examples: ["csv"] }),
          endings: z.array(z.string()).describe("The endings of names; `.gz` may follow."),
        }),
      )
      .describe(
        "The formats of files that the server can read. Parquet is missing if the server lacks a package.",
      ),
    hasReports: z.boolean().describe("Whether the server has a folder of reports that your key may read."),
  })
  .register(components, { id: "Server" });

export const errorAnswerSchema = z
  .object({
    error: z.object({
      code: z.string().meta({ examples: ["invalid"] }),
      message: z.string(),
      hint: z.string().describe("How to fix it.").optional(),
      requestId: z.string().describe("By which the server's logs have the request.").optional(),
    }),
  })
  .register(components, { id: "Error" });

export type ServerAnswer = Immutable<z.infer<typeof serverAnswerSchema>>;
export type ErrorAnswer = Immutable<z.infer<typeof errorAnswerSchema>>;
