// A text of any length → what is shown of it where there is little room.

/** Characters of a heading that are shown. */
const MOST_SHOWN = 400;

export const shortened = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).replace(/[\ud800-\udbff]$/, "")}…` : text;
