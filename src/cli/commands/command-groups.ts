// The table of commands. The parser, the help, the reference and the completion of shells read it.

import type { Command } from "../terminal/command.ts";
import { backupCommand } from "./copies/backup-command.ts";
import { exportWebCommand } from "./copies/export-web-command.ts";
import { pullCommand } from "./copies/pull-command.ts";
import { pushCommand } from "./copies/push-command.ts";
import { restoreCommand } from "./copies/restore-command.ts";
import { addCommand } from "./documents/add-command.ts";
import { deleteCommand } from "./documents/delete-command.ts";
import { getCommand } from "./documents/get-command.ts";
import { indexCommand } from "./documents/index-command.ts";
import { listCommand } from "./documents/list-command.ts";
import { densifyCommand } from "./research/densify-command.ts";
import { distillCommand } from "./research/distill-command.ts";
import { evalCommand } from "./research/eval-command.ts";
import { experimentCommand } from "./research/experiment-command.ts";
import { exportEncoderCommand } from "./research/export-encoder-command.ts";
import { fuseCommand } from "./research/fuse-command.ts";
import { mineCommand } from "./research/mine-command.ts";
import { revertCommand } from "./research/revert-command.ts";
import { runCommand } from "./research/run-command.ts";
import { trainCommand } from "./research/train-command.ts";
import { tuneCommand } from "./research/tune-command.ts";
import { explainCommand } from "./search/explain-command.ts";
import { explainQueryCommand } from "./search/explain-query-command.ts";
import { searchCommand } from "./search/search-command.ts";
import { suggestCommand } from "./search/suggest-command.ts";
import { keyCommand } from "./serving/key-command.ts";
import { mcpCommand } from "./serving/mcp-command.ts";
import { serveCommand } from "./serving/serve-command.ts";
import { completionCommand } from "./upkeep/completion-command.ts";
import { dropCommand } from "./upkeep/drop-command.ts";
import { fieldsCommand } from "./upkeep/fields-command.ts";
import { infoCommand } from "./upkeep/info-command.ts";
import { optimizeCommand } from "./upkeep/optimize-command.ts";
import { repairCommand } from "./upkeep/repair-command.ts";
import { verifyCommand } from "./upkeep/verify-command.ts";

/** All commands, in the order and under the headings of the help. A folder has the commands of the heading of its name. */
export const COMMAND_GROUPS: readonly { readonly title: string; readonly commands: readonly Command[] }[] = [
  { title: "Documents", commands: [indexCommand, addCommand, getCommand, listCommand, deleteCommand] },
  { title: "Search", commands: [searchCommand, suggestCommand, explainCommand, explainQueryCommand] },
  { title: "Serving", commands: [serveCommand, keyCommand, mcpCommand] },
  { title: "Copies", commands: [backupCommand, restoreCommand, exportWebCommand, pushCommand, pullCommand] },
  {
    title: "Upkeep",
    commands: [
      ...[infoCommand, fieldsCommand, verifyCommand, repairCommand, optimizeCommand, dropCommand],
      completionCommand(() => COMMANDS),
    ],
  },
  {
    title: "Research",
    commands: [
      ...[
        runCommand,
        evalCommand,
        tuneCommand,
        fuseCommand,
        experimentCommand,
        densifyCommand,
        revertCommand,
      ],
      ...[trainCommand, mineCommand, distillCommand, exportEncoderCommand],
    ],
  },
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
