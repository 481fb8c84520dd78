// A query and a document → why the document scores what it scores. A score is a sum over the cells that both have, so the
// contributions of terms are not an estimate: they add up to the score.

import type { Row } from "../densify/rows.ts";
import type { Slicing } from "../densify/slicing.ts";
import type { BoostPart } from "../documents/boost.ts";
import { type Document, type Fields, indexedText } from "../documents/document.ts";
import { readTextsByField } from "../documents/text-fields.ts";
import type { Notice } from "../query/ask/notice.ts";
import type { QueryTerm } from "../query/ask/query.ts";
import { applyLambda } from "../query/plan/select-dimensions.ts";
import type { DensifiedQuery } from "../query/prepare/query-densifier.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { textFieldsIn, type Weighting } from "../weigh/weighting.ts";
import { dotFloat16 } from "./dot.ts";

/** What a preferred phrase adds to the score of a document. */
export interface PhrasePart {
  readonly phrase: string;
  /** The text field that must have it. Absent if any may. */
  readonly field?: string;
  /** How far its words are from their places. Absent if the document does not have the phrase. */
  readonly gap?: number;
  readonly contribution: number;
}

/** What a text field of a document adds to the contribution of a term. */
export interface TermInField {
  readonly field: string;
  /** How often the field has the term. */
  readonly count: number;
  /** The weight of the field. */
  readonly weight: number;
  /** Its share of the contribution. The values of all fields add up to it. */
  readonly value: number;
}

export interface MatchedTerm {
  readonly term: string;
  /** The only text field that it counts in: see `QueryTerm`. */
  readonly field?: string;
  /** The cell that query and document both have. */
  readonly slice: number;
  readonly index: number;
  readonly queryWeight: number;
  readonly documentWeight: number;
  /** queryWeight × documentWeight. */
  readonly contribution: number;
  /** The words of the query that this term stands for: see `QueryTerm`. */
  readonly from?: string;
  /** What BM25's weight of the term in the query was multiplied by. Absent if neither side has factors. */
  readonly queryFactor?: number;
  /**
   * What BM25's weight of the term in the document was multiplied by. It needs the document's text, so it is absent in a page
   * whose export has no texts.
   */
  readonly documentFactor?: number;
  /** What BM25 alone would add; × queryFactor × documentFactor it is the contribution. Present if both factors are. */
  readonly bm25?: number;
  /** What each text field adds. Present if the index has text fields. */
  readonly fields?: readonly TermInField[];
}

/** A term of the query that the document's row does not have, or does not have in the field that it counts in. */
export interface MissedTerm {
  readonly term: string;
  /** The only text field that it counts in: see `QueryTerm`. */
  readonly field?: string;
  readonly queryWeight: number;
  /** The term that the document has in that slice instead, if any. */
  readonly slotHolds?: string;
}

interface ScoreParts {
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  /** Heaviest contribution first. */
  readonly matched: readonly MatchedTerm[];
  readonly missed: readonly MissedTerm[];
}

/** Why a document has its score. */
export interface Explanation<FieldsType = Fields> extends ScoreParts {
  readonly id: string;
  readonly lambda: number;
  readonly document: FieldsType;
  readonly terms: readonly QueryTerm[];
  /** Missed terms that the document's text does contain: a heavier term of the document has their slot. */
  readonly lost: readonly string[];
  /** What boosts and preferred phrases add, all together. Absent without either. */
  readonly boost?: number;
  /** What each boost adds, in the order in which they were given. */
  readonly boosts?: readonly BoostPart[];
  /** What each preferred phrase adds, in the order in which they were given. */
  readonly phrases?: readonly PhrasePart[];
  /** Demands of the query that the document does not meet, as operators write them: it is no hit. Absent if it meets all. */
  readonly failed?: readonly string[];
  /** How the search differs from what was asked; see `Answer`. With `words_only`, `lambda` is 0. */
  readonly notices?: readonly Notice[];
}

/** @internal What is stored of a document that is explained. */
export interface ExplainedDocument {
  readonly id: string;
  /** The fields of the document, as they are stored. */
  readonly document: Fields;
  readonly row: DocumentRow;
  /** The factors of its known terms, in the order of its text; undefined if all are 1. */
  readonly factors: Float32Array | undefined;
}

/** @internal What is stored of a document of a snapshot. */
export async function readStoredDocument(
  snapshot: Snapshot,
  doc: number,
  document: Fields,
): Promise<ExplainedDocument> {
  const { source, first } = snapshot.segmentOf(doc);
  const row = { ...source.readRow(doc - first), semantic: await source.readVector(doc - first) };
  const factors = (await source.loadFactors())?.at(doc - first);
  return { id: snapshot.idAt(doc), document, row, factors };
}

