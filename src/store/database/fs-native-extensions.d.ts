// Types for the calls that we use of a package without types.

declare module "fs-native-extensions" {
  /** Locks a file, or `length` bytes of it, for this descriptor. Returns false if another descriptor has it locked. */
  export function tryLock(fd: number, offset?: number, length?: number): boolean;
}
