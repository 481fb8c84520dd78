#!/usr/bin/env node
// The entry point of the `sluice` program: passes arguments and streams to the command line, and sets the exit status.

import { main } from "./cli.ts";

// `sluice … | head` closes the pipe early, which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(
    `sluice: standard output: ${error.code === "ENOSPC" ? "the disk is full" : error.message}\n`,
  );
  process.exit(2);
});

let readsInput = false;

process.exitCode = await main(process.argv.slice(2), {
  get in() {
    readsInput = true;
    return process.stdin;
  },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isInputTty: process.stdin.isTTY ?? false,
  isOutputTty: process.stdout.isTTY ?? false,
  isErrorTty: process.stderr.isTTY ?? false,
  columns: process.stdout.columns || 100, // some terminals report 0
});

// An open pipe would keep the process alive after the command has ended.
if (readsInput) process.stdin.destroy();
