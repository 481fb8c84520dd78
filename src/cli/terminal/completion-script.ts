// The table of commands → a completion script for a shell. Values and operands without a fixed list of choices are
// completed with file names.

import type { Command, Flag } from "./command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const scripts = { bash, zsh, fish };
  return `${scripts[shell](commands).join("\n")}\n`;
}

const names = (commands: readonly Command[]) => commands.map(({ name }) => name).join(" ");
const flagsOf = ({ flags }: Command) => [...Object.entries(flags), ["help", HELP] as const];
const HELP: Flag = { type: "boolean", help: "show the flags and examples" };

function bash(commands: readonly Command[]): string[] {
  const words = (command: Command) => {
    const all = flagsOf(command).map(([name]) => `--${name}`);
    const chosen = Object.entries(command.flags).filter(([, { choices }]) => choices);
    const cases = chosen.map(([name, { choices }]) => `        --${name}) words="${choices!.join(" ")}" ;;`);
    const operands = command.choices ? `words="${command.choices.join(" ")}"` : "";
    return [
      `    ${command.name})`,
      ...(cases.length > 0 ? ['      case "$before" in', ...cases, "      esac"] : []),
      `      [[ $word == -* ]] && words="${all.join(" ")}"`,
      ...(operands ? [`      [[ -z $words ]] && ${operands}`] : []),
      "      ;;",
    ];
  };
  return [
    '# Completes sluice in bash: eval "$(sluice completion bash)"',
    "_sluice() {",
    `  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""`,
    "  if (( COMP_CWORD == 1 )); then",
    `    COMPREPLY=($(compgen -W "${names(commands)} help --help --version" -- "$word"))`,
    "    return",
    "  fi",
    `  case "\${COMP_WORDS[1]}" in`,
    ...commands.flatMap(words),
    `    help) words="${names(commands)}" ;;`,
    "  esac",
    '  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "  else",
    "    compopt -o filenames",
    "    local IFS=$'\\n'",
    '    COMPREPLY=($(compgen -f -- "$word"))',
    "  fi",
    "}",
    "complete -F _sluice sluice",
  ];
}

function zsh(commands: readonly Command[]): string[] {
  const inBrackets = (text: string) => text.replace(/[[\]:\\]/g, "\\$&");
  const flag = (name: string, { type, help, value, choices, multiple }: Flag) => {
    const wanted = choices ? `(${choices.join(" ")})` : "_files";
    const behind = type === "boolean" ? "" : `:${inBrackets(value ?? "value")}:${wanted}`;
    return `        ${quoted(`${multiple ? "*" : ""}--${name}[${inBrackets(help)}]${behind}`)}`;
  };
  const section = (command: Command) => {
    const operands = command.choices ? `(${command.choices.join(" ")})` : "_files";
    const args = [
      ...flagsOf(command).map(([name, one]) => flag(name, one)),
      `        ${quoted(`*: :${operands}`)}`,
    ];
    return [`    ${command.name})`, "      _arguments \\", `${args.join(" \\\n")} ;;`];
  };
  return [
    "#compdef sluice",
    "# Completes sluice in zsh: source <(sluice completion zsh), or save it as _sluice in a folder of $fpath.",
    "_sluice() {",
    "  local -a commands=(",
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`),
    "  )",
    "  if (( CURRENT == 2 )); then",
    "    _describe command commands",
    "    return",
    "  fi",
    "  shift words; (( CURRENT-- ))",
    '  case "$words[1]" in',
    ...commands.flatMap(section),
    `    help) _values command ${names(commands)} ;;`,
    "  esac",
    "}",
    "compdef _sluice sluice",
  ];
}

function fish(commands: readonly Command[]): string[] {
  const line = (...parts: string[]) => ["complete -c sluice", ...parts].join(" ");
  const flag = (command: string, name: string, { type, help, choices }: Flag) => {
    const wanted = type === "boolean" ? "" : choices ? `-x -a ${quoted(choices.join(" "))}` : "-r -F";
    return line(
      `-n ${quoted(`__fish_seen_subcommand_from ${command}`)} -l ${name}`,
      wanted,
      `-d ${quoted(help)}`,
    );
  };
  const first = "-n __fish_use_subcommand -f -a";
  return [
    "# Completes sluice in fish: sluice completion fish | source",
    ...commands.map(({ name, summary }) => line(`${first} ${name} -d ${quoted(summary)}`)),
    line(`${first} help -d ${quoted("show the help of a command")}`),
    line(`-n ${quoted("__fish_seen_subcommand_from help")} -f -a ${quoted(names(commands))}`),
    ...commands.flatMap((command) => [
      ...flagsOf(command).map(([name, one]) => flag(command.name, name, one)),
      ...(command.choices
        ? [
            line(
              `-n ${quoted(`__fish_seen_subcommand_from ${command.name}`)} -f`,
              `-a ${quoted(command.choices.join(" "))}`,
            ),
          ]
        : []),
    ]),
  ];
}

/** The text as one quoted word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
