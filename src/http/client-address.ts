/**
 * Where a request comes from. The other end of the socket says it, unless that is a proxy that the operator named: then the
 * proxy says it, in `X-Forwarded-For`, of which only what named proxies wrote is believed.
 */

import { BlockList, isIP, isIPv4 } from "node:net";

/** True for the address of a proxy that is believed. */
export type IsProxy = (address: string) => boolean;

/** Proxies that one request may have come through. */
const HOPS_MAX = 10;

/**
 * Proxies by address (`10.0.0.7`) or network (`10.0.0.0/8`, `fd00::/8`). Throws a `RangeError` that names what is neither.
 */
export function proxiesAt(places: readonly string[]): IsProxy {
  const list = new BlockList();
  for (const place of places) addPlace(list, place);
  return (address) => {
    const plain = plainAddress(address);
    return plain !== null && list.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
  };
}

function addPlace(list: BlockList, place: string): void {
  const [address = "", bits, ...more] = place.split("/");
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const bitsMax = family === "ipv4" ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  // A network of everything would believe whoever writes the header.
  if (isIP(address) === 0 || more.length > 0 || !(prefix >= 1 && prefix <= bitsMax)) {
    throw new RangeError(`${JSON.stringify(place.slice(0, 60))} is neither an address nor a network`);
  }
  list.addSubnet(address, prefix, family);
}

/**
 * The address of whoever asks: of the socket's peer, or what proxies tell of it, from the last one backwards to the first that
 * is none. Null = nobody knows. What cannot be read ends the way back, so that nobody hides behind it.
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | undefined,
  isProxy: IsProxy,
): string | null {
  if (peer === null) return null;
  let nearest = plainAddress(peer) ?? peer;
  const told = (forwardedFor ?? "").split(",").slice(-HOPS_MAX).toReversed();
  for (const one of told) {
    if (!isProxy(nearest)) return nearest;
    const address = plainAddress(one.trim());
    if (address === null) return nearest;
    nearest = address;
  }
  return nearest;
}

/** Without brackets, port or zone, and an IPv4 address that stands in one of IPv6 as itself; null = it is none. */
function plainAddress(text: string): string | null {
  const bare = text
    .replace(/^\[(.*)\](?::\d{1,5})?$/, "$1")
    .replace(/^([\d.]+):\d{1,5}$/, "$1")
    .replace(/%.*$/, "")
    .replace(/^::ffff:(?=[\d.]+$)/i, "");
  return isIP(bare) === 0 ? null : bare;
}
