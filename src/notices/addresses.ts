/**
 * Which addresses a webhook may be at. What is not public on the internet is refused: a name that somebody configured, or
 * that changed since, must not reach the inside of a network through us.
 */

import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IPv4 that is not public, by the registry of special-purpose addresses (RFC 6890), and multicast. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * Of IPv6 only global unicast is public, and of that not what stands for IPv4 or is set aside. Translated addresses
 * (64:ff9b::/96 and the like) and mapped ones are outside of it.
 */
const GLOBAL_6: readonly [string, number] = ["2000::", 3];
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  // Protocols: Teredo, ORCHID, benchmarking, and others.
  ["2001::", 23],
  // Documentation.
  ["2001:db8::", 32],
  // 6to4: an IPv4 address inside.
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

/** Where clouds tell machines their secrets, and what belongs to one link: refused even where private addresses are allowed. */
const NEVER_4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["192.0.0.192", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const NEVER_6: readonly (readonly [string, number])[] = [
  ["::", 128],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
];

const notPublic4 = blockList(NOT_PUBLIC_4, "ipv4");
const notPublic6 = blockList(NOT_PUBLIC_6, "ipv6");
const global6 = blockList([GLOBAL_6], "ipv6");
const never4 = blockList(NEVER_4, "ipv4");
const never6 = blockList(NEVER_6, "ipv6");
const loopback4 = blockList([["127.0.0.0", 8]], "ipv4");

/** What may be reached: the internet; this machine too; whatever is inside too. */
export type Reach = "public" | "loopback" | "private";

/** True if an address, as the system writes it, may be reached. What is no address may not. */
export function mayReach(address: string, reach: Reach): boolean {
  const plain = address.replace(/%.*$/, "");
  const inside = isIPv6(plain) ? embedded4(plain) : null;
  // One that stands for IPv4 is judged as that, and is never public: nobody has to write it so.
  if (inside !== null) return reach !== "public" && mayReach(inside, reach);
  if (isIPv4(plain)) {
    if (never4.check(plain, "ipv4")) return false;
    if (!notPublic4.check(plain, "ipv4")) return true;
    if (reach === "loopback") return loopback4.check(plain, "ipv4");
    return reach === "private";
  }
  if (!isIPv6(plain)) return false;
  if (global6.check(plain, "ipv6") && !notPublic6.check(plain, "ipv6")) return true;
  if (reach === "loopback") return isLoopback6(plain);
  return reach === "private" && !never6.check(plain, "ipv6");
}

/** The IPv4 address within one that is mapped, compatible, translated (NAT64) or 6to4; null = there is none. */
function embedded4(address: string): string | null {
  const groups = groupsOf(address);
  const pair = (index: number): string => {
    const [high = 0, low = 0] = groups.slice(index, index + 2);
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  };
  const begins = (...start: readonly number[]): boolean =>
    start.every((group, index) => groups[index] === group);
  if (begins(0, 0, 0, 0, 0, 0xffff)) return pair(6);
  if (begins(0, 0, 0, 0, 0xffff, 0)) return pair(6);
  if (begins(0x64, 0xff9b)) return pair(6);
  if (begins(0x2002)) return pair(1);
  const isCompatible = begins(0, 0, 0, 0, 0, 0) && (groups[6] !== 0 || (groups[7] ?? 0) > 1);
  return isCompatible ? pair(6) : null;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // The parser of addresses knows every way to write one, and gives the shortest.
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = short.split("::");
  const [before, after] = [readGroups(head), readGroups(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function readGroups(part: string): readonly number[] {
  return part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
}

function isLoopback6(address: string): boolean {
  const groups = groupsOf(address);
  return groups.every((group, index) => group === (index === 7 ? 1 : 0));
}

function blockList(subnets: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}
