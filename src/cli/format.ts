// Figures and texts → what a terminal shows. Documents are other people's text: nothing in them may steer the
// terminal, so control characters never get through.

import type { Terminal } from "./command.ts";

const STYLES = { bold: 1, dim: 2, underlined: 4, struck: 9, green: 32, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** Colours for a person's terminal, nothing for a file. */
export function painter(terminal: Terminal): (style: Style, text: string) => string {
  const coloured = terminal.outIsTty && !process.env.NO_COLOR;
  return (style, text) => (coloured ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** A text on one line, without anything a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ").trim();
}

/** At most `width` characters. */
export function clipped(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(1, width - 1)).join("")}…`;
}

/** A bar for a share between 0 and 1, in eighths of a character. */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8);
  const rest = eighths % 8;
  return "█".repeat(eighths >> 3) + (rest > 0 ? "▏▎▍▌▋▊▉"[rest - 1] : "");
}

export function withCommas(n: number): string {
  return n.toLocaleString("en-US");
}

export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A time to wait, in the unit that fits. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
