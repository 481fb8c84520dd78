// What goes over the wire: every request and every answer, as schemas that check what comes in, describe it in
// /openapi.json and give the page and other clients their types. Requests are strict: a name that is not here is refused.

import { z } from "@hono/zod-openapi";

/** Names an index in an address: nothing in it can lead anywhere else. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const whole = (least: number) => z.number().int().min(least);
/** As far as the library takes it. */
const lambda = z.number().min(0).max(1e6);
const milliseconds = () => z.number().min(0);

export const nameParameter = z.object({
  name: z
    .string()
    .regex(NAME_PATTERN)
    .openapi({ param: { name: "name", in: "path" }, example: "dictionary", description: "The index." }),
});

export const documentParameters = nameParameter.extend({
  id: z
    .string()
    .min(1)
    .openapi({ param: { name: "id", in: "path" }, example: "noun.01234567", description: "The document." }),
});

// ── Questions ────────────────────────────────────────────────────────────────────────────────────────────────────────

const semanticSelection = z.enum(["positive", "magnitude", "all"]);
const candidates = whole(1).max(10_000_000);

export const planSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("auto") }),
    z.strictObject({ kind: z.literal("exact") }),
    z
      .strictObject({
        kind: z.literal("pruned"),
        theta: z.number().min(0).optional(),
        mass: z.number().gt(0).max(1).optional(),
        semanticSelection: semanticSelection.optional(),
        candidates: candidates.optional(),
        rescore: z.boolean().optional(),
      })
      .refine(({ theta, mass }) => (theta === undefined) !== (mass === undefined), {
        error: "a pruned plan takes either theta or mass",
      })
      .openapi({ oneOf: [{ required: ["theta"] }, { required: ["mass"] }] }),
    z.strictObject({
      kind: z.literal("inner-product"),
      candidates: candidates.optional(),
      rescore: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal("quantized"), candidates: candidates.optional() }),
  ])
  .openapi("Plan", {
    description:
      "How to search. `pruned` takes either `theta` or `mass`: which of the query's weights a first stage looks at.",
    example: { kind: "pruned", theta: 0.3, candidates: 1000 },
  });

/** A weight counts like so many occurrences of a term. Times what a rare term counts for, it must fit into a float16. */
const MOST_WEIGHT = 1000;

export const querySchema = z
  .union(
    [
      z.string(),
      z
        .strictObject({
          text: z.string().optional(),
          weights: z.record(z.string(), z.number().min(0).max(MOST_WEIGHT)).optional(),
          vector: z.array(z.number()).optional(),
        })
        .refine((query) => Object.values(query).some((part) => part !== undefined))
        .openapi({ minProperties: 1 }),
    ],
    {
      error:
        "expected a text, or an object with text, weights (for each term a number from 0 to " +
        `${MOST_WEIGHT}) or vector (numbers)`,
    },
  )
  .openapi("Query", {
    description:
      "A text; or weighted terms; with a vector, where the index has a semantic part and no model of its own. " +
      "Without the vector such an index answers by words only, and the answer has a `notice` that says so.",
    example: "a gate that controls the flow of water",
  });

