// Numbers and texts → what a terminal shows. Documents come from other people, so control characters are removed: they
// could control the terminal.

import { formatCount } from "../../support/options/options.ts";

const STYLES = { bold: 1, dim: 2, underlined: 4, green: 32, cyan: 36 } as const;
type Style = keyof typeof STYLES;

/** Colors a text on a terminal, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/** A function that colors text on a terminal and leaves it as it is elsewhere. */
export function painter(terminal: { readonly isOutputTty: boolean }): Paint {
  const isColored = terminal.isOutputTty && !process.env.NO_COLOR;
  return (style, text) => (isColored ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** The text on one line, without control characters. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ").trim();
}

/** The text, cut to at most `width` characters. */
export function clip(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(1, width - 1)).join("")}…`;
}

/** The words of a text on lines of at most `width` characters. A word that is longer has a line for itself. */
export function wrapWords(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A bar for a share between 0 and 1, drawn in eighths of a character. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const rest = eighths % 8;
  return "█".repeat(eighths >> 3) + (rest > 0 ? "▏▎▍▌▋▊▉"[rest - 1] : "");
}

export { formatCount };

/** A number and what it counts: "1 document", "1,200 documents". */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The most names that `listNames` lists. */
const MOST_NAMES = 20;

/** Names on one line: the first of them, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(", ") + (more > 0 ? `, and ${formatCount(more)} more` : "");
}

export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A duration in seconds, minutes or hours. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
