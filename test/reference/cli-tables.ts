// The table of commands → what docs/reference/cli.md says about them: usage, details, flags and examples.

import { COMMAND_GROUPS, COMMANDS } from "../../src/cli/commands/command-groups.ts";
import {
  DENSIFY_FLAGS,
  ENCODER_FLAGS,
  PLAN_FLAGS,
  THREADS_AND_KERNEL_FLAGS,
  WEIGHT_FLAGS,
  WORD_FLAGS,
} from "../../src/cli/flags/flags.ts";
import type { Command, Flag, Flags } from "../../src/cli/terminal/command.ts";
import { markdownTable } from "./markdown-table.ts";

/** Flags that several commands take, under one heading each. */
const SHARED: Readonly<Record<string, Flags>> = {
  "Encoder flags": ENCODER_FLAGS,
  "Flags for what searches": THREADS_AND_KERNEL_FLAGS,
  "Plan flags": PLAN_FLAGS,
  "Word flags": WORD_FLAGS,
  "Slicing flags": DENSIFY_FLAGS,
  "Weight flags": WEIGHT_FLAGS,
};

const has = (command: Command, flags: Flags) => Object.keys(flags).every((name) => name in command.flags);
const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(" ", "-");

function flagsTable(flags: readonly (readonly [string, Flag])[]): string {
  const rows = flags.map(([name, { value, help, default: usual }]) => [
    `\`--${name}${value ? ` ${value}` : ""}\``,
    asProse(help) + (usual === undefined ? "" : `; ${usual} by default`),
  ]);
  return markdownTable(["flag", "meaning"], rows);
}

/** What is code in a help text: calls of npm, JSON, and flags with their values. */
const CODE = [
  /npm install(?: --?[\w-]+| [@a-z][\w/-]*[\w])+/,
  /'?\[?\{".*\}\]?'?/,
  /--[a-z][\w-]*(?: (?:[A-Z][A-Z=]*\b|none|full|int8|builtin(?::\w+)?|weights:PATH|wordpiece:FILE))?/,
];
const code = new RegExp(CODE.map(({ source }) => source).join("|"), "g");

/** A help text as Markdown. */
function asProse(text: string): string {
  return text.replaceAll(code, (found) => `\`${found}\``).replaceAll("<", "&lt;");
}

/** Indented lines of a text are a block; the others are paragraphs. */
function detailsOf(details: string): string[] {
  return details.split("\n\n").map((paragraph) => {
    const isTable = paragraph.split("\n").every((line) => /^ {2}|^\S+ {2,}/.test(line));
    return isTable ? `\`\`\`\n${paragraph.replaceAll(/^ {2}/gm, "")}\n\`\`\`` : asProse(paragraph);
  });
}

/** What another command has explained before is linked. */
function explanationOf(command: Command): string[] {
  const { details } = command;
  if (details === undefined) return [];
  const before = COMMANDS.slice(0, COMMANDS.indexOf(command)).find((other) =>
    other.details?.startsWith(details),
  );
  return before ? [`[${before.name}](#${before.name}) explains the operands.`] : detailsOf(details);
}

function commandText(command: Command): string {
  const shared = Object.entries(SHARED).filter(([, flags]) => has(command, flags));
  // A command may say something else about a flag that others share: then it is listed again.
  const isShared = (name: string, flag: Flag) => shared.some(([, flags]) => flags[name] === flag);
  const own = Object.entries(command.flags).filter(([name, flag]) => !isShared(name, flag));
  const links = shared.map(([heading]) => `[${lowered(heading)}](#${anchorOf(heading)})`);
  return [
    `### ${command.name}`,
    `\`\`\`\nsluice ${command.name} ${command.operands}\n\`\`\``,
    `${command.summary[0].toUpperCase()}${command.summary.slice(1)}.`,
    ...explanationOf(command),
    ...(links.length > 0 ? [`Takes ${listOf(links)}${own.length > 0 ? ", and:" : "."}`] : []),
    ...(own.length > 0 ? [flagsTable(own)] : []),
    `\`\`\`sh\n${command.examples.join("\n")}\n\`\`\``,
  ].join("\n\n");
}

const lowered = (text: string) => text[0].toLowerCase() + text.slice(1);
const listOf = (items: readonly string[]) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

function sharedFlags(): string {
  return Object.entries(SHARED)
    .map(([heading, flags]) => {
      const users = COMMANDS.filter((command) => has(command, flags)).map(({ name }) => `\`${name}\``);
      return `### ${heading}\n\nOf ${listOf(users)}.\n\n${flagsTable(Object.entries(flags))}`;
    })
    .join("\n\n");
}

/** By the name in a marker: what stands behind it. */
export const CLI_TABLES: Readonly<Record<string, () => string>> = {
  "shared flags": sharedFlags,
  ...Object.fromEntries(
    COMMAND_GROUPS.flatMap(({ commands }) => commands).map((command) => [
      `command ${command.name}`,
      () => commandText(command),
    ]),
  ),
};
