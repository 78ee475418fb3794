import { describe, expect, test } from "vitest";
import { examineKeys, type KnownKey } from "./payload-keys.ts";

const first: KnownKey = { keyId: "2026", state: "inUse", here: "seals" };

function found(...keys: readonly KnownKey[]): readonly string[] {
  return examineKeys(keys).map(({ code, sentence }) => `${code} ${sentence}`);
}

describe("the keys of payloads", () => {
  test("are no finding where none is in use, or the first alone", () => {
    expect(found()).toEqual([]);
    expect(found(first)).toEqual([]);
  });

  test("that are missing here stop this process", () => {
    expect(found(first, { keyId: "2025", state: "inUse", here: "missing" })).toEqual([
      "PAYLOAD_KEY_MISSING Payloads are sealed with the key 2025, which this configuration does not have.",
    ]);
  });

  test("that are older than the first are to be rotated", () => {
    expect(found(first, { keyId: "2025", state: "inUse", here: "opens" })).toEqual([
      "PAYLOAD_KEY_OLD The key 2025 is not the first any more, and is still needed.",
    ]);
  });

  test("that only open here mean that this process stores plain beside others that seal", () => {
    expect(found({ keyId: "2025", state: "inUse", here: "opens" })).toEqual([
      expect.stringContaining("PAYLOADS_PLAIN Payloads are sealed with the key 2025"),
    ]);
  });

  test("that were given up are told, whatever this process has", () => {
    expect(found(first, { keyId: "2025", state: "lost", here: "missing" })).toEqual([
      "PAYLOAD_KEY_LOST The key 2025 was given up: cases with payloads of it cannot be read.",
    ]);
  });
});
