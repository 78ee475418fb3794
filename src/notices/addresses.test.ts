import { describe, expect, test } from "vitest";
import { mayReach } from "./addresses.ts";

const PUBLIC = [
  "8.8.8.8",
  "1.1.1.1",
  "100.63.255.255",
  "100.128.0.1",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.1.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001::2003",
];

/** Neither public nor allowed by anything but the last column says. */
const INSIDE: readonly (readonly [
  what: string,
  address: string,
  allowed: "private" | "loopback" | "never",
])[] = [
  ["loopback", "127.0.0.1", "loopback"],
  ["all of loopback", "127.255.255.254", "loopback"],
  ["loopback in IPv6", "::1", "loopback"],
  ["loopback written long", "0:0:0:0:0:0:0:1", "loopback"],
  ["loopback mapped into IPv6", "::ffff:127.0.0.1", "loopback"],
  ["loopback mapped, in hexadecimal", "::ffff:7f00:1", "loopback"],
  ["loopback mapped, written long", "0:0:0:0:0:ffff:7f00:0001", "loopback"],
  ["a private network", "10.0.0.1", "private"],
  ["a private network", "172.16.0.1", "private"],
  ["the end of a private network", "172.31.255.255", "private"],
  ["a private network", "192.168.1.1", "private"],
  ["a private network mapped into IPv6", "::ffff:10.0.0.1", "private"],
  ["a private network behind NAT64", "64:ff9b::10.0.0.1", "private"],
  ["a private network behind 6to4", "2002:a00:1::", "private"],
  ["a network of a carrier", "100.64.0.1", "private"],
  ["a network of one's own in IPv6", "fd12:3456::1", "private"],
  ["a network of one's own in IPv6", "fc00::1", "private"],
  ["documentation", "192.0.2.1", "private"],
  ["documentation in IPv6", "2001:db8::1", "private"],
  ["Teredo", "2001:0:4136:e378::1", "private"],
  ["benchmarks", "198.18.0.1", "private"],
  ["a local NAT64", "64:ff9b:1::1", "never"],
  ["metadata of a cloud", "169.254.169.254", "never"],
  ["metadata mapped into IPv6", "::ffff:169.254.169.254", "never"],
  ["metadata mapped, in hexadecimal", "::ffff:a9fe:a9fe", "never"],
  ["metadata, compatible", "::a9fe:a9fe", "never"],
  ["metadata translated", "::ffff:0:a9fe:a9fe", "never"],
  ["metadata behind NAT64", "64:ff9b::a9fe:a9fe", "never"],
  ["metadata behind 6to4", "2002:a9fe:a9fe::1", "never"],
  ["metadata of a cloud in IPv6", "fd00:ec2::254", "never"],
  ["metadata of another cloud", "100.100.100.200", "never"],
  ["metadata of a third", "168.63.129.16", "never"],
  ["one link", "169.254.1.1", "never"],
  ["one link in IPv6", "fe80::1", "never"],
  ["one link with its zone", "fe80::1%eth0", "never"],
  ["this network", "0.0.0.0", "never"],
  ["nothing in particular", "::", "never"],
  ["many", "224.0.0.1", "never"],
  ["many in IPv6", "ff02::1", "never"],
  ["everybody", "255.255.255.255", "never"],
  ["what is set aside", "240.0.0.1", "never"],
];

describe("an address", () => {
  test.each(PUBLIC)("that is public may be reached: %s", (address) => {
    expect(mayReach(address, "public")).toBe(true);
    expect(mayReach(address, "private")).toBe(true);
  });

  test.each(INSIDE)("that means %s may not be reached from outside: %s (%s)", (_, address, allowed) => {
    expect(mayReach(address, "public")).toBe(false);
    expect(mayReach(address, "loopback")).toBe(allowed === "loopback");
    expect(mayReach(address, "private")).toBe(allowed !== "never");
  });

  test.each(["", "localhost", "8.8.8", "0x7f.1", "2130706433", "0177.0.0.1", "1.1.1.1, 127.0.0.1", "::g"])(
    "that is none may not be reached: %j",
    (text) => {
      expect(mayReach(text, "public")).toBe(false);
      expect(mayReach(text, "private")).toBe(false);
    },
  );
});
