// A server of Node, a port and an address → a server that listens there, or an error that says what to change.

import type { Server } from "node:net";
import { SluiceError } from "../errors/sluice-error.ts";

/** Begins to listen. Port 0 takes any free port. */
export function listenAt(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, port, host)));
    server.listen(port, host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") {
    return new SluiceError(
      `port ${port} at ${host} is already in use`,
      "choose another port; 0 takes any free one",
    );
  }
  if (error.code === "EACCES")
    return new SluiceError(`this process may not listen on port ${port}`, "choose a port above 1023");
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new SluiceError(`${host} is not an address of this machine`);
  }
  return error;
}
