import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { foldEntries } from "../../src/core/fold.ts";
import { rowOf } from "../../src/core/row.ts";
import type { NoticeOptions } from "../../src/define/notices.ts";
import {
  startHookServer,
  startMailServer,
  type HookServer,
  type MailServer,
} from "../../src/notices/receivers.fixture.ts";
import {
  isAnswered,
  listNotices,
  listOwners,
  retryMessage,
  testOwner,
} from "../../src/notices/notice-desk.ts";
import { memoryStore } from "../../src/store/memory/store.ts";
import type { Store } from "../../src/store/port.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { newId } from "../store/made-cases.ts";
import { until } from "../engine/world.ts";
import { bookOf, partsOn, startAsked, startReviewed, sweepOn, takeReviewed } from "./world.ts";

let hook: HookServer;
let mail: MailServer;
beforeAll(async () => {
  hook = await startHookServer();
  mail = await startMailServer();
});
afterEach(() => {
  for (const list of [hook.requests, hook.answers, mail.mails, mail.refusals]) list.length = 0;
});
afterAll(async () => {
  await hook.close();
  await mail.close();
});

const never = new AbortController().signal;

function options(over: Partial<NoticeOptions> = {}): NoticeOptions {
  return {
    channels: {
      mail: { kind: "mail", from: "foothold@example.com", smtp: () => mail.url },
      pager: { kind: "pagerDuty", url: () => hook.url, routingKey: () => "key" },
      chat: { kind: "slack", url: () => hook.url },
    },
    owners: {
      ada: { tell: [{ by: "mail", to: "ada@example.com" }] },
      grace: { tell: [{ by: "mail", to: "grace@example.com" }] },
      purchasing: { people: ["ada", "grace"] },
      "erp-admins": { tell: ["pager"] },
    },
    ...over,
  };
}

const addresses = (): readonly string[] => mail.mails.flatMap(({ to }) => to).toSorted();

/** Declares the same tests on each store: two stores on the same data stand for two processes. */
function onEach(declare: (stores: () => readonly [Store, Store]) => void): void {
  describe("on the memory store", () => {
    let store: Store;
    beforeEach(() => {
      store = memoryStore();
    });
    declare(() => [store, store]);
  });
  describe("on PostgreSQL", () => {
    let database: TestDatabase;
    let stores: readonly [Store, Store];
    beforeEach(async () => {
      database = await createTestDatabase();
      stores = [postgresStore({ url: database.url }), postgresStore({ url: database.url })];
      await stores[0].migrate();
    });
    afterEach(async () => {
      for (const store of stores) await store.close();
      await database.drop();
    });
    declare(() => stores);
  });
}

