// The schemas of all requests and answers. They check requests, describe both in /openapi.json, and give the web page and
// other clients their types. Requests are strict: an unknown property is refused.

import { z } from "@hono/zod-openapi";

/** The name of an index in a URL. None of these characters can change the path. */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const whole = (least: number) => z.number().int().min(least);
/** The same range as in the library. */
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

// ── Read requests ────────────────────────────────────────────────────────────────────────────────────────────────────────

const semanticSelection = z.enum(["positive", "magnitude", "all"]);
const candidates = whole(1).max(10_000_000);

const planSchema = z
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
      "How to search. `pruned` takes either `theta` or `mass`, which choose the query weights that the first stage uses.",
    example: { kind: "pruned", theta: 0.3, candidates: 1000 },
  });

/**
 * The largest weight of a query term. A weight counts like that many occurrences of the term; multiplied by the largest
 * weight of a rare term, it must fit into a float16.
 */
const MAX_QUERY_WEIGHT = 1000;

const querySchema = z
  .union(
    [
      z.string(),
      z
        .strictObject({
          text: z.string().optional(),
          weights: z.record(z.string(), z.number().min(0).max(MAX_QUERY_WEIGHT)).optional(),
          vector: z.array(z.number()).optional(),
        })
        .refine((query) => Object.values(query).some((part) => part !== undefined))
        .openapi({ minProperties: 1 }),
    ],
    {
      error:
        "expected a text, or an object with text, weights (for each term a number from 0 to " +
        `${MAX_QUERY_WEIGHT}) or vector (numbers)`,
    },
  )
  .openapi("Query", {
    description:
      "A text, or weighted terms. An index that holds your own vectors, and has no encoder, needs a vector as well; " +
      "without one it answers by words only, and the answer has a `notice` that says so.",
    example: "a gate that controls the flow of water",
  });

