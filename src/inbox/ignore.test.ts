import { describe, expect, test } from "vitest";
import type { WorkState } from "../store/inbox-port.ts";
import { ignoreSentence, judgeIgnoring, standingsOf } from "./ignore.ts";

const now = 1_000_000;
const alive = new Set(["w-1"]);

interface Row {
  readonly state: WorkState;
  readonly dueAt?: number | null;
  readonly holderId?: string | null;
  /** What the verdict says: why it is refused, else what it is. */
  readonly is: string;
}

const rows: readonly (readonly [what: string, row: Row])[] = [
  ["to be done", { state: "ready", dueAt: now, is: "open" }],
  ["not due yet", { state: "ready", dueAt: now + 1, is: "open" }],
  ["held for its case", { state: "waiting", dueAt: now + 60_000, is: "open" }],
  ["in review", { state: "in_review", is: "open" }],
  ["ignored", { state: "ignored", is: "ignored" }],
  ["done", { state: "done", is: "it is done" }],
  [
    "claimed by a living holder",
    {
      state: "claimed",
      dueAt: now + 1_000,
      holderId: "w-1",
      is: "w-1 is at it, until 1970-01-01T00:16:41Z at the latest",
    },
  ],
  [
    "claimed by a holder that has ended",
    { state: "claimed", dueAt: now + 1_000, holderId: "w-2", is: "open" },
  ],
  [
    "claimed by a living holder whose claim is over",
    { state: "claimed", dueAt: now, holderId: "w-1", is: "open" },
  ],
];

describe("work of an event that a person would leave undone", () => {
  test.each(rows)("and that is %s", (_what, { state, dueAt = null, holderId = null, is }) => {
    const verdict = judgeIgnoring({ state, dueAt, holderId }, { now, alive });
    expect(verdict.kind === "refused" ? verdict.why : verdict.kind).toBe(is);
  });

  test("is told of in one sentence, with what is as it was", () => {
    const report = {
      ignored: [
        { consumer: "tell", was: "in_review" },
        { consumer: "count", was: "waiting" },
      ],
      left: [{ consumer: "start", why: "it is done" }],
    } as const;
    expect(ignoreSentence(report)).toBe("Ignored: tell, count. start is as it was: it is done.");
    expect(standingsOf(report)).toEqual({
      before: { tell: "in_review", count: "waiting" },
      after: { tell: "ignored", count: "ignored" },
    });
    expect(ignoreSentence({ ignored: [], left: [{ consumer: "tell", why: "it is ignored already" }] })).toBe(
      "Nothing is changed. tell is as it was: it is ignored already.",
    );
  });
});
