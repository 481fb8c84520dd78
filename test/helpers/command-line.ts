// Runs the command line inside the test, with a terminal that records its output.

import { Readable } from "node:stream";
import { main } from "../../src/cli/cli.ts";

export async function commandLine(
  argv: readonly string[],
  {
    isInputTty = false,
    isErrorTty = false,
    columns = 80,
    input = "",
  }: {
    isInputTty?: boolean;
    isErrorTty?: boolean;
    columns?: number;
    input?: string | AsyncIterable<Uint8Array>;
  } = {},
): Promise<{ status: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
  const bytes = typeof input === "string" ? Readable.from([Buffer.from(input)]) : input;
  const status = await main(argv, {
    ...terminal,
    in: bytes,
    isInputTty,
    isOutputTty: false,
    isErrorTty,
    columns,
  });
  return { status, out: out.join(""), err: err.join("") };
}