const scalar = { type: ["string", "number", "boolean", "null"] };
const bound = { type: ["string", "number"] };
const filters = { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Filter" } };

/** What the library checks, as JSON Schema has it. */
const FILTER = {
  type: "object",
  properties: { and: filters, or: filters, not: { $ref: "#/components/schemas/Filter" } },
  propertyNames: { not: { pattern: "^\\\\?(id|title|text|weights|vector)$" } },
  additionalProperties: {
    anyOf: [
      scalar,
      {
        type: "object",
        properties: {
          eq: scalar,
          ne: scalar,
          in: { type: "array", minItems: 1, items: scalar },
          lt: bound,
          lte: bound,
          gt: bound,
          gte: bound,
          exists: { type: "boolean" },
        },
        minProperties: 1,
        additionalProperties: false,
      },
    ],
  },
} as const;

export const filterSchema = z.record(z.string(), z.unknown()).openapi("Filter", {
  ...(FILTER as object),
  description:
    "What a document's fields must fulfil: `{ field: value }` or `{ field: { eq, ne, in, lt, lte, gt, gte, exists } }`, " +
    "several of them joined by and; `{ and: […] }`, `{ or: […] }`, `{ not: { … } }`.",
  example: { kind: "noun", year: { gte: 1919, lt: 1933 } },
});

const asked = {
  k: whole(1).optional().openapi({ description: "How many hits; 10 when left out.", example: 10 }),
  offset: whole(0)
    .optional()
    .openapi({ description: "How many of the best hits to leave out: the next page." }),
  plan: planSchema.optional(),
  lambda: lambda
    .optional()
    .openapi({ description: "Weight of the semantic part, instead of the index's own." }),
  filter: filterSchema.optional(),
  exclude: z.array(z.string()).optional().openapi({ description: "Ids that must not be among the hits." }),
  minScore: z
    .number()
    .optional()
    .openapi({ description: "Leave out hits that score less; offset and k count among the others." }),
  fields: z.array(z.string()).optional().openapi({
    description: "Fields of the documents to return; all when left out, none for an empty list.",
  }),
  highlight: z
    .boolean()
    .optional()
    .openapi({ description: "Say where in title and text the words of the query stand." }),
};

export const searchRequest = z.strictObject({ query: querySchema, ...asked }).openapi("SearchRequest");

export const batchRequest = z
  .strictObject({ queries: z.array(querySchema).min(1), ...asked })
  .openapi("BatchRequest");

/** Numbers and truths in an address are texts. */
const numeric = (inside: z.ZodNumber, bounds: Bounds, description: string) =>
  z
    .string()
    .regex(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i, "expected a number")
    .transform(Number)
    .pipe(inside)
    .optional()
    .openapi({ ...bounds, description });

/** What `inside` says, for the document: a text that is made into a number hides it. */
interface Bounds {
  readonly type: "integer" | "number";
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

const truth = (description: string) =>
  z
    .enum(["true", "false"])
    .transform((text) => text === "true")
    .optional()
    .openapi({ type: "boolean", description });

/** A search for a browser's address bar: a text, and the options that are no objects. */
export const searchParameters = z.strictObject({
  q: z.string().openapi({ description: "The text of the query.", example: "fear of spiders" }),
  k: numeric(whole(1), { type: "integer", minimum: 1 }, "How many hits; 10 when left out."),
  offset: numeric(
    whole(0),
    { type: "integer", minimum: 0 },
    "How many of the best hits to leave out: the next page.",
  ),
  lambda: numeric(
    lambda,
    { type: "number", minimum: 0, maximum: lambda.maxValue! },
    "Weight of the semantic part, instead of the index's own.",
  ),
  minScore: numeric(z.number(), { type: "number" }, "Leave out hits that score less."),
  theta: numeric(
    z.number().min(0),
    { type: "number", minimum: 0 },
    "Two stages: look at query weights above this first.",
  ),
  mass: numeric(
    z.number().gt(0).max(1),
    { type: "number", exclusiveMinimum: 0, maximum: 1 },
    "Two stages: look at this share of the query first. It does not count where there is a `theta`.",
  ),
  filter: z.string().optional().openapi({ description: "A filter as JSON.", example: '{"kind":"noun"}' }),
  highlight: truth("Say where in title and text the words of the query stand."),
});

export const explainRequest = z
  .strictObject({
    query: querySchema,
    id: z.string().min(1),
    lambda: asked.lambda,
    highlight: asked.highlight,
  })
  .openapi("ExplainRequest");

export const queryRequest = z
  .strictObject({ query: querySchema, lambda: asked.lambda, plan: planSchema.optional() })
  .openapi("QueryRequest");

// ── Answers to questions ─────────────────────────────────────────────────────────────────────────────────────────────

export const fieldsSchema = z.record(z.string(), z.unknown()).openapi("Fields", {
  description: "A document as it was given, without id, weights and vector.",
  example: { text: "a morbid fear of spiders", words: ["arachnophobia"], kind: "noun" },
});

const range = z.tuple([whole(0), whole(0)]);

export const highlightsSchema = z
  .object({ title: z.array(range).optional(), text: z.array(range).optional() })
  .openapi("Highlights", {
    description: "For each field, where words of the query stand: [start, end) in UTF-16 units, in order.",
    example: {
      text: [
        [9, 13],
        [17, 24],
      ],
    },
  });

const fate = z.enum(["kept", "outweighed", "discarded", "unknown", "weightless"]);

const termFields = {
  term: z.string(),
  weight: z.number(),
  fate: fate.openapi({
    description:
      "`kept`: it has a slot in the query's row; `outweighed`: a heavier term of the query (`by`) has it; `discarded`: " +
      "the slicing throws it away; `unknown`: no document holds it; `weightless`: its weight is 0.",
  }),
  by: z.string().optional(),
  expanded: z.literal(true).optional().openapi({ description: "The model added it." }),
};

export const termSchema = z.object(termFields).openapi("Term");

export const hitSchema = z
  .object({
    id: z.string(),
    score: z.number().openapi({ description: "lexical + semantic." }),
    lexical: z.number(),
    semantic: z.number().openapi({ description: "λ included." }),
    document: fieldsSchema,
    highlights: highlightsSchema.optional(),
  })
  .openapi("Hit");

export const statsSchema = z
  .object({
    plan: z.enum(["auto", "exact", "pruned", "inner-product", "quantized"]),
    kernel: z.enum(["wasm", "webgpu", "scalar"]),
    fallback: z.string().optional(),
    answeredBy: z
      .enum(["nothing", "meaning"])
      .optional()
      .openapi({
        description:
          "`nothing`: the query is empty, so there are no hits. `meaning`: no document holds a word of the query; hits are the " +
          "documents that come clearly nearer to it than any comes to made-up words.",
      }),
    docs: whole(0).openapi({ description: "Documents that could be hits." }),
    scored: whole(0).openapi({ description: "Documents whose exact score was computed." }),
    candidates: whole(0).openapi({ description: "Documents that the first stage handed on." }),
    exact: z.boolean().openapi({ description: "Whether no other row scores higher, for certain." }),
    droppedTerms: z.number().min(0).max(1).openapi({
      description: "The share of the documents' terms that rows of slots dropped; 0 with `dims: full`.",
    }),
    usedDims: whole(0).openapi({ description: "Dimensions of the query that the first stage looked at." }),
    queryDims: whole(0),
    scan: z.object({
      windows: whole(0),
      skipped: whole(0),
      listsSkipped: whole(0),
      refined: whole(0),
      bytes: whole(0),
      guessed: whole(0),
    }),
    firstStageMs: milliseconds(),
    secondStageMs: milliseconds(),
    totalMs: milliseconds().openapi({ description: "From the parsed request to the answer." }),
  })
  .openapi("Stats");

const notice = z
  .string()
  .optional()
  .openapi({
    description:
      "Where the answer is not quite what was asked: what it is instead. A query without a vector, to an index whose " +
      "vectors are your own, is answered by words only.",
  });

export const searchAnswer = z
  .object({ hits: z.array(hitSchema), terms: z.array(termSchema), stats: statsSchema, notice })
  .openapi("SearchAnswer");

export const batchAnswer = z.object({ answers: z.array(searchAnswer) }).openapi("BatchAnswer");

export const explainAnswer = z
  .object({
    id: z.string(),
    lambda: z.number(),
    score: z.number(),
    lexical: z.number(),
    semantic: z.number(),
    matched: z
      .array(
        z.object({
          term: z.string(),
          slice: whole(0),
          index: whole(0),
          queryWeight: z.number(),
          documentWeight: z.number(),
          contribution: z.number(),
        }),
      )
      .openapi({
        description: "Terms both sides hold, heaviest contribution first; they add up to `lexical`.",
      }),
    missed: z
      .array(z.object({ term: z.string(), queryWeight: z.number(), slotHolds: z.string().optional() }))
      .openapi({ description: "Terms of the query that the document does not answer." }),
    lost: z.array(z.string()).openapi({
      description: "Missed terms that the document's text does hold: a heavier term has their slice.",
    }),
    terms: z.array(termSchema),
    document: fieldsSchema,
    highlights: highlightsSchema.optional(),
    notice,
  })
  .openapi("Explanation");

export const queryTermSchema = z
  .object({
    ...termFields,
    slice: whole(0).optional().openapi({ description: "Where the term goes, unless it goes nowhere." }),
    index: whole(0).optional(),
    selected: z.boolean().openapi({ description: "Whether the first stage of the plan looks at it." }),
  })
  .openapi("QueryTerm");

export const queryAnswer = z
  .object({
    terms: z.array(queryTermSchema).openapi({ description: "Heaviest first." }),
    lambda: z.number(),
    lexicalDims: z.object({ selected: whole(0), of: whole(0) }),
    semanticDims: z.object({ selected: whole(0), of: whole(0) }),
    totalMs: milliseconds(),
    notice,
  })
  .openapi("QueryAnswer");

// ── Indexes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export const settingsSchema = z.object({
  strategy: z.enum(["stride", "contiguous", "random", "hashed", "spread", "full"]),
  dims: whole(0),
  perSlice: whole(0),
  discard: whole(0),
  terms: whole(0),
  vocabulary: z.string(),
  seed: z.number().optional(),
  table: z.string().optional(),
});

