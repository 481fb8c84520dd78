// A link to another state of the page: a real one, to be opened elsewhere or copied, that a plain click follows without
// loading anything.

import type { ComponentChildren } from "preact";
import { type Address, writeAddress } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";

interface LinkProps {
  readonly change: Partial<Address>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly "aria-current"?: "page" | undefined;
  readonly "data-hit"?: string;
}

export function Link({ change, children, ...rest }: LinkProps) {
  const [address, go] = useAddress();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(change);
  };
  return (
    <a {...rest} href={writeAddress({ ...address, ...change })} onClick={follow}>
      {children}
    </a>
  );
}
