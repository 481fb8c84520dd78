// The table of routes → a plain text that lists them, for programs and for servers without a page.

import { ROUTES, type Route } from "./routes.ts";

export function listRoutes(): string {
  const lines = Object.values(ROUTES).map(
    ({ method, path, summary }: Route) => `${`${method.toUpperCase()} ${path}`.padEnd(56)}${summary}`,
  );
  return `The routes of this server. /openapi.json describes their parameters, bodies and answers.\n\n${lines.join("\n")}\n`;
}
