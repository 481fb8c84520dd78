// Text of any script → its terms, each script by its own rule: words between spaces one by one; Chinese, Japanese and Korean by
// the run; scripts without spaces by a dictionary.

import type { EmitTerm, EmitWord } from "../contract/analyzer.ts";
import { isHangul } from "./character-pairs.ts";
import { eachWord, IDEOGRAPH, KATAKANA, UNSPACED } from "./word-boundaries.ts";
import { eachDictionaryWord } from "./word-dictionary.ts";

/** A run of Korean, or of anything else. */
const KOREAN =
  /[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7fb\uffa0-\uffdc]+|[^\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7fb\uffa0-\uffdc]+/g;

/** How the terms of a run of neighboring words are found. */
type RunRule = "pairs" | "dictionary";

/** How an analyzer makes terms of each script. */
export interface ScriptRules {
  /** The term of a word between spaces; "" for none. */
  termOf(word: string): string;
  /** The terms of a run of Chinese, Japanese or Korean. */
  eachPair(text: string, start: number, end: number, emit: EmitTerm): void;
  /** Whether a word of a script without spaces is dropped. */
  isStopWord?(word: string): boolean;
}

/** Calls `emit` with every term of a text. */
export function eachScriptTerm(text: string, rules: ScriptRules, emit: EmitTerm): void {
  const emitWord = (start: number, end: number) => {
    const term = rules.termOf(text.slice(start, end));
    if (term !== "") emit(term, start, end);
  };
  eachScriptWord(text, rules, emitWord, emit);
}

/** Calls `emitSpaced` with every word between spaces, and `emit` with every term of another kind. */
export function eachScriptWord(
  text: string,
  { termOf, eachPair, isStopWord }: ScriptRules,
  emitSpaced: EmitWord,
  emit: EmitTerm,
): void {
  const emitKept: EmitTerm = (word, start, end) => {
    if (!isStopWord?.(word)) emit(word, start, end);
  };
  let [run, runStart, runEnd]: [RunRule | undefined, number, number] = [undefined, 0, 0];
  let initial = -1; // where a letter before a hyphen stands
  const flush = () => {
    if (run === "pairs") eachPair(text, runStart, runEnd, emit);
    else if (run) eachDictionaryWord(text, runStart, runEnd, emitKept);
    run = undefined;
  };
  const extend = (kind: RunRule, start: number, end: number) => {
    if (run !== kind || start !== runEnd) {
      flush();
      [run, runStart] = [kind, start];
    }
    runEnd = end;
  };
  const emitWord = (start: number, end: number) => {
    if (run) flush();
    emitSpaced(start, end);
  };
  /** E-mail is also email. */
  const emitJoined = (start: number, end: number) => {
    const term = termOf(text[start] + text.slice(start + 2, end));
    if (term !== "") emit(term, start, end);
  };
  eachWord(text, (start, end, first) => {
    if (first >= KATAKANA) {
      if (first === KATAKANA || first === IDEOGRAPH) return extend("pairs", start, end);
      if (first === UNSPACED) return extend("dictionary", start, end);
    }
    if (
      text.charCodeAt(end - 1) > 0xff &&
      (isHangul(text.charCodeAt(end - 1)) || isHangul(text.charCodeAt(start)))
    ) {
      for (const { from, to, isKorean } of koreanParts(text, start, end)) {
        if (isKorean) extend("pairs", from, to);
        else emitWord(from, to);
      }
      return;
    }
    emitWord(start, end);
    if (initial >= 0) {
      if (start === initial + 2) emitJoined(initial, end);
      initial = -1;
    }
    if (end === start + 1 && isHyphen(text.charCodeAt(end))) initial = start;
  });
  flush();
}

/** Hyphen-minus, and Unicode's hyphens. */
function isHyphen(unit: number): boolean {
  return unit === 0x2d || unit === 0x2010 || unit === 0x2011;
}

/** A word with Korean syllables, cut where Korean begins and ends: 2020년에 is a number and a counter. */
function koreanParts(text: string, start: number, end: number) {
  return Array.from(text.slice(start, end).matchAll(KOREAN), ({ 0: part, index }) => ({
    from: start + index,
    to: start + index + part.length,
    isKorean: isHangul(part.charCodeAt(0)),
  }));
}
