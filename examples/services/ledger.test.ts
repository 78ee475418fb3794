import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ledger } from "./ledger.ts";
import { readLedgerFile } from "./ledger-reader.ts";
import type { Effect, SeenRequest } from "./ledger-entries.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ledger-"));
  file = join(folder, "ledger.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const step = { caseId: "case-1", activity: "createRecord", occurrence: 1, position: null };

function effectOf(
  id: string,
  change: Partial<Effect> = {},
): Omit<Effect, "kind" | "sequence" | "executedAt"> {
  const answer = { status: 201, body: `{"recordId":"${id}"}` };
  return {
    service: "erp",
    id,
    path: "/records",
    key: id,
    fencingToken: null,
    bodyHash: "h",
    step,
    answer,
    ...change,
  };
}

function requestOf(change: Partial<SeenRequest> = {}): Omit<SeenRequest, "kind" | "sequence"> {
  return {
    service: "erp",
    method: "POST",
    path: "/records",
    key: "R-1",
    fencingToken: "5",
    bodyHash: "h",
    arrivedAt: 1,
    step,
    ended: 201,
    fault: null,
    executedId: "R-1",
    replayed: false,
    ...change,
  };
}

test("a ledger with a file holds the same after it was closed and opened again", async () => {
  const before = Ledger.open({ file, now: () => 1700 });
  before.appendEffect(effectOf("R-1"));
  before.appendRequest(requestOf({ ended: "dropped", fault: "answerLost" }));
  before.appendRequest(requestOf({ replayed: true, executedId: null }));
  before.close();
  before.close();
  const after = Ledger.open({ file });
  expect(after.effects()).toEqual(before.effects());
  expect(after.requests()).toEqual(before.requests());
  expect(after.totals()).toEqual(before.totals());
  expect(after.totals()).toEqual({
    effects: 1,
    requests: 2,
    replayed: 1,
    dropped: 1,
    turnedAway: 0,
    byEnd: { dropped: 1, "201": 1 },
    byFault: { answerLost: 1 },
  });
  expect(after.effectOfKey("erp", "R-1")).toMatchObject({ id: "R-1", executedAt: 1700, sequence: 1 });
  expect(after.effectOfId("erp", "R-1")).toBe(after.effectOfKey("erp", "R-1"));
  expect(after.effectCountAt("erp", "/records")).toBe(1);
  expect(after.sightCount(step)).toBe(2);
  expect(after.requestCountOfKey("erp", "R-1")).toBe(2);
  expect(after.appendEffect(effectOf("R-2")).sequence).toBe(4);
  expect((await readLedgerFile(file)).effects).toHaveLength(2);
  after.close();
});

test("an effect is in the file before anything else can happen, for another process to read", () => {
  const ledger = Ledger.open({ file });
  ledger.appendEffect(effectOf("R-1"));
  expect(readFileSync(file, "utf8")).toContain('"id":"R-1"');
  ledger.close();
});

test("keys and ids of one service say nothing about another", () => {
  const ledger = Ledger.open();
  ledger.appendEffect(effectOf("X-1"));
  expect(ledger.effectOfKey("mail", "X-1")).toBeUndefined();
  expect(ledger.effectOfId("mail", "X-1")).toBeUndefined();
  expect(ledger.effectCountAt("mail", "/records")).toBe(0);
});

test("a last line that a crash cut short is not an entry, and the next entry takes its place", async () => {
  const before = Ledger.open({ file });
  before.appendEffect(effectOf("R-1"));
  before.close();
  appendFileSync(file, '{"kind":"effect","sequence":2,"serv');
  expect((await readLedgerFile(file)).effects).toHaveLength(1);
  const after = Ledger.open({ file });
  after.appendEffect(effectOf("R-2"));
  after.close();
  expect((await readLedgerFile(file)).effects.map(({ id }) => id)).toEqual(["R-1", "R-2"]);
});

test.each([
  ["a line that is not JSON", "not json\n", /line 2: not JSON/],
  ["a line that is no entry", '{"kind":"effect"}\n', /line 2: not a ledger entry/],
  ["a second writer", '{"kind":"request","sequence":1,"service":"erp"}\n', /line 2: sequence 1 .*2 belongs/],
])("a file with %s is refused, names the line, and is left as it was", async (_, line, message) => {
  const ledger = Ledger.open({ file });
  ledger.appendEffect(effectOf("R-1"));
  ledger.close();
  appendFileSync(file, line);
  const text = readFileSync(file, "utf8");
  expect(() => Ledger.open({ file })).toThrow(message);
  expect(readFileSync(file, "utf8")).toBe(text);
  await expect(readLedgerFile(file)).rejects.toMatchObject({ code: "LEDGER_FILE_INVALID", line: 2 });
});

test("a file that cannot be opened or is too long for the limit is refused", async () => {
  expect(() => Ledger.open({ file: folder })).toThrow(/cannot be opened/);
  await expect(readLedgerFile(join(folder, "none"))).rejects.toThrow(/cannot be read/);
  writeFileSync(file, "");
  const ledger = Ledger.open({ file });
  for (const id of ["R-1", "R-2", "R-3"]) ledger.appendEffect(effectOf(id));
  ledger.close();
  expect(() => Ledger.open({ file, entriesMax: 2 })).toThrow(/holds 3 entries; the limit is 2/);
});

test("a closed ledger takes nothing more and keeps nothing of what it refused", () => {
  const ledger = Ledger.open({ file });
  ledger.close();
  expect(() => ledger.appendEffect(effectOf("R-1"))).toThrow(/closed/);
  expect(ledger.effects()).toEqual([]);
  expect(ledger.totals().effects).toBe(0);
});

test("pages give every entry once, in the order of sequence", () => {
  const ledger = Ledger.open();
  for (let index = 1; index <= 10; index += 1) {
    ledger.appendEffect(effectOf(`R-${index}`));
    ledger.appendRequest(requestOf());
  }
  const sequences: number[] = [];
  let after: number | null = 0;
  for (let page = 0; page < 10 && after !== null; page += 1) {
    const { effects, requests, nextAfter } = ledger.page({ after, limit: 7 });
    const read = [...effects, ...requests].map(({ sequence }) => sequence).toSorted((a, b) => a - b);
    expect(read.length).toBeLessThanOrEqual(7);
    sequences.push(...read);
    after = nextAfter;
  }
  expect(after).toBeNull();
  expect(sequences).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(ledger.page({ after: 99, limit: 7 })).toMatchObject({ effects: [], requests: [], nextAfter: null });
});
