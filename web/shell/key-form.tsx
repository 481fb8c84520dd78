import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface KeyFormProps {
  readonly error: ApiError;
  readonly onEnter: (key: string) => void;
}

/** The form for the key of the server. */
export function KeyForm({ error, onEnter }: KeyFormProps) {
  const [key, setKey] = useState("");
  return (
    <form
      class="key narrow"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== "") onEnter(key.trim());
      }}
    >
      <h1>This server needs a key</h1>
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
      <button type="submit">Enter</button>
      <p class="quiet">The key is kept until this tab is closed, and is only sent to this server.</p>
    </form>
  );
}
