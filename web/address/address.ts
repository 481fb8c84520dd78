// The URL in the address bar ↔ what the page shows. query, k, lambda and filter are written as in the server's GET /search; a
// plan is written as its parts (plan, theta, mass, candidates), which are easier to read and edit than JSON.

import type { PlanRequest } from "../../src/schemas/index.ts";
import { type View, viewOf } from "../../src/server/page/page-address.ts";
import { type Filters, losesParts, parseFilters, requestOfFilters } from "./filters.ts";

export interface Address {
  /** `missing`: there is no view at this URL. */
  readonly view: View | "missing";
  /** The name of the report to show. */
  readonly report?: string;
  /** The index to search; undefined is the first one. */
  readonly index?: string;
  readonly query: string;
  readonly k: number;
  readonly filters: Filters;
  /** Whether the URL had a filter with a part that was left out. It is not written. */
  readonly hasLostFilter?: boolean;
  readonly exact?: boolean;
  readonly theta?: number;
  readonly mass?: number;
  readonly candidates?: number;
  readonly lambda?: number;
  /** What to sort by, as in a GET search: year, year:asc or year:desc. */
  readonly sort?: string;
  /** "any" shows only documents with a word of the query; by default meaning finds others, too. */
  readonly match?: "any";
  /** False takes words as they were typed; by default words that no document has are corrected. */
  readonly typos?: false;
  /** The field of which each value is shown once; "none" shows every hit. Undefined leaves it to the page. */
  readonly group?: string;
  /** The id of the document to read. */
  readonly document?: string;
  /** The id of the document to explain. */
  readonly explain?: string;
  /** Playground: the index with other dimensions to compare with. */
  readonly beside?: string;
}

export const FIRST_HITS = 10;
export const MOST_HITS = 200;

/** What is written as it is. */
const PLAIN = [
  ...(["theta", "mass", "candidates", "lambda", "beside", "sort", "match", "group"] as const),
  ...(["document", "explain"] as const),
];
/** The address of a page before a search. */
export const NO_QUERY: Partial<Address> = {
  query: "",
  typos: undefined,
  filters: {},
  sort: undefined,
  k: FIRST_HITS,
};
/** Closes what is open above the page. */
export const CLOSED: Partial<Address> = { document: undefined, explain: undefined };

/** Another query: what was open is closed, and its words are corrected again. */
export const asking = (query: string): Partial<Address> => ({
  ...CLOSED,
  query,
  typos: undefined,
  k: FIRST_HITS,
});

export const EMPTY: Address = { view: "search", query: "", k: FIRST_HITS, filters: {} };

/** Reads a URL. Invalid values are ignored, because people and programs edit and break URLs. */
export function parseAddress(pathname: string, search: string): Address {
  const { view, report }: { view: Address["view"]; report?: string } = viewOf(pathname) ?? {
    view: "missing",
  };
  const parameters = new URLSearchParams(search);
  const text = (name: string) => parameters.get(name) || undefined;
  const number = (name: string, accepts: (value: number) => boolean) => {
    const value = Number(text(name) ?? Number.NaN);
    return Number.isFinite(value) && accepts(value) ? value : undefined;
  };
  const isCount = (value: number) => Number.isInteger(value) && value >= 1;
  const theta = number("theta", (value) => value >= 0);
  return defined({
    view,
    report: report === undefined ? undefined : decoded(report),
    index: text("index"),
    query: parameters.get("query") ?? "",
    k: Math.min(MOST_HITS, number("k", isCount) ?? FIRST_HITS),
    filters: parseFilters(text("filter")),
    hasLostFilter: losesParts(text("filter")) || undefined,
    exact: text("plan") === "exact" || undefined,
    theta,
    mass: theta === undefined ? number("mass", (value) => value > 0 && value <= 1) : undefined,
    candidates: number("candidates", isCount),
    lambda: number("lambda", (value) => value >= 0),
    sort: text("sort"),
    match: text("match") === "any" ? "any" : undefined,
    typos: text("typos") === "false" ? false : undefined,
    group: text("group"),
    document: text("document"),
    explain: text("explain"),
    beside: text("beside"),
  });
}

export function writeAddress(address: Address): string {
  const { view, report, query, k, filters, exact, ...rest } = address;
  const path =
    view === "search" || view === "missing"
      ? "/"
      : `/${view}${report ? `/${encodeURIComponent(report)}` : ""}`;
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  };
  set("index", rest.index);
  set("query", query);
  set("k", k === FIRST_HITS ? undefined : k);
  set("filter", Object.keys(filters).length > 0 ? JSON.stringify(requestOfFilters(filters)) : undefined);
  set("plan", exact ? "exact" : undefined);
  set("typos", rest.typos === false ? "false" : undefined);
  for (const name of PLAIN) set(name, rest[name]);
  const search = parameters.toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The plan for the server's search. */
export function planOf({ exact, theta, mass, candidates }: Address): PlanRequest {
  const some = candidates === undefined ? {} : { candidates };
  if (exact) return { kind: "exact" };
  if (theta !== undefined) return { kind: "pruned", theta, ...some };
  if (mass !== undefined) return { kind: "pruned", mass, ...some };
  return { kind: "auto" };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function defined(address: Address): Address {
  return Object.fromEntries(
    Object.entries(address).filter(([, value]) => value !== undefined),
  ) as unknown as Address;
}
