import { beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_ROLES, grantsOf, mayDo, VERBS, type Grant } from "../../core/rights.ts";
import type { CaseSummary } from "../../core/row.ts";
import { testDesk } from "../../desk/purchase.fixture.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import type { App } from "../app.ts";
import type { SignIn } from "./identity.ts";
import { API_BASE, API_ROUTES, type RouteHead } from "./routes.ts";
import type { ApiTypes, RouteId } from "./types.ts";

const step = "createRecord";
const reason = "asked the supplier";

/** A body for each route that the route itself takes, so that nothing but the right decides. */
const bodies: { readonly [Id in RouteId]: ApiTypes[Id]["body"] } = {
  showMe: null,
  openSession: { name: "eve", password: "no such person" },
  endSession: {},
  showOverview: null,
  listCases: null,
  countCases: null,
  showCase: null,
  previewCase: null,
  previewMove: { move: "resume" },
  startCase: { type: "purchase", input: { vendor: "ACME", amount: 1 }, tenant: "acme" },
  answerApproval: { step: "approve", approved: false },
  resumeCase: {},
  correctInput: { input: { vendor: "ACME", amount: 2 }, reason },
  confirmStep: { step, reason },
  ruleOutStep: { step, reason },
  redoStep: { step, reason },
  checkStep: { step },
  skipStep: { step, reason },
  undoStep: { step, reason },
  leaveOutside: { step, reason },
  assignCase: { to: null },
  cancelCase: {},
  pauseCase: {},
  addNote: { text: "hello" },
  revealCase: { reason },
  previewErasure: null,
  eraseCase: { reason },
  exportCase: null,
  revealExport: { reason },
  revealEventBody: { reason },
  tellEvent: { eventType: "approval.revoked", payload: { why: reason } },
  openRepair: {},
  takeOverRepair: { reason },
  keepRepair: {},
  closeRepair: {},
  handOverRepair: { to: { id: "team-1", label: "Team 1" }, reason },
  listCaseTypes: null,
  showCaseType: null,
  showForms: null,
  listMilestones: null,
  showCaseMap: null,
  showHistory: null,
  showTraffic: null,
  listDestinations: null,
  restoreAccess: {},
  listWorkers: null,
  listClaims: null,
  listEvents: null,
  showEvent: null,
  countWork: null,
  listRefusals: null,
  showEventBody: null,
  replayEvent: { reason },
  ignoreEvent: { reason },
  reconcileSource: {},
  showSignIn: null,
  showSettings: null,
  listPeople: null,
  listViews: null,
  saveView: { name: "mine", query: "assignee=me" },
  removeView: {},
  listProblems: null,
  markProblem: { note: reason },
  previewBulk: { move: { move: "resume" }, filter: { by: "problem", problemId: "0123456789ab" } },
  startBulk: { move: { move: "resume" }, filter: { by: "problem", problemId: "0123456789ab" } },
  listBulkActs: null,
  showBulkAct: null,
  orderBulkAct: { order: "pause" },
  listSchedules: null,
  showSchedule: null,
  listSlotsToCome: null,
  pauseSchedule: { reason },
  resumeSchedule: {},
  startSlot: {},
  leaveSlot: { slotKey: "1", reason },
  listSeconds: null,
  answerSecond: { approved: false },
  listAudit: null,
  listSealHeads: null,
  listNotices: null,
  retryNotice: {},
  listOwners: null,
  testOwner: {},
  registerWorker: { protocol: 1, runs: "python", name: "py-1", host: "box", build: "python 3.11" },
  beatWorker: { workerKey: "nobody", holds: [] },
  claimWork: { workerKey: "nobody", runs: "python", claimIds: ["0123456789-0123456789-0123456789"] },
  leaveWork: { workerKey: "nobody" },
  reportWork: {
    workerKey: "nobody",
    claimId: "0123456789-0123456789-0123456789",
    task: "run 1 1 createRecord",
    answer: { kind: "confirmed", result: null },
  },
};

const routes = Object.entries<RouteHead>(API_ROUTES).map(([id, head]) => ({
  // The keys of the table are the names of its operations.
  id: id as RouteId,
  head,
}));

interface Asked {
  readonly caseId: string;
  readonly more?: object;
  readonly bulkId?: string;
  readonly search?: string;
}

