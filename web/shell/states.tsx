// What is shown where there is nothing to show yet.

import type { ApiError } from "../api/client.ts";
import { Link } from "./link.tsx";

export function Waiting({ what }: { readonly what: string }) {
  return <p class="waiting">Asking for {what} …</p>;
}

/** An address that the page makes no sense of. */
export function Missing() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        There is no page at this address. <Link change={{ view: "search", q: "" }}>Search</Link>
      </p>
    </>
  );
}

/** What went wrong, in a sentence, and what to do about it. */
export function Failure({ error }: { readonly error: ApiError }) {
  return (
    <div class="failure" role="alert">
      <p>{sentence(error.message)}</p>
      {error.hint && <p class="quiet">{error.hint}</p>}
    </div>
  );
}

/** What the server says about an answer that is not quite what was asked. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <p class="notice" role="note">
      {sentence(text)}
    </p>
  );
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
