// Bengali, with the suffixes of Lucene's light stemmer; long and short vowels, and letters of the same sound, become one.
// Stop words: the list of Lucene 9.12 (Apache-2.0).

import { foldDigits, lowerCase } from "../letters/fold.ts";
import type { Language } from "./language-rules.ts";
import { stripLongest } from "./longest-suffix.ts";

export const bengali: Language = {
  stopWords: `
    এই ও থেকে করে এ না ওই এক্ নিয়ে করা বলেন সঙ্গে যে এব তা আর কোনো বলে সেই দিন হয় কি দু পরে সব দেওয়া মধ্যে
    এর সি শুরু কাজ কিছু কাছে সে তবে বা বন আগে জ্নজন পি পর তো ছিল এখন আমরা প্রায় দুই আমাদের তাই অন্য গিয়ে
    প্রযন্ত মনে নতুন মতো কেখা প্রথম আজ টি ধামার অনেক বিভিন্ন র হাজার জানা নয় অবশ্য বেশি এস কে হতে বি কয়েক সহ
    বেশ এমন এমনি কেন কেউ নেওয়া চেষ্টা লক্ষ বলা কারণ আছে শুধু তখন যা এসে চার যদি আবার কোটি উত্তর সামনে উপর
    বক্তব্য এত প্রাথমিক উপরে প্রতি কাজে যখন খুব বহু গেল পেয়্র্ চালু ই নাগাদ থাকা পাচ যাওয়া রকম সাধারণ কমনে
  `,
  normalize: (word) => oneSound(foldDigits(lowerCase(word))),
  stem: (word) => stripLongest(word, SUFFIXES),
};

const SOUNDS: Readonly<Record<string, string>> = {
  ...{ "\u09c0": "\u09bf", "\u09c2": "\u09c1", "\u0988": "\u0987", "\u098a": "\u0989" },
  ...{
    "\u09a3": "\u09a8",
    "\u09b6": "\u09b8",
    "\u09b7": "\u09b8",
    "\u09dc": "\u09b0",
    "\u09dd": "\u09b0",
    "\u09ce": "\u09a4",
  },
};

/** Consonants that are written as one sign are heard as one or two, and letters of the same sound become one. */
function oneSound(word: string): string {
  return word
    .replace(/\u09a1\u09bc|\u09a2\u09bc/gu, "\u09b0")
    .replaceAll("\u09af\u09bc", "\u09df")
    .replace(/^(.)\u09cd\u09af\u09be?/u, "$1\u09c7")
    .replace(/\u09cd\u09af|\u09cd\u200d|\u0981/gu, "")
    .replace(/^(.)\u09cd\u09ac/u, "$1")
    .replace(/(.)\u09cd\u09ac/gu, "$1$1")
    .replace(/[\u0980-\u09ff]/gu, (letter) => SOUNDS[letter] ?? letter);
}

const SUFFIXES = [
  "িয়াছিলাম িতেছিলাম িতেছিলেন ইতেছিলেন িয়াছিলেন ইয়াছিলেন",
  "িতেছিলি িতেছিলে িয়াছিলা িয়াছিলে িতেছিলা িয়াছিলি য়েদেরকে",
  "িতেছিস িতেছেন িয়াছিস িয়াছেন েছিলাম েছিলেন েদেরকে",
  "িতেছি িতেছা িতেছে ছিলাম ছিলেন িয়াছি িয়াছা িয়াছে েছিলে েছিলা য়েদের দেরকে",
  "িলাম িলেন িতাম িতেন িবেন ছিলি ছিলে ছিলা তেছে িতেছ খানা খানি গুলো গুলি য়েরা েদের",
  "লাম িলি ইলি িলে ইলে লেন িলা ইলা তাম িতি ইতি িতে ইতে তেন িতা িবা ইবা িবি ইবি বেন িবে ইবে ছেন য়োন য়ের েরা দের",
  "িস েন লি লে লা তি তে তা বি বে বা ছি ছা ছে ুন ুক টা টি নি ের রা কে",
  "ি ী া ো ে ব ত",
].map((line) => line.normalize("NFD").replaceAll("\u09af\u09bc", "\u09df").split(" "));
