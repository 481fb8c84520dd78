// The id of a process, which temporary names hold → whether it still runs.

/** Whether a process of this machine has the id. */
export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
