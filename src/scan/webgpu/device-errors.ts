// What can go wrong with a device. None of it is fatal to who can search on the CPU instead, so each has its own class.

import { type ErrorCode, UsageError } from "../../errors.ts";

/** There is no device to be had: the message says what was looked for, the hint what to do. */
export class NoDevice extends UsageError {
  constructor(message: string, hint?: string, code: ErrorCode = "ERR_SLUICE_DEVICE") {
    super(message, hint, code);
  }
}

/** The collection, or what a search needs beside it, does not fit: the message has the numbers. */
export class DeviceMemory extends UsageError {
  constructor(message: string, hint?: string) {
    super(message, hint, "ERR_SLUICE_DEVICE");
  }
}

/** The device went away (a driver reset, a sleeping laptop, `destroy`): what was resident is gone. */
export class DeviceLost extends Error {
  override readonly name = "DeviceLost";

  constructor(reason: string) {
    super(`the GPU device was lost: ${reason}; what was resident must be uploaded again`);
  }
}
