// sluice completion: a script that completes commands and flags in a shell.

import type { Command } from "../../terminal/command.ts";
import { completionScript, SHELLS, type Shell } from "../../terminal/completion-script.ts";

/** `commands` returns the table of commands, which includes this command. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: "completion",
  summary: "print a shell script that completes commands and flags",
  operands: SHELLS.join("|"),
  choices: SHELLS,
  flags: {},
  examples: [
    'eval "$(sluice completion bash)"          # in ~/.bashrc',
    "source <(sluice completion zsh)           # in ~/.zshrc, after compinit",
    "sluice completion fish > ~/.config/fish/completions/sluice.fish",
  ],

  async run(args, terminal) {
    const [shell] = args.exactly(SHELLS.join(", "));
    if (!SHELLS.includes(shell as Shell))
      throw args.usageError(`completion is for ${SHELLS.join(", ")}, not for "${shell}"`);
    terminal.out(completionScript(shell as Shell, commands()));
  },
});
