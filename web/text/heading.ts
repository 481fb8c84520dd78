// A document of any shape → a heading, and its other fields as text.

export type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown as heading and text, and the place of a passage, which its title says better. All others are facts. */
const SHOWN = new Set(["title", "text", "passage"]);
/** Characters of a field that are shown; the rest is cut. */
const MAX_FACT_LENGTH = 200;

/** The title or name; else the first list of words, as in a dictionary; else the id. */
export function headingOf(id: string, document: Fields): string {
  return namingField(document)?.heading ?? id;
}

function namingField(document: Fields): { readonly field: string; readonly heading: string } | undefined {
  for (const field of ["title", "name"]) {
    const value = document[field];
    if (typeof value === "string" && value.trim() !== "") return { field, heading: value };
  }
  for (const [field, value] of Object.entries(document)) {
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string")) {
      return { field, heading: value.join(", ") };
    }
  }
  return undefined;
}

/** The fields that are neither heading nor text, nor the place of a passage, with their values as text. */
export function factsOf(document: Fields): { readonly name: string; readonly value: string }[] {
  const naming = namingField(document)?.field;
  return Object.entries(document).flatMap(([name, value]) => {
    if (SHOWN.has(name) || name === naming || value === null || value === undefined) return [];
    const text = factText(value);
    return [{ name, value: text.length > MAX_FACT_LENGTH ? `${text.slice(0, MAX_FACT_LENGTH)}…` : text }];
  });
}

function factText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return JSON.stringify(value);
}
