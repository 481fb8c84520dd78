#!/usr/bin/env node
// The process around the command line: its arguments, its streams, its exit status.

import { main } from "./cli.ts";

// `sluice … | head` closes the pipe early: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

let readsInput = false;

process.exitCode = await main(process.argv.slice(2), {
  get in() {
    readsInput = true;
    return process.stdin;
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTty: process.stdout.isTTY ?? false,
  errIsTty: process.stderr.isTTY ?? false,
  columns: process.stdout.columns || 100, // some terminals say 0
});

// A pipe that is still open would keep the process alive, though nobody reads it any more.
if (readsInput) process.stdin.destroy();
