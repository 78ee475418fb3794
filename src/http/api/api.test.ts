import { describe, expect, test } from "vitest";
import { readExportedCase } from "../../core/exported-case.ts";
import { claimAll, deskWithSchedule } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import type { App } from "../app.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";
import type { SignIn } from "./identity.ts";
import type { Grant } from "../../core/rights.ts";
import { API_BASE, API_ROUTES, type RouteHead } from "./routes.ts";
import { BUILT_IN_ROLES, VERBS, type Verb } from "../../core/rights.ts";

const order = { vendor: "ACME", amount: 12.5 };
const why = "asked the supplier";

function granted(name: string, ...grants: readonly Grant[]): SignIn {
  return () => Promise.resolve({ name, person: null, signedInBy: "session", grants });
}

function verbsOnly(name: string, verbs: readonly Verb[]): SignIn {
  return granted(name, { verbs, tenants: "all", caseTypes: "all" });
}

async function start(client: Client, businessKey?: string): Promise<string> {
  const named = businessKey === undefined ? {} : { businessKey };
  const { caseId } = await client.startCase({ type: "purchase", input: order, ...named });
  return caseId;
}

interface SentOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

async function send(app: App, path: string, { method = "GET", headers = {}, body }: SentOptions = {}) {
  const answer = await app.request(
    `${API_BASE}${path}`,
    {
      method,
      headers: { host: "localhost:4680", ...headers },
      ...(body === undefined ? {} : { body, duplex: "half" }),
    },
    fromHere,
  );
  const told: unknown = await answer.json();
  return { status: answer.status, headers: answer.headers, told };
}

const asJson = { "content-type": "application/json" };

