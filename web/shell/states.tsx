// What is shown where there is nothing to show yet.

import type { ApiError } from "../api/client.ts";

export function Waiting({ what }: { readonly what: string }) {
  return <p class="waiting">Asking for {what} …</p>;
}

/** What went wrong, in a sentence, and what to do about it. */
export function Failure({ error }: { readonly error: ApiError }) {
  const message = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return (
    <div class="failure" role="alert">
      <p>{/[.!?]$/.test(message) ? message : `${message}.`}</p>
      {error.hint && <p class="quiet">{error.hint}</p>}
    </div>
  );
}
