import { expect, test } from "vitest";
import { proofLine } from "./proof.ts";

const one = { caseId: "07-a", name: "PR-1" };
const other = { caseId: "12-b", name: "PR-2" };
const record = (caseId: string, path = "/records"): { path: string; step: { caseId: string } } => ({
  path,
  step: { caseId },
});

test("records and requests are told to match only if each request has one record", () => {
  expect(proofLine([one, other], [record("07-a"), record("12-b")])).toBe(
    "ERP ledger: 2 records for 2 approved requests, each once",
  );
  expect(proofLine([one], [record("07-a")])).toBe("ERP ledger: 1 record for 1 approved request, each once");
});

test("a second record is told, also where the sum is right", () => {
  expect(proofLine([one, other], [record("07-a"), record("07-a")])).toBe(
    "ERP ledger: 2 records for 2 approved requests, PR-1 has 2, PR-2 has none",
  );
});

test("only records count, and only of cases that were approved", () => {
  const ledger = [record("07-a"), record("07-a", "/records/R-1/revoke"), record("31-other")];
  expect(proofLine([one], ledger)).toBe("ERP ledger: 1 record for 1 approved request, each once");
});
