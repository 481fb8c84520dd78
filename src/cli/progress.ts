// Long work shows how far it is: one line on stderr that replaces itself, and nothing where no one is looking.

import type { Terminal } from "./command.ts";
import { bar, withCommas } from "./format.ts";

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

export class ProgressLine {
  readonly #terminal: Terminal;
  #label = "";
  #started = 0;
  /** How much was done when this label came: the rate is of what came since. */
  #before = 0;
  #drawn = 0;
  #visible = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** `total` is unknown where a file is read to its end. */
  update(label: string, done: number, total?: number): void {
    if (!this.#terminal.errIsTty) return;
    const now = performance.now();
    if (label !== this.#label) {
      this.#label = label;
      this.#started = now;
      this.#before = done;
    }
    if (now - this.#drawn < REDRAW_MS && done !== total) return;
    const rate = (done - this.#before) / Math.max(1e-3, (now - this.#started) / 1000);
    const share = total ? ` ${bar(done / total, BAR_WIDTH).padEnd(BAR_WIDTH)}` : "";
    const of = total ? ` of ${withCommas(total)}` : "";
    const left = total && rate > 0 && done < total ? `, ${Math.ceil((total - done) / rate)} s left` : "";
    this.#draw(`${label}${share} ${withCommas(done)}${of} (${withCommas(Math.round(rate))}/s${left})`);
  }

  /** Work that has more to say than how far it is. */
  show(label: string, done: number, total: number, more: string): void {
    if (!this.#terminal.errIsTty) return;
    if (performance.now() - this.#drawn < REDRAW_MS && done !== total) return;
    const share = bar(done / total, BAR_WIDTH).padEnd(BAR_WIDTH);
    this.#draw(`${label} ${share} ${withCommas(done)} of ${withCommas(total)}, ${more}`);
  }

  #draw(text: string): void {
    this.#drawn = performance.now();
    this.#visible = true;
    this.#terminal.err(`\r${text.slice(0, this.#terminal.columns - 1)}\u001b[K`);
  }

  clear(): void {
    if (this.#visible) this.#terminal.err("\r\u001b[K");
    this.#visible = false;
  }
}
