// A request → the address that it comes from. Behind a proxy, the connection's address is the proxy's, and a header has the
// client's. Everyone can write that header, so it counts only if the operator says that a proxy writes it.

import { isIP, isIPv6 } from "node:net";
import type { Context } from "hono";

/** The part of Node's request that tells the address. Hono gives it to every request that comes from a socket. */
interface NodeBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/** The address of the client; empty if it is unknown. With a proxy it is the last one in X-Forwarded-For: the proxy wrote it. */
export function addressOf(c: Context, trustProxy: boolean): string {
  const peerAddress = (c.env as NodeBindings | undefined)?.incoming?.socket?.remoteAddress ?? "";
  if (!trustProxy) return withoutIpv6Prefix(peerAddress);
  const last = (c.req.header("x-forwarded-for") ?? "").split(",").at(-1)!.trim();
  return withoutIpv6Prefix(isIP(last) ? last : peerAddress);
}

/** An IPv4 address that came in by an IPv6 socket, as IPv4. */
function withoutIpv6Prefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Who is counted as one: an IPv4 address, or the 64 bits of an IPv6 address that a network has to itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left, right = ""] = address.replace(/%.*/, "").split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(left), groups(right)];
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  const network = [...before, ...zeros, ...after].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
