import { describe, expect, it, test } from "vitest";
import { destination, HOUR, outlineOf, person, START, Story } from "./case.fixture.ts";
import { EXPORT_FORMAT, type ExportedCase } from "./exported-case.ts";
import { foldJournal } from "./fold.ts";
import { importJournal, type ImportedJournal } from "./imported-case.ts";
import type { Entry, JournalEntry } from "./journal.ts";
import { rowOf } from "./row.ts";

const outline = outlineOf(
  { kind: "step", name: "pay", destination: destination() },
  { kind: "step", name: "tell" },
);
const told = {
  commitId: "import",
  now: START + HOUR,
  by: person,
  reasonBeside: () => "the old house closes",
};

function exported(journal: readonly JournalEntry[], over: Partial<ExportedCase> = {}): ExportedCase {
  return { format: EXPORT_FORMAT, caseId: "case-1", exportedAt: START + 5, entries: journal, ...over };
}

function imported(story: Story, over: Partial<ExportedCase> = {}): ImportedJournal {
  return importJournal(exported(story.journal, over), told);
}

function lastOf({ commits }: ImportedJournal): readonly Entry[] {
  return commits.at(-1)?.entries ?? [];
}

describe("a case that is imported", () => {
  it("keeps its journal commit by commit, each with the row that it called for", () => {
    const story = new Story(outline).open("pay");
    const { commits, startedAt, startedBy } = imported(story);
    expect([startedAt, startedBy.caseType]).toEqual([START, story.state.caseType]);
    expect(commits.slice(0, -1).flatMap(({ entries }) => entries)).toEqual(
      story.journal.map(({ entry }) => entry),
    );
    expect(commits.at(-2)?.row).toEqual(rowOf(story.state));
    const whole = commits.flatMap(({ entries, commitId, at }) =>
      entries.map((entry) => ({ entry, commitId, at })),
    );
    const journal = whole.map((one, index) => ({ ...one, revision: index + 1 }));
    expect(commits.at(-1)?.row).toEqual(rowOf(foldJournal("case-1", journal)));
  });

  it("is held by nobody here, and may have sent since", () => {
    const last = lastOf(imported(new Story(outline).open("pay", "claim-there")));
    expect(last.map(({ kind }) => kind)).toEqual(["claimLost", "restored", "noteAdded"]);
    expect(last).toContainEqual(
      expect.objectContaining({
        claimId: "claim-there",
        openAttempts: [{ step: "pay", intentVersion: 1, attempt: 1 }],
      }),
    );
    expect(last).toContainEqual({ kind: "restored", backupAt: START + 5, by: person });
    expect(last).toContainEqual({
      kind: "noteAdded",
      text: "Imported from an export of 2023-11-14T22:13:20Z: the old house closes",
      by: person,
    });
  });

  it("loses each claim once, however many attempts were open under it", () => {
    const wide = outlineOf(
      { kind: "step", name: "pay", destination: destination(), after: [] },
      { kind: "step", name: "tell", destination: destination(), after: [] },
      { kind: "approval", name: "agree", after: [] },
    );
    const story = new Story(wide)
      .approve("agree")
      .open("pay")
      .fail("pay")
      .wait(HOUR)
      .open("pay")
      .open("tell");
    const [lost] = lastOf(imported(story));
    expect(lost).toMatchObject({ kind: "claimLost", openAttempts: [{ step: "pay" }, { step: "tell" }] });
  });

  it("may have sent since now, where the clock there is ahead", () => {
    const last = lastOf(imported(new Story(outline), { exportedAt: told.now + HOUR }));
    expect(last).toContainEqual({ kind: "restored", backupAt: told.now, by: person });
  });

  it("that has ended is kept with a note, and sends nothing", () => {
    const last = lastOf(imported(new Story(outline).append({ kind: "caseDone" })));
    expect(last.map(({ kind }) => kind)).toEqual(["noteAdded"]);
  });

  it("is not under repair any more", () => {
    const story = new Story(outline).append({
      kind: "repairOpened",
      claimId: "page",
      holderId: "p",
      by: person,
    });
    expect(lastOf(imported(story)).map(({ kind }) => kind)).toEqual(["repairEnded", "restored", "noteAdded"]);
  });

  it("knows its facts by what they were known by", () => {
    const event: Entry = {
      kind: "eventReceived",
      eventType: "paid",
      sourceId: "e-1",
      payload: null,
      by: person,
      ignored: null,
    };
    expect(imported(new Story(outline).append(event)).commits.map(({ sourceId }) => sourceId)).toEqual([
      null,
      "e-1",
      null,
    ]);
  });
});

describe("what cannot be imported", () => {
  const story = new Story(outline).open("pay");
  const [first] = story.journal;
  if (first === undefined || first.entry.kind !== "caseStarted")
    throw new Error("a story begins with a start");
  const child: Entry = {
    kind: "childStarted",
    step: "pay",
    intentVersion: 1,
    attempt: 1,
    caseId: "case-2",
    caseType: "shipment",
  };

  test.each<[string, readonly JournalEntry[], string]>([
    ["a journal with a gap", [first, ...story.journal.slice(2)], "cannot be read at revision 3"],
    ["an empty journal", [], "does not begin with a start"],
    ["a journal from the middle on", story.journal.slice(1), "does not begin with a start"],
    [
      "a child",
      [
        {
          ...first,
          entry: { ...first.entry, parent: { caseId: "case-0", step: "ship", intentVersion: 1, depth: 1 } },
        },
      ],
      "case case-0 started it",
    ],
    [
      "a case that was erased",
      [{ ...first, entry: { ...first.entry, erased: { at: START, by: "eve", reason: "a letter" } } }],
      "what it held was erased",
    ],
    ["a parent", new Story(outline).open("pay").append(child).journal, "it started other cases"],
  ])("%s", (_, journal, what) => {
    const read = (): unknown => importJournal(exported(journal), told);
    expect(read).toThrow(what);
    expect(read).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});
