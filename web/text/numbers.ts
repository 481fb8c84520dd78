// Numbers → text for readers.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const two = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const three = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const any = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6, useGrouping: false });

const minus = (text: string) => text.replace("-", "−");

export const countText = (count: number) => whole.format(count);
export const scoreText = (score: number) => minus(two.format(score));
/** A number of a document or a slider, not rounded. */
export const plainText = (value: number) => minus(any.format(value));
export const percentText = (share: number, decimals = 0) => `${(100 * share).toFixed(decimals)} %`;

/** 1 document, 2 documents. */
export const counted = (count: number, noun: string) =>
  `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

export function millisecondsText(ms: number): string {
  return ms < 0.1 ? "under 0.1 ms" : ms < 1000 ? `${three.format(ms)} ms` : `${three.format(ms / 1000)} s`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${three.format(bytes / 1000 ** power)} ${UNITS[power]}`;
}

export function durationText(seconds: number): string {
  if (seconds < 60) return `${whole.format(seconds)} s`;
  if (seconds < 3600) return `${whole.format(seconds / 60)} min`;
  return seconds < 172_800 ? `${three.format(seconds / 3600)} h` : `${whole.format(seconds / 86_400)} days`;
}
