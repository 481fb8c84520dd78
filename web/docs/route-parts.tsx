// The parameters, the body and the answers of a route, as tables.

import type { ComponentChildren } from "preact";
import { Scrolling } from "../shell/scrolling.tsx";
import {
  nameOfRef,
  type Operation,
  type Parameter,
  resolved,
  type Schema,
  type Schemas,
  schemaOf,
  typeText,
} from "./openapi.ts";
import { WithCode } from "./with-code.tsx";

/** What a table says of one name. */
interface Named {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly about: string;
}

export function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }) {
  const rows = parameters.map((parameter) => {
    const { name, required, description = "" } = parameter;
    return { name, isOptional: !required, about: description, type: typeText(schemaOf(parameter)) };
  });
  return <Names title="Parameters" rows={rows} />;
}

interface BodyProps {
  readonly content: NonNullable<Operation["requestBody"]>["content"];
  readonly schemas: Schemas;
}

export function Body({ content, schemas }: BodyProps) {
  const types = Object.keys(content);
  const schema = content["application/json"]?.schema;
  const { properties = {}, required = [] } = schema ? resolved(schema, schemas) : ({} as Schema);
  const rows = Object.entries(properties).map(([name, inside]) => ({
    name,
    isOptional: !required.includes(name),
    about: inside.description ?? resolved(inside, schemas).description ?? "",
    type: typeText(inside),
  }));
  const kind = schema?.$ref === undefined ? "Body" : `Body: ${nameOfRef(schema.$ref)}`;
  return (
    <>
      <Names title={kind} rows={rows} />
      <p class="quiet">Content-Type: {types.join(", ")}</p>
    </>
  );
}

function Names({ title, rows }: { readonly title: string; readonly rows: readonly Named[] }) {
  if (rows.length === 0) return null;
  return (
    <TableOf title={title}>
      {rows.map(({ name, type, isOptional, about }) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
          </th>
          <td>
            {type}
            {isOptional && <span class="quiet"> optional</span>}
          </td>
          <td>
            <WithCode text={about} />
          </td>
        </tr>
      ))}
    </TableOf>
  );
}

export function Answers({ responses }: Pick<Operation, "responses">) {
  return (
    <TableOf title="Answers">
      {Object.entries(responses).map(([status, { description, content = {} }]) => (
        <tr key={status}>
          <th scope="row">{status}</th>
          <td>{[...new Set(Object.values(content).map(({ schema }) => typeText(schema)))].join(" or ")}</td>
          <td>{description}</td>
        </tr>
      ))}
    </TableOf>
  );
}

function TableOf({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <Scrolling label={title}>
      <table>
        <caption>{title}</caption>
        <tbody>{children}</tbody>
      </table>
    </Scrolling>
  );
}