describe("the API", () => {
  test("tells who is signed in, and what they may do", async () => {
    const { client } = watchedClient(testApp(memoryStore()));
    expect(await client.showMe()).toEqual({ name: "ada", signedInBy: "dev", verbs: VERBS });
  });

  test("drives a case by its moves, each answered as described, by the person who is signed in", async () => {
    const { client } = watchedClient(testApp(memoryStore()));
    const caseId = await start(client, "PO-1");
    expect(await client.startCase({ type: "purchase", input: order, businessKey: "PO-1" })).toEqual({
      caseId,
      isNew: false,
    });
    const { plan } = await client.previewCase({ caseId });
    const version = plan?.version ?? "";
    await client.addNote({ caseId, text: "called them" });
    await client.correctInput({ caseId, input: { ...order, amount: 10 }, reason: why }, { plan: version });
    await client.tellEvent({ caseId, eventType: "approval.revoked", payload: { why }, sourceId: "evt-1" });
    await client.pauseCase({ caseId, reason: "holiday" });
    await client.resumeCase({ caseId }, { plan: "*" });
    const shown = await client.showCase({ caseId });
    expect(shown).toMatchObject({ input: { amount: 10 }, originalInput: order });
    const people = shown.history.flatMap(({ by }) => (by?.kind === "person" ? [by.name] : []));
    expect(new Set(people)).toEqual(new Set(["ada"]));
    expect(await client.cancelCase({ caseId, reason: why }, { plan: "*" })).toMatchObject({
      outcome: "done",
    });
    expect(await client.listCases({ state: ["canceled"] })).toMatchObject({ cases: [{ caseId }] });
  });

  test("opens, keeps, takes over and closes a repair, and carries out acts under it", async () => {
    const store = memoryStore();
    const ada = watchedClient(testApp(store)).client;
    const ben = watchedClient(testApp(store, { signIn: verbsOnly("ben", VERBS) })).client;
    const caseId = await start(ada);
    const opened = await ada.openRepair({ caseId });
    expect(await ada.listClaims()).toMatchObject({ claims: [{ caseId, holding: { name: "ada" } }] });
    expect(await ada.listWorkers()).toMatchObject({ workers: [{ kind: "page", name: "ada", claims: 1 }] });
    const refused = await refusalOf(ben.resumeCase({ caseId }, { plan: "*" }));
    expect(refused).toMatchObject({ code: "CASE_CLAIMED", details: { status: 409, caseId } });
    expect(refused.message).toContain("ada");
    await ada.tellEvent({ caseId, eventType: "approval.revoked", payload: { why }, sourceId: "evt-1" });
    const kept = await ada.keepRepair({ caseId, repairId: opened.repairId });
    expect(kept).toMatchObject({ kind: "open", attached: [{ sourceId: "evt-1" }] });
    const taken = await ben.takeOverRepair({ caseId, reason: "ada is away", from: opened.holderId });
    expect(await ada.keepRepair({ caseId, repairId: opened.repairId })).toMatchObject({ kind: "over" });
    const late = ada.pauseCase({ caseId, repairId: opened.repairId });
    expect((await refusalOf(late)).code).toBe("REPAIR_OVER");
    expect(await ben.showCase({ caseId, repairId: taken.repairId })).toMatchObject({
      repair: { by: { name: "ben" } },
    });
    await ben.closeRepair({ caseId, repairId: taken.repairId });
    expect(await ada.listClaims()).toMatchObject({ claims: [] });
  });

  test("finds cases by what people read, owner, destination, kind, age and text", async () => {
    const { client } = watchedClient(testApp(memoryStore()));
    const caseId = await start(client, "PO-7");
    const { now } = await client.listCases();
    for (const query of [
      { reading: ["Waiting until", "Done"] },
      { unchangedSince: now + 60_000 },
      { text: "po-7" },
      { text: caseId.slice(3) },
    ] as const) {
      expect((await client.listCases(query)).cases.map((one) => one.caseId)).toEqual([caseId]);
    }
    for (const query of [
      { reading: ["Running"] },
      { owner: "purchasing" },
      { destination: "erp" },
      { destination: "no such system" },
      { kind: "rejected" },
      { unchangedSince: now - 60_000 },
      { text: "po-8" },
    ] as const) {
      expect((await client.listCases(query)).cases).toEqual([]);
      expect(await client.countCases(query)).toEqual({ count: 0, isCapped: false });
    }
  });

  test("looks at moves first, assigns, hands over, and asks what a role may not", async () => {
    const store = memoryStore();
    const { client } = watchedClient(testApp(store));
    const caseId = await start(client);
    const seen = await client.previewMove({ caseId, move: "correct", input: { ...order, amount: 1 } });
    expect(seen).toMatchObject({ isAllowed: true, inputChanges: [{ path: "amount", from: 12.5, to: 1 }] });
    expect((await refusalOf(client.previewMove({ caseId, move: "skip" }))).details.fields).toEqual([
      { path: "step", message: "is missing" },
    ]);
    await client.assignCase({ caseId, to: { id: "team-1", label: "Team 1" }, reason: why });
    const { repairId } = await client.openRepair({ caseId });
    const to = { id: "ben", label: "Ben" };
    await client.handOverRepair({ caseId, repairId, to, reason: why });
    const shown = await client.showCase({ caseId });
    expect(shown).toMatchObject({ assignee: to, repair: null });
    const step = "createRecord";
    expect((await refusalOf(client.checkStep({ caseId, step }, { plan: "*" }))).code).toBe(
      "NOTHING_TO_CHECK",
    );
    expect((await refusalOf(client.undoStep({ caseId, step, reason: why }, { plan: "*" }))).code).toBe(
      "NOTHING_TO_UNDO",
    );
    const { client: viewer } = watchedClient(testApp(store, { signIn: verbsOnly("ben", ["see"]) }));
    const { moves } = await viewer.showCase({ caseId });
    expect(moves.filter(({ isAllowed }) => isAllowed)).toEqual([]);
    expect(moves.find(({ move }) => move === "resume")).toMatchObject({ isForbidden: true });
  });

  test("says 202 of what a worker is only asked to do", async () => {
    const store = memoryStore();
    const app = testApp(store);
    const { client } = watchedClient(app);
    const caseId = await start(client);
    await claimAll(store, { name: "w-1", leaseMs: 10_000 });
    const answer = await send(app, `/cases/${caseId}/pause`, { method: "POST", headers: asJson, body: "{}" });
    expect(answer).toMatchObject({ status: 202, told: { outcome: "requested" } });
  });

  test("answers every route as it is described", async () => {
    const store = memoryStore();
    const { client, done } = watchedClient(testApp(store, { desk: await deskWithSchedule(store) }));
    await callEveryRead(store, client);
    await callEveryScheduleRead(client);
    await callEveryNoticeRead(client);
    await callEveryPictureRead(client);
    const reads = Object.entries<RouteHead>(API_ROUTES).filter(([, { method }]) => method === "GET");
    expect(reads.map(([id]) => id).filter((id) => ![...done].some((one) => one === id))).toEqual([]);
  });
});

async function callEveryNoticeRead(client: Client): Promise<void> {
  expect(await client.listNotices({ limit: 500 })).toMatchObject({ notices: [], unanswered: [] });
  const { owners } = await client.listOwners();
  expect(owners.map(({ owner, answeredBy }) => [owner, answeredBy])).toContainEqual(["finance", "nobody"]);
}

