// What a long bench says while it runs, and of what it leaves out.

/** What cannot be measured is left out with its reason, and the bench goes on. */
export async function orReason<T>(
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

export function progress(text: string): void {
  console.error(text);
}
