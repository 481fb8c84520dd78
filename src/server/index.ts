// sluice/server, the public API: indexes over HTTP. `createServer` gives a handler to mount; `serve` also listens on a port.

export type * from "../schemas/index.ts";
export type { KeyAccess } from "../schemas/shared/key-access.ts";
export type { TlsOptions } from "./access/certificates.ts";
export type { GuardOptions } from "./access/guard.ts";
export { keysOfFile, newKey } from "./access/key-file.ts";
export { type KeyEntry, type KeyOptions, keysOfEnvironment } from "./access/keys.ts";
export { createServer, type ServerOptions, type SluiceServer } from "./app.ts";
export { checkName } from "./indexes/served.ts";
export { type FolderOptions, ServedFolder } from "./indexes/served-folder.ts";
export { type ClosingOptions, type RunningServer, type ServeOptions, serve } from "./listen.ts";
export {
  type JsonSchema,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiParameter,
  type Operation,
  openApiDocument,
} from "./routes/openapi.ts";
export { type Access, ROUTES, type Route, type RouteName } from "./routes/routes.ts";
export { DEFAULT_PORT } from "./server-defaults.ts";
export type { RateOptions } from "./traffic/rates.ts";
export type { Log } from "./traffic/request-log.ts";
export { DEFAULT_LIMITS, type Limits } from "./wire/limits.ts";
