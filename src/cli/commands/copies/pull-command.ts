// sluice pull: an index on a cluster → the same index in a folder.

import { Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { copyIndexTo } from "../../tasks/copy-index-to.ts";
import { requireAddress } from "../../tasks/copy-locations.ts";
import type { Command } from "../../terminal/command.ts";

export const pullCommand: Command = {
  name: "pull",
  summary: "copy an index on an OpenSearch cluster into a folder",
  operands: "ADDRESS DIR",
  details: [
    "The folder holds the whole index, or nothing. Words are weighted by current statistics, as sluice optimize does.",
    "sluice push says what an address is, and where passwords are.",
  ].join("\n"),
  flags: {
    overwrite: { type: "boolean", help: "replace the index that is there" },
    ...JSON_FLAG,
  },
  examples: ["sluice pull opensearch://127.0.0.1:9200/my-index my-index"],

  async run(args, terminal) {
    const [address, folder] = args.exactly("ADDRESS", "DIR");
    requireAddress(
      address,
      "sluice backup DIR BACKUP copies an index of a folder, sluice push DIR ADDRESS to a cluster",
    );
    const index = args.closeAtEnd(await Sluice.open(address, { readOnly: true }));
    await copyIndexTo(index, folder, args, terminal);
  },
};
