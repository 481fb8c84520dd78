// sluice key: a random key for the server, and the line of a file of keys that has its hash.

import { appendFile, readFile } from "node:fs/promises";
import { withFileErrors } from "../../../support/files/file-error.ts";
import type { Command } from "../../terminal/command.ts";

const ACCESS = ["read", "write", "admin"] as const;

export const keyCommand: Command = {
  name: "key",
  summary: "make a key for the server, and the line with its hash for the file of keys",
  operands: "",
  details: [
    "The key is printed once and stored nowhere. The line goes into the file of sluice serve --keys; a running server reads it",
    "on SIGHUP.",
  ].join("\n"),
  flags: {
    access: {
      type: "string",
      value: "WHAT",
      default: "read",
      choices: ACCESS,
      help: "read; write: also change documents; admin: also create, drop, set and back up indexes",
    },
    index: {
      type: "string",
      value: "NAME",
      multiple: true,
      help: "an index that the key is for; may be repeated",
    },
    expires: { type: "string", value: "DAY", help: "the day on which the key ends, such as 2027-01-01" },
    name: { type: "string", value: "NAME", help: "what logs call the key" },
    file: {
      type: "string",
      value: "FILE",
      help: "add the line to this file of keys, and print the key alone",
    },
  },
  examples: [
    "sluice key",
    "sluice key --access write --index notes --name ci --expires 2027-01-01 --file /etc/sluice/keys",
  ],

  async run(args, terminal) {
    args.exactly();
    const { newKey } = await import("../../../server/index.ts");
    const [indexes, file] = [args.texts("index"), args.text("file")];
    const { key, line } = newKey(args.oneOf("access", ACCESS)!, {
      ...(indexes.length > 0 && { indexes }),
      expires: args.text("expires"),
      name: args.text("name"),
    });
    if (file === undefined) {
      terminal.out(`${key}\n${line}\n`);
      return;
    }
    await withFileErrors(file, async () => {
      const before = await readFile(file, "utf8").catch(() => "");
      const isOpen = before !== "" && !before.endsWith("\n"); // its last line has no end
      await appendFile(file, `${isOpen ? "\n" : ""}${line}\n`, { mode: 0o600 });
    });
    terminal.out(`${key}\n`);
  },
};
