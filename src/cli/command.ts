// What a command is: one table of flags feeds the parser, the help and the checks.

import { parseArgs } from "node:util";
import { UsageError } from "../index.ts";
import { nearest } from "./nearest.ts";

export interface Flag {
  readonly type: "string" | "boolean";
  readonly help: string;
  /** What stands behind the flag in the help: FILE, N, … */
  readonly value?: string;
  readonly default?: string;
  readonly multiple?: true;
  /** The words that can stand behind it, where they are few: shells complete them. */
  readonly choices?: readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** Where a command reads and writes. Tests give their own. */
export interface Terminal {
  /** Standard input, for a file that is called "-". */
  readonly in: AsyncIterable<Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` and `err` are looked at by a person: colours, and progress, are for them. */
  readonly outIsTty: boolean;
  readonly errIsTty: boolean;
  readonly columns: number;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What stands behind the name: "DIR QUERY". */
  readonly operands: string;
  /** The words that can be its operands, where they are few. */
  readonly choices?: readonly string[];
  readonly flags: Flags;
  readonly details?: string;
  readonly examples: readonly string[];
  run(args: Arguments, terminal: Terminal): Promise<void>;
}

interface OptionToken {
  readonly name: string;
  /** As it was written: "--k" or "-k". */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether it was written --k=3. */
  readonly inlineValue: boolean | undefined;
}

/** The words and flags of a command line, checked against the command's table. */
export class Arguments {
  readonly #command: Command;
  readonly #values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  readonly operands: readonly string[];
  readonly #closing: { close(): Promise<void> }[] = [];

  constructor(command: Command, argv: readonly string[]) {
    this.#command = command;
    const options = Object.fromEntries(
      Object.entries(command.flags).map(([name, { type, multiple }]) => [
        name,
        { type, multiple: multiple ?? false },
      ]),
    );
    // Not strict: what is wrong is said here, in our words, and a negative number may stand behind its flag.
    const { values, positionals, tokens } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: false,
      tokens: true,
    });
    for (const token of tokens) if (token.kind === "option") this.#check(token);
    this.#values = values;
    this.operands = positionals;
  }

  #check({ name, rawName, value, inlineValue }: OptionToken): void {
    const flag = rawName.startsWith("--") ? this.#command.flags[name] : undefined;
    if (!flag) throw this.#unknown(name, rawName);
    if (flag.type === "boolean") {
      if (value !== undefined) throw this.misuse(`--${name} takes no value, but was given "${value}"`);
      return;
    }
    const call = `--${name} ${flag.value ?? "VALUE"}`;
    if (value === undefined) throw this.misuse(`--${name} needs a value: ${call}`);
    const isFlag = !inlineValue && value.length > 1 && value.startsWith("-") && Number.isNaN(Number(value));
    if (isFlag)
      throw this.misuse(
        `--${name} needs a value: ${call}; a value that begins with a dash: --${name}=${value}`,
      );
  }

  #unknown(name: string, rawName: string): UsageError {
    const { name: command, flags } = this.#command;
    const near = nearest(name, Object.keys(flags));
    const message = `sluice ${command} has no flag ${rawName}`;
    if (near !== undefined) return new UsageError(message, `did you mean --${near}?`);
    return this.misuse(
      rawName.startsWith("--")
        ? message
        : `${message}; words that begin with a dash go behind --: sluice ${command} … -- "${rawName} …"`,
    );
  }

  /** Something to be closed when the command is over, however it ends. */
  closing<T extends { close(): Promise<void> } | undefined>(thing: T): T {
    if (thing) this.#closing.push(thing);
    return thing;
  }

  async close(): Promise<void> {
    for (const thing of this.#closing.splice(0)) await thing.close();
  }

  /** Whether a flag stands on the command line. */
  given(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** Refuses flags that would have no effect. */
  without(names: readonly string[], because: string): void {
    const idle = names.filter((name) => this.given(name));
    if (idle.length > 0) throw this.misuse(`--${idle[0]} has no effect ${because}`);
  }

  /** A mistake in how the command was called. */
  misuse(message: string): UsageError {
    return new UsageError(message, `see: sluice ${this.#command.name} --help`);
  }

  /** Exactly as many operands as there are names. */
  exactly(...names: string[]): readonly string[] {
    if (this.operands.length !== names.length) {
      const given = this.operands.length === 0 ? "none was given" : `${this.operands.length} were given`;
      throw this.misuse(`expected ${names.join(" and ")}; ${given}`);
    }
    return this.operands;
  }

  /** At least as many operands as there are names. */
  atLeast(...names: string[]): readonly string[] {
    if (this.operands.length < names.length) throw this.misuse(`expected ${names.join(" and ")}`);
    return this.operands;
  }

  text(name: string): string | undefined {
    return (this.#values[name] as string | undefined) ?? this.#command.flags[name].default;
  }

  texts(name: string): readonly string[] {
    return (this.#values[name] as string[] | undefined) ?? [];
  }

  is(name: string): boolean {
    return this.#values[name] === true;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text.trim() === "" || Number.isNaN(value))
      throw this.misuse(`--${name} takes a number, not "${text}"`);
    return value;
  }

  /** A whole number of at least 1. */
  count(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
    throw this.misuse(`--${name} takes a whole number of at least 1, not ${value}`);
  }

  /** A whole number of at least 0. */
  whole(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
    throw this.misuse(`--${name} takes a whole number of at least 0, not ${value}`);
  }

  /** A number of at least 0. */
  positive(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isFinite(value) && value >= 0)) return value;
    throw this.misuse(`--${name} takes a number of at least 0, not ${value}`);
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined || choices.includes(text as T)) return text as T | undefined;
    throw this.misuse(`--${name} is one of ${choices.join(", ")}, not "${text}"`);
  }
}

export function helpOf(command: Command): string {
  const left = Object.entries(command.flags).map(
    ([name, { value }]) => `--${name}${value ? ` ${value}` : ""}`,
  );
  const width = Math.max(0, ...left.map((text) => text.length));
  const flags = Object.values(command.flags).map(({ help, default: usual }, i) => {
    return `  ${left[i].padEnd(width)}  ${help}${usual === undefined ? "" : ` (${usual})`}`;
  });
  return [
    `sluice ${command.name} ${command.operands}`.trim(),
    "",
    command.summary,
    ...(command.details ? ["", command.details] : []),
    ...(flags.length > 0 ? ["", "Flags:", ...flags] : []),
    "",
    "Examples:",
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}
