import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REVIEW_WORDS } from "../../../src/core/case-criteria.ts";
import type { Review, ReviewReason } from "../../../src/core/journal.ts";
import type { Wait } from "../../../src/core/waits.ts";
import { countNeeds, needKey, type NeedCount } from "../../../src/core/needs.ts";
import { tellTest } from "../../../src/core/notice-words.ts";
import type { NoticeState } from "../../../src/core/notices.ts";
import type { Problem } from "../../../src/core/problems.ts";
import type { CaseSummary, RestingState } from "../../../src/core/row.ts";
import type {
  MessageFailure,
  NewMessage,
  NoticeChange,
  StoredMessage,
  StoredNotice,
} from "../../../src/store/notice-port.ts";
import { newCase, newCaseId, newId } from "../made-cases.ts";
import { waitUntil, type Bench } from "./contract.ts";

const CASES = 400;
const SEED = 20_261_130;
const HOLD_MS = 60_000;
/** Some of what the tests make is due by now, some is not. */
const DUE_AFTER_MS = 3_600_000;

const step = fc.constantFrom("approve", "createRecord");
const person = fc.constantFrom("purchasing", "Ü", 'o"wn\\er');
const reason = fc.constantFrom(...(Object.keys(REVIEW_WORDS) as ReviewReason[]).slice(0, 4));

/** Times near now, so that some are over. */
function summaries(
  now: number,
): fc.Arbitrary<Pick<CaseSummary, "reviews" | "waits" | "problems" | "repair">> {
  const time = fc.constantFrom(now - 2 * DUE_AFTER_MS, now - DUE_AFTER_MS / 2, now - 1_000);
  const review: fc.Arbitrary<Review> = fc
    .record({
      step,
      reason,
      sentence: fc.constant("It stopped."),
      owner: person,
      nextCheckAllowedAt: fc.option(time),
      window: fc.option(fc.record({ dueAt: time, resendSafeUntilAt: time })),
    })
    .map(({ window, ...rest }) => (window === null ? rest : { ...rest, window }));
  const problem: fc.Arbitrary<Problem> = fc.record({
    step,
    kind: reason,
    destination: fc.option(fc.constantFrom("erp", "crm")),
    cause: fc.constantFrom("a", "b", "c"),
    sinceAt: time,
  });
  const later = fc.option(fc.record({ to: person, at: fc.oneof(time, fc.constant(now + DUE_AFTER_MS)) }));
  const everyMs = fc.constantFrom(DUE_AFTER_MS / 10, DUE_AFTER_MS);
  const reminders = fc.option(fc.record({ askedAt: time, everyMs, times: fc.constantFrom(1, 3) }));
  const approval: fc.Arbitrary<Wait> = fc
    .record({
      kind: fc.constant("approval" as const),
      step,
      dueAt: fc.option(time),
      by: person,
      later,
      reminders,
    })
    .map(({ later: escalation, reminders: remind, ...one }) => ({
      ...one,
      ...(escalation === null ? {} : { escalation }),
      ...(remind === null ? {} : { remind }),
    }));
  const wait: fc.Arbitrary<Wait> = fc.oneof(
    approval,
    fc.record({
      kind: fc.constant("access" as const),
      step,
      dueAt: time,
      destination: fc.constantFrom("erp", "crm"),
      credentialId: fc.constantFrom("one", "two"),
      owner: person,
    }),
    fc.record({ kind: fc.constant("timer" as const), step, dueAt: time }),
  );
  return fc.record({
    reviews: fc.array(review, { maxLength: 2 }),
    waits: fc.array(wait, { maxLength: 2 }),
    problems: fc.array(problem, { maxLength: 2 }),
    repair: fc.option(fc.record({ name: person, events: fc.nat(2) }), { freq: 2 }),
  });
}

/** Cases of every kind, some of them claimed. What waits stands in `waiting`, as it does in every row. */
async function fill({ store }: Bench): Promise<void> {
  const now = await store.now();
  const wishes = fc.record({
    caseType: fc.constantFrom("purchase", "refund"),
    state: fc.constantFrom<RestingState>("waiting", "waiting", "in_review", "paused", "done"),
    isEndless: fc.boolean(),
    isClaimed: fc.boolean(),
    summary: summaries(now),
    at: fc.constantFrom(now - 3 * DUE_AFTER_MS, now - 10_000),
  });
  for (const { state, isEndless, isClaimed, summary, ...rest } of fc.sample(wishes, {
    numRuns: CASES,
    seed: SEED,
  })) {
    const isOpen = state !== "done";
    const claim =
      isClaimed && isOpen ? { claim: { claimId: newId(), holderId: "h", actWithinMs: 60_000 } } : {};
    const made = newCase({ ...rest, shard: 7, caseId: newCaseId(7), ...claim });
    const dueAt = state === "waiting" && !isEndless ? now + 5_000 : null;
    const waits = state === "waiting" ? summary.waits : [];
    const row = { ...made.row, state, dueAt, summary: { ...made.row.summary, ...summary, waits } };
    await store.insertCase({ ...made, row });
  }
}

