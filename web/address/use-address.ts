// The URL as the state of the page. The page shows what the URL says, and writes every change into it, so that the back
// button and a copied URL work.

import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { type Address, EMPTY, parseAddress, writeAddress } from "./address.ts";

/**
 * Changes the URL. A change adds an entry to the history, unless `replaces` is set. `undoes` closes what an earlier
 * change opened: it goes back one entry, or replaces the entry if the page started with it.
 */
type Go = (
  change: Partial<Address>,
  how?: { readonly replaces?: boolean; readonly undoes?: boolean },
) => void;

/** The state of history entries that this page added. */
const OURS = "ours";

export const AddressContext = createContext<readonly [Address, Go]>([EMPTY, () => {}]);

export const useAddress = () => useContext(AddressContext);

/** Owns the address bar; used once per page. */
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
  const go = useRef<Go>((change, { replaces = false, undoes = false } = {}) => {
    if (undoes && history.state === OURS) return history.back();
    const { hasLostFilter, ...last } = newest.current; // said once
    const next = { ...last, ...change };
    newest.current = next;
    const href = writeAddress(next);
    if (href !== location.pathname + location.search) {
      if (replaces || undoes) history.replaceState(history.state, "", href);
      else history.pushState(OURS, "", href);
    }
    setAddress(next);
  });
  return [address, go.current];
}
