// A panel above the page, at its side. The browser keeps the focus inside and closes it on Escape. The link that opened it gets the
// focus back.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface SheetProps {
  readonly label: string;
  /** What the sheet shows: if it changes, the sheet begins at its top. */
  readonly about: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Sheet({ label, about, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement;
    opened?.showModal();
    return () => {
      opened?.close();
      // The dialog may be gone from the page already, and then the browser does not do it.
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  useEffect(() => dialog.current?.scrollTo(0, 0), [about]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the sheet closes it, and so does Escape
    <dialog
      ref={dialog}
      class="side"
      aria-labelledby="sheet-label"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <div class="sheet">
        <div class="sheet-top">
          <p class="overline" id="sheet-label">
            {label}
          </p>
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            <span aria-hidden="true">×</span>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
