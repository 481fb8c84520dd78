// The errors of a GPU device. Each has its own class, so that a caller can catch it and search on the CPU instead.

import { type ErrorCode, SluiceError } from "../../support/errors/sluice-error.ts";

/** No device was found: the message says what was looked for, the hint what to do. */
export class NoDevice extends SluiceError {
  constructor(message: string, hint?: string, code: ErrorCode = "ERR_SLUICE_DEVICE") {
    super(message, hint, code);
  }
}

/** The rows, or the buffers of a search, do not fit the device's memory: the message has the numbers. */
export class DeviceMemory extends SluiceError {
  constructor(message: string, hint?: string) {
    super(message, hint, "ERR_SLUICE_DEVICE");
  }
}

/** The device was lost (a driver reset, a sleeping laptop, `destroy`), and the rows on it with it. */
export class DeviceLost extends Error {
  override readonly name = "DeviceLost";

  constructor(reason: string) {
    super(`the GPU device was lost: ${reason}; its rows must be uploaded again`);
  }
}
