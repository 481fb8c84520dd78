// sluice push: an index in a folder → the same index on a cluster.

import { Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { copyIndexTo } from "../../tasks/copy-index-to.ts";
import { requireAddress } from "../../tasks/copy-locations.ts";
import type { Command } from "../../terminal/command.ts";

export const pushCommand: Command = {
  name: "push",
  summary: "copy an index to an OpenSearch cluster",
  operands: "DIR ADDRESS",
  details: [
    "ADDRESS is opensearch://HOST:PORT,HOST:PORT/NAME, or opensearchs:// for https. Rows are copied, so scores stay the same to",
    "the last bit. Nobody sees the copy before it is complete. If it is interrupted, the same command goes on where it stopped.",
    "",
    "User and password are in SLUICE_CLUSTER_USER and SLUICE_CLUSTER_PASSWORD, or a header in SLUICE_CLUSTER_HEADER.",
    "SLUICE_CLUSTER_CA names a file with the certificates of your own authority.",
  ].join("\n"),
  flags: {
    overwrite: { type: "boolean", help: "replace the index that is there" },
    ...JSON_FLAG,
  },
  examples: ["sluice push my-index opensearch://127.0.0.1:9200/my-index"],

  async run(args, terminal) {
    const [folder, address] = args.exactly("DIR", "ADDRESS");
    requireAddress(address, "sluice backup DIR BACKUP copies an index into another folder");
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    await copyIndexTo(index, address, args, terminal);
  },
};
