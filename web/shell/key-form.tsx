import { useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface KeyFormProps {
  readonly error: ApiError;
  readonly onEnter: (key: string) => void;
}

/** Asks for the key that the server wants. */
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
      <h1>This server asks for a key</h1>
      {error.code === "wrong_key" && (
        <p role="alert">The key that was entered is not one of this server’s.</p>
      )}
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
      <p class="quiet">It is kept in this tab until the tab is closed, and sent to this server alone.</p>
    </form>
  );
}
