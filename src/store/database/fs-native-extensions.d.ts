// Types for the calls that we use of a package without types.

declare module "fs-native-extensions" {
  /** Locks a file, or `length` bytes of it, for this descriptor, unless another descriptor has it locked; whether it did. */
  export function tryLock(fd: number, offset?: number, length?: number): boolean;
}
