// What a document is called, and what else it says of itself. Documents of any shape come along.

export type Fields = Readonly<Record<string, unknown>>;

/** Shown as heading and text; the rest are facts. */
const SHOWN = new Set(["title", "text"]);
const LONGEST_FACT = 200;

/** Its title or name; else the first list of words it has, such as a dictionary's entry; else its id. */
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

/** The fields that are neither heading nor text, with their values as text. */
export function factsOf(document: Fields): { readonly name: string; readonly value: string }[] {
  const naming = namingField(document)?.field;
  return Object.entries(document).flatMap(([name, value]) => {
    if (SHOWN.has(name) || name === naming || value === null || value === undefined) return [];
    const text = factText(value);
    return [{ name, value: text.length > LONGEST_FACT ? `${text.slice(0, LONGEST_FACT)}…` : text }];
  });
}

function factText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return JSON.stringify(value);
}
