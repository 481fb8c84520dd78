// argv → a command of the table → calls of the public API. An error that the user can fix prints its message and exits
// with 2; any other error prints its stack and exits with 1.

import { SluiceError } from "../index.ts";
import { NoIndexError } from "../store/database/database.ts";
import { readVersion } from "../support/environment/version.ts";
import { nearestName } from "../support/options/nearest.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands/command-groups.ts";
import { Arguments, type Command, type Flags, helpOf, type Terminal } from "./terminal/command.ts";
import { Interrupted } from "./terminal/interrupt.ts";

/** Runs a command line and returns the exit status. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await dispatch(argv, terminal);
    return 0;
  } catch (error) {
    if (terminal.isErrorTty) terminal.err("\r\u001b[K"); // removes a progress line
    if (error instanceof Interrupted) {
      terminal.err(`sluice: ${error.message}\n`);
      return 130;
    }
    if (!(error instanceof SluiceError)) {
      terminal.err(`${(error as Error)?.stack ?? String(error)}\n`);
      return 1;
    }
    terminal.err(`sluice: ${error.problem}\n${error.hint ? `  ${error.hint}\n` : ""}`);
    return 2;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<void> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    terminal.out(overview());
    return;
  }
  if (name === "--version" || name === "-v") {
    terminal.out(`${readVersion()}\n`);
    return;
  }
  const command = commandNamed(name === "help" ? rest[0] : name);
  const words = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest; // after -- nothing is a flag
  if (name === "help" || words.includes("--help") || words.includes("-h")) {
    terminal.out(helpOf(command));
    return;
  }
  const args = new Arguments(command, rest);
  try {
    await command.run(args, terminal);
  } catch (error) {
    throw error instanceof SluiceError ? toFlagError(error, command) : error;
  } finally {
    await args.close();
  }
}

/** Errors of the library name options. Where the command has a flag for one, the error names the flag. */
function toFlagError(error: SluiceError, { flags }: Command): SluiceError {
  const { option, code } = error;
  const named = option === undefined ? undefined : findFlag(option, flags);
  const problem =
    named !== undefined && error.problem.startsWith(named.option)
      ? `--${named.flag}${error.problem.slice(named.option.length)}`
      : error.problem;
  const create = Object.hasOwn(flags, "create") ? ", or give --create" : "";
  const hint =
    error instanceof NoIndexError
      ? `sluice index DIR PATH makes one${create}`
      : code === "ERR_SLUICE_DUPLICATE_ID" && error.hint !== undefined
        ? "sluice add --upsert replaces a document"
        : error.hintWith((name) => {
            const found = findFlag(name, flags);
            return found?.option === name ? `--${found.flag}` : `the option ${name}`;
          });
  return new SluiceError(problem, hint, code, option);
}

/** The flag for an option, or for the option that it is a part of: "boosts[0].field" is a part of "boosts", which is --boost. */
function findFlag(
  path: string,
  flags: Flags,
): { readonly flag: string; readonly option: string } | undefined {
  for (let option = path; option !== ""; option = option.replace(/[.[]?[^.[]*$/, "")) {
    const usual = option.replaceAll(".", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag =
      Object.keys(flags).find((name) => flags[name].option === option) ??
      (Object.hasOwn(flags, usual) && flags[usual].option === undefined ? usual : undefined);
    if (flag !== undefined) return { flag, option };
  }
  return undefined;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    "sluice: lexical and semantic search in one index, with one score",
    "",
    ...COMMAND_GROUPS.flatMap(({ title, commands }) => [
      `${title}:`,
      ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
      "",
    ]),
    "sluice COMMAND --help shows the flags of a command and examples. Exit status: 0 for success, 2 for an error in the",
    "command or the input, 130 after Ctrl-C, 1 for a bug.",
    "",
  ].join("\n");
}

function commandNamed(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const near = nearestName(name, names);
  throw new SluiceError(
    `there is no command "${name}"`,
    near ? `did you mean sluice ${near}?` : `the commands are ${names.join(", ")}`,
  );
}
