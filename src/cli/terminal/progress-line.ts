// Shows the progress of long work on stderr. A terminal gets one line that is redrawn; a log gets a new line every few
// seconds.

import type { OnProgress } from "../../index.ts";
import type { Terminal } from "./command.ts";
import { bar, duration, formatCount } from "./format.ts";

/** Milliseconds between two redraws on a terminal. */
const REDRAW_MS = 100;
/** Milliseconds between two lines in a log. Shorter work prints no line. */
const LOG_MS = 5_000;
const BAR_WIDTH = 24;

/** When a piece of work started, and at which count: the rate covers what came since. */
interface Begun {
  readonly at: number;
  readonly before: number;
  done: number;
}

export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  /** By label, because two kinds of work may alternate, each with its own rate. */
  readonly #begun = new Map<string, Begun>();
  #drawn: number | undefined;
  #isVisible = false;
  /** Estimates the total for work that does not know it, of which so much is done. */
  estimate: (done: number) => number | undefined = () => undefined;

  /** `now` is for tests. */
  constructor(terminal: Terminal, now = () => performance.now()) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** What a long piece of work calls: `onProgress: progress.report`. */
  readonly report: OnProgress = ({ task, done, total }) => this.update(task, done, total);

  /** Shows `done` of `total`; leave `total` out when it is unknown, as for a file that is read to its end. */
  update(label: string, done: number, total?: number): void {
    const now = this.#now();
    let begun = this.#begun.get(label);
    if (!begun || done < begun.done) {
      begun = { at: now, before: done, done };
      this.#begun.set(label, begun);
    }
    begun.done = done;
    if (!this.#isDue(now, done === total)) return;
    const estimated = total === undefined ? this.estimate(done) : undefined;
    const all = total ?? (estimated && Math.max(done, Math.round(estimated)));
    const ofAll = all ? ` of ${estimated ? "about " : ""}${formatCount(all)}` : "";
    const rate = rateOf(begun, now);
    const speed = rate ? ` (${rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate))}/s` : "";
    const left = all && rate && done < all ? `, ${duration((all - done) / rate)} left` : "";
    this.#draw(now, label, done, all, `${formatCount(done)}${ofAll}${speed}${left}${speed && ")"}`);
  }

  /** Shows progress with a text of its own, such as a loss. */
  show(label: string, done: number, total: number, more: string): void {
    const now = this.#now();
    if (!this.#isDue(now, done === total)) return;
    this.#draw(now, label, done, total, `${formatCount(done)} of ${formatCount(total)}, ${more}`);
  }

  /** A log counts its interval from the first call. The end of the work forces a redraw on a terminal only. */
  #isDue(now: number, isAtEnd: boolean): boolean {
    if (this.#terminal.isErrorTty)
      return this.#drawn === undefined || isAtEnd || now - this.#drawn >= REDRAW_MS;
    this.#drawn ??= now;
    return now - this.#drawn >= LOG_MS;
  }

  #draw(now: number, label: string, done: number, total: number | undefined, text: string): void {
    this.#drawn = now;
    if (!this.#terminal.isErrorTty) {
      this.#terminal.err(`${label} ${text}\n`);
      return;
    }
    this.#isVisible = true;
    const share = total ? ` ${bar(done / total, BAR_WIDTH).padEnd(BAR_WIDTH)}` : "";
    const line = `${label}${share} ${text}`;
    this.#terminal.err(`\r${line.slice(0, this.#terminal.columns - 1)}\u001b[K`);
  }

  clear(): void {
    if (this.#isVisible) this.#terminal.err("\r\u001b[K");
    this.#isVisible = false;
  }
}

/** Items per second; undefined in the first moments. */
function rateOf({ at, before, done }: Begun, now: number): number | undefined {
  return now - at < REDRAW_MS || done === before ? undefined : (1000 * (done - before)) / (now - at);
}
