// The terminal of the demo's programs.

export const terminal = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
  isInputTty: process.stdin.isTTY ?? false,
  isOutputTty: process.stdout.isTTY ?? false,
  get in() {
    return process.stdin;
  },
  isErrorTty: process.stderr.isTTY ?? false,
  columns: process.stdout.columns ?? 100,
};
