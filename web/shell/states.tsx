// What a view shows instead of content: waiting, not found, an error, a notice.

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

/** An error: what happened, and what to do. */
export function Failure({ error }: { readonly error: ApiError }) {
  return (
    <div class="failure" role="alert">
      <p>{sentence(error.message)}</p>
      {error.hint && <p class="quiet">{error.hint}</p>}
    </div>
  );
}

/** The server's notice about an answer that differs from the request. */
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
