// A run of a script that writes no spaces → its words, by the dictionary of the JavaScript engine (Intl.Segmenter).
//
// Engines have different versions of that dictionary. `dictionaryFingerprint` tells two of them apart: an index records the one
// it was made with, and says so where another one cuts its queries.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { foldDigits } from "../letters/fold.ts";
import { stripInvisible } from "../letters/strip-invisible.ts";

/** Sentences whose cutting tells dictionaries apart: Thai, Lao, Khmer, Burmese, Japanese, Chinese. */
const PROBES = [
  "สวัสดีครับผมชอบกินข้าวผัดกุ้งที่ตลาดน้ำ",
  "ສະບາຍດີຂ້ອຍມັກກິນເຂົ້າຢູ່ຕະຫຼາດ",
  "សួស្តីខ្ញុំចូលចិត្តញ៉ាំបាយនៅផ្សារ",
  "မင်္ဂလာပါကျွန်တော်ထမင်းစားချင်ပါတယ်",
  "私は東京都に住んでいて日本語を勉強しています",
  "我在北京大学学习中文并喜欢吃米饭",
];

let segmenter: Intl.Segmenter | undefined;

function openSegmenter(): Intl.Segmenter {
  if (typeof Intl.Segmenter !== "function") throw noDictionaryError("it has no Intl.Segmenter");
  const made = new Intl.Segmenter("th", { granularity: "word" });
  if (Array.from(made.segment(PROBES[0])).length < 3)
    throw noDictionaryError("its Intl.Segmenter has none for Thai");
  return made;
}

function noDictionaryError(why: string): SluiceError {
  return new SluiceError(
    `this JavaScript engine has no dictionary of words: ${why}`,
    "use a newer browser, or a Node with full ICU",
  );
}

/**
 * So many letters are cut at a time. The engine's time grows faster than the text: 16,000 letters without a space take 0.05 s, and
 * 128,000 took 43 s.
 */
const LETTERS_AT_ONCE = 8192;
/** Words that begin in so many last letters are cut again with the letters that follow, which may belong to them. */
const LETTERS_AGAIN = 128;

/** Calls `emit` with each word of text[start, end). Spaces and punctuation are no words. */
export function eachDictionaryWord(
  text: string,
  start: number,
  end: number,
  emit: (word: string, start: number, end: number) => void,
): void {
  segmenter ??= openSegmenter();
  for (let from = start; from < end; ) {
    const to = Math.min(from + LETTERS_AT_ONCE, end);
    const sure = to === end ? end : to - LETTERS_AGAIN;
    let next = from;
    for (const { segment, index, isWordLike } of segmenter.segment(text.slice(from, to))) {
      const at = from + index;
      if (at >= sure) break;
      next = at + segment.length;
      if (isWordLike) emit(foldDigits(stripInvisible(segment).normalize("NFKC")), at, next);
    }
    from = next;
  }
}

/** A short text that differs where the dictionary cuts differently; undefined if there is no dictionary. */
export function dictionaryFingerprint(): string | undefined {
  try {
    segmenter ??= openSegmenter();
  } catch {
    return undefined;
  }
  const cutter = segmenter;
  return PROBES.map((probe) =>
    Array.from(cutter.segment(probe), ({ segment }) => segment.length.toString(36)).join(""),
  ).join(".");
}
