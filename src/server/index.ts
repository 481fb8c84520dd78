// sluice/server, the public API: indexes over HTTP. `createServer` gives a handler to mount; `serve` also listens on a port.

export type * from "../schemas/index.ts";
export { createServer, type ServerOptions, type SluiceServer } from "./app.ts";
export type { GuardOptions } from "./guard.ts";
export { type KeyOptions, keysOfEnvironment, keysOfFile } from "./keys.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { DEFAULT_PORT, type RunningServer, type ServeOptions, serve } from "./listen.ts";
export { type OpenApiDocument, openApiDocument } from "./openapi.ts";
export type { Log } from "./request-log.ts";
export { type Access, ROUTES, type Route, type RouteName } from "./routes.ts";
export { checkName } from "./served.ts";
