// A form that sends a request to a route of this server, with the key of this tab, and shows what comes back.

import { useId, useState } from "preact/hooks";
import { type RawAnswer, sendRaw } from "../api/client.ts";
import { millisecondsText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import { exampleOf, hintOf, type RouteOfServer, type Schemas, schemaOf, typeText } from "./openapi.ts";

interface TryItProps {
  readonly route: RouteOfServer;
  readonly schemas: Schemas;
  /** The index that is asked unless another is named. */
  readonly index: string | undefined;
}

/** Characters of an answer that are shown. */
const MOST_SHOWN = 20_000;

export function TryIt({ route: { method, path, operation }, schemas, index }: TryItProps) {
  const { parameters, requestBody } = operation;
  const schema = requestBody?.content["application/json"]?.schema;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({ name: index ?? "" });
  const [body, setBody] = useState(() =>
    schema ? JSON.stringify(exampleOf(schema, schemas), undefined, 2) : undefined,
  );
  const [answer, setAnswer] = useState<RawAnswer | "waiting">();
  const id = useId();
  if (requestBody && !schema)
    return (
      <p class="quiet">The body is a file: the page Indexes sends one, and so does curl --data-binary.</p>
    );
  const target = targetOf(path, parameters, values);
  const send = async (event: Event) => {
    event.preventDefault();
    setAnswer("waiting");
    setAnswer(await sendRaw(method, target, body));
  };
  return (
    <form class="try" onSubmit={send}>
      <h3>Try it</h3>
      {parameters.map((parameter) => {
        const { name, required } = parameter;
        const hint = hintOf(schemaOf(parameter), schemas);
        return (
          <label key={name}>
            <span>
              <code>{name}</code> {typeText(schemaOf(parameter))}
              {required ? "" : ", optional"}
            </span>
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              required={required}
              placeholder={hint}
              title={hint}
              value={values[name] ?? ""}
              onInput={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
            />
          </label>
        );
      })}
      {body !== undefined && (
        <div>
          <label for={id}>Body</label>
          <textarea
            id={id}
            rows={Math.min(16, body.split("\n").length + 1)}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget: { value } }) => setBody(value)}
          />
        </div>
      )}
      <p class="doors">
        <button type="submit" class="primary">
          Send
        </button>
        <code class="quiet">
          {method} {target}
        </code>
      </p>
      <div role="status">
        {answer === "waiting" && <p class="quiet">Waiting for the answer …</p>}
        {answer !== undefined && answer !== "waiting" && <Answer answer={answer} />}
      </div>
    </form>
  );
}

function Answer({ answer: { status, text, ms } }: { readonly answer: RawAnswer }) {
  const isCut = text.length > MOST_SHOWN;
  return (
    <>
      <p class="quiet">
        {status === 0 ? "No answer" : `Status ${status}`} · {millisecondsText(ms)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrow keys */}
      <pre tabIndex={0}>
        <code>
          {visible(text.slice(0, MOST_SHOWN))}
          {isCut && "\n…"}
        </code>
      </pre>
    </>
  );
}

/** The path with its names filled in, and the parameters that have a value. */
function targetOf(
  path: string,
  parameters: readonly { readonly name: string; readonly in: string }[],
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] || `{${name}}`));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters)
    if (place === "query" && values[name]) query.set(name, values[name]);
  return query.size > 0 ? `${filled}?${query}` : filled;
}