async function ask(
  app: App,
  { id, head }: (typeof routes)[number],
  { caseId, more = {}, bulkId = "b-1", search = "" }: Asked,
) {
  const named: Readonly<Record<string, string>> = {
    caseId,
    repairId: "r-1",
    requestId: "s07-nobody",
    caseType: "purchase",
    destination: "erp",
    eventId: "e07-0",
    source: "shop",
    problemId: "0123456789ab",
    bulkId,
    messageId: "m-1",
    view: "late",
    schedule: "nightly",
    owner: "finance",
  };
  const path = head.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "");
  const body = head.method === "GET" ? {} : { body: JSON.stringify({ ...bodies[id], ...more }) };
  const headers = { host: "localhost", "content-type": "application/json", "if-match": "*" };
  const answer = await app.request(
    `${API_BASE}${path}${search}`,
    { method: head.method, headers, ...body },
    fromHere,
  );
  return { status: answer.status, text: await answer.text() };
}

function as(grants: readonly Grant[] | null): SignIn {
  const identity =
    grants === null ? null : ({ name: "eve", person: null, signedInBy: "session", grants } as const);
  return () => Promise.resolve(identity);
}

/** A case of the tenant acme, which each test looks at anew. */
async function storeWithCase(): Promise<{ readonly store: Store; readonly caseId: string }> {
  const store = memoryStore();
  const app = testApp(store);
  const { text } = await ask(app, { id: "startCase", head: API_ROUTES.startCase }, { caseId: "" });
  const [, caseId = ""] = /"caseId":"([^"]+)"/.exec(text) ?? [];
  return { store, caseId };
}

/** A case of the tenant acme with words of its own wherever people may write some, in review, noted and in a bulk act. */
async function storeWithCanaries(): Promise<{
  readonly own: Store;
  readonly bulkId: string;
  readonly canaries: readonly string[];
}> {
  const own = memoryStore();
  const desk = testDesk(own);
  const input = { vendor: "canary-vendor", amount: 1 };
  const by = { id: "p-canary", label: "canary-person", roles: [] };
  const start = { by, tenant: "acme", businessKey: "canary-key" };
  const { caseId } = await desk.startCase("purchase", input, start);
  await desk.addNote(caseId, { by, text: "canary-note" });
  const { bulkId } = await desk.startBulk({
    move: { move: "note", text: "canary-bulk" },
    filter: { by: "cases", caseIds: [caseId] },
    by,
  });
  await own.setAside(caseId, null, {
    ...NO_SUMMARY,
    reviews: [
      { step, reason: "bug", owner: "canary-owner", sentence: "canary-sentence", nextCheckAllowedAt: null },
    ],
  });
  const other = await desk.startCase("purchase", input, { ...start, businessKey: "canary-other" });
  await desk.cancel(other.caseId, { by, reason: "canary-reason" });
  return { own, bulkId, canaries: ["canary", caseId, other.caseId] };
}

/** What tells of cases by themselves. */
const LISTS: readonly RouteId[] = ["listCases", "listMilestones", "listProblems", "showBulkAct", "listAudit"];

const NO_SUMMARY: CaseSummary = {
  confirmed: 0,
  waits: [],
  reviews: [],
  unsettled: [],
  lastFailure: null,
  repair: null,
  isRepaired: false,
  losses: 0,
  stoppedBy: null,
};

