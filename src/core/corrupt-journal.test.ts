import { expect, test } from "vitest";
import { corruptJournal, isUnreadable } from "./corrupt-journal.ts";
import { FootholdError } from "./errors.ts";

test("an error says that one case cannot be read where its journal is damaged or its key is not here", () => {
  expect(isUnreadable(corruptJournal({ caseId: "07-a", revision: 2 }, "it is cut"))).toBe(true);
  expect(isUnreadable(new FootholdError("PAYLOAD_KEY_MISSING", "the key 2025 is not here"))).toBe(true);
  expect(isUnreadable(new FootholdError("DATABASE_UNAVAILABLE", "it is away"))).toBe(false);
  expect(isUnreadable(new Error("CORRUPT_JOURNAL"))).toBe(false);
});
