// A document of any shape → a heading, and its other fields as text.

export type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown as heading and text, and the place of a passage, which its title says better. All others are facts. */
const SHOWN = new Set(["title", "text", "passage"]);
/** Characters of a field that are shown; the rest is cut. */
const MAX_FACT_LENGTH = 200;
/** Objects within objects that are shown part by part. */
const DEEPEST = 3;

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
  const shown = Object.entries(document).filter(([name]) => !SHOWN.has(name) && name !== naming);
  return shown
    .flatMap(([name, value]) => partsOf(name, value))
    .flatMap(({ name, value }) => {
      if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
      const text = factText(value);
      return [{ name, value: text.length > MAX_FACT_LENGTH ? `${text.slice(0, MAX_FACT_LENGTH)}…` : text }];
    });
}

/** The parts of an object under the names that filters have for them: from.city. */
function partsOf(name: string, value: unknown, depth = 0): { name: string; value: unknown }[] {
  const isParted = typeof value === "object" && value !== null && !Array.isArray(value) && depth < DEEPEST;
  if (!isParted) return [{ name, value }];
  return Object.entries(value).flatMap(([part, inner]) => partsOf(`${name}.${part}`, inner, depth + 1));
}

function factText(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return JSON.stringify(value);
}
