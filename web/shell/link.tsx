// A link to another state of the page. It is a real link that can be copied or opened in a new tab; a plain click changes
// the page without loading it again.

import type { ComponentChildren } from "preact";
import { type Address, writeAddress } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";

interface LinkProps {
  readonly change: Partial<Address>;
  /** Whether the back button skips what is shown now. */
  readonly replaces?: boolean;
  /** Called after a plain click. */
  readonly onFollow?: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly "aria-current"?: "page" | "true" | undefined;
  readonly title?: string;
  readonly "data-hit"?: string;
}

export function Link({ change, replaces = false, onFollow, children, ...rest }: LinkProps) {
  const [address, go] = useAddress();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(change, { replaces });
    onFollow?.();
  };
  return (
    <a {...rest} href={writeAddress({ ...address, ...change })} onClick={follow}>
      {children}
    </a>
  );
}
