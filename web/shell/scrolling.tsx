import type { ComponentChildren } from "preact";

/** A box for content that may be wider than the page. It scrolls sideways, also by keyboard. */
export function Scrolling({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrow keys
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