export const indexAnswer = z
  .object({
    name: z.string(),
    docs: whole(0),
    writable: z.boolean(),
    lexical: z.enum(["bm25", "weights"]),
    analyzer: z.string(),
    bm25: z.object({ k1: z.number(), b: z.number(), averageLength: z.number() }).optional(),
    semanticDims: whole(0),
    lambda: z.number(),
    model: z
      .object({ name: z.string(), kind: z.string(), fingerprint: z.string() })
      .optional()
      .openapi({ description: "The model that encodes documents and queries, where one does." }),
    kernel: z.object({
      name: z.enum(["wasm", "webgpu"]),
      because: z.string(),
      bytes: whole(0).optional(),
    }),
    settings: settingsSchema,
    counts: z.object({
      docs: whole(0),
      empty: whole(0),
      terms: whole(0),
      kept: whole(0),
      collisions: whole(0),
      discarded: whole(0),
      unknown: whole(0),
      weightless: whole(0),
    }),
    droppedTerms: z.number().min(0).max(1).openapi({
      description: "The share of the documents' terms that rows do not hold; 0 with `dims: full`.",
    }),
    sharedCells: whole(0),
    rowBytes: whole(0),
    diskBytes: whole(0).optional(),
    generation: whole(0).openapi({ description: "Counts commits and merges." }),
    segments: z.array(z.object({ name: z.string(), docs: whole(0), deleted: whole(0), bytes: whole(0) })),
  })
  .openapi("Index");

