// The API: every route of the server with its parameters, body and answers, and a form to try it.

import { useState } from "preact/hooks";
import { readOpenApi } from "../api/calls.ts";
import { hasKey } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Failure, Waiting } from "../shell/states.tsx";
import { type OpenApi, type RouteOfServer, routesOf, type Schemas } from "./openapi.ts";
import { Answers, Body, Parameters } from "./route-parts.tsx";
import { TryIt } from "./try-it.tsx";
import { WithCode } from "./with-code.tsx";

export function DocsPage({ index }: { readonly index: string | undefined }) {
  const { answer, error } = useAnswer("openapi" as const, (_, signal) => readOpenApi<OpenApi>(signal));
  return (
    <div class="docs">
      <h1>API</h1>
      {error && <Failure error={error} />}
      {answer ? <Routes api={answer} index={index} /> : !error && <Waiting what="the routes" />}
    </div>
  );
}

function Routes({ api, index }: { readonly api: OpenApi; readonly index: string | undefined }) {
  const routes = routesOf(api);
  return (
    <>
      <p class="lead">
        <WithCode text={api.info.description} />
      </p>
      <p class="quiet">
        Version {api.info.version} · <a href="/openapi.json">openapi.json</a> for programs
        {!hasKey() && ( // a browser sends no key with a link
          <>
            {" "}
            · <a href="/metrics">metrics</a> for Prometheus
          </>
        )}
      </p>
      {api.tags.map(({ name, description }) => (
        <section key={name} aria-labelledby={`tag-${name}`}>
          <h2 id={`tag-${name}`}>{description}</h2>
          {routes
            .filter(({ operation }) => operation.tags.includes(name))
            .map((route) => (
              <RouteView
                key={route.operation.operationId}
                route={route}
                schemas={api.components.schemas}
                index={index}
              />
            ))}
        </section>
      ))}
    </>
  );
}

interface RouteViewProps {
  readonly route: RouteOfServer;
  readonly schemas: Schemas;
  readonly index: string | undefined;
}

/** The body of a route is made when it is opened first: there are many routes, and each has a form. */
function RouteView(props: RouteViewProps) {
  const { method, path, operation } = props.route;
  const [wasOpened, setOpened] = useState(false);
  return (
    <details
      class="route"
      id={operation.operationId}
      onToggle={({ currentTarget }) => setOpened(wasOpened || currentTarget.open)}
    >
      <summary>
        <span class="method">{method}</span> <code>{path}</code>
        <span class="quiet">{operation.summary}</span>
      </summary>
      {wasOpened && <RouteBody {...props} />}
    </details>
  );
}

function RouteBody({ route, schemas, index }: RouteViewProps) {
  const { description = "", parameters, requestBody, responses } = route.operation;
  return (
    <div class="route-body">
      {description
        .split("\n\n")
        .filter((part) => part !== "")
        .map((part) => (
          <p key={part}>
            <WithCode text={part} />
          </p>
        ))}
      <TryIt route={route} schemas={schemas} index={index} />
      <Parameters parameters={parameters} />
      {requestBody && <Body content={requestBody.content} schemas={schemas} />}
      <Answers responses={responses} />
    </div>
  );
}