async function callEveryScheduleRead(client: Client): Promise<void> {
  const schedule = "yearly";
  expect((await client.listSchedules()).schedules).toMatchObject([{ name: schedule, standing: "running" }]);
  expect(await client.showSchedule({ schedule })).toMatchObject({ slots: [], next: null });
  expect((await client.listSlotsToCome({ schedule, limit: 3 })).slots).toHaveLength(3);
}

async function callEveryPictureRead(client: Client): Promise<void> {
  expect(await client.showCaseMap({ caseType: "purchase" })).toMatchObject({ caseType: "purchase" });
  expect(await client.showHistory()).toMatchObject({ isWhole: true, points: [{ states: [{ cases: 1 }] }] });
  const { destinations } = await client.showTraffic();
  expect(destinations.map(({ destination }) => destination)).toContain("erp");
  expect(await client.listMilestones()).toMatchObject({ milestones: [], next: null });
}

async function callEveryBulkRead(client: Client, caseId: string): Promise<void> {
  expect(await client.listProblems()).toMatchObject({ problems: [], isCapped: false });
  const { bulkId } = await client.startBulk({
    move: { move: "note", text: why },
    filter: { by: "cases", caseIds: [caseId] },
  });
  expect(await client.listBulkActs()).toMatchObject({ acts: [{ bulkId, by: "ada" }] });
  expect(await client.showBulkAct({ bulkId })).toMatchObject({
    items: [{ caseId, state: "open" }],
    next: null,
  });
}

/** Each read on a store that holds something of everything. */
async function callEveryRead(store: Store, client: Client): Promise<void> {
  const caseId = await start(client);
  await claimAll(store, { name: "w-1", leaseMs: 10_000 });
  const eventId = await storeEvent(store);
  await callEveryBulkRead(client, caseId);
  await client.showMe();
  expect(await client.showOverview()).toMatchObject({ types: [{ caseType: "purchase", workers: 1 }] });
  await client.listCases();
  await client.showCase({ caseId });
  await client.showSignIn();
  expect(await client.showSettings()).toMatchObject({ roles: [], sessions: [], versions: { schema: 0 } });
  expect((await client.listPeople()).roles.map(({ name }) => name)).toEqual([...BUILT_IN_ROLES.keys()]);
  await client.saveView({ name: "late", query: "overdue=true" });
  expect(await client.listViews()).toEqual({ views: [{ name: "late", query: "overdue=true" }] });
  await client.removeView({ view: "late" });
  // Where the source is not known, nobody can tell what it masks.
  expect(await client.showEventBody({ eventId })).toMatchObject({ text: '"[masked]"', isMasked: true });
  expect(await client.revealEventBody({ eventId, reason: why })).toMatchObject({
    text: "{}",
    isMasked: false,
  });
  expect(await client.revealCase({ caseId, reason: why })).toMatchObject({ caseId, values: [] });
  await client.previewCase({ caseId });
  expect((await client.previewErasure({ caseId })).cases).toMatchObject([
    { caseId, isErased: false, traces: { entries: 1 } },
  ]);
  const exported = await client.exportCase({ caseId });
  expect(readExportedCase(exported)).toEqual(exported);
  expect(exported.entries.map(({ entry }) => entry.kind)).toEqual(["caseStarted"]);
  expect((await client.revealExport({ caseId, reason: why })).entries).toEqual(exported.entries);
  expect(await client.countCases({ type: "purchase" })).toEqual({ count: 1, isCapped: false });
  expect((await client.listCaseTypes()).caseTypes.map(({ name }) => name)).toEqual([
    "purchase",
    "side-by-side",
  ]);
  expect(await client.showCaseType({ caseType: "purchase" })).toMatchObject({ name: "purchase" });
  expect(await client.showForms({ caseType: "purchase" })).toMatchObject({
    input: { kind: "schema" },
    approvals: { approve: { kind: "schema" } },
  });
  expect(await client.listDestinations()).toMatchObject({
    destinations: [
      {
        destination: { name: "erp" },
        usedBy: [
          { caseType: "purchase", step: "createRecord" },
          { caseType: "purchase", step: "notify" },
        ],
      },
    ],
  });
  await client.listWorkers();
  await client.listClaims({ limit: 1 });
  expect(await client.listEvents({ work: ["in_review"] })).toMatchObject({
    events: [{ event: { eventId } }],
  });
  expect(await client.showEvent({ eventId })).toMatchObject({ work: [{ state: "in_review" }] });
  expect(await client.countWork()).toMatchObject({ counts: [{ state: "in_review", count: 1 }] });
  expect(await client.listRefusals()).toMatchObject({ refusals: [{ reason: "tooLarge" }] });
  expect(await client.listSeconds()).toEqual({ requests: [] });
  await client.addNote({ caseId, text: "called them" });
  expect(await client.listAudit({ act: "note", since: 0 })).toMatchObject({
    lines: [{ caseId, who: "ada" }],
  });
  expect((await client.listSealHeads()).heads).toHaveLength(32);
}

