import { beforeEach, describe, expect, test } from "vitest";
import { BUILT_IN_ROLES, grantsOf, VERBS, type Verb } from "../../core/rights.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { systemPorts } from "../../engine/system.ts";
import { hashPassword } from "../../people/password.ts";
import { addPerson, changePerson, createToken, revokeToken } from "../../people/people.ts";
import type { AuditFilter, StoredAuditLine } from "../../store/audit-port.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";
import { API_BASE } from "./routes.ts";
import { cookieRules, peopleSignIn, type SignIn } from "./identity.ts";

const secret = "SECRET-4111-1111";
const input = { vendor: secret, amount: 12.5 };
const password = "correct horse battery";

function as(name: string, verbs: readonly Verb[] | "all" = "all"): SignIn {
  const person = { personId: `id-${name}`, name, roles: [] };
  const grants = [{ verbs, tenants: "all", caseTypes: "all" }] as const;
  return () => Promise.resolve({ name, person, signedInBy: "session", grants });
}

describe("the audit of acts", () => {
  let store: Store;
  let ada: Client;
  let ben: Client;
  let caseId = "";
  const clientOf = (signIn: SignIn): Client => watchedClient(testApp(store, { signIn })).client;
  const lines = async (filter: Partial<AuditFilter> = {}): Promise<readonly StoredAuditLine[]> =>
    (await store.audit.list({ limit: 100, ...filter })).lines;

  beforeEach(async () => {
    store = memoryStore();
    [ada, ben] = [clientOf(as("ada")), clientOf(as("ben"))];
    ({ caseId } = await ada.startCase({ type: "purchase", input }));
  });

  test("says of each what was done, by whom, why, on which plan, and how it was before and is after", async () => {
    const { plan } = await ada.showCase({ caseId });
    const seen = plan?.version ?? "";
    await ada.correctInput({ caseId, input: { ...input, amount: 3 }, reason: "a typo" }, { plan: seen });
    expect(await lines()).toMatchObject([
      {
        act: "correct",
        outcome: "done",
        who: "ada",
        personId: "id-ada",
        caseId,
        why: "a typo",
        plan: seen,
        before: { revision: 1 },
        after: { revision: 2, entries: ["inputCorrected"] },
      },
    ]);
  });

  test("has every move once, and none for looking, for signs of life, and for what was known already", async () => {
    await ada.addNote({ caseId, text: "hello" });
    await ada.assignCase({ caseId, to: { id: "t", label: "Team" } });
    await ada.assignCase({ caseId, to: { id: "t", label: "Team" } });
    await ada.pauseCase({ caseId, reason: "holiday" });
    await ada.resumeCase({ caseId }, { plan: "*" });
    const { repairId } = await ada.openRepair({ caseId });
    await ada.keepRepair({ caseId, repairId });
    const taken = await ben.takeOverRepair({ caseId, reason: "ada is away" });
    await ben.closeRepair({ caseId, repairId: taken.repairId });
    await ada.previewMove({ caseId, move: "cancel" });
    await ada.cancelCase({ caseId, reason: "no longer wanted" }, { plan: "*" });
    await ada.restoreAccess({ destination: "erp" });
    expect((await lines()).map(({ act, who, outcome }) => `${who} ${act} ${outcome}`).toReversed()).toEqual([
      "ada note done",
      "ada assign done",
      "ada pause done",
      "ada resume done",
      "ada open done",
      "ben takeOver done",
      "ben close done",
      "ada cancel done",
      "ada restoreAccess done",
    ]);
  });

  test("has what was refused: a wrong right, a stale plan, a second actor, an event that was not seen", async () => {
    const { plan } = await ada.showCase({ caseId });
    const stale = plan?.version ?? "";
    await refusalOf(clientOf(as("eve", ["see"])).cancelCase({ caseId }, { plan: stale }));
    const narrow = clientOf(
      as(
        "max",
        VERBS.filter((verb) => verb !== "force"),
      ),
    );
    const forced = { caseId, force: true, step: "createRecord", reason: "mine" };
    await refusalOf(narrow.resumeCase(forced, { plan: stale }));
    await ada.correctInput({ caseId, input: { ...input, amount: 1 }, reason: "typo" }, { plan: "*" });
    await refusalOf(ben.cancelCase({ caseId }, { plan: stale }));
    const { repairId } = await ada.openRepair({ caseId });
    await refusalOf(ben.resumeCase({ caseId }, { plan: "*" }));
    const opened = (await ada.showCase({ caseId, repairId })).plan?.version ?? "";
    await ada.tellEvent({ caseId, eventType: "approval.revoked", payload: { why: "fraud" } });
    const form = { step: "approve", approved: true, form: { costCenter: secret }, repairId };
    await refusalOf(ada.cancelCase({ caseId, repairId, reason: "blind" }, { plan: "p1.0123456789abcdef" }));
    await refusalOf(ada.answerApproval({ ...form, caseId, form: { secret } }, { plan: opened }));
    const refused = await lines({ outcome: "refused" });
    expect(refused.map(({ who, act, code }) => `${who} ${act} ${code}`).toReversed()).toEqual([
      "eve cancel NOT_ALLOWED",
      "max resume NOT_ALLOWED",
      "ben cancel PLAN_CHANGED",
      "ben resume CASE_CLAIMED",
      "ada cancel PLAN_CHANGED",
      "ada approve INVALID_APPROVAL",
    ]);
    expect(refused.at(-1)).toMatchObject({ caseId, plan: stale, before: null, after: null });
    expect(refused.at(-2)).toMatchObject({ about: "createRecord", plan: stale, why: "mine" });
    expect(refused.find(({ code }) => code === "CASE_CLAIMED")?.sentence).toContain("ada");
    const blind = refused.find(({ why }) => why === "blind");
    expect(blind?.sentence).toContain("came while you worked");
  });

  test("never has what inputs, forms, results and events hold", async () => {
    await refusalOf(ada.correctInput({ caseId, input: { vendor: secret }, reason: "x" }, { plan: "*" }));
    await ada.correctInput({ caseId, input: { ...input, amount: 4 }, reason: "x" }, { plan: "*" });
    await refusalOf(ada.tellEvent({ caseId, eventType: "approval.revoked", payload: { why: 7, secret } }));
    expect((await lines()).map(({ act, code }) => [act, code])).toEqual([
      ["correct", null],
      ["correct", "INVALID_INPUT"],
    ]);
    expect(JSON.stringify(await lines())).not.toContain(secret);
  });

  test("is for whoever has the right to see it, and for no other role than the administrator's", async () => {
    expect(grantsOf(BUILT_IN_ROLES, ["viewer", "operator", "approver"])).not.toContain("seeAudit");
    const refused = await refusalOf(clientOf(as("eve", ["see"])).listAudit());
    expect(refused.code).toBe("NOT_ALLOWED");
    await ada.addNote({ caseId, text: "hello" });
    const page = await clientOf(as("max", ["seeAudit"])).listAudit({ caseId, limit: 1 });
    expect(page.lines).toMatchObject([{ act: "note", caseId }]);
  });
});

