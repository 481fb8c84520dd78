import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface KeyFormProps {
  readonly error: ApiError;
  readonly onEnter: (key: string) => void;
  /** Goes on with the key that may do less. */
  readonly onCancel: () => void;
}

/** What a known key lacks, by the code of the error. */
const NEEDED: Readonly<Record<string, string>> = {
  read_key: "This needs a key that may write",
  not_admin: "This needs an admin key",
  wrong_index: "This needs a key for this index",
};

/** What is wrong with a key, by the code of the error. */
const REFUSED: Readonly<Record<string, string>> = {
  wrong_key: "This server does not know the key.",
  expired_key: "The key has expired.",
};

/** The form for the key of the server. */
export function KeyForm({ error, onEnter, onCancel }: KeyFormProps) {
  const [key, setKey] = useState("");
  const more = NEEDED[error.code];
  return (
    <form
      class="key narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== "") onEnter(key.trim());
      }}
    >
      <h1>{more ?? "This server needs a key"}</h1>
      {REFUSED[error.code] && <p role="alert">{REFUSED[error.code]}</p>}
      <label>
        <span>Key</span>
        <input
          type="password"
          autoComplete="off"
          spellcheck={false}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </label>
      <p class="doors">
        <button type="submit" class="primary">
          Enter
        </button>
        {more && (
          <button type="button" onClick={onCancel}>
            Go on without
          </button>
        )}
      </p>
      <p class="quiet">The key is kept until this tab is closed, and is only sent to this server.</p>
    </form>
  );
}
