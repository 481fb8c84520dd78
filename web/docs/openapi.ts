// The server's description of itself: what the page reads of its OpenAPI document, and values that fit a schema.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface OpenApi {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

export interface RouteOfServer {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function routesOf({ paths }: OpenApi): RouteOfServer[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export const nameOfRef = (ref: string) => ref.split("/").at(-1)!;

/** The schema itself, if it is a reference to one. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : (schemas[nameOfRef(schema.$ref)] ?? {});
}

/** The schema of a parameter, which may be written as JSON. */
export const schemaOf = ({ schema, content = {} }: Parameter): Schema =>
  schema ?? Object.values(content)[0]?.schema ?? {};

/** What may be typed for a parameter: an example, or else what holds without it. Lists and objects are JSON. */
export function hintOf(given: Schema, schemas: Schemas): string {
  const { examples = [], default: usual } = { ...resolved(given, schemas), ...given };
  const asTyped = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  if (examples.length > 0) return `such as ${asTyped(examples[0])}`;
  return usual === undefined ? "" : `${asTyped(usual)} by default`;
}

/** References within references that are followed; a schema may contain itself. */
const DEEPEST = 6;

/** A value that fits a schema, with what it requires and no more. */
export function exampleOf(given: Schema, schemas: Schemas, depth = 0): unknown {
  if (given.examples?.length) return given.examples[0];
  const schema = resolved(given, schemas);
  if (schema.examples?.length) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (depth > DEEPEST) return null;
  if (first) return exampleOf(first, schemas, depth + 1);
  if (schema.items) return [exampleOf(schema.items, schemas, depth + 1)];
  if (schema.properties) {
    const needed = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
    return Object.fromEntries(needed.map(([name, inside]) => [name, exampleOf(inside, schemas, depth + 1)]));
  }
  const [type] = [schema.type ?? "object"].flat();
  if (type === "string") return "";
  if (type === "boolean") return false;
  return type === "number" || type === "integer" ? (schema.minimum ?? 0) : {};
}

/** The type of a schema, in words. */
export function typeText(schema: Schema): string {
  const several = schema.oneOf ?? schema.anyOf;
  if (schema.$ref !== undefined) return nameOfRef(schema.$ref);
  if (several) return several.map(typeText).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.items) return `list of ${typeText(schema.items)}`;
  return [schema.type ?? "anything"].flat().join(" or ");
}