const scalar = { type: ["string", "number", "boolean", "null"] };
const bound = { type: ["string", "number"] };
const filters = { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Filter" } };

/** The library's check of filters, written as JSON Schema. */
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

const filterSchema = z.record(z.string(), z.unknown()).openapi("Filter", {
  ...(FILTER as object),
  description:
    "A condition on a document's fields: `{ field: value }` or `{ field: { eq, ne, in, lt, lte, gt, gte, exists } }`. " +
    "Several fields must all match. Combine filters with `{ and: […] }`, `{ or: […] }` and `{ not: { … } }`.",
  example: { kind: "noun", year: { gte: 1919, lt: 1933 } },
});

const asked = {
  k: whole(1).optional().openapi({ description: "The number of hits; 10 by default.", example: 10 }),
  offset: whole(0).optional().openapi({ description: "The number of best hits to skip, for the next page." }),
  plan: planSchema.optional(),
  lambda: lambda
    .optional()
    .openapi({ description: "The weight of the semantic part; by default the index's own." }),
  filter: filterSchema.optional(),
  exclude: z.array(z.string()).optional().openapi({ description: "Ids of documents that must not be hits." }),
  minScore: z
    .number()
    .optional()
    .openapi({ description: "Leave out hits with a lower score; offset and k count the remaining hits." }),
  rerank: z
    .strictObject({
      top: whole(1)
        .optional()
        .openapi({ description: "How many of the best hits to order anew; 50 by default." }),
      mix: z.number().min(0).max(1).optional().openapi({
        description: "From 0, the order of the search, to 1, that of the model; 0.5 by default.",
      }),
    })
    .optional()
    .openapi("Rerank", {
      description:
        "Order the best hits anew, by the model that the server was started with. Without one it is refused.",
    }),
  fields: z.array(z.string()).optional().openapi({
    description: "The fields of the documents to return: all by default, none for an empty list.",
  }),
  highlight: z
    .boolean()
    .optional()
    .openapi({ description: "Return where the words of the query occur in title and text." }),
};

export const searchRequest = z.strictObject({ query: querySchema, ...asked }).openapi("SearchRequest");

export const batchRequest = z
  .strictObject({ queries: z.array(querySchema).min(1), ...asked })
  .openapi("BatchRequest");

/** A number in a query string, where every value is a text. */
const numeric = (inside: z.ZodNumber, bounds: Bounds, description: string) =>
  z
    .string()
    .regex(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i, "expected a number")
    .transform(Number)
    .pipe(inside)
    .optional()
    .openapi({ ...bounds, description });

/** The bounds of `inside`, repeated for the OpenAPI document: a transformed string does not show them. */
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

/** The parameters of a GET search: a text, and the options that fit into a query string. */
export const searchParameters = z.strictObject({
  q: z.string().openapi({ description: "The text of the query.", example: "fear of spiders" }),
  k: numeric(whole(1), { type: "integer", minimum: 1 }, "The number of hits; 10 by default."),
  offset: numeric(
    whole(0),
    { type: "integer", minimum: 0 },
    "The number of best hits to skip, for the next page.",
  ),
  lambda: numeric(
    lambda,
    { type: "number", minimum: 0, maximum: lambda.maxValue! },
    "The weight of the semantic part; by default the index's own.",
  ),
  minScore: numeric(z.number(), { type: "number" }, "Leave out hits with a lower score."),
  theta: numeric(
    z.number().min(0),
    { type: "number", minimum: 0 },
    "Search in two stages: the first uses only query weights above this.",
  ),
  mass: numeric(
    z.number().gt(0).max(1),
    { type: "number", exclusiveMinimum: 0, maximum: 1 },
    "Search in two stages: the first uses the heaviest weights that make up this share of the query. Ignored when `theta` is given.",
  ),
  filter: z.string().optional().openapi({ description: "A filter, as JSON.", example: '{"kind":"noun"}' }),
  highlight: truth("Return where the words of the query occur in title and text."),
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

// ── Answers to read requests ─────────────────────────────────────────────────────────────────────────────────────────────

const fieldsSchema = z.record(z.string(), z.unknown()).openapi("Fields", {
  description: "The document as it was added, without id, weights and vector.",
  example: { text: "a morbid fear of spiders", words: ["arachnophobia"], kind: "noun" },
});

const range = z.tuple([whole(0), whole(0)]);

const highlightsSchema = z
  .object({ title: z.array(range).optional(), text: z.array(range).optional() })
  .openapi("Highlights", {
    description: "For each field, where words of the query occur: [start, end) in UTF-16 units, in order.",
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
      "`kept`: the term has a slot in the query's row; `outweighed`: a heavier term of the query (`by`) has its slot; " +
      "`discarded`: the slicing drops it; `unknown`: no document holds it; `weightless`: its weight is 0.",
  }),
  by: z.string().optional(),
  expanded: z.literal(true).optional().openapi({ description: "The encoder added the term." }),
};

const termSchema = z.object(termFields).openapi("Term");

const hitSchema = z
  .object({
    id: z.string(),
    score: z.number().openapi({ description: "lexical + semantic." }),
    lexical: z.number(),
    semantic: z.number().openapi({ description: "The similarity of the vectors, times λ." }),
    document: fieldsSchema,
    rerank: z
      .object({
        score: z
          .number()
          .openapi({ description: "What the reranking model says of the query and this document." }),
        mixed: z.number().openapi({ description: "What the hits are ordered by." }),
        from: whole(1).openapi({ description: "The place of the hit before reranking." }),
      })
      .optional(),
    highlights: highlightsSchema.optional(),
  })
  .openapi("Hit");

const statsSchema = z
  .object({
    plan: z.enum(["auto", "exact", "pruned", "inner-product", "quantized"]),
    kernel: z.enum(["wasm", "webgpu", "scalar"]),
    fallback: z.string().optional(),
    answeredBy: z
      .enum(["nothing", "meaning"])
      .optional()
      .openapi({
        description:
          "`nothing`: the query is empty, so there are no hits. `meaning`: no document holds a word of the query; the hits " +
          "are documents that are clearly nearer to the query than any document is to made-up words.",
      }),
    docs: whole(0).openapi({ description: "Documents that could be hits." }),
    scored: whole(0).openapi({ description: "Documents whose exact score was computed." }),
    candidates: whole(0).openapi({ description: "Documents that the first stage passed on." }),
    exact: z
      .boolean()
      .openapi({ description: "Whether it is certain that no other row scores higher; before reranking." }),
    droppedTerms: z.number().min(0).max(1).openapi({
      description: "The share of the documents' terms that the rows dropped; 0 with `dims: full`.",
    }),
    usedDims: whole(0).openapi({ description: "Dimensions of the query that the first stage used." }),
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
    rerank: z
      .object({ model: z.string(), docs: whole(0), mix: z.number(), ms: milliseconds() })
      .optional()
      .openapi({ description: "What the reranking model did: it ordered the best `docs` hits." }),
    totalMs: milliseconds().openapi({ description: "Time from the parsed request to the answer." }),
  })
  .openapi("Stats");

const notice = z
  .string()
  .optional()
  .openapi({
    description:
      "Says how the answer differs from the request. A query without a vector is answered by words only when the index " +
      "holds your own vectors.",
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
        description:
          "Terms that query and document share, largest contribution first. The contributions add up to `lexical`.",
      }),
    missed: z
      .array(z.object({ term: z.string(), queryWeight: z.number(), slotHolds: z.string().optional() }))
      .openapi({ description: "Terms of the query that the document's row does not hold." }),
    lost: z.array(z.string()).openapi({
      description: "Missed terms that are in the document's text: a heavier term took their slice.",
    }),
    terms: z.array(termSchema),
    document: fieldsSchema,
    highlights: highlightsSchema.optional(),
    notice,
  })
  .openapi("Explanation");

