// The type of a command of the command line. One table of flags feeds the parser, the checks and the help.

import { parseArgs } from "node:util";
import { SluiceError } from "../../index.ts";
import { nearestName } from "../../support/options/nearest.ts";
import { wrapWords } from "./format.ts";

export interface Flag {
  readonly type: "string" | "boolean";
  readonly help: string;
  /** The option of the library that the flag sets, if its name is another one: "bm25.k1". Errors of the library name it. */
  readonly option?: string;
  /** The placeholder of the value in the help: FILE, N, … */
  readonly value?: string;
  readonly default?: string;
  readonly multiple?: true;
  /** The possible values, if there are few: shells complete them. */
  readonly choices?: readonly string[];
}

export type Flags = Readonly<Record<string, Flag>>;

/** Where a command reads and writes. Tests pass their own. */
export interface Terminal {
  /** Standard input, for a file named "-". */
  readonly in: AsyncIterable<Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Whether somebody can answer a question: `in` is a terminal. */
  readonly isInputTty: boolean;
  /** Whether `out` and `err` are terminals: only those get colors and a progress line. */
  readonly isOutputTty: boolean;
  readonly isErrorTty: boolean;
  readonly columns: number;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The operands in the help, such as "DIR QUERY". DIR is where an index is, FOLDER is any other folder. */
  readonly operands: string;
  /** The possible operands, if there are few: shells complete them. */
  readonly choices?: readonly string[];
  readonly flags: Flags;
  readonly details?: string;
  readonly examples: readonly string[];
  run(args: Arguments, terminal: Terminal): Promise<void>;
}

interface OptionToken {
  readonly name: string;
  /** As the user wrote it: "--k" or "-k". */
  readonly rawName: string;
  readonly value: string | undefined;
  /** Whether the user wrote --k=3. */
  readonly inlineValue: boolean | undefined;
}

/** The operands and flags of a command line, checked against the command's table. */
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
    // Not strict, because #check has better messages and allows a negative number as a value.
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
    if (!flag) throw this.#unknownFlagError(name, rawName);
    if (flag.type === "boolean") {
      if (value !== undefined) throw this.usageError(`--${name} takes no value, but was given "${value}"`);
      return;
    }
    const call = `--${name} ${flag.value ?? "VALUE"}`;
    if (value === undefined) throw this.usageError(`--${name} needs a value: ${call}`);
    const isFlag = !inlineValue && value.length > 1 && value.startsWith("-") && Number.isNaN(Number(value));
    if (isFlag)
      throw this.usageError(
        `--${name} needs a value: ${call}; if the value starts with a dash, write --${name}=${value}`,
      );
  }

  #unknownFlagError(name: string, rawName: string): SluiceError {
    const { name: command, flags } = this.#command;
    const near = nearestName(name, Object.keys(flags));
    const message = `sluice ${command} has no flag ${rawName}`;
    if (near !== undefined) return new SluiceError(message, `did you mean --${near}?`);
    return this.usageError(
      rawName.startsWith("--")
        ? message
        : `${message}; put words that start with a dash after --: sluice ${command} … -- "${rawName} …"`,
    );
  }

  /** Registers something to close when the command ends, also after an error. */
  closeAtEnd<T extends { close(): Promise<void> } | undefined>(thing: T): T {
    if (thing) this.#closing.push(thing);
    return thing;
  }

  async close(): Promise<void> {
    for (const thing of this.#closing.splice(0).reverse()) await thing.close();
  }

  /** Whether the command line has this flag. */
  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** Refuses flags that would have no effect; `because` ends the message, as in "with --beir". */
  refuseFlags(names: readonly string[], because: string): void {
    const useless = names.filter((name) => this.has(name));
    if (useless.length > 0) throw this.usageError(`--${useless[0]} has no effect ${because}`);
  }

  /** An error in the use of the command, with a hint to its help. */
  usageError(message: string): SluiceError {
    return new SluiceError(message, `see: sluice ${this.#command.name} --help`);
  }

  /** Returns the operands, which must be as many as the names. */
  exactly(...names: string[]): readonly string[] {
    if (this.operands.length !== names.length) {
      const given = this.operands.length === 0 ? "none was given" : `${this.operands.length} were given`;
      throw this.usageError(`expected ${names.join(" and ") || "no operands"}; ${given}`);
    }
    return this.operands;
  }

  /** Returns the operands, which must be at least as many as the names. */
  atLeast(...names: string[]): readonly string[] {
    if (this.operands.length < names.length) throw this.usageError(`expected ${names.join(" and ")}`);
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
      throw this.usageError(`--${name} takes a number, not "${text}"`);
    return value;
  }

  /** A whole number of at least 1. */
  count(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
    throw this.usageError(`--${name} takes a whole number of at least 1, not ${value}`);
  }

  /** A whole number of at least 0. */
  whole(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
    throw this.usageError(`--${name} takes a whole number of at least 0, not ${value}`);
  }

  /** A number of at least 0. */
  nonNegative(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isFinite(value) && value >= 0)) return value;
    throw this.usageError(`--${name} takes a number of at least 0, not ${value}`);
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined || choices.includes(text as T)) return text as T | undefined;
    throw this.usageError(`--${name} is one of ${choices.join(", ")}, not "${text}"`);
  }
}

/** The most characters in a line of help. */
export const HELP_WIDTH = 120;

export function helpOf(command: Command): string {
  const left = Object.entries(command.flags).map(
    ([name, { value }]) => `--${name}${value ? ` ${value}` : ""}`,
  );
  const width = Math.max(0, ...left.map((text) => text.length));
  const indent = `\n${" ".repeat(width + 4)}`;
  const flags = Object.values(command.flags).map(({ help, default: usual }, i) => {
    const text = `${help}${usual === undefined ? "" : `; ${usual} by default`}`;
    return `  ${left[i].padEnd(width)}  ${wrapWords(text, HELP_WIDTH - width - 4).join(indent)}`;
  });
  return [
    `sluice ${command.name} ${command.operands}`.trim(),
    "",
    ...wrapWords(command.summary, HELP_WIDTH),
    ...(command.details ? ["", wrapParagraphs(command.details)] : []),
    ...(flags.length > 0 ? ["", "Flags:", ...flags] : []),
    "",
    "Examples:",
    ...command.examples.map((example) => `  ${example}`),
    "",
  ].join("\n");
}

/** Paragraphs with lines of their own width. One with an indented line is a list, which stays as it is. */
function wrapParagraphs(text: string): string {
  const paragraphs = text.split("\n\n").map((paragraph) => {
    if (/^ /m.test(paragraph)) return paragraph;
    return wrapWords(paragraph.replaceAll("\n", " "), HELP_WIDTH).join("\n");
  });
  return paragraphs.join("\n\n");
}
