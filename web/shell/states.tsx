// What a view shows instead of content: waiting, not found, an error, a notice.

import type { SearchAnswer } from "../../src/schemas/index.ts";
import type { ApiError } from "../api/client.ts";
import { Link } from "./link.tsx";

export function Waiting({ what }: { readonly what: string }) {
  return <p class="waiting">Asking for {what} …</p>;
}

/** The page for an unknown URL. */
export function Missing() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        There is no page at this address. <Link change={{ view: "search", query: "" }}>Search</Link>
      </p>
    </>
  );
}

interface FailureProps {
  readonly error: ApiError;
  /** What failed, such as the name of a file. Names keep their letters. */
  readonly about?: string;
  /** Whether the options that a hint names can be chosen below, under the same names. */
  readonly hasChoices?: boolean;
}

/** An error: what happened, and what to do. */
export function Failure({ error, about, hasChoices = false }: FailureProps) {
  const hint = hasChoices ? withChoices(error.hint) : error.hint;
  return (
    <div class="failure" role="alert">
      <p>{about === undefined ? sentence(error.message) : namedSentence(about, error.message)}</p>
      {hint && isForPage(hint) && <p class="quiet">{hint}</p>}
    </div>
  );
}

/** A hint with the choices of the page for options: the option id → “Id” below. */
function withChoices(hint = ""): string {
  return hint.replace(/\bthe option (\w)(\w*)/g, (_, first, rest) => `“${first.toUpperCase()}${rest}” below`);
}

/** Whether a hint helps in the page, not only in a program or on the command line. */
function isForPage(hint: string): boolean {
  return !/\b(?:option|header)\b|\b(?:GET|PUT|POST|DELETE)\b|--\w/.test(hint);
}

interface NoticesProps {
  /** Absent if there is none. */
  readonly notices: SearchAnswer["notices"];
}

/** The server's notices about an answer that differs from the request. */
export function Notices({ notices = [] }: NoticesProps) {
  return (
    <>
      {notices.map(({ message }) => (
        <Notice key={message} text={message} />
      ))}
    </>
  );
}

/** Something that the user should know about what the page shows. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <p class="notice" role="note">
      {sentence(text)}
    </p>
  );
}

/** A text as a sentence. A text that begins with a path or a quoted name keeps its first letter. */
function sentence(text: string): string {
  const begun = /^[a-z]+(?=[\s,])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** A text about something as a sentence that begins with its name, which is not said twice. */
function namedSentence(name: string, text: string): string {
  const rest = text.startsWith(name) ? text.slice(name.length) : `: ${text}`;
  return name + (/[.!?]$/.test(rest) ? rest : `${rest}.`);
}