function byKey(needs: readonly NeedCount[]): readonly NeedCount[] {
  return needs.toSorted((one, other) => (needKey(one) < needKey(other) ? -1 : 1));
}

const state: NoticeState = {
  openedAt: 1_700_000_000_123,
  tellings: 1,
  toldAt: 1_700_000_000_123,
  toldCases: 3,
  overdueToldAt: null,
  goneAt: null,
};
const failure: MessageFailure = {
  kind: "transient",
  executed: "no",
  rule: "http.503",
  sentence: "It answered 503.",
  at: 1_700_000_000_000,
};

function message(over: Partial<NewMessage["target"]> = {}): NewMessage {
  return {
    messageId: newId(),
    target: { channel: "mail", to: "ada@example.com", whom: "ada", ...over },
    content: tellTest("ops"),
  };
}

/** A change of a notice that was not there. */
function opening(messages: readonly NewMessage[], over: Partial<NoticeChange["notice"]> = {}): NoticeChange {
  const notice = {
    ...state,
    noticeId: newId(),
    owner: "ops",
    subject: { kind: "approval", caseType: "purchase", step: "approve" },
    title: 'It\'s "new" ü',
    targets: messages.map(({ target }) => target),
    ...over,
  } as const;
  return { version: null, notice, isOver: false, messages };
}

function changing({ notice }: NoticeChange, version: number, over: Partial<NoticeChange>): NoticeChange {
  return { version, notice, isOver: false, messages: [], ...over };
}

function idsOf(messages: readonly { readonly messageId: string }[]): readonly string[] {
  return messages.map(({ messageId }) => messageId);
}

