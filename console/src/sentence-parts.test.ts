import { describe, expect, test } from "vitest";
import { formatUtc } from "../../src/core/utc-time.ts";
import { sentenceParts } from "./sentence-parts.ts";

const at = Date.UTC(2026, 10, 30, 17, 43, 8);

describe("a sentence of the server", () => {
  test("is told in parts, its times apart, as the server writes them", () => {
    const sentence = `Held until ${formatUtc(at)}; next check allowed at 2026-11-30T17:43:08.250Z.`;
    expect(sentenceParts(sentence)).toEqual([
      { kind: "words", text: "Held until " },
      { kind: "time", text: "2026-11-30T17:43:08Z", at },
      { kind: "words", text: "; next check allowed at " },
      { kind: "time", text: "2026-11-30T17:43:08.250Z", at: at + 250 },
      { kind: "words", text: "." },
    ]);
    expect(sentenceParts(formatUtc(at))).toEqual([{ kind: "time", text: formatUtc(at), at }]);
    expect(sentenceParts("")).toEqual([]);
  });

  test.each([
    "2026-11-30",
    "on 2026-11-30 17:43:08",
    "2026-11-30T17:43Z",
    "2026-11-30T17:43:08+01:00",
    "backup-2026-11-30T17:43:08Z",
    "2026-11-30T17:43:08Zulu",
    "2026-13-30T17:43:08Z",
    "2026-11-30T25:43:08Z",
    "12026-11-30T17:43:08Z",
  ])("has no time in what is not written so: %s", (text) => {
    expect(sentenceParts(text)).toEqual([{ kind: "words", text }]);
  });
});
