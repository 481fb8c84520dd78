// The form for the key of the server, above the page: what was filled in below stays.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface KeyFormProps {
  /** Why the server needs a key; undefined if the user wants to change it. */
  readonly error: ApiError | undefined;
  readonly onEnter: (key: string) => void;
  /** Goes on with the key that there is, if any. */
  readonly onCancel: () => void;
  /** Undefined if there is no key to forget. */
  readonly onForget: (() => void) | undefined;
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

export function KeyForm({ error, onEnter, onCancel, onForget }: KeyFormProps) {
  const [key, setKey] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    opened?.querySelector("input")?.focus();
    return () => opened?.close();
  }, []);
  const title = error ? (NEEDED[error.code] ?? "This server needs a key") : "Another key";
  return (
    <dialog
      ref={dialog}
      class="key-dialog"
      aria-labelledby="key-title"
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <form
        class="key"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") onEnter(key.trim());
        }}
      >
        <h1 id="key-title">{title}</h1>
        {error && REFUSED[error.code] && <p role="alert">{REFUSED[error.code]}</p>}
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
          <button type="button" onClick={onCancel}>
            {error ? "Go on without" : "Cancel"}
          </button>
          {onForget && (
            <button type="button" onClick={onForget}>
              Forget the key
            </button>
          )}
        </p>
        <p class="quiet">The key is kept until this tab is closed, and is only sent to this server.</p>
      </form>
    </dialog>
  );
}
