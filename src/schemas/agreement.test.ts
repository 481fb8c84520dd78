// The schemas say what the types of the library say. The compiler checks it: a field that is added, renamed or retyped on one
// side only is an error in this file.

import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { Operators } from "../documents/filter.ts";
import { checkFilter } from "../documents/filter.ts";
import type {
  Document,
  DocumentList,
  Explanation,
  FieldInfo,
  Filter,
  Hit,
  IndexInfo,
  KernelInfo,
  ListOptions,
  Plan,
  Progress,
  Query,
  SearchOptions,
  Sluice,
} from "../index.ts";
import type { Report } from "../lab/index.ts";
import type { RerankOptions, SearchStats } from "../search/index.ts";
import { FLOAT16_MAX } from "../support/numbers/float16.ts";
import type {
  ExplainAnswer,
  ExplainQueryAnswer,
  FieldsAnswer,
  HitAnswer,
  IndexAnswer,
  ListAnswer,
  PlanRequest,
  ProgressEvent,
  ReportAnswer,
  SearchAnswer,
} from "./index.ts";
import { documentSchema } from "./indexes/document-schema.ts";
import { filterSchema, type operatorsSchema } from "./requests/filter-schema.ts";
import type { listRequestSchema } from "./requests/list-request.ts";
import type { querySchema } from "./requests/query-schema.ts";
import { defaultsOf, searchOptions } from "./requests/search-options-schema.ts";
import { searchRequestSchema } from "./requests/search-requests.ts";
import type { Immutable } from "./shared/immutable.ts";

type QueryExplanation = Awaited<ReturnType<Sluice["explainQuery"]>>;
type Options = z.output<typeof searchRequestSchema>;

/** A type as one object, so that an intersection equals its result. */
type Flat<T> = { [Key in keyof T]: T[Key] };

describe("requests", () => {
  test("a plan, a filter and a query can be given to the library", () => {
    expectTypeOf<PlanRequest>().toExtend<Plan>();
    expectTypeOf<PlanRequest["kind"]>().toEqualTypeOf<Plan["kind"]>();
    expectTypeOf<z.infer<typeof filterSchema>>().toEqualTypeOf<Filter>();
    expectTypeOf<Immutable<z.infer<typeof operatorsSchema>>>().toEqualTypeOf<Operators>();
    expectTypeOf<z.infer<typeof querySchema>>().toExtend<Query>();
  });

  test("every plan of the library can be asked for, with all its options", () => {
    type OptionsOf<P, Kind> = P extends { kind: Kind } ? keyof P : never;
    expectTypeOf<OptionsOf<PlanRequest, "pruned">>().toEqualTypeOf<OptionsOf<Plan, "pruned">>();
    expectTypeOf<OptionsOf<PlanRequest, "inner-product">>().toEqualTypeOf<OptionsOf<Plan, "inner-product">>();
    expectTypeOf<OptionsOf<PlanRequest, "quantized">>().toEqualTypeOf<OptionsOf<Plan, "quantized">>();
  });

  test("a pruned plan without theta or mass, or with both, does not compile", () => {
    expectTypeOf<{ kind: "pruned" }>().not.toExtend<Plan | PlanRequest>();
    expectTypeOf<{ kind: "pruned"; theta: number; mass: number }>().not.toExtend<Plan | PlanRequest>();
    expectTypeOf<{ kind: "pruned"; theta: number }>().toExtend<Plan & PlanRequest>();
    expectTypeOf<{ kind: "pruned"; mass: number; candidates: number }>().toExtend<Plan & PlanRequest>();
  });

  test("a request has every option of a search except the signal", () => {
    expectTypeOf<Omit<Options, "query" | "rerank">>().toExtend<SearchOptions>();
    // The model is the server's.
    expectTypeOf<NonNullable<Options["rerank"]>>().toExtend<Omit<RerankOptions, "model">>();
    expectTypeOf<keyof NonNullable<Options["rerank"]>>().toEqualTypeOf<
      Exclude<keyof RerankOptions, "model">
    >();
    expectTypeOf<Exclude<keyof Options, "query">>().toEqualTypeOf<Exclude<keyof SearchOptions, "signal">>();
    expect(defaultsOf(searchRequestSchema)).toMatchObject({ k: 10, offset: 0, plan: "auto" });
    expect(Object.keys(searchRequestSchema.shape)).toEqual(["query", ...Object.keys(searchOptions)]);
  });

  test("a document has the fields that the library reads, within the same bounds", () => {
    type Known = Exclude<keyof (typeof documentSchema)["shape"], never>;
    type Read = Document extends infer D
      ? D extends unknown
        ? string extends keyof D
          ? never
          : keyof D
        : never
      : never;
    expectTypeOf<Known>().toEqualTypeOf<Read>();
    const isDocument = (weight: number) =>
      documentSchema.safeParse({ id: "1", weights: { gate: weight } }).success;
    expect([isDocument(FLOAT16_MAX), isDocument(FLOAT16_MAX + 1)]).toEqual([true, false]);
  });
});

