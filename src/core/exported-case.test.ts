import { describe, expect, test } from "vitest";
import { EXPORT_FORMAT, readExportedCase } from "./exported-case.ts";

const entry = { revision: 1, at: 5, commitId: "c", entry: { kind: "caseDone" } };
const whole = { format: EXPORT_FORMAT, caseId: "01-a", exportedAt: 7, entries: [entry] };

describe("an exported case", () => {
  test("is read back as it was written, through JSON", () => {
    expect(readExportedCase(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });

  test.each([
    ["a text", "no JSON object"],
    [null, "no JSON object"],
    [[], "no JSON object"],
    [{}, "its format is null"],
    [
      { ...whole, format: "foothold-case-9" },
      'its format is "foothold-case-9", and this engine reads foothold-case-1',
    ],
    [{ ...whole, caseId: 1 }, "lacks `caseId`"],
    [{ ...whole, exportedAt: undefined }, "lacks `caseId` or `exportedAt`"],
    [{ ...whole, isMasked: true }, "holds marks in the place of what is masked"],
    [{ ...whole, entries: {} }, "no list of journal entries"],
    [{ ...whole, entries: [null] }, "no list of journal entries"],
    [{ ...whole, entries: [{ ...entry, revision: "1" }] }, "no list of journal entries"],
    [{ ...whole, entries: [{ ...entry, at: null }] }, "no list of journal entries"],
    [{ ...whole, entries: [{ ...entry, commitId: 3 }] }, "no list of journal entries"],
    [{ ...whole, entries: [{ ...entry, entry: {} }] }, "no list of journal entries"],
    [{ ...whole, entries: [{ ...entry, entry: [] }] }, "no list of journal entries"],
  ])("is refused for what it is instead: %j", (value, what) => {
    const read = (): unknown => readExportedCase(value);
    expect(read).toThrow(what);
    expect(read).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});
