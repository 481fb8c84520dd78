export function bundleTests(folder: string, names: readonly string[]): Promise<string>;
export function bundle(
  name: string,
  input: Readonly<Record<string, string>>,
  output: Readonly<{ entryFileNames: string; chunkFileNames?: string }>,
): Promise<string>;