describe("the audit of people", () => {
  test("has who added, changed and disabled whom, and made and revoked which token, without any secret", async () => {
    const store = memoryStore();
    const { ids } = systemPorts();
    const parts = { people: store.people, roles: BUILT_IN_ROLES, ids, by: "root" };
    await addPerson(parts, { name: "ada", roles: ["viewer"], password });
    await changePerson(parts, "ada", { roles: ["admin"] });
    await changePerson(parts, "ada", { password: null });
    const token = await createToken(parts, { label: "ci", person: "ada", scopes: ["see"], lastsMs: 1_000 });
    await revokeToken(parts, token.tokenId);
    await changePerson(parts, "ada", { isDisabled: true });
    const { lines } = await store.audit.list({ limit: 100 });
    expect(lines.map(({ act, about }) => `${act} ${about}`).toReversed()).toEqual([
      "addPerson ada",
      "changePerson ada",
      "changePerson ada",
      "createToken ada",
      `revokeToken ${token.tokenId}`,
      "changePerson ada",
    ]);
    expect(lines.at(-2)).toMatchObject({
      who: "root",
      before: { roles: ["viewer"], isDisabled: false },
      after: { roles: ["admin"], isDisabled: false },
    });
    const told = JSON.stringify(lines);
    for (const one of [password, token.secret]) expect(told).not.toContain(one);
  });

  test("has who signed in and out, and tries that failed: of a name that nobody has no more than that", async () => {
    const store = memoryStore();
    const signIn = peopleSignIn(store.people, BUILT_IN_ROLES, cookieRules(false));
    const app = testApp(store, { signIn });
    const passwordHash = await hashPassword(password);
    await store.people.addPerson({ personId: "p-1", name: "ada", passwordHash, roles: ["viewer"] });
    const send = async (method: string, body: object, cookie = ""): Promise<string> => {
      const headers = { host: "localhost:4680", "content-type": "application/json", cookie };
      const request = { method, headers, body: JSON.stringify(body) };
      const answer = await app.request(`${API_BASE}/session`, request, fromHere);
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    await send("POST", { name: "ada", password: "wrong horse battery" });
    await send("POST", { name: password, password: "typed in the wrong field" });
    const cookie = await send("POST", { name: "ada", password });
    await send("DELETE", {}, cookie);
    await send("DELETE", {}, cookie);
    const { lines } = await store.audit.list({ limit: 100 });
    expect(lines.map(({ act, outcome, about, personId }) => [act, outcome, about, personId])).toEqual([
      ["signOut", "done", "ada", "p-1"],
      ["signIn", "done", "ada", "p-1"],
      ["signIn", "refused", "a name that nobody has", null],
      ["signIn", "refused", "ada", null],
    ]);
    const told = JSON.stringify(lines);
    for (const one of [password, "typed in", cookie.slice(-20)]) expect(told).not.toContain(one);
  });

  test("has one line for an account that is held back, however often somebody tries on", async () => {
    const store = memoryStore();
    const app = testApp(store, { signIn: () => Promise.resolve(null) });
    const headers = { host: "localhost:4680", "content-type": "application/json" };
    const body = JSON.stringify({ name: "nobody", password: "wrong horse battery" });
    const request = { method: "POST", headers, body };
    for (let count = 0; count < 15; count += 1) await app.request(`${API_BASE}/session`, request, fromHere);
    const { lines } = await store.audit.list({ limit: 100 });
    expect(lines.map(({ code }) => code)).toEqual([
      "TOO_MANY_REQUESTS",
      ...Array.from({ length: 10 }, () => "NOT_SIGNED_IN"),
    ]);
  });
});
