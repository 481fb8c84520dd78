// The name of an analyzer → the analyzer. The rules of a language are a module of their own, loaded when it is first asked for.

import { SluiceError } from "../support/errors/sluice-error.ts";
import { nearestName } from "../support/options/nearest.ts";
import { checkOptions, checkText } from "../support/options/options.ts";
import { ENGLISH_RULES, english } from "./analyzers/english.ts";
import { makeLanguage } from "./analyzers/language.ts";
import { makeUniversal, universal } from "./analyzers/universal.ts";
import { whitespace } from "./analyzers/whitespace.ts";
import type { Analyzer } from "./contract/analyzer.ts";
import { ANALYZER_NAMES, type LANGUAGE_NAMES, type SCRIPT_NAMES } from "./contract/analyzer-names.ts";
import { ANALYZER_OPTIONS, type AnalyzerOptions, checkAnalyzerOptions } from "./contract/named-analyzer.ts";
import type { Language } from "./languages/language-rules.ts";

/** Each language, and what loads its rules. */
const LANGUAGES = {
  arabic: async () => (await import("./languages/arabic.ts")).arabic,
  armenian: async () => (await import("./languages/armenian.ts")).armenian,
  basque: async () => (await import("./languages/basque.ts")).openBasque(),
  bengali: async () => (await import("./languages/bengali.ts")).bengali,
  bulgarian: async () => (await import("./languages/bulgarian.ts")).bulgarian,
  catalan: async () => (await import("./languages/catalan.ts")).openCatalan(),
  czech: async () => (await import("./languages/czech.ts")).czech,
  danish: async () => (await import("./languages/danish.ts")).danish,
  dutch: async () => (await import("./languages/dutch.ts")).dutch,
  english: async () => ENGLISH_RULES,
  estonian: async () => (await import("./languages/estonian.ts")).openEstonian(),
  finnish: async () => (await import("./languages/finnish.ts")).finnish,
  french: async () => (await import("./languages/french.ts")).french,
  galician: async () => (await import("./languages/galician.ts")).galician,
  german: async () => (await import("./languages/german.ts")).german,
  greek: async () => (await import("./languages/greek.ts")).greek,
  hindi: async () => (await import("./languages/hindi.ts")).hindi,
  hungarian: async () => (await import("./languages/hungarian.ts")).hungarian,
  indonesian: async () => (await import("./languages/indonesian.ts")).indonesian,
  irish: async () => (await import("./languages/irish.ts")).irish,
  italian: async () => (await import("./languages/italian.ts")).italian,
  latvian: async () => (await import("./languages/latvian.ts")).latvian,
  lithuanian: async () => (await import("./languages/lithuanian.ts")).lithuanian,
  norwegian: async () => (await import("./languages/norwegian.ts")).norwegian,
  persian: async () => (await import("./languages/persian.ts")).persian,
  portuguese: async () => (await import("./languages/portuguese.ts")).portuguese,
  romanian: async () => (await import("./languages/romanian.ts")).romanian,
  russian: async () => (await import("./languages/russian.ts")).russian,
  serbian: async () => (await import("./languages/serbian.ts")).serbian,
  spanish: async () => (await import("./languages/spanish.ts")).spanish,
  swedish: async () => (await import("./languages/swedish.ts")).swedish,
  tamil: async () => (await import("./languages/tamil.ts")).tamil,
  telugu: async () => (await import("./languages/telugu.ts")).telugu,
  turkish: async () => (await import("./languages/turkish.ts")).turkish,
} satisfies Record<(typeof LANGUAGE_NAMES)[number], () => Promise<Language>>;

/** What makes an analyzer that cuts scripts as `universal` does, with rules of its own for one of them. */
const SCRIPTS = {
  universal: async () => makeUniversal,
  chinese: async () => (await import("./analyzers/chinese.ts")).makeChinese,
  japanese: async () => (await import("./analyzers/japanese.ts")).makeJapanese,
  korean: async () => (options: AnalyzerOptions) => makeUniversal(options, { name: "korean" }),
  thai: async () => (await import("./analyzers/thai.ts")).makeThai,
} satisfies Record<(typeof SCRIPT_NAMES)[number], () => Promise<(options: AnalyzerOptions) => Analyzer>>;

/** Whether an analyzer may cut text by the dictionary of the JavaScript engine. */
export function usesDictionary(name: string): boolean {
  return Object.hasOwn(SCRIPTS, name);
}

/** Loads an analyzer by its name, with options of your choice. */
export async function loadAnalyzer(name: string, options: AnalyzerOptions = {}): Promise<Analyzer> {
  checkText("the name of an analyzer", name);
  checkOptions(options, ANALYZER_OPTIONS, "loadAnalyzer");
  checkAnalyzerOptions(options);
  const isPlain = Object.keys(options).length === 0;
  if (name === "whitespace" && isPlain) return whitespace;
  if (name === "english" && isPlain) return english;
  if (name === "universal" && isPlain) return universal;
  if (Object.hasOwn(SCRIPTS, name)) return (await SCRIPTS[name as keyof typeof SCRIPTS]())(options);
  if (Object.hasOwn(LANGUAGES, name)) {
    return makeLanguage(name, await LANGUAGES[name as keyof typeof LANGUAGES](), options);
  }
  throw unknownAnalyzerError(name, isPlain);
}

/** The error for a name that no analyzer has. */
export function unknownAnalyzerError(name: string, isPlain = true): SluiceError {
  if (!isPlain && name === "whitespace") return new SluiceError("the analyzer whitespace has no options");
  const meant = nearestName(name, ANALYZER_NAMES);
  return new SluiceError(
    `there is no analyzer ${JSON.stringify(name)}`,
    meant === undefined ? `one of ${ANALYZER_NAMES.join(", ")}` : `did you mean ${JSON.stringify(meant)}?`,
  );
}