describe("every route", () => {
  let store: Store;
  let caseId = "";
  beforeAll(async () => {
    ({ store, caseId } = await storeWithCase());
  });

  test.each(routes)("$id answers nobody who is not signed in, unless it is for signing in", async (route) => {
    const { status } = await ask(testApp(store, { signIn: as(null) }), route, { caseId });
    const isForAll = route.id === "endSession" || route.id === "showSignIn";
    expect([route.id, status === 401]).toEqual([route.id, !isForAll]);
  });

  test.each(routes)("$id refuses who has every right but its own, and changes nothing", async (route) => {
    const { verb } = route.head;
    if (verb === null) return;
    const grant: Grant = { verbs: VERBS.filter((one) => one !== verb), tenants: "all", caseTypes: "all" };
    const before = await store.loadCase(caseId);
    const { status, text } = await ask(testApp(store, { signIn: as([grant]) }), route, { caseId });
    expect([route.id, status]).toEqual([route.id, 403]);
    expect(text).toContain(`the right \\"${verb}\\"`);
    expect(await store.loadCase(caseId)).toEqual(before);
  });

  test.each([...BUILT_IN_ROLES.keys()])(
    "is for the role %s by what the role grants, and not else",
    async (role) => {
      const grants = grantsOf(BUILT_IN_ROLES, [role]);
      for (const route of routes.filter(({ head }) => head.verb !== null)) {
        const own = await storeWithCase();
        const { status } = await ask(testApp(own.store, { signIn: as(grants) }), route, own);
        const isGranted = route.head.verb !== null && mayDo(grants, route.head.verb, "house");
        expect([role, route.id, status === 403]).toEqual([role, route.id, !isGranted]);
        expect([route.id, status]).not.toEqual([route.id, 401]);
      }
    },
  );

  test.each(routes.filter(({ head }) => head.on === "case"))(
    "$id of another tenant's case, or of another type, answers as if the case were not there",
    async (route) => {
      for (const other of [
        { verbs: "all", tenants: ["beta"], caseTypes: "all" },
        { verbs: "all", tenants: "all", caseTypes: ["side-by-side"] },
        { verbs: "all", tenants: [], caseTypes: [] },
      ] as const) {
        const app = testApp(store, { signIn: as([other]) });
        const before = await store.loadCase(caseId);
        const there = await ask(app, route, { caseId });
        const gone = await ask(app, route, { caseId: "07-zzzzzzzzzzzz" });
        expect([route.id, there.status]).toEqual([route.id, 404]);
        expect(there.text).toBe(gone.text.replaceAll("07-zzzzzzzzzzzz", caseId));
        expect(await store.loadCase(caseId)).toEqual(before);
      }
    },
  );

  test.each(routes.filter(({ head }) => head.on !== "case"))(
    "$id tells nothing of a case to who sees another tenant, or another type",
    async (route) => {
      const { canaries, own, bulkId } = await storeWithCanaries();
      const told = async (grant: Grant, search = ""): Promise<readonly string[]> => {
        const app = testApp(own, { signIn: as([grant]) });
        const { text } = await ask(app, route, { caseId: "", bulkId, search });
        return canaries.filter((one) => text.includes(one));
      };
      const searches = route.id === "listCases" ? ["", "?businessKey=canary-key", "?text=canary"] : [""];
      for (const search of searches) {
        expect(await told({ verbs: "all", tenants: ["beta"], caseTypes: "all" }, search)).toEqual([]);
        expect(await told({ verbs: "all", tenants: "all", caseTypes: ["side-by-side"] }, search)).toEqual([]);
      }
      // They are there to be found: whoever sees all is told of them in each of these.
      const all: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };
      expect(!LISTS.includes(route.id) || (await told(all)).length > 0).toBe(true);
    },
  );

  test.each(routes.filter(({ head }) => head.on === "house"))(
    "$id, which is about the whole house, is not for those who have a part of it",
    async (route) => {
      const part: Grant = { verbs: "all", tenants: ["acme"], caseTypes: "all" };
      const { status } = await ask(testApp(store, { signIn: as([part]) }), route, { caseId });
      expect([route.id, status]).toEqual([route.id, 403]);
    },
  );

  test("a start for another tenant is refused", async () => {
    const part: Grant = { verbs: "all", tenants: ["beta"], caseTypes: "all" };
    const app = testApp(store, { signIn: as([part]) });
    const start = { id: "startCase", head: API_ROUTES.startCase } as const;
    expect((await ask(app, start, { caseId })).status).toBe(403);
    expect((await ask(app, start, { caseId, more: { tenant: "beta" } })).status).toBe(201);
  });

  test("an approval in its owner's place needs the right to stand in too", async () => {
    const verbs = VERBS.filter((one) => one !== "standIn");
    const app = testApp(store, { signIn: as([{ verbs, tenants: "all", caseTypes: "all" }]) });
    const approval = { id: "answerApproval", head: API_ROUTES.answerApproval } as const;
    const more = { standIn: true, note: reason };
    expect((await ask(app, approval, { caseId, more })).status).toBe(403);
    expect((await ask(app, approval, { caseId })).status).not.toBe(403);
  });

  test("a resume with force needs the right to force too", async () => {
    const verbs = VERBS.filter((one) => one !== "force");
    const app = testApp(store, { signIn: as([{ verbs, tenants: "all", caseTypes: "all" }]) });
    const resume = { id: "resumeCase", head: API_ROUTES.resumeCase } as const;
    const forced = await ask(app, resume, { caseId, more: { force: true, step, reason } });
    expect(forced.status).toBe(403);
    expect((await ask(app, resume, { caseId })).status).not.toBe(403);
  });
});
