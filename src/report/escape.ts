// Makes untrusted text safe for HTML and XML. Titles, terms and documents come from anywhere.

/**
 * Replaces characters that XML forbids (control characters, lone surrogates), and removes marks that would change the
 * direction of the text around it.
 */
export function plainText(text: string): string {
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

/** Escapes a text for the content of an element and for a quoted attribute. */
export function escaped(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Cuts a text to `length` characters; a cut text ends in "…". */
export function clipped(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, Math.max(1, length - 1)).join("")}…`;
}
