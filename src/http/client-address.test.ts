import { describe, expect, test } from "vitest";
import { clientAddress, proxiesAt } from "./client-address.ts";

const isProxy = proxiesAt(["10.0.0.0/8", "192.0.2.1", "fd00::/8"]);

describe("where a request comes from", () => {
  test.each<[string, string | null, string | undefined, string | null]>([
    ["the socket, where nothing is forwarded", "203.0.113.7", undefined, "203.0.113.7"],
    ["the socket, whatever somebody who is no proxy writes", "203.0.113.7", "198.51.100.9", "203.0.113.7"],
    ["what the proxy saw", "10.0.0.7", "203.0.113.7", "203.0.113.7"],
    [
      "what the proxy saw, and not what the client wrote before it",
      "10.0.0.7",
      "1.1.1.1, 203.0.113.7",
      "203.0.113.7",
    ],
    ["what the first of two proxies saw", "10.0.0.7", "1.1.1.1, 203.0.113.7, 192.0.2.1", "203.0.113.7"],
    ["a proxy itself, where it forwards nothing", "10.0.0.7", undefined, "10.0.0.7"],
    ["a proxy itself, where what it tells cannot be read", "10.0.0.7", "203.0.113.7, unknown", "10.0.0.7"],
    ["an address with a port", "10.0.0.7", "203.0.113.7:55000", "203.0.113.7"],
    ["an address of IPv6 in brackets", "fd00::1", "[2001:db8::7]:55000", "2001:db8::7"],
    ["an IPv4 proxy on an IPv6 socket", "::ffff:10.0.0.7", "203.0.113.7", "203.0.113.7"],
    ["nobody knows", null, "203.0.113.7", null],
  ])("is %s", (_, peer, told, from) => {
    expect(clientAddress(peer, told, isProxy)).toBe(from);
  });

  test("is looked for through ten proxies at most", () => {
    const chain = ["203.0.113.7", ...Array.from({ length: 10 }, (_, index) => `10.0.0.${index + 1}`)];
    expect(clientAddress("10.0.0.99", chain.slice(0, 10).join(","), isProxy)).toBe("203.0.113.7");
    expect(clientAddress("10.0.0.99", chain.join(","), isProxy)).toBe("10.0.0.1");
  });

  test.each([
    "",
    "10.0.0",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "0.0.0.0/0",
    "::/0",
    "fd00::/129",
    "example.com",
    "10.0.0.0/x",
  ])("is believed of no proxy that is named %j", (place) => {
    expect(() => proxiesAt([place])).toThrow(RangeError);
  });
});
