import { describe, expect, test } from "vitest";
import { codecFault, markOf, readMark, steadyMark } from "./payload-codec.ts";

describe("codecFault()", () => {
  test.each([
    ["a codec", "aes-256-gcm", ["2026-11", "2025"], null],
    ["a name in capitals", "AES", ["a"], 'its name "AES" is not small letters, digits and -'],
    ["a name that would end a mark", "a:b", ["a"], 'its name "a:b" is not small letters, digits and -'],
    ["no key", "own", [], "it has no key"],
    [
      "a key id that would end a mark",
      "own",
      ["a", "b:c"],
      'its key id "b:c" is not at most 64 letters, digits, dots, _ and -',
    ],
    ["the same key id twice", "own", ["a", "b", "a"], "it has two keys with the id a"],
  ])("of %s", (_, name, keyIds, fault) => {
    expect(codecFault({ name, keyIds })).toBe(fault);
  });
});

describe("a mark", () => {
  test("of a sealed payload is read as it was written", () => {
    const mark = markOf("aes-256-gcm", { keyId: "2026-11", header: "AbC_-9=" });
    expect(mark).toBe("aes-256-gcm:2026-11:AbC_-9=");
    expect(readMark(mark ?? "")).toEqual({
      kind: "sealed",
      codec: "aes-256-gcm",
      keyId: "2026-11",
      header: "AbC_-9=",
    });
  });

  test.each([
    ["a key id with a colon", { keyId: "a:b", header: "" }],
    ["no key id", { keyId: "", header: "" }],
    ["a header with a colon", { keyId: "a", header: "b:c" }],
    ["a header with a blank", { keyId: "a", header: "b c" }],
    ["a header that is too long", { keyId: "a", header: "x".repeat(2049) }],
  ])("is never made of %s", (_, parts) => {
    expect(markOf("own", parts)).toBeNull();
  });

  test.each(["json", "zip", "own:", "own:a", "own:a:b:c", ":a:b", "Own:a:b", "own:a b:c", ""])(
    "%j says that the bytes are not sealed",
    (mark) => {
      expect(readMark(mark)).toEqual({ kind: "plain", word: mark });
      expect(steadyMark(mark)).toBe(mark);
    },
  );

  test("has its codec alone in a seal, so that turning a payload to another key breaks none", () => {
    expect(steadyMark("own:a:first")).toBe("own");
    expect(steadyMark("own:b:second")).toBe("own");
  });
});