/** What is kept of notices, and their messages under claims that end. */
export function testNotices(bench: Bench): void {
  /** Sends off whatever an earlier test left, so that claims here are of this test alone. */
  const sendAll = async (): Promise<void> => {
    const claimId = newId();
    for (;;) {
      const claimed = await bench.store.notices.claim({ claimId, limit: 100, holdMs: HOLD_MS });
      if (claimed.length === 0) return;
      for (const { messageId } of claimed)
        await bench.store.notices.settle({ messageId, claimId, kind: "sent" });
    }
  };
  const open = async (messages: readonly NewMessage[], over: Partial<NoticeChange["notice"]> = {}) => {
    await sendAll();
    const change = opening(messages, over);
    expect(await bench.store.notices.change(change)).toBe(true);
    return change;
  };
  const find = async (noticeId: string): Promise<StoredNotice | undefined> =>
    (await bench.store.notices.listOpen()).find((one) => one.noticeId === noticeId);
  const claim = (claimId: string, limit = 10, holdMs = HOLD_MS): Promise<readonly StoredMessage[]> =>
    bench.store.notices.claim({ claimId, limit, holdMs });
  const stored = async (messageId: string): Promise<StoredMessage | undefined> =>
    (await bench.store.notices.listMessages({ limit: 200 })).find((one) => one.messageId === messageId);

  describe("needs", () => {
    test("are counted exactly as the pure function counts them", async () => {
      expect(await bench.store.notices.countNeeds(DUE_AFTER_MS)).toMatchObject({ needs: [], isWhole: true });
      await fill(bench);
      const { rows } = await bench.store.listCases({ limit: 500 });
      const { now, needs, isWhole } = await bench.store.notices.countNeeds(DUE_AFTER_MS);
      const wanted = countNeeds(rows, { now, dueAfterMs: DUE_AFTER_MS });
      expect(byKey(needs)).toEqual(byKey(wanted));
      expect(isWhole).toBe(true);
      expect(needs.length).toBeGreaterThan(30);
      expect(needs.filter(({ overdue }) => overdue !== null).length).toBeGreaterThan(10);
      expect(needs.filter(({ held }) => held > 0).length).toBeGreaterThan(10);
      expect(needs.filter((need) => need.open !== null && need.open.lastRemindAt !== null)).not.toHaveLength(
        0,
      );
      expect(new Set(needs.map(({ kind }) => kind))).toEqual(new Set(["review", "access", "approval"]));
    });
  });

  describe("a turn", () => {
    test("is taken by one of all that ask at once, and again once it is over", async () => {
      const { store, other } = bench;
      await waitUntil(() => store.notices.takeTurn(1));
      await waitUntil(() => store.notices.takeTurn(200));
      const taken = await Promise.all([store, other, store, other].map((one) => one.notices.takeTurn(200)));
      expect(taken).toEqual([false, false, false, false]);
      await waitUntil(() => other.notices.takeTurn(1));
    });
  });

  describe("a notice", () => {
    test("is kept with its messages, and found while it is open", async () => {
      const one = message();
      const change = await open([one]);
      expect(await find(change.notice.noticeId)).toEqual({ ...change.notice, version: 1, overAt: null });
      const told = {
        notice: { ...change.notice, tellings: 2, toldAt: 1_700_000_000_999, overdueToldAt: 5, goneAt: 7 },
      };
      expect(await bench.other.notices.change(changing(change, 1, told))).toBe(true);
      expect(await find(change.notice.noticeId)).toEqual({ ...told.notice, version: 2, overAt: null });
      expect(await stored(one.messageId)).toMatchObject({
        ...one,
        noticeId: change.notice.noticeId,
        state: "waiting",
        attempts: 0,
        throttles: 0,
        failingSinceAt: null,
        sentAt: null,
        failure: null,
      });
    });

    test("that two want to open at once is opened by one of them, and told once", async () => {
      await sendAll();
      const change = opening([]);
      const tellings = Array.from({ length: 8 }, () => message());
      const done = await Promise.all(
        tellings.map((one, index) =>
          (index % 2 === 0 ? bench.store : bench.other).notices.change({ ...change, messages: [one] }),
        ),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
      const told = idsOf(await claim("c-race"));
      expect(told).toEqual(idsOf(tellings.filter((_, index) => done[index] === true)));
    });

    test("that somebody else changed stays as it is, with nothing told", async () => {
      const change = await open([]);
      const late = changing(change, 1, { messages: [message()] });
      expect(await bench.store.notices.change(changing(change, 1, {}))).toBe(true);
      expect(await bench.store.notices.change(late)).toBe(false);
      expect(await bench.store.notices.change({ ...late, version: null })).toBe(false);
      expect(await bench.store.notices.change({ ...opening([message()]), version: 1 })).toBe(false);
      expect(await claim("c-none")).toEqual([]);
    });

    test("that is over drops what was not sent, and can be opened again", async () => {
      const [first, second] = [message(), message({ to: "grace@example.com" })];
      const change = await open([first, second]);
      const { noticeId } = change.notice;
      const [claimed] = await claim("c-1", 1);
      const over = message();
      const ended = changing(change, 1, {
        isOver: true,
        notice: { ...change.notice, tellings: 2 },
        messages: [over],
      });
      expect(await bench.store.notices.change(ended)).toBe(true);
      expect(await find(noticeId)).toBeUndefined();
      const unclaimed = [first, second].find(({ messageId }) => messageId !== claimed?.messageId);
      expect((await stored(unclaimed?.messageId ?? ""))?.state).toBe("dropped");
      expect((await stored(claimed?.messageId ?? ""))?.state).toBe("claimed");
      expect(await bench.store.notices.change(changing(change, 2, {}))).toBe(false);
      const again = { ...change, notice: { ...change.notice, openedAt: 1_800_000_000_000, title: "again" } };
      expect(await bench.store.notices.change({ ...again, messages: [] })).toBe(true);
      expect(await find(noticeId)).toMatchObject({ version: 3, openedAt: 1_800_000_000_000, title: "again" });
    });
  });

  describe("a message", () => {
    test("is given to one of many that ask at once, with its attempt counted", async () => {
      const made = Array.from({ length: 20 }, (_, index) => message({ to: `${index}@example.com` }));
      await open(made);
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? bench.store : bench.other).notices.claim({
            claimId: `c-${index}`,
            limit: 5,
            holdMs: HOLD_MS,
          }),
        ),
      );
      const all = [...claims.flat(), ...(await claim("c-rest", 20))];
      expect(idsOf(all).toSorted()).toEqual(idsOf(made).toSorted());
      expect(new Set(all.map(({ attempts }) => attempts))).toEqual(new Set([1]));
    });

    test("whose sender is gone is due again under the same id, counted, and settled only by who has it", async () => {
      const one = message();
      await open([one]);
      await claim("c-gone", 1, 1);
      let again: readonly StoredMessage[] = [];
      await waitUntil(async () => {
        again = await claim("c-next", 1);
        return again.length > 0;
      });
      expect(again).toMatchObject([{ messageId: one.messageId, attempts: 2, content: one.content }]);
      const { messageId } = one;
      expect(await bench.store.notices.settle({ messageId, claimId: "c-gone", kind: "sent" })).toBe(false);
      expect(await bench.store.notices.settle({ messageId, claimId: "c-next", kind: "sent" })).toBe(true);
      expect(await bench.store.notices.settle({ messageId, claimId: "c-next", kind: "sent" })).toBe(false);
      expect(await stored(messageId)).toMatchObject({ state: "sent", sentAt: expect.any(Number) as unknown });
    });

    test("that is tried again waits until then, with what is known of it", async () => {
      const one = message();
      await open([one]);
      await claim("c-1");
      const dueAt = (await bench.store.now()) + HOLD_MS;
      const round = { attempts: 1, throttles: 2, failingSinceAt: 1_700_000_000_000 };
      const { messageId } = one;
      const retry = { messageId, claimId: "c-1", kind: "retry", dueAt, failure, ...round } as const;
      expect(await bench.store.notices.settle(retry)).toBe(true);
      expect(await claim("c-2")).toEqual([]);
      expect(await stored(messageId)).toMatchObject({ state: "waiting", dueAt, failure, ...round });
    });

    test("reaches one place after what was told there before", async () => {
      const [first, elsewhere] = [message(), message({ to: "grace@example.com" })];
      const change = await open([first, elsewhere]);
      const next = [message(), message({ to: "grace@example.com" })];
      const second = { notice: { ...change.notice, tellings: 2 }, messages: next };
      expect(await bench.store.notices.change(changing(change, 1, second))).toBe(true);
      const claimed = await claim("c-1");
      expect(idsOf(claimed).toSorted()).toEqual(idsOf([first, elsewhere]).toSorted());
      expect(await claim("c-2")).toEqual([]);
      await bench.store.notices.settle({ messageId: first.messageId, claimId: "c-1", kind: "sent" });
      expect(idsOf(await claim("c-3"))).toEqual(idsOf(next.slice(0, 1)));
    });

    test("that is undeliverable is counted, listed, and sent anew by hand with fresh bounds", async () => {
      const before = await bench.store.notices.countUndeliverable();
      const one = message();
      await open([one]);
      await claim("c-1");
      const { messageId } = one;
      const round = { attempts: 5, throttles: 1, failingSinceAt: 1_700_000_000_000 };
      const given = { messageId, claimId: "c-1", kind: "undeliverable", failure, ...round } as const;
      expect(await bench.store.notices.settle(given)).toBe(true);
      expect(await bench.store.notices.countUndeliverable()).toBe(before + 1);
      const listed = await bench.other.notices.listMessages({
        states: ["undeliverable"],
        owner: "ops",
        limit: 10,
      });
      expect(idsOf(listed)).toContain(messageId);
      expect(await bench.store.notices.listMessages({ owner: "nobody", limit: 10 })).toEqual([]);
      expect(await claim("c-2")).toEqual([]);
      expect(await bench.store.notices.retry(messageId)).toBe("waiting");
      expect(await bench.store.notices.retry(messageId)).toBe("other");
      expect(await bench.store.notices.retry("nothing")).toBe("unknown");
      expect(await claim("c-3")).toMatchObject([
        { messageId, attempts: 1, throttles: 0, failingSinceAt: null },
      ]);
    });

    test("that is undeliverable is not sent anew once its notice is over", async () => {
      const one = message();
      const change = await open([one]);
      await claim("c-1");
      const { messageId } = one;
      const round = { attempts: 5, throttles: 0, failingSinceAt: null };
      await bench.store.notices.settle({
        messageId,
        claimId: "c-1",
        kind: "undeliverable",
        failure,
        ...round,
      });
      await bench.store.notices.change(changing(change, 1, { isOver: true }));
      expect((await stored(messageId))?.state).toBe("undeliverable");
      expect(await bench.store.notices.retry(messageId)).toBe("over");
      expect((await stored(messageId))?.state).toBe("dropped");
    });

    test("is forgotten with its notice once both ended long ago; what waits for a person is kept", async () => {
      const [sent, stuck] = [message(), message({ to: "grace@example.com" })];
      const change = await open([sent, stuck]);
      await claim("c-1");
      const round = { attempts: 5, throttles: 0, failingSinceAt: null };
      await bench.store.notices.settle({ messageId: sent.messageId, claimId: "c-1", kind: "sent" });
      await bench.store.notices.settle({
        messageId: stuck.messageId,
        claimId: "c-1",
        kind: "undeliverable",
        failure,
        ...round,
      });
      await bench.store.notices.forget(1_000);
      expect(await stored(sent.messageId)).toBeDefined();
      const later = (await bench.store.now()) + HOLD_MS;
      await bench.store.notices.forget(later);
      expect(await stored(sent.messageId)).toBeUndefined();
      expect(await stored(stuck.messageId)).toBeDefined();
      await bench.store.notices.change(changing(change, 1, { isOver: true }));
      await bench.store.notices.forget(later);
      expect(await stored(stuck.messageId)).toBeUndefined();
      // It is gone: what would be its next version is none.
      expect(await bench.store.notices.change(changing(change, 2, {}))).toBe(false);
    });
  });
}
