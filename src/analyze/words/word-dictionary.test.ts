// A long run without spaces is cut a part at a time, and its words are those of the whole run.

import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import { eachDictionaryWord } from "./word-dictionary.ts";

const WORDS: Record<string, readonly string[]> = {
  Thai: ["สวัสดี", "ครับ", "ผม", "ชอบ", "กิน", "ข้าวผัด", "กุ้ง", "ที่", "ตลาดน้ำ", "การค้นหา", "ข้อมูล"],
  Japanese: [
    "東京都",
    "に",
    "住んで",
    "いて",
    "日本語",
    "を",
    "勉強",
    "しています",
    "検索",
    "エンジン",
    "文書",
  ],
  Khmer: ["សួស្តី", "ខ្ញុំ", "ចូលចិត្ត", "ញ៉ាំ", "បាយ", "នៅ", "ផ្សារ"],
};

function wordsOf(text: string, start: number, end: number): [string, number, number][] {
  const words: [string, number, number][] = [];
  eachDictionaryWord(text, start, end, (...word) => words.push(word));
  return words;
}

test.each(Object.entries(WORDS))("%s: the words of a long run, in parts", (_, words) => {
  const random = mulberry32(5);
  let run = "";
  while (run.length < 12_000) run += words[Math.floor(random() * words.length)];
  const whole = [...new Intl.Segmenter("th", { granularity: "word" }).segment(run)].filter(
    ({ isWordLike }) => isWordLike,
  );
  const found = wordsOf(`--${run}--`, 2, 2 + run.length);
  expect(found.map(([, start, end]) => run.slice(start - 2, end - 2))).toEqual(
    whole.map(({ segment }) => segment),
  );
});

test("letters outside the Basic Multilingual Plane stay whole at the end of a part", () => {
  const run = "𠮷野家".repeat(4000);
  const found = wordsOf(run, 0, run.length);
  expect(found.map(([word]) => word).join("")).toBe(run);
});
