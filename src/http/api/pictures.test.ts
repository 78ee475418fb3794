import { beforeEach, describe, expect, test } from "vitest";
import { testDesk } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import type { Grant } from "../../core/rights.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import type { MilestonesView } from "../../desk/milestones.ts";
import { watchedClient } from "./every-route.fixture.ts";
import type { SignIn } from "./identity.ts";

const HOUR_MS = 3_600_000;
const order = { vendor: "ACME", amount: 12.5 };
const never = (error: unknown): void => {
  throw error;
};

function signInWith(grants: readonly Grant[]): SignIn {
  return () => Promise.resolve({ name: "ben", person: null, signedInBy: "session", grants });
}

describe("pictures over the API", () => {
  let store: Store;
  let now: number;
  let ada: Client;
  beforeEach(() => {
    now = 1_800_000_000_000;
    store = memoryStore({ now: () => now });
    ada = watchedClient(testApp(store)).client;
  });

  async function start(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      ids.push((await ada.startCase({ type: "purchase", input: order })).caseId);
    }
    return ids;
  }

  /** As a worker that met the approval would leave the case. */
  async function awaitApproval(caseId: string): Promise<void> {
    await store.changeCase(caseId, { commitId: `w-${caseId}`, sourceId: null }, ({ row, state }) => ({
      kind: "write",
      commitId: `w-${caseId}`,
      at: now,
      claim: "keep",
      reply: null,
      entries: [{ kind: "noteAdded", at: now, by: { kind: "engine", name: "w-1" }, text: "met" }],
      row: {
        state: "waiting",
        dueAt: null,
        revision: state.revision + 1,
        changedAt: now,
        definitionVersion: row.definitionVersion,
        summary: {
          ...row.summary,
          waits: [{ kind: "approval", step: "approve", dueAt: null, by: "finance" }],
        },
      },
    }));
  }

  test("the map tells how many cases stand at each step, and each number is that of the list behind it", async () => {
    const [first, second] = await start(4);
    for (const caseId of [first ?? "", second ?? ""]) await awaitApproval(caseId);
    const map = await ada.showCaseMap({ caseType: "purchase" });
    expect(map).toMatchObject({
      isLoaded: true,
      isWhole: true,
      steps: [
        {
          name: "approve",
          after: [],
          counts: [{ reading: "Waiting for approval", cases: 2, oldestAt: now }],
        },
        { name: "createRecord", after: ["approve"], counts: [] },
        { name: "notify", counts: [] },
      ],
      betweenSteps: [{ reading: "Waiting until", cases: 2 }],
      ended: { done: 0, canceled: 0 },
    });
    const type = "purchase";
    const approving = { type, step: "approve", reading: ["Waiting for approval"] } as const;
    expect(await ada.countCases(approving)).toMatchObject({ count: 2 });
    expect(await ada.countCases({ type, step: "-", reading: ["Waiting until"] })).toMatchObject({ count: 2 });
    expect(await ada.countCases({ type, step: "createRecord" })).toMatchObject({ count: 0 });
    // What is sent nowhere stands at no step that sends.
    expect(await ada.countCases({ ...approving, destination: "erp" })).toMatchObject({ count: 0 });
  });

  test("a step is named with its case type, and a type that nobody knows is refused", async () => {
    expect(await refusalOf(ada.listCases({ step: "approve" }))).toMatchObject({
      code: "INVALID_REQUEST",
      details: { fields: [{ path: "type" }] },
    });
    expect(await refusalOf(ada.showCaseMap({ caseType: "nothing-like-it" }))).toMatchObject({
      code: "UNKNOWN_CASE_TYPE",
    });
  });

  test("the history has the samples that were taken, and how it is now as its last point", async () => {
    const desk = testDesk(store);
    const sampler = desk.sampler({ onError: never });
    await start(1);
    expect(await sampler.sampleOnce()).toBe(true);
    expect(await sampler.sampleOnce()).toBe(false);
    const firstAt = now;
    now += 2 * HOUR_MS;
    await start(2);
    const { points, sinceAt, isWhole } = await ada.showHistory();
    expect({ sinceAt, isWhole }).toEqual({ sinceAt: now - 24 * HOUR_MS, isWhole: true });
    expect(points).toEqual([
      { at: firstAt, states: [{ reading: "Waiting until", cases: 1, oldestAt: firstAt }] },
      { at: now, states: [{ reading: "Waiting until", cases: 3, oldestAt: firstAt }] },
    ]);
    expect((await ada.showHistory({ hours: 1 })).points).toHaveLength(1);
    expect((await ada.showHistory({ type: "side-by-side" })).points.at(-1)).toEqual({ at: now, states: [] });
    expect((await refusalOf(ada.showHistory({ hours: 1_000 }))).code).toBe("INVALID_REQUEST");
  });

  test("samples are kept for eight days", async () => {
    const sampler = testDesk(store).sampler({ onError: never });
    await sampler.sampleOnce();
    now += 9 * 24 * HOUR_MS;
    await sampler.sampleOnce();
    const kept = await store.samples.list({ sinceAt: 0, everyMs: 1_000 });
    expect(kept.map(({ at }) => at)).toEqual([now]);
  });

  test("destinations tell what they take, and what they took", async () => {
    const sampler = testDesk(store).sampler({ onError: never });
    await sampler.sampleOnce();
    const firstAt = now;
    now += HOUR_MS;
    const { destinations } = await ada.showTraffic();
    expect(destinations).toMatchObject([
      {
        destination: "erp",
        standing: "up",
        inFlight: 0,
        heldBack: 0,
        history: [{ at: firstAt }, { at: now }],
      },
    ]);
    expect(destinations[0]?.limit).toBeGreaterThan(0);
    expect(JSON.stringify(destinations)).not.toContain("denial");
  });

  test("destinations tell what was tried there over all workers, as far back as their pictures go", async () => {
    const quarter = 900_000;
    const fromAt = Math.floor(now / quarter) * quarter;
    const erp = { destination: "erp", credentialId: "erp" };
    const numbers = { attempts: 3, failed: 1, requests: 6, repeats: 3, unmetered: 1 };
    await store.samples.tellAttempts("w-1", [
      { fromAt, ...erp, ...numbers },
      { fromAt: fromAt - quarter, ...erp, ...numbers },
      { fromAt: fromAt - 13 * HOUR_MS, ...erp, ...numbers },
      { fromAt, ...erp, credentialId: "another", ...numbers },
    ]);
    await store.samples.tellAttempts("w-2", [{ fromAt, ...erp, ...numbers }]);
    const [traffic] = (await ada.showTraffic()).destinations;
    expect(traffic).toMatchObject(erp);
    expect(traffic?.tried).toEqual({
      attempts: 9,
      failed: 3,
      requests: 18,
      repeats: 9,
      unmetered: 3,
      points: [
        { fromAt: fromAt - quarter, ...numbers },
        { fromAt, attempts: 6, failed: 2, requests: 12, repeats: 6, unmetered: 2 },
      ],
    });
  });

  test("milestones of all cases are told to who may see the case, newest first", async () => {
    const [first, second] = await start(2);
    now += 5;
    await ada.cancelCase({ caseId: first ?? "", reason: "ordered twice" }, { plan: "*" });
    now += 5;
    await ada.cancelCase({ caseId: second ?? "" }, { plan: "*" });
    const { milestones } = await ada.listMilestones({ kind: ["canceled"] });
    expect(milestones).toMatchObject([
      { caseId: second, kind: "canceled", by: { name: "ada" } },
      { caseId: first, at: now - 5, sentence: "ada canceled the case: ordered twice." },
    ]);
    expect((await ada.listMilestones({ until: now })).milestones).toHaveLength(1);
    const part: Grant = { verbs: "all", tenants: ["acme"], caseTypes: "all" };
    const signIn = () =>
      Promise.resolve({ name: "ben", person: null, signedInBy: "session", grants: [part] } as const);
    const ben = watchedClient(testApp(store, { signIn })).client;
    expect(await ben.listMilestones()).toEqual({ milestones: [], next: null });
  });

  test("milestones are paged without a word of those that somebody may not see, in cursors too", async () => {
    const input = { vendor: "ACME", amount: 1 };
    const tenants = ["acme", "beta", "beta", "acme", "beta", "beta", "beta"];
    const mine: string[] = [];
    const foreign: string[] = [];
    for (const tenant of tenants) {
      now += 5;
      const { caseId } = await ada.startCase({ type: "purchase", input, tenant });
      await ada.cancelCase({ caseId }, { plan: "*" });
      (tenant === "acme" ? mine : foreign).unshift(caseId);
    }
    const part: Grant = { verbs: "all", tenants: ["acme"], caseTypes: "all" };
    const told: string[] = [];
    const seen: string[] = [];
    const ben = watchedClient(testApp(store, { signIn: signInWith([part]) })).client;
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: MilestonesView = await ben.listMilestones({
        limit: 2,
        ...(cursor === "" ? {} : { cursor }),
      });
      seen.push(...page.milestones.map(({ caseId }) => caseId));
      told.push(JSON.stringify(page));
      cursor = page.next;
    }
    expect(seen).toEqual(mine);
    expect(foreign.filter((caseId) => told.some((text) => text.includes(caseId)))).toEqual([]);
    // Somebody who sees nothing of more than is looked through at once is led on by times alone.
    const nobody = watchedClient(
      testApp(store, { signIn: signInWith([{ ...part, tenants: ["gamma"] }]) }),
    ).client;
    expect(await nobody.listMilestones({ limit: 1 })).toEqual({ milestones: [], next: null });
    for (let more = 0; more < 5; more += 1) {
      now += 5;
      const { caseId } = await ada.startCase({ type: "purchase", input, tenant: "beta" });
      await ada.cancelCase({ caseId }, { plan: "*" });
    }
    const led = await nobody.listMilestones({ limit: 1 });
    expect(led).toEqual({ milestones: [], next: expect.stringMatching(/^\d+\.0\.~$/) as unknown });
    expect(await nobody.listMilestones({ limit: 1, cursor: led.next ?? "" })).toEqual({
      milestones: [],
      next: null,
    });
  });

  test("who may see a part of the tenants gets no counts over all of them", async () => {
    await start(2);
    const part: Grant = { verbs: "all", tenants: ["acme"], caseTypes: "all" };
    const signIn = () =>
      Promise.resolve({ name: "ben", person: null, signedInBy: "session", grants: [part] } as const);
    const ben = watchedClient(testApp(store, { signIn })).client;
    expect((await refusalOf(ben.showCaseMap({ caseType: "purchase" }))).code).toBe("NOT_ALLOWED");
    expect((await ben.showHistory()).points).toEqual([{ at: now, states: [] }]);
    expect((await ben.showTraffic()).destinations).toEqual([]);
  });
});
