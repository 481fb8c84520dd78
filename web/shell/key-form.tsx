import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface KeyFormProps {
  readonly error: ApiError;
  readonly onEnter: (key: string) => void;
  /** Goes on with the key that may only read. */
  readonly onCancel: () => void;
}

/** The form for the key of the server. */
export function KeyForm({ error, onEnter, onCancel }: KeyFormProps) {
  const [key, setKey] = useState("");
  const mayRead = error.code === "read_key";
  return (
    <form
      class="key narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== "") onEnter(key.trim());
      }}
    >
      <h1>{mayRead ? "This needs a key that may write" : "This server needs a key"}</h1>
      {error.code === "wrong_key" && <p role="alert">This server does not know the key.</p>}
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
        {mayRead && (
          <button type="button" onClick={onCancel}>
            Go on reading
          </button>
        )}
      </p>
      <p class="quiet">The key is kept until this tab is closed, and is only sent to this server.</p>
    </form>
  );
}