describe("answers", () => {
  test("a hit, with its highlights", () => {
    expectTypeOf<Omit<HitAnswer, "highlights">>().toEqualTypeOf<Flat<Omit<Hit, "highlights">>>();
    expectTypeOf<Awaited<ReturnType<Sluice["highlight"]>>>().toExtend<NonNullable<HitAnswer["highlights"]>>();
  });

  test("a list", () => {
    expectTypeOf<Omit<ListAnswer, "totalMs">>().toEqualTypeOf<Immutable<Flat<DocumentList>>>();
    expectTypeOf<z.output<typeof listRequestSchema>>().toExtend<ListOptions>();
    expectTypeOf<keyof z.output<typeof listRequestSchema>>().toEqualTypeOf<
      Exclude<keyof ListOptions, "signal">
    >();
  });

  test("what a search did", () => {
    expectTypeOf<SearchAnswer["stats"]>().toEqualTypeOf<Flat<SearchStats>>();
  });

  test("explanations of a score and of a query", () => {
    expectTypeOf<Omit<ExplainAnswer, "highlights" | "totalMs">>().toEqualTypeOf<
      Immutable<Flat<Explanation>>
    >();
    expectTypeOf<Omit<ExplainQueryAnswer, "totalMs">>().toEqualTypeOf<Immutable<Flat<QueryExplanation>>>();
  });

  test("an index and its fields", () => {
    type Added = "name" | "writable" | "kernel";
    expectTypeOf<Omit<IndexAnswer, Added>>().toEqualTypeOf<Flat<IndexInfo>>();
    expectTypeOf<IndexAnswer["kernel"]>().toEqualTypeOf<Flat<KernelInfo>>();
    expectTypeOf<FieldsAnswer["fields"][number]>().toEqualTypeOf<Flat<FieldInfo>>();
  });

  test("progress of changes, and reports", () => {
    // The tasks of a change. Exports, pages, devices and research have other tasks.
    type Others = "exporting" | "saving" | "fetching" | "uploading" | "indexing" | "searching" | "scoring";
    expectTypeOf<ProgressEvent["task"]>().toEqualTypeOf<Exclude<Progress["task"], Others>>();
    expectTypeOf<keyof ProgressEvent>().toEqualTypeOf<keyof Progress>();
    expectTypeOf<Report>().toExtend<ReportAnswer>();
    expectTypeOf<keyof ReportAnswer>().toEqualTypeOf<keyof Report>();
  });
});

describe("filters", () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant({}));
  const operators = fc.dictionary(
    fc.constantFrom("eq", "ne", "in", "lt", "lte", "gt", "gte", "exists", "near"),
    fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })),
    { maxKeys: 2 },
  );
  const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small" },
      fc.dictionary(fc.constantFrom("year", "author.name", "\\and"), fc.oneof(scalar, operators), {
        maxKeys: 2,
      }),
      fc.record({ and: fc.array(tie("filter"), { maxLength: 2 }) }),
      fc.record({ or: fc.array(tie("filter"), { maxLength: 2 }), year: scalar }),
      fc.record({ not: tie("filter") }),
    ),
  }));
  const isAccepted = (value: unknown) => {
    try {
      checkFilter(value as Filter);
      return true;
    } catch {
      return false;
    }
  };

  test("the schema accepts what the library accepts, and nothing else", () => {
    let accepted = 0;
    fc.assert(
      fc.property(filter, (value) => {
        accepted += Number(isAccepted(value));
        expect(filterSchema.safeParse(value).success).toBe(isAccepted(value));
      }),
      { seed: 17, numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(40);
  });
});
