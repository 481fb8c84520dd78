// The name of a language → its Snowball stemmer, for the three languages that our usual package lacks. The package is
// WebAssembly; it asks for Node 22, and is loaded only if one of these languages is asked for.

import { missingPackageError } from "../../support/environment/packages.ts";

/** Loads the stemmer of a language, by its two letters. */
export async function loadSnowballStemmer(
  code: "eu" | "ca" | "et",
  language: string,
): Promise<(word: string) => string> {
  try {
    const { createStemmer } = await import("multilingual-stemmer");
    return createStemmer(code);
  } catch (error) {
    throw missingPackageError("multilingual-stemmer", `the analyzer ${language} needs`, error);
  }
}
