// The name of an analyzer → the language that it is for.

export function languageText(analyzer: string): string {
  if (analyzer === "universal") return "any language";
  if (analyzer === "whitespace") return "split at white space";
  return analyzer.charAt(0).toUpperCase() + analyzer.slice(1);
}
