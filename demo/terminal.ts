// The terminal of the demo's programs.

export const terminal = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
  inIsTty: process.stdin.isTTY ?? false,
  outIsTty: process.stdout.isTTY ?? false,
  get in() {
    return process.stdin;
  },
  errIsTty: process.stderr.isTTY ?? false,
  columns: process.stdout.columns ?? 100,
};