/** @internal Explains the score of a document. */
export function explainScore(
  snapshot: Snapshot,
  { row, vector, terms }: DensifiedQuery,
  { id, document, row: stored, factors: list }: ExplainedDocument,
  lambda: number,
): Explanation {
  const parts = splitScore(snapshot.slicing, stored, row, vector, lambda);
  const lost = findLostTerms(snapshot, parts, document);
  const factored = addFactors(parts.matched, terms, list && documentFactors(snapshot, list, document));
  const matched = addOrigins(factored, terms);
  return { id, lambda, document, terms, lost, ...parts, matched };
}

/** The factors of a document's terms, which are stored in the order of its text; "unknown" if the text is not there. */
function documentFactors(
  { weighting, slicing }: Snapshot,
  list: Float32Array,
  document: Fields,
): Map<string, number> | "unknown" {
  const held = termsHeld(weighting, document);
  const knownTerms = [...held].filter((term) => slicing.vocabulary.findId(term) !== undefined);
  return knownTerms.length === list.length
    ? new Map(knownTerms.map((term, i) => [term, list[i]]))
    : "unknown";
}

/** Matched terms with what BM25 alone would add, if the query or the document has factors. */
function addFactors(
  matched: readonly MatchedTerm[],
  terms: readonly QueryTerm[],
  ofDocument: Map<string, number> | "unknown" | undefined,
): MatchedTerm[] {
  const ofQuery = new Map(terms.map(({ term, factor }) => [term, factor]));
  if (!ofDocument && terms.every(({ factor }) => factor === undefined)) return [...matched];
  return matched.map((each) => {
    const queryFactor = ofQuery.get(each.term) ?? 1;
    if (ofDocument === "unknown") return { ...each, queryFactor };
    const documentFactor = ofDocument?.get(each.term) ?? 1;
    return { ...each, queryFactor, documentFactor, bm25: each.contribution / (queryFactor * documentFactor) };
  });
}

/** Matched terms with the words that they came from, if words were completed or corrected. */
function addOrigins(matched: MatchedTerm[], terms: readonly QueryTerm[]): MatchedTerm[] {
  const origins = new Map(terms.flatMap(({ term, from }) => (from === undefined ? [] : [[term, from]])));
  if (origins.size === 0) return matched;
  return matched.map((each) => {
    const from = origins.get(each.term);
    return from === undefined ? each : { ...each, from };
  });
}

function findLostTerms({ weighting }: Snapshot, { missed }: ScoreParts, document: Fields): string[] {
  if (weighting.kind !== "bm25") return [];
  const held = termsHeld(weighting, document);
  return missed.map(({ term }) => term).filter((term) => held.has(term));
}

/** The terms of a document, in the order in which they first occur. */
function termsHeld(weighting: Weighting, document: Fields): Set<string> {
  const fields = textFieldsIn(weighting);
  const texts = fields
    ? readTextsByField(document, fields, "the document").flat()
    : [indexedText(document as Document, "the document")];
  return new Set(texts.flatMap((text) => weighting.analyzer.terms(text)));
}

/** What is stored of a document for scoring: its row, and its vector in float16 bits. */
interface DocumentRow extends Row {
  readonly semantic: Uint16Array;
}

/** Splits a score into what each term adds, and the semantic part. */
function splitScore(
  slicing: Slicing,
  document: DocumentRow,
  row: Row,
  vector: Float32Array | undefined,
  lambda: number,
): ScoreParts {
  const termAt = (slice: number, index: number) => slicing.termAt(slice, index)!;
  const slotOf = new Map(Array.from(document.slices, (slice, slot) => [slice, slot]));
  const matched: MatchedTerm[] = [];
  const missed: MissedTerm[] = [];
  let lexical = 0;
  row.slices.forEach((slice, i) => {
    const [term, queryWeight] = [termAt(slice, row.indices[i]), row.values[i]];
    const slot = slotOf.get(slice);
    if (slot === undefined) {
      missed.push({ term, queryWeight });
    } else if (document.indices[slot] === row.indices[i]) {
      const documentWeight = document.values[slot];
      const contribution = queryWeight * documentWeight;
      lexical += contribution;
      matched.push({ term, slice, index: row.indices[i], queryWeight, documentWeight, contribution });
    } else {
      missed.push({ term, queryWeight, slotHolds: termAt(slice, document.indices[slot]) });
    }
  });
  matched.sort((a, b) => b.contribution - a.contribution);
  missed.sort((a, b) => b.queryWeight - a.queryWeight);
  const weighed = applyLambda(row, vector, lambda).semantic;
  const semantic = weighed ? dotFloat16(weighed, document.semantic, 0) : 0;
  return { score: lexical + semantic, lexical, semantic, matched, missed };
}
