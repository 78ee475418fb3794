import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createTestWorld,
  expectDone,
  expectReview,
  expectSafe,
  expectWaiting,
  rehearse,
} from "foothold/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase } from "../../test/setup/database.ts";
import { defineImport } from "./contacts.ts";
import { startCrm, type Crm } from "./crm.ts";
import { runImport } from "./import-run.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foothold-import-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

test("takes each row once though its worker is killed half-way, and leaves the bad row alone for people", async () => {
  const database = await createTestDatabase();
  const rowCount = 300;
  const figures = await runImport({ databaseUrl: database.url, folder, rowCount, tell: () => undefined });
  expect(figures.takenAtKill).toBeLessThan(rowCount - 1);
  expect(figures).toMatchObject({ taken: rowCount - 1, takenAtEnd: rowCount, twice: 0 });
  expect(figures.review).toContain("contacts[100]");
  expect(figures.review).toContain("unknown is no mail address");
  expect(figures.reports).toEqual([{ file: "contacts.csv", rows: rowCount, taken: rowCount }]);
  await database.drop();
});

describe("with virtual time and real HTTP", () => {
  const text = "number,name,email\n1,Ann,ann@example.com\n2,Ben,ben@example.com\n";
  let crm: Crm;

  beforeEach(async () => {
    crm = await startCrm();
  });

  afterEach(() => crm.stop());

  test("an import waits for its file, and takes it when it is there", async () => {
    const types = defineImport({ folder, crmUrl: crm.url });
    const world = createTestWorld({ cases: types });
    const caseId = await world.start(types[0], { file: "late.csv" });
    await world.advance("3h");
    expectWaiting(await world.journal(caseId), "poll", "file");
    expect(crm.requestCount).toBe(0);
    writeFileSync(join(folder, "late.csv"), text);
    expectDone(await world.runToEnd(caseId));
    expect(crm.contacts.map(({ name }) => name).toSorted()).toEqual(["Ann", "Ben"]);
    expect([...crm.reports.values()]).toEqual([{ file: "late.csv", rows: 2, taken: 2 }]);
  });

  test("a row that people leave out is not counted as taken", async () => {
    const types = defineImport({ folder, crmUrl: crm.url });
    const world = createTestWorld({ cases: types });
    writeFileSync(join(folder, "bad.csv"), text.replace("ben@example.com", "none"));
    const caseId = await world.start(types[0], { file: "bad.csv" });
    await world.runToNextWait(caseId);
    const [stopped] = (await world.desk.list({ caseType: "contacts" })).cases;
    expectReview(await world.journal(stopped?.caseId ?? ""), "contacts[2]", "rejected");
    const skip = { step: "contacts[2]", by: "ann", reason: "moved away" };
    await world.desk.skipStep(stopped?.caseId ?? "", skip);
    expectDone(await world.runToEnd(caseId));
    expect([...crm.reports.values()]).toMatchObject([{ rows: 2, taken: 1 }]);
  });

  test("a file that is another one by the time a chunk is read is not taken for the one that it began with", async () => {
    const [, contacts] = defineImport({ folder, crmUrl: crm.url });
    const world = createTestWorld({ cases: [contacts] });
    writeFileSync(join(folder, "new.csv"), text);
    const caseId = await world.start(contacts, {
      file: "new.csv",
      digest: "of the old one",
      from: 0,
      count: 2,
    });
    expect(expectReview(await world.runToNextWait(caseId), "rows", "limit").sentence).toContain("began with");
    expect(crm.requestCount).toBe(0);
  });

  test("every row is safe under every crash, lost answer, late worker and refusal, as the CRM says", async () => {
    const [, contacts] = defineImport({ folder, crmUrl: crm.url });
    writeFileSync(join(folder, "two.csv"), text);
    const digest = createHash("sha256").update(text).digest("hex");
    const report = await rehearse(contacts, {
      input: { file: "two.csv", digest, from: 0, count: 2 },
      effects: (caseId) =>
        crm.contacts
          .filter(({ key }) => key.startsWith(`${caseId}.`))
          .map(({ number, contactId }) => ({ step: `contacts[${number}]`, id: contactId })),
    });
    expectSafe(report);
    expect(report.steps.map(({ step, judgedBy }) => [step, judgedBy])).toEqual([
      ["contacts[1]", "effects"],
      ["contacts[2]", "effects"],
    ]);
  });
});