async function storeEvent(store: Store): Promise<string> {
  const eventId = "e07-0123456789abcdef0123456789abcdef";
  const common = { tenant: "default", source: "bank" };
  const work = { consumer: "pay", lane: null, owner: "finance", withinMs: 60_000, review: "which case?" };
  const event = {
    eventId,
    itemNo: 0,
    keyKind: "delivery",
    itemHash: "0".repeat(64),
    eventType: "paid",
    subject: "PO-1",
    occurredAt: null,
    furtherKeys: [{ kind: "business", hash: "1".repeat(64) }],
    standing: "routed",
    work: [work],
  } as const;
  await store.inbox.takeIn([
    {
      ...common,
      deliveryId: "d07-1",
      receivedAt: 1_000,
      how: "posted",
      scheme: "standard",
      secretId: "2026",
      signedAt: null,
      headers: [["content-type", "application/json"]],
      body: new Uint8Array([123, 125]),
      bodyHash: "2".repeat(64),
      events: [event],
    },
  ]);
  await store.inbox.refuse([
    {
      ...common,
      refusalId: "r-1",
      at: 1_000,
      reason: "tooLarge",
      bodyBytes: 9,
      headers: [],
      isLost: true,
      count: 1,
    },
  ]);
  return eventId;
}

describe("an act through the API", () => {
  test("needs the plan version that the person saw, and is refused with what changed", async () => {
    const store = memoryStore();
    const app = testApp(store);
    const { client } = watchedClient(app);
    const caseId = await start(client);
    const shown = await send(app, `/cases/${caseId}`);
    const etag = shown.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"p1\.[0-9a-f]{16}"$/);
    const path = `/cases/${caseId}/resume`;
    const body = { method: "POST", headers: asJson, body: "{}" };
    expect(await send(app, path, body)).toMatchObject({ status: 428, told: { code: "PLAN_NEEDED" } });
    const odd = { ...body, headers: { ...asJson, "if-match": "p1.0123" } };
    expect(await send(app, path, odd)).toMatchObject({ status: 400, told: { code: "INVALID_REQUEST" } });
    await client.correctInput({ caseId, input: { vendor: "Other", amount: 1 }, reason: why }, { plan: "*" });
    const stale = { ...body, headers: { ...asJson, "if-match": etag } };
    expect(await send(app, path, stale)).toMatchObject({
      status: 412,
      told: {
        code: "PLAN_CHANGED",
        caseId,
        changes: expect.arrayContaining(["approve: input or earlier results changed"]) as unknown,
        plan: expect.stringMatching(/^p2\./) as unknown,
      },
    });
    const refused = await refusalOf(client.resumeCase({ caseId }, { plan: etag.slice(1, -1) }));
    expect(refused.details["changes"]).toContain("approve: input or earlier results changed");
  });

  test.each([
    ["a name for who acts", { text: "hello", by: "mallory" }],
    ["another case than the path names", { text: "hello", caseId: "07-zzzzzzzzzzzz" }],
    ["a field of another type", { text: 7 }],
    ["nothing", {}],
    ["a list", []],
  ])("is refused where the body has %s", async (_what, body) => {
    const app = testApp(memoryStore());
    const caseId = await start(watchedClient(app).client);
    const sent = { method: "POST", headers: asJson, body: JSON.stringify(body) };
    expect(await send(app, `/cases/${caseId}/notes`, sent)).toMatchObject({
      status: 400,
      told: { code: "INVALID_REQUEST" },
    });
    expect((await watchedClient(app).client.showCase({ caseId })).revision).toBe(1);
  });

  test.each([
    ["text/plain", `{"text":"hello"}`, 415],
    ["application/x-www-form-urlencoded", "text=hello", 415],
    ["application/jsonp", `{"text":"hello"}`, 415],
    ["application/json", "{", 400],
    ["application/json", `{"text":"hello","__proto__":{"by":"mallory"}}`, 400],
    ["application/json", `{"text":${"[".repeat(100)}${"]".repeat(100)}}`, 400],
    ["application/json", `{"text":[${"0,".repeat(60_000)}0]}`, 400],
    ["application/json", new Uint8Array([0x22, 0xff, 0x22]), 400],
    ["application/json", " ".repeat(2 * 1024 * 1024 + 1), 413],
  ])("is refused with a body of %s %.20j", async (type, body, status) => {
    const app = testApp(memoryStore());
    const caseId = await start(watchedClient(app).client);
    const answer = await send(app, `/cases/${caseId}/notes`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    expect(answer).toMatchObject({ status, told: { status, code: "INVALID_REQUEST" } });
  });

  test("is refused where reading would change a number, which is named", async () => {
    const app = testApp(memoryStore());
    const startWith = (amount: string): ReturnType<typeof send> =>
      send(app, "/cases", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"type":"purchase","input":{"vendor":"ACME","amount":${amount}}}`,
      });
    expect(await startWith("9007199254740993")).toMatchObject({
      status: 400,
      told: { detail: expect.stringContaining("the number 9007199254740993") as unknown },
    });
    expect((await startWith("9007199254740991")).status).toBe(201);
  });

  test("reads no more of a body without a length than is allowed", async () => {
    const app = testApp(memoryStore());
    const caseId = await start(watchedClient(app).client);
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const answer = await send(app, `/cases/${caseId}/notes`, { method: "POST", headers: asJson, body });
    expect(answer.status).toBe(413);
    expect(read).toBeLessThan(3 * 1024 * 1024);
  });
});

describe("a right", () => {
  test("is needed: nobody who is not signed in is told anything", async () => {
    const app = testApp(memoryStore(), { signIn: () => Promise.resolve(null) });
    for (const path of ["/me", "/cases", "/cases/07-zzzzzzzzzzzz", "/overview", "/inbox/events"]) {
      expect(await send(app, path)).toMatchObject({ status: 401, told: { code: "NOT_SIGNED_IN" } });
    }
  });

  test("to see does not give the right to act", async () => {
    const store = memoryStore();
    const caseId = await start(watchedClient(testApp(store)).client);
    const { client } = watchedClient(testApp(store, { signIn: verbsOnly("ben", ["see"]) }));
    expect(await client.showCase({ caseId })).toMatchObject({ caseId, revision: 1 });
    const refused = await refusalOf(client.cancelCase({ caseId }, { plan: "*" }));
    expect(refused).toMatchObject({ code: "NOT_ALLOWED", details: { status: 403 } });
    expect(refused.message).toBe(
      `ben has not the right "cancel", which this needs: cancel a case, or have what it did undone first. Nothing was done.`,
    );
    expect((await client.showCase({ caseId })).revision).toBe(1);
  });

  test("limits every list, count and outline to what it is for", async () => {
    const store = memoryStore();
    const all = watchedClient(testApp(store)).client;
    const mine = await start(all);
    await all.startCase({ type: "purchase", input: order, tenant: "acme" });
    await all.startCase({ type: "side-by-side", input: null });
    const grant = { verbs: ["see"], tenants: ["default"], caseTypes: ["purchase"] } as const;
    const { client } = watchedClient(testApp(store, { signIn: granted("eve", grant) }));
    expect((await client.listCases()).cases.map(({ caseId }) => caseId)).toEqual([mine]);
    expect((await client.listCases({ tenant: "acme" })).cases).toEqual([]);
    expect(await client.countCases()).toEqual({ count: 1, isCapped: false });
    expect((await client.listCaseTypes()).caseTypes.map(({ name }) => name)).toEqual(["purchase"]);
    expect((await refusalOf(client.showCaseType({ caseType: "side-by-side" }))).code).toBe(
      "UNKNOWN_CASE_TYPE",
    );
    expect(await client.showOverview()).toMatchObject({ types: [], notices: [], holders: [] });
    expect((await refusalOf(client.listWorkers())).code).toBe("NOT_ALLOWED");
  });

  test("for another tenant or type makes a case answer as if it were not there", async () => {
    const store = memoryStore();
    const caseId = await start(watchedClient(testApp(store)).client);
    const absent = await send(testApp(store), "/cases/07-zzzzzzzzzzzz");
    for (const grant of [
      { verbs: "all", tenants: ["acme"], caseTypes: "all" },
      { verbs: "all", tenants: "all", caseTypes: ["side-by-side"] },
    ] as const) {
      const app = testApp(store, { signIn: granted("eve", grant) });
      const told = await send(app, `/cases/${caseId}`);
      expect(told.status).toBe(404);
      expect(JSON.stringify(told.told)).toBe(
        JSON.stringify(absent.told).replaceAll("07-zzzzzzzzzzzz", caseId),
      );
      const acted = { method: "POST", headers: { ...asJson, "if-match": "*" }, body: "{}" };
      expect((await send(app, `/cases/${caseId}/cancel`, acted)).status).toBe(404);
    }
  });
});