const queryTermSchema = z
  .object({
    ...termFields,
    slice: whole(0).optional().openapi({ description: "The term's slice; absent when it has none." }),
    index: whole(0).optional(),
    selected: z.boolean().openapi({ description: "Whether the first stage of the plan uses the term." }),
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

const settingsSchema = z.object({
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
      .openapi({ description: "The encoder of documents and queries, if the index has one." }),
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
    generation: whole(0).openapi({ description: "The number of commits and merges." }),
    segments: z.array(z.object({ name: z.string(), docs: whole(0), deleted: whole(0), bytes: whole(0) })),
  })
  .openapi("Index");

const indexSummary = z
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
        name: z.string().openapi({ description: "The name to use in a filter; nested fields have dots." }),
        docs: whole(0).openapi({ description: "Documents with a value." }),
        range: z
          .object({ least: z.number(), greatest: z.number() })
          .optional()
          .openapi({ description: "The smallest and largest number, if the field has numbers." }),
        choices: z
          .array(z.object({ value: z.union([z.string(), z.boolean()]), docs: whole(0) }))
          .optional()
          .openapi({
            description:
              "The texts and booleans of the field, most frequent first; absent when there are too many.",
          }),
      }),
    ),
  })
  .openapi("FieldsAnswer");

// ── Documents ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Characters of an id. The library allows as many bytes of UTF-8, and a character has at least one. */
const MAX_ID_LENGTH = 1024;
/** The largest weight that a row can hold. */
const FLOAT16_MAX = 65_504;

export const documentSchema = z
  .looseObject({
    id: z.string().min(1).max(MAX_ID_LENGTH),
    title: z.string().nullish(),
    text: z.string().nullish(),
    weights: z.record(z.string(), z.number().min(0).max(FLOAT16_MAX)).optional(),
    vector: z.array(z.number()).optional(),
  })
  .openapi("Document", {
    description:
      "An id and a text, optionally a title, and any other fields. All fields are stored and returned with every hit.",
    example: { id: "1", title: "Bauhaus", text: "A school of art founded in Weimar", year: 1919 },
  });

export const documentsRequest = z
  .strictObject({ documents: z.array(documentSchema).min(1) })
  .openapi("DocumentsRequest");

export const idsRequest = z.strictObject({ ids: z.array(z.string().min(1)).min(1) }).openapi("IdsRequest");

export const writeParameters = z.strictObject({
  commit: truth(
    "False leaves the changes in a transaction, which the answer names and you commit later. True by default.",
  ),
  transaction: z
    .string()
    .optional()
    .openapi({ description: "The transaction to join, as named in an earlier answer." }),
});

export const transactionParameters = z.strictObject({
  transaction: z.string().openapi({ description: "The transaction, as named in the answer to a change." }),
});

export const writeAnswer = z
  .object({
    added: whole(0)
      .optional()
      .openapi({ description: "Documents of this request that were added or replaced." }),
    deleted: whole(0).optional().openapi({ description: "Documents that this request deleted." }),
    committed: z
      .boolean()
      .openapi({ description: "Whether the changes are stored and visible to searches." }),
    transaction: z
      .string()
      .optional()
      .openapi({ description: "The open transaction, when the changes were not committed." }),
    docs: whole(0).openapi({ description: "Documents that searches can find." }),
    totalMs: milliseconds(),
  })
  .openapi("WriteAnswer");

export const documentAnswer = z.object({ id: z.string(), document: fieldsSchema }).openapi("StoredDocument");

/** The `progress` event of a change that was requested with `Accept: text/event-stream`; `done` or `error` ends it. */
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
      description: "`unavailable`: an index was closed, or its files are missing or damaged.",
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
  made: z.string().openapi({ description: "The date of the experiment." }),
};

export const reportsAnswer = z.object({ reports: z.array(z.object(reportHead)) }).openapi("Reports", {
  description: "The reports in the server's folder of reports; empty when it has none.",
});

const axis = z.object({
  label: z.string(),
  scale: z.enum(["linear", "log"]).optional(),
  percent: z.boolean().optional(),
});
// JSON has no infinity or NaN: a failed measurement is null.
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
  .openapi("Report", { description: "The report of an experiment: text, tables and plots." });

export const errorAnswer = z
  .object({
    error: z.object({
      code: z.string().openapi({ example: "bad_request" }),
      message: z.string(),
      hint: z.string().optional().openapi({ description: "How to fix it." }),
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
