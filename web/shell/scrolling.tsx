// A box for content that may be wider than the page. It scrolls sideways, also by keyboard.

import type { ComponentChildren } from "preact";

export function Scrolling({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // A group and no section: a page may have many with the same label, and landmarks must differ.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrow keys
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
