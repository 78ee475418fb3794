import { expect, test } from "vitest";
import type { PermitLog } from "./log.ts";
import { activitiesPerCaseMax, destinationOf, logColumns, readPermitLog } from "./log.ts";

const header = logColumns.join(",");

function row(caseId: string, activity: string, at = "2024-01-08 09:00:00.000000+00:00"): string {
  return `${caseId},${activity},${at},Clerk 1,Team 1,Desk,Permits`;
}

function logOf(text: string): PermitLog {
  const read = readPermitLog(text);
  if (read.kind === "fault") throw new Error(`line ${read.line}: ${read.message}`);
  return read.log;
}

test("a log gives cases whose activities have their position and occurrence", () => {
  const log = logOf(
    [header, row("c-1", "Check"), row("c-1", "Correct"), row("c-1", "Check"), row("c-2", "Check"), ""].join(
      "\n",
    ),
  );
  expect(log.activityCount).toBe(4);
  expect(log.cases.map(({ caseId }) => caseId)).toEqual(["c-1", "c-2"]);
  expect(
    log.cases[0]?.activities.map(({ activity, occurrence, position }) => [activity, occurrence, position]),
  ).toEqual([
    ["Check", 1, 1],
    ["Correct", 1, 2],
    ["Check", 2, 3],
  ]);
  expect(log.cases[1]?.activities[0]).toEqual({
    activity: "Check",
    occurrence: 1,
    position: 1,
    at: Date.UTC(2024, 0, 8, 9),
    performedBy: "Clerk 1",
    group: "Team 1",
    channel: "Desk",
    department: "Permits",
  });
});

test("variants are the distinct sequences, numbered as they first appear", () => {
  const rows = [
    row("c-1", "A"),
    row("c-1", "B"),
    row("c-2", "B"),
    row("c-2", "A"),
    row("c-3", "A"),
    row("c-3", "B"),
    row("c-4", "A"),
  ];
  const log = logOf([header, ...rows].join("\n"));
  expect(log.cases.map(({ variantNumber }) => variantNumber)).toEqual([1, 2, 1, 3]);
  expect(log.variants.map(({ number, caseCount }) => [number, caseCount])).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
  ]);
  expect(log.variants[1]?.steps).toEqual([
    { activity: "B", occurrence: 1 },
    { activity: "A", occurrence: 1 },
  ]);
});

test("quoted fields, CRLF, a byte order mark, empty lines, more columns and another order are read", () => {
  const columns = "activity,case_id,note,at,performed_by,group,channel,department";
  const text = [
    `\ufeff${columns}`,
    '"Check, ""twice""",c-1,"two\r\nlines",2024-01-08T09:00:00Z,a,b,c,"d,e"',
    "",
    '"Send",c-1,,2024-01-08T09:00:00.5+01:00,,,,',
    "",
  ].join("\r\n");
  const read = readPermitLog(text);
  expect(read).toMatchObject({
    kind: "fault",
    line: 5,
    message: expect.stringContaining("earlier") as string,
  });
  const log = logOf(text.replace("+01:00", "+00:00"));
  expect(log.cases[0]?.activities.map(({ activity, at, department }) => [activity, at, department])).toEqual([
    ['Check, "twice"', Date.UTC(2024, 0, 8, 9), "d,e"],
    ["Send", Date.UTC(2024, 0, 8, 9, 0, 0, 500), ""],
  ]);
});

test.each([
  ["nothing at all", "", 1, "empty"],
  ["columns missing", "case_id,activity,at\nc,A,x\n", 1, "performed_by, group, channel, department"],
  ["a column twice", `${header},at\n`, 1, "names at twice"],
  ["a header alone", `${header}\n`, 1, "no activities"],
  ["a field too few", `${header}\n${row("c-1", "A")}\nc-1,A\n`, 3, "has 2 fields where the header has 7"],
  ["no case id", `${header}\n${row(" ", "A")}\n`, 2, "case_id is empty"],
  ["no activity", `${header}\n${row("c-1", "")}\n`, 2, "activity is empty"],
  ["an activity too long", `${header}\n${row("c-1", "A".repeat(201))}\n`, 2, "activity is over 200"],
  [
    "a time without offset",
    `${header}\n${row("c-1", "A", "2024-01-08 09:00:00")}\n`,
    2,
    "not a time with an offset",
  ],
  [
    "a month that is none",
    `${header}\n${row("c-1", "A", "2024-13-08 09:00:00Z")}\n`,
    2,
    "not a time with an offset",
  ],
  [
    "time that runs back",
    `${header}\n${row("c-1", "A")}\n${row("c-1", "B", "2023-01-08 09:00:00Z")}\n`,
    3,
    "is earlier than the row before it in case c-1",
  ],
  [
    "a case in two places",
    `${header}\n${row("c-1", "A")}\n${row("c-2", "A")}\n${row("c-1", "B")}\n`,
    4,
    "case c-1 goes on after other cases",
  ],
  ["a quote never closed", `${header}\n${row("c-1", "A")}\n${row("c-1", '"B')}\n`, 3, "never closed"],
  ["text after a quote", `${header}\n${row("c-1", '"A" b')}\n`, 2, "closing quote"],
  ["a quote inside a plain field", `${header}\n${row("c-1", 'A "b"')}\n`, 2, "inside a plain field"],
  [
    "a case without end",
    [header, ...Array.from({ length: activitiesPerCaseMax + 1 }, () => row("c-1", "A"))].join("\n"),
    activitiesPerCaseMax + 2,
    `more than ${activitiesPerCaseMax} activities`,
  ],
])("a log with %s is refused, and the line is named", (_, text, line, message) => {
  const read = readPermitLog(text);
  expect(read).toMatchObject({ kind: "fault", line, message: expect.stringContaining(message) as string });
});

test("what is printed and sent goes to the mail service, all else to the registry", () => {
  expect(["T05 Print", "T15 Print", "T20 Print"].map(destinationOf)).toEqual(["mail", "mail", "mail"]);
  expect(["T02 Check", "T050 Print", "Print T05"].map(destinationOf)).toEqual([
    "registry",
    "registry",
    "registry",
  ]);
});