onEach((stores) => {
  test("each person of a team is told once of all cases, however many sweep at the same time and after", async () => {
    const [store, other] = stores();
    await startReviewed(store, 30);
    const sweeps = [store, other, store, other].map((one) => sweepOn(partsOn(one, bookOf(options()))));
    await Promise.all(sweeps.map((sweep) => sweep.sweepOnce()));
    for (const sweep of sweeps) await sweep.sweepOnce();
    expect(addresses()).toEqual(["ada@example.com", "grace@example.com"]);
    expect(mail.mails[0]?.text).toContain("30 cases need correction at createRecord (purchase)");
    const view = await listNotices(partsOn(store, bookOf(options())));
    expect(view.notices).toMatchObject([{ owner: "purchasing", toldCases: 30, whom: ["ada", "grace"] }]);
    expect(view.messages.map(({ state, attempts }) => [state, attempts])).toEqual([
      ["sent", 1],
      ["sent", 1],
    ]);
    expect(sweeps.flatMap(({ reports }) => reports)).toEqual([
      expect.objectContaining({ kind: "told", owner: "purchasing", why: "new", places: 2 }),
    ]);
  });

  test("an approval is told again when it is to be reminded of, and to whom it is escalated, by time alone", async () => {
    const [store, other] = stores();
    const at = await store.now();
    await startAsked(store, at);
    const owners = {
      finance: { tell: [{ by: "mail", to: "ada@example.com" }] },
      board: { tell: [{ by: "mail", to: "board@example.com" }] },
    };
    const rules = { gatherMs: 0, againMs: 0, growth: null };
    const sweeps = [store, other].map((one) => sweepOn(partsOn(one, bookOf(options({ owners }), { rules }))));
    const told = async (): Promise<readonly string[]> => {
      for (const sweep of sweeps) await sweep.sweepOnce();
      const all = sweeps.flatMap(({ reports }) => reports);
      return all.flatMap((one) => (one.kind === "told" ? [`${one.owner} ${one.why}`] : [])).toSorted();
    };
    expect(await told()).toEqual(["finance new"]);
    // It waits as long as the other, and its only reminder is due since the other was told.
    const askedAt = await store.now();
    const remind = { askedAt, everyMs: 1, times: 1 };
    await startAsked(store, at, { remind, escalation: { to: "board", at: askedAt } });
    await until("the time of the reminder", async () => (await store.now()) > askedAt + 1);
    const all = ["board new", "finance new", "finance reminder"];
    expect(await told()).toEqual(all);
    expect(await told()).toEqual(all);
    expect(mail.mails.map(({ text }) => text).join("\n")).toContain(
      "Reminder: 2 cases wait for approve (purchase)",
    );
  });

  test("the owner of a source is told once of all its events in review, however many sweep", async () => {
    const [store, other] = stores();
    const book = bookOf(
      options({ owners: { purchasing: { tell: [{ by: "mail", to: "ada@example.com" }] } } }),
    );
    const eventIds = await takeReviewed(store, 3);
    const sweeps = [store, other, store].map((one) => sweepOn(partsOn(one, book)));
    await Promise.all(sweeps.map((sweep) => sweep.sweepOnce()));
    for (const sweep of sweeps) await sweep.sweepOnce();
    expect(addresses()).toEqual(["ada@example.com"]);
    expect(mail.mails[0]?.text).toContain("3 events of bank need review");
    expect(mail.mails[0]?.text).toContain("/events?source=bank&work=in_review");
    for (const eventId of eventIds) {
      const work = { consumer: "tell", lane: null, owner: "purchasing", withinMs: 60_000, review: null };
      await store.inbox.reopenWork(eventId, [work], { by: "ada", reason: "the case is there now" });
    }
    for (const sweep of sweeps) await sweep.sweepOnce();
    expect(addresses()).toEqual(["ada@example.com"]);
    expect(await store.inbox.countNeeds(0)).toEqual({ needs: [], isWhole: true });
  });

  test("nothing that anybody said or put in reaches an owner: neither sentences, nor inputs, nor addresses", async () => {
    const [store] = stores();
    const canary = "CANARY-b71f";
    await startReviewed(store, 2, { sentence: `erp said ${canary} about née` });
    const chat = options({
      owners: { purchasing: { tell: ["chat", { by: "mail", to: "ada@example.com" }] } },
    });
    await sweepOn(partsOn(store, bookOf(chat))).sweepOnce();
    expect([hook.requests.length, mail.mails.length]).toEqual([1, 1]);
    const view = await listNotices(partsOn(store, bookOf(chat)));
    const owners = await listOwners(partsOn(store, bookOf(chat)), never);
    const told = JSON.stringify([hook.requests, mail.mails, view, owners]);
    expect(told).not.toContain(canary);
    expect(told).not.toContain("née");
    expect(told).not.toContain("12.5");
    expect(JSON.stringify([view, owners])).not.toContain(hook.url);
  });

  test("what cannot be delivered is in sight, and is sent anew by hand once it is mended", async () => {
    const [store] = stores();
    mail.refusals.push("550 5.1.1 no such mailbox", "550 5.1.1 no such mailbox");
    await startReviewed(store, 1);
    const parts = partsOn(
      store,
      bookOf(options({ owners: { purchasing: { tell: [{ by: "mail", to: "gone@example.com" }] } } })),
    );
    const sweep = sweepOn(parts);
    await sweep.sweepOnce();
    expect(sweep.reports.at(-1)).toMatchObject({ kind: "undeliverable", target: { to: "gone@example.com" } });
    const view = await listNotices(parts);
    expect(view.undeliverableCount).toBe(1);
    expect(view.undeliverable).toMatchObject([
      {
        owner: "purchasing",
        channel: "mail",
        state: "undeliverable",
        failure: { kind: "rejected" },
        dueAt: null,
      },
    ]);
    const { messageId } = view.undeliverable[0] ?? { messageId: "" };
    expect(await retryMessage(parts, messageId)).toMatchObject({ became: "waiting" });
    await sweep.sweepOnce();
    expect((await listNotices(parts)).undeliverableCount).toBe(1);
    await retryMessage(parts, messageId);
    await sweep.sweepOnce();
    expect((await listNotices(parts)).undeliverableCount).toBe(0);
    expect(addresses()).toEqual(["gone@example.com"]);
    await expect(retryMessage(parts, messageId)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(retryMessage(parts, "none")).rejects.toThrow("is not there");
  });

  test("what is busy is tried again as late as it says, under the same id", async () => {
    const [store] = stores();
    hook.answers.push({ status: 429, headers: { "retry-after": "3600" } });
    await startReviewed(store, 1, { owner: "erp-admins", reason: "denied" });
    const parts = partsOn(store, bookOf(options()));
    await sweepOn(parts).sweepOnce();
    await sweepOn(parts).sweepOnce();
    expect(hook.requests).toHaveLength(1);
    const [message] = (await listNotices(parts)).messages;
    expect(message).toMatchObject({ state: "waiting", attempts: 0, failure: { kind: "throttled" } });
    expect(message?.dueAt).toBeGreaterThanOrEqual((await store.now()) + 3_500_000);
  });

  test("a name that nobody answers to is in sight, and is told once somebody does", async () => {
    const [store] = stores();
    await startReviewed(store, 3, { owner: "nobody-yet" });
    const parts = partsOn(store, bookOf(options()));
    const sweep = sweepOn(parts);
    await sweep.sweepOnce();
    await sweep.sweepOnce();
    expect(sweep.reports).toEqual([expect.objectContaining({ kind: "nobody", owner: "nobody-yet" })]);
    expect((await listNotices(parts)).unanswered).toEqual(["nobody-yet"]);
    expect(await listOwners(parts, never)).toContainEqual(
      expect.objectContaining({ owner: "nobody-yet", answeredBy: "nobody", places: [], cases: 3 }),
    );
    const mended = bookOf(options({ otherwise: "ada" }));
    await sweepOn(partsOn(store, mended)).sweepOnce();
    expect(addresses()).toEqual(["ada@example.com"]);
    expect(isAnswered(mended, "nobody-yet")).toBe(true);
    expect((await listNotices(partsOn(store, mended))).unanswered).toEqual([]);
  });

  test("a channel that the configuration has no more leaves its messages in sight", async () => {
    const [store] = stores();
    mail.refusals.push("451 4.3.0 later");
    await startReviewed(store, 1);
    await sweepOn(
      partsOn(
        store,
        bookOf(options({ owners: { purchasing: { tell: [{ by: "mail", to: "a@example.com" }] } } })),
      ),
    ).sweepOnce();
    const [waiting] = (await listNotices(partsOn(store, bookOf(options())))).messages;
    expect(waiting).toMatchObject({ state: "waiting", attempts: 1 });
  });
});

/** A store whose clock the test moves. */
function timed(): { readonly store: Store; readonly pass: (ms: number) => void } {
  let ahead = 0;
  return {
    store: memoryStore({ now: () => Date.now() + ahead }),
    pass: (ms) => {
      ahead += ms;
    },
  };
}

/** What the pager was sent, and under which key. */
const actions = (): readonly unknown[] =>
  hook.requests.map(({ body }) => {
    // What was sent is an event of this shape.
    const { event_action: action, dedup_key: key } = JSON.parse(body) as Record<string, unknown>;
    return [action, key];
  });

const withRota = (rota: NoticeOptions["owners"][string]): NoticeOptions =>
  options({
    owners: {
      ada: { tell: [{ by: "mail", to: "ada@example.com" }] },
      grace: { tell: [{ by: "mail", to: "grace@example.com" }] },
      purchasing: rota,
    },
  });

describe("over time", () => {
  test("an owner is told again when it is overdue, and what is over resolves", async () => {
    const { store, pass } = timed();
    const ids = await startReviewed(store, 2, { owner: "erp-admins", reason: "denied" });
    const sweep = sweepOn(partsOn(store, bookOf(options({ overdueAfter: "1h" }))));
    await sweep.sweepOnce();
    pass(3_600_000);
    await sweep.sweepOnce();
    await sweep.sweepOnce();
    const key = expect.stringMatching(/^foothold-[0-9a-f]{16}$/) as unknown;
    expect(actions()).toEqual([
      ["trigger", key],
      ["trigger", key],
    ]);
    for (const caseId of ids) await goOn(store, caseId);
    await sweep.sweepOnce();
    pass(59_000);
    await sweep.sweepOnce();
    expect(actions()).toHaveLength(2);
    pass(1_000);
    await sweep.sweepOnce();
    await sweep.sweepOnce();
    expect(actions().slice(2)).toEqual([["resolve", key]]);
    expect(new Set(actions().map((one) => JSON.stringify(one).replace(/"(trigger|resolve)"/, ""))).size).toBe(
      1,
    );
    expect(sweep.reports.map((one) => ("why" in one ? one.why : one.kind))).toEqual([
      "new",
      "overdue",
      "over",
    ]);
  });

  test("what comes back after it was over is told as new", async () => {
    const { store, pass } = timed();
    const [caseId = ""] = await startReviewed(store, 1);
    const sweep = sweepOn(partsOn(store, bookOf(options())));
    await sweep.sweepOnce();
    await goOn(store, caseId);
    await sweep.sweepOnce();
    pass(61_000);
    await sweep.sweepOnce();
    await startReviewed(store, 1);
    await sweep.sweepOnce();
    // Mail does not tell what is over: two people, told twice.
    expect(addresses()).toEqual([
      "ada@example.com",
      "ada@example.com",
      "grace@example.com",
      "grace@example.com",
    ]);
  });

  test("what is over before it could be sent is not sent at all", async () => {
    const { store, pass } = timed();
    mail.refusals.push("451 4.3.0 later", "451 4.3.0 later");
    const [caseId = ""] = await startReviewed(store, 1);
    const parts = partsOn(store, bookOf(options()));
    const sweep = sweepOn(parts);
    await sweep.sweepOnce();
    await goOn(store, caseId);
    await sweep.sweepOnce();
    // Nothing was due meanwhile: the look for what is over comes before anything is sent.
    pass(61_000);
    await sweep.sweepOnce();
    expect(addresses()).toEqual([]);
    expect((await listNotices(parts)).messages.map(({ state }) => state)).toEqual(["dropped", "dropped"]);
  });
});

describe("a rota", () => {
  test.each<[string, () => unknown, string, string | null]>([
    ["that names whoever is on duty tells them", () => "grace", "grace@example.com", null],
    [
      "that throws tells its fallback",
      () => Promise.reject(new Error("down")),
      "ada@example.com",
      "it threw an error",
    ],
    [
      "that is late tells its fallback",
      () => new Promise(() => {}),
      "ada@example.com",
      "it did not answer within 50ms",
    ],
    [
      "that names a stranger tells its fallback",
      () => "mallory",
      "ada@example.com",
      "it named somebody who is no person and no team of the configuration",
    ],
  ])("%s", async (_, ask, address, fault) => {
    const store = memoryStore();
    await startReviewed(store, 1);
    // What a project's own function gives is judged when it is asked.
    const rota = ask as () => string;
    const book = bookOf(withRota({ rota, deadline: "50ms", fallback: "ada" }));
    const sweep = sweepOn(partsOn(store, book));
    await sweep.sweepOnce();
    expect(addresses()).toEqual([address]);
    expect(sweep.reports.flatMap((one) => (one.kind === "rota" ? [one.why] : []))).toEqual(
      fault === null ? [] : [fault],
    );
  });
});

describe("a test of an owner", () => {
  test("goes to every place at once and says what became of each", async () => {
    const store = memoryStore();
    hook.answers.push({ status: 403 });
    const both = options({
      owners: { ops: { tell: ["chat", "pager", { by: "mail", to: "ops@example.com" }] } },
    });
    const parts = partsOn(store, bookOf({ ...both, channels: { ...both.channels } }));
    const { results } = await testOwner(parts, "ops", never);
    expect(results.map(({ channel, isSent }) => [channel, isSent])).toContainEqual(["mail", true]);
    expect(results.filter(({ isSent }) => !isSent)).toHaveLength(1);
    expect(addresses()).toEqual(["ops@example.com"]);
    expect((await listNotices(parts)).messages).toEqual([]);
    await expect(testOwner(parts, "nobody", never)).rejects.toThrow("Nobody answers to the name");
    await expect(testOwner({ ...parts, book: null }, "ops", never)).rejects.toThrow(
      "Owners of the configuration: none",
    );
  });

  test("to a pager opens an incident and resolves it", async () => {
    const store = memoryStore();
    await testOwner(partsOn(store, bookOf(options())), "erp-admins", never);
    expect(
      hook.requests.map(({ body }) => (JSON.parse(body) as { event_action: string }).event_action),
    ).toEqual(["trigger", "resolve"]);
  });
});

/** A person lets the case go on: nobody is needed any more. */
async function goOn(store: Store, caseId: string): Promise<void> {
  const commitId = newId();
  await store.changeCase(caseId, { commitId, sourceId: null }, ({ state }, now) => {
    const by = { kind: "person", name: "ada" } as const;
    const entries = [{ kind: "resumed", step: null, by, reason: null }] as const;
    const numbered = entries.map((entry, index) => ({
      revision: state.revision + 1 + index,
      at: now,
      commitId,
      entry,
    }));
    return {
      kind: "write",
      commitId,
      entries,
      at: now,
      row: rowOf(foldEntries(state, numbered)),
      claim: "keep",
      reply: null,
    };
  });
}