export const indexSummary = z
  .object({
    name: z.string(),
    docs: whole(0),
    writable: z.boolean(),
    semanticDims: whole(0),
    lambda: z.number(),
  })
  .openapi("IndexSummary");

export const indexesAnswer = z.object({ indexes: z.array(indexSummary) }).openapi("Indexes");

export const fieldsAnswer = z
  .object({
    fields: z.array(
      z.object({
        name: z.string().openapi({ description: "As a filter names it: dotted where it is nested." }),
        docs: whole(0).openapi({ description: "Documents with a value." }),
        range: z
          .object({ least: z.number(), greatest: z.number() })
          .optional()
          .openapi({ description: "Between which bounds its numbers lie, where it has any." }),
        choices: z
          .array(z.object({ value: z.union([z.string(), z.boolean()]), docs: whole(0) }))
          .optional()
          .openapi({
            description:
              "Texts, false and true that it has, most frequent first; left out where there are many.",
          }),
      }),
    ),
  })
  .openapi("FieldsAnswer");

// ── Documents ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In bytes of UTF-8, of which a character has at least one. */
const LONGEST_ID = 1024;
/** The largest weight that a row holds. */
const FLOAT16_MAX = 65_504;

export const documentSchema = z
  .looseObject({
    id: z.string().min(1).max(LONGEST_ID),
    title: z.string().nullish(),
    text: z.string().nullish(),
    weights: z.record(z.string(), z.number().min(0).max(FLOAT16_MAX)).optional(),
    vector: z.array(z.number()).optional(),
  })
  .openapi("Document", {
    description:
      "An id, a text, a title if there is one, and any other field, which is kept and comes back with every hit.",
    example: { id: "1", title: "Bauhaus", text: "A school of art founded in Weimar", year: 1919 },
  });

export const documentsRequest = z
  .strictObject({ documents: z.array(documentSchema).min(1) })
  .openapi("DocumentsRequest");

export const idsRequest = z.strictObject({ ids: z.array(z.string().min(1)).min(1) }).openapi("IdsRequest");

export const writeParameters = z.strictObject({
  commit: truth(
    "false: leave the changes in a transaction, which is named in the answer and committed later. True when left out.",
  ),
  transaction: z
    .string()
    .optional()
    .openapi({ description: "The transaction that these changes join, as an earlier answer named it." }),
});

export const transactionParameters = z.strictObject({
  transaction: z.string().openapi({ description: "As the answer to a change without commit named it." }),
});

export const writeAnswer = z
  .object({
    added: whole(0)
      .optional()
      .openapi({ description: "Documents of this request that were added or replaced." }),
    deleted: whole(0)
      .optional()
      .openapi({ description: "Documents of this request that were there and are gone." }),
    committed: z
      .boolean()
      .openapi({ description: "Whether the changes are on the disk, and seen by searches." }),
    transaction: z
      .string()
      .optional()
      .openapi({ description: "What waits for a commit, when it was not committed." }),
    docs: whole(0).openapi({ description: "Documents that searches see." }),
    totalMs: milliseconds(),
  })
  .openapi("WriteAnswer");

