// Progress messages of a long bench, and errors that do not stop it.

/** Does the work. If it throws, prints the reason and returns undefined, so that the bench goes on. */
export async function tryOrExplain<T>(
  work: () => Promise<T>,
  what: string,
  print: (text: string) => void,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    print(`${what} is left out: ${(error as Error).message}`);
    return undefined;
  }
}

export function printProgress(text: string): void {
  console.error(text);
}
