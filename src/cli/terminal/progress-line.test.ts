import { expect, test } from "vitest";
import { ProgressLine } from "./progress-line.ts";

function shown({ isErrorTty }: { isErrorTty: boolean }) {
  const err: string[] = [];
  const clock = { ms: 0 };
  const terminal = {
    in: (async function* () {})(),
    out: () => {},
    err: (text: string) => err.push(text),
    isOutputTty: false,
    isInputTty: false,
    isErrorTty,
    columns: 100,
  };
  return { err, clock, progress: new ProgressLine(terminal, () => clock.ms) };
}

test("a log gets a line every five seconds, with rate and time left, and no control characters", () => {
  const { err, clock, progress } = shown({ isErrorTty: false });
  for (; clock.ms <= 12_000; clock.ms += 100) progress.update("encoding", clock.ms / 10, 10_000);
  progress.clear();
  expect(err).toEqual([
    "encoding 500 of 10,000 (100/s, 95 s left)\n",
    "encoding 1,000 of 10,000 (100/s, 90 s left)\n",
  ]);
});

test("without a rate, none is shown", () => {
  const { err, clock, progress } = shown({ isErrorTty: false });
  progress.update("reading", 0);
  clock.ms = 6_000;
  progress.update("densifying", 1000, 3000);
  expect(err).toEqual(["densifying 1,000 of 3,000\n"]);
});

test("short work prints no line in a log", () => {
  const { err, clock, progress } = shown({ isErrorTty: false });
  for (; clock.ms <= 4_000; clock.ms += 100) progress.update("reading", clock.ms, 4_000);
  expect(err).toEqual([]);
});

test("an unknown total is estimated and marked as an estimate; otherwise only the rate is shown", () => {
  const { err, clock, progress } = shown({ isErrorTty: false });
  progress.update("encoding", 0);
  clock.ms = 6_000;
  progress.update("encoding", 30);
  progress.estimate = () => 330.4;
  clock.ms = 12_000;
  progress.update("encoding", 60);
  expect(err).toEqual(["encoding 30 (5.0/s)\n", "encoding 60 of about 330 (5.0/s, 54 s left)\n"]);
});

test("two alternating kinds of work keep their rates; work that restarts does not", () => {
  const { err, clock, progress } = shown({ isErrorTty: false });
  for (const second of [0, 2, 4]) {
    clock.ms = second * 1000;
    progress.update("encoding", second * 50, 1000);
    progress.update("reading", second * 10);
  }
  clock.ms = 6_000;
  progress.update("encoding", 300, 1000);
  clock.ms = 10_000;
  progress.update("encoding", 0, 400);
  clock.ms = 12_000;
  progress.update("encoding", 100, 400);
  expect(err).toEqual([
    "encoding 300 of 1,000 (50/s, 14 s left)\n",
    "encoding 100 of 400 (50/s, 6 s left)\n",
  ]);
});

test("a terminal gets one line that is redrawn", () => {
  const { err, clock, progress } = shown({ isErrorTty: true });
  progress.update("reading", 0, 100);
  clock.ms = 1_000;
  progress.update("reading", 50, 100);
  clock.ms = 1_050; // too soon
  progress.update("reading", 51, 100);
  progress.clear();
  expect(err).toEqual([
    `\rreading ${" ".repeat(24)} 0 of 100\u001b[K`,
    `\rreading ${"█".repeat(12)}${" ".repeat(12)} 50 of 100 (50/s, 1 s left)\u001b[K`,
    "\r\u001b[K",
  ]);
});
