// The name of an analyzer → the language that it is for.

export function languageText(analyzer: string): string {
  if (analyzer === "universal") return "any language";
  return analyzer.charAt(0).toUpperCase() + analyzer.slice(1);
}
