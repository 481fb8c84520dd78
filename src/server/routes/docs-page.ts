// The OpenAPI document → an HTML page that shows every route with its parameters, body and answers. It uses no script and
// loads nothing from the network.

import type { OpenApiDocument, Operation } from "./openapi.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

export function docsPage(document: OpenApiDocument): string {
  const { info, paths, components, tags } = document;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2 id="${text(name)}">${text(description)}</h2>${own.map(operationHtml).join("")}</section>`;
  });
  const contents = all.map(
    ({ path, method, operation }) =>
      `<li><a href="#${text(operation.operationId)}"><b class="${method}">${method}</b> <code>${text(path)}</code></a></li>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(info.title)} API</title><link rel="stylesheet" href="/docs/style.css"></head><body>`,
    `<header><h1>${text(info.title)} <small>${text(info.version)}</small></h1><p>${prose(info.description)}</p>`,
    '<p>For programs: <a href="/openapi.json">openapi.json</a>. ',
    'For Prometheus: <a href="/metrics">metrics</a>.</p></header>',
    `<nav aria-label="Routes"><ul>${contents.join("")}</ul></nav><main>`,
    ...sections,
    '<section><h2 id="schemas">Schemas</h2>',
    ...Object.entries(components.schemas).map(([name, schema]) => schemaHtml(name, schema)),
    "</section></main></body></html>",
  ].join("\n");
}

function operationHtml({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}): string {
  const { operationId, summary, description, parameters, requestBody, responses, security } = operation;
  const rows = parameters.map(
    ({ name, in: place, required, description = "", schema, content = {} }) =>
      `<tr><td><code>${text(name)}</code></td><td>${place}${required ? "" : ", optional"}</td><td>${typeHtml(schema ?? Object.values(content)[0].schema)}</td><td>${prose(description)}</td></tr>`,
  );
  const bodies = Object.entries(requestBody?.content ?? {});
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const types = Object.entries(content).map(
      ([type, { schema }]) => `${typeHtml(schema)} <small>${text(type)}</small>`,
    );
    return `<tr><td>${text(status)}</td><td>${prose(description)}</td><td>${types.join("<br>")}</td></tr>`;
  });
  return [
    `<article id="${text(operationId)}"><h3><b class="${method}">${method}</b> <code>${text(path)}</code></h3>`,
    `<p>${prose(summary)}${security ? ' <small class="key">needs a key when the server has keys</small>' : ""}</p>`,
    description
      ? description
          .split("\n\n")
          .map((part) => `<p>${prose(part)}</p>`)
          .join("")
      : "",
    rows.length > 0 ? `<table><caption>Parameters</caption>${rows.join("")}</table>` : "",
    bodies.length > 0
      ? `<p>Body: ${bodies.map(([type, { schema }]) => `${typeHtml(schema)} <small>${text(type)}</small>`).join(" or ")}</p>`
      : "",
    `<table><caption>Answers</caption>${answers.join("")}</table></article>`,
  ].join("");
}

function schemaHtml(name: string, schema: Schema): string {
  const { description, examples: [example] = [], properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(
    ([field, inside]) =>
      `<tr><td><code>${text(field)}</code></td><td>${required.includes(field) ? "" : "optional"}</td><td>${typeHtml(inside)}</td><td>${prose(inside.description ?? "")}</td></tr>`,
  );
  return [
    `<article id="${text(name)}"><h3>${text(name)}</h3>`,
    description ? `<p>${prose(description)}</p>` : "",
    rows.length > 0 ? `<table>${rows.join("")}</table>` : `<p>${typeHtml(schema)}</p>`,
    example === undefined ? "" : `<pre>${text(JSON.stringify(example, undefined, 2))}</pre>`,
    "</article>",
  ].join("");
}

/** The type of a schema, and its default. */
function typeHtml({ default: value, ...schema }: Schema): string {
  const type = plainTypeHtml(schema);
  return value === undefined ? type : `${type} = <code>${text(JSON.stringify(value))}</code>`;
}

function plainTypeHtml(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1)!;
    return `<a href="#${text(name)}">${text(name)}</a>`;
  }
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map(typeHtml).join(" or ");
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${text(JSON.stringify(value))}</code>`).join(" ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeHtml).join(", ")}]`;
  if (schema.items) return `list of ${typeHtml(schema.items)}`;
  if (schema.properties) {
    const required = schema.required ?? [];
    return `{ ${Object.entries(schema.properties)
      .map(([name, inside]) => `${text(name)}${required.includes(name) ? "" : "?"}: ${typeHtml(inside)}`)
      .join(", ")} }`;
  }
  return text([schema.type ?? "anything"].flat().join(" or "));
}

/** Escapes a text, and turns its `code` into HTML. */
function prose(words: string): string {
  return text(words).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function text(words: string): string {
  return words.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 small, small { font-weight: normal; opacity: 0.7; }
code, pre { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: 0.75rem; overflow-x: auto; border-radius: 6px; }
nav ul { list-style: none; padding: 0; columns: 20rem; }
article { border-top: 1px solid var(--line); padding: 0.5rem 0; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
caption { text-align: left; font-weight: 600; }
td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; vertical-align: top; }
b.get, b.post, b.put, b.patch, b.delete { text-transform: uppercase; font-size: 0.8em; display: inline-block; min-width: 4em; }
b.get { color: light-dark(#06623b, #5cd39b); }
b.post, b.put, b.patch { color: light-dark(#0b4f9e, #7db4ff); }
b.delete { color: light-dark(#a11c1c, #ff8d8d); }
@media (max-width: 40rem) { td { display: block; border: 0; padding: 0; } tr { display: block; padding: 0.4rem 0; border-bottom: 1px solid var(--line); } }
`;
