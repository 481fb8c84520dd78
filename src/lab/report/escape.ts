// Other people's text → text that can stand in HTML and XML. Titles, terms and documents come from anywhere.

/**
 * A text without what XML forbids (control characters, halves of surrogate pairs) and without the marks that
 * would turn the text around it from right to left.
 */
export function plain(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]|[\p{Cs}\ufffe\uffff]/gu, "\ufffd")
    .replace(/\p{Bidi_Control}/gu, "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For an element's content and for a quoted attribute. */
export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** At most `length` characters. */
export function clipped(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, Math.max(1, length - 1)).join("")}…`;
}
