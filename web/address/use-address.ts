// The address bar as state: what the page shows is read from it, and changes are written to it, so that the back button
// and a copied address work.

import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { type Address, EMPTY, parseAddress, writeAddress } from "./address.ts";

/**
 * A change; `replace` makes no new entry for the back button. `undo` is for what an earlier change opened: it goes back
 * to where that change was made, or, where the page began with it, replaces it.
 */
export type Go = (
  change: Partial<Address>,
  how?: { readonly replace?: boolean; readonly undo?: boolean },
) => void;

/** What the entries of the history that this page made carry. */
const OURS = "ours";

export const AddressContext = createContext<readonly [Address, Go]>([EMPTY, () => {}]);

export const useAddress = () => useContext(AddressContext);

/** The one owner of the address bar. */
export function useAddressBar(): readonly [Address, Go] {
  const read = () => parseAddress(location.pathname, location.search);
  const [address, setAddress] = useState(read);
  const newest = useRef(address);
  newest.current = address;
  useEffect(() => {
    const onBack = () => setAddress(read());
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const go = useRef<Go>((change, { replace = false, undo = false } = {}) => {
    if (undo && history.state === OURS) return history.back();
    const next = { ...newest.current, ...change };
    newest.current = next;
    const href = writeAddress(next);
    if (href !== location.pathname + location.search) {
      if (replace || undo) history.replaceState(history.state, "", href);
      else history.pushState(OURS, "", href);
    }
    setAddress(next);
  });
  return [address, go.current];
}