export const documentAnswer = z.object({ id: z.string(), document: fieldsSchema }).openapi("StoredDocument");

/** Events of a change that was asked for with `Accept: text/event-stream`: `progress`, then `done` or `error`. */
export const progressEvent = z
  .object({
    stage: z.enum(["reading", "encoding", "slicing", "densifying", "merging", "verifying"]),
    done: whole(0),
    total: whole(0).optional(),
  })
  .openapi("ProgressEvent");

// ── The server itself ────────────────────────────────────────────────────────────────────────────────────────────────

export const healthAnswer = z.object({ status: z.literal("ok") }).openapi("Health");

export const readyAnswer = z
  .object({
    status: z.enum(["ready", "unavailable", "stopping"]).openapi({
      description: "`unavailable`: an index was closed, or its files are gone or damaged.",
    }),
    indexes: z.record(z.string(), z.object({ ready: z.boolean() })),
  })
  .openapi("Ready");

export const serverAnswer = z
  .object({
    uptimeSeconds: z.number().min(0),
    memory: z.object({ residentBytes: whole(0), heapBytes: whole(0) }),
  })
  .openapi("Server");

export const reportParameter = z.object({
  name: z
    .string()
    .min(1)
    .openapi({ param: { name: "name", in: "path" }, example: "tradeoff", description: "The report." }),
});

const reportHead = {
  name: z.string(),
  title: z.string(),
  made: z.string().openapi({ description: "When." }),
};

export const reportsAnswer = z.object({ reports: z.array(z.object(reportHead)) }).openapi("Reports", {
  description: "Reports of the folder that the server was given; none without one.",
});

const axis = z.object({
  label: z.string(),
  scale: z.enum(["linear", "log"]).optional(),
  percent: z.boolean().optional(),
});
// JSON has no infinities: a measurement that was none is null.
const coordinate = z.number().nullable();

export const reportAnswer = z
  .object({
    name: z.string(),
    title: z.string(),
    about: z.string(),
    made: z.object({ command: z.string(), date: z.string(), machine: z.string() }),
    tables: z.array(
      z.object({
        caption: z.string(),
        header: z.array(z.string()),
        rows: z.array(z.array(z.string())),
        elsewhere: z.array(whole(0)).optional(),
      }),
    ),
    plots: z.array(
      z.object({
        caption: z.string(),
        x: axis,
        y: axis,
        scattered: z.boolean().optional(),
        series: z.array(
          z.object({
            name: z.string(),
            points: z.array(z.object({ x: coordinate, y: coordinate, label: z.string().optional() })),
          }),
        ),
      }),
    ),
    notes: z.array(z.string()),
  })
  .openapi("Report", { description: "As `sluice experiment` writes it: text, tables and plots." });

export const errorAnswer = z
  .object({
    error: z.object({
      code: z.string().openapi({ example: "bad_request" }),
      message: z.string(),
      hint: z.string().optional().openapi({ description: "What to do about it." }),
    }),
  })
  .openapi("Error");

export type PlanRequest = z.infer<typeof planSchema>;
export type SearchRequest = z.infer<typeof searchRequest>;
export type SearchAnswer = z.infer<typeof searchAnswer>;
export type BatchRequest = z.infer<typeof batchRequest>;
export type BatchAnswer = z.infer<typeof batchAnswer>;
export type ExplainRequest = z.infer<typeof explainRequest>;
export type ExplainAnswer = z.infer<typeof explainAnswer>;
export type QueryRequest = z.infer<typeof queryRequest>;
export type QueryAnswer = z.infer<typeof queryAnswer>;
export type HitAnswer = z.infer<typeof hitSchema>;
export type IndexAnswer = z.infer<typeof indexAnswer>;
export type IndexesAnswer = z.infer<typeof indexesAnswer>;
export type FieldsAnswer = z.infer<typeof fieldsAnswer>;
export type ServerAnswer = z.infer<typeof serverAnswer>;
export type ReportsAnswer = z.infer<typeof reportsAnswer>;
export type ReportAnswer = z.infer<typeof reportAnswer>;
export type WriteAnswer = z.infer<typeof writeAnswer>;
export type DocumentAnswer = z.infer<typeof documentAnswer>;
export type ProgressEvent = z.infer<typeof progressEvent>;
export type ErrorAnswer = z.infer<typeof errorAnswer>;
