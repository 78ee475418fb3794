import { describe, expect, test } from "vitest";
import type { Grant } from "../../core/rights.ts";
import { testDesk } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { onEachStore } from "../../desk/stores.fixture.ts";
import { booking, nextOf, scoring, theOne } from "../../engine/elsewhere.fixture.ts";
import type { WorkTask } from "../../engine/elsewhere-task.ts";
import { registryOf } from "../../define/registry.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import type { Client } from "../client/client.ts";
import { watchedClient } from "./every-route.fixture.ts";
import { API_BASE } from "./routes.ts";

const registry = registryOf([scoring, booking]);
const everything: Grant = { verbs: "all", tenants: "all", caseTypes: "all" };
const runs = "python";
const worker = { protocol: 1, runs, name: "py-1", host: "box", build: "python 3.11.7, scorer 1.2" };
const claimIds = ["claim-1-of-a-worker-in-python-made-by-it"];

function clientOf(store: Store, grants: readonly Grant[] = [everything]): Client {
  const person = { personId: "id-py", name: "py", roles: [] };
  const signIn = () => Promise.resolve({ name: "py", person, signedInBy: "token", grants } as const);
  return watchedClient(testApp(store, { signIn, registry, desk: testDesk(store, registry) })).client;
}

async function claimOne(client: Client, workerKey: string, ids = claimIds): Promise<WorkTask> {
  const work = await client.claimWork({ workerKey, runs, claimIds: ids });
  if (work.kind === "ended") throw new Error("the worker was ended");
  return theOne(work.tasks);
}

onEachStore("work over the API", (storeOf) => {
  test("is registered, claimed and reported, and people see who holds the case", async () => {
    const client = clientOf(storeOf());
    const { caseId } = await client.startCase({ type: "scoring", input: { text: "hi" } });
    const registered = await client.registerWorker(worker);
    expect(registered).toMatchObject({ protocol: 1, leaseMs: 10_000, beatEveryMs: 2_000, trustMs: 8_000 });
    expect(registered.caseTypes).toContainEqual({ name: "scoring", version: 1 });
    const { workerKey, holderId } = registered;
    const task = await claimOne(client, workerKey);
    expect((await client.showCase({ caseId })).holding?.sentence).toContain(
      "py-1 (box, python 3.11.7, scorer 1.2)",
    );
    const { workers } = await client.listWorkers();
    expect(workers).toMatchObject([
      { holderId, name: "py-1", build: worker.build, isAlive: true, claims: 1 },
    ]);
    expect(JSON.stringify(workers)).not.toContain(workerKey);
    expect(await client.beatWorker({ workerKey, holds: [task.claimId] })).toEqual({
      kind: "alive",
      lost: [],
    });
    const { claimId } = task;
    const told = { caseId, workerKey, claimId };
    const scored = await client.reportWork({
      ...told,
      task: task.task,
      answer: { kind: "confirmed", result: { score: 7 } },
    });
    const answer = { kind: "confirmed", result: { id: "A-1" } } as const;
    const last = { ...told, task: nextOf(scored).task, answer };
    expect(await client.reportWork(last)).toMatchObject({ kind: "stored", next: null });
    expect(await client.reportWork(last)).toMatchObject({ kind: "stored", next: null });
    expect(await client.showCase({ caseId })).toMatchObject({ storedState: "done" });
    await client.leaveWork({ workerKey });
    expect((await client.listWorkers()).workers).toEqual([]);
    expect(await client.claimWork({ workerKey, runs, claimIds })).toEqual({ kind: "ended" });
  });

  test("asks a worker to take back what a step did, with what was confirmed of it", async () => {
    const client = clientOf(storeOf());
    const { caseId } = await client.startCase({ type: "scoring", input: { text: "hi" } });
    const { workerKey } = await client.registerWorker(worker);
    const first = await claimOne(client, workerKey);
    const answer = { kind: "confirmed", result: { score: 7 } } as const;
    const { claimId, task } = first;
    await client.reportWork({ caseId, workerKey, claimId, task, answer, goOn: false });
    await client.undoStep({ caseId, step: "score", reason: "wrong model" }, { plan: "*" });
    const undo = await claimOne(client, workerKey, ["claim-2-of-a-worker-in-python-made-by-it"]);
    const undoes = { result: { score: 7 } };
    expect(undo).toMatchObject({ step: "score", ask: "undo", request: { text: "hi" }, undoes });
    expect(undo.idempotencyKey).not.toBe(first.idempotencyKey);
    const undone = { kind: "confirmed", result: null } as const;
    await client.reportWork({ caseId, workerKey, claimId: undo.claimId, task: undo.task, answer: undone });
    expect(JSON.stringify(await client.showCase({ caseId }))).toContain("undone");
  });
});

describe("work over the API", () => {
  test("is given only to those who may work, for the case types that they are named for", async () => {
    const store = memoryStore();
    const { caseId } = await clientOf(store).startCase({ type: "booking", input: null });
    const none = clientOf(store, [{ ...everything, verbs: ["see", "start"] }]);
    expect(await refusalOf(none.registerWorker(worker))).toMatchObject({ code: "NOT_ALLOWED" });
    const some = clientOf(store, [{ verbs: ["work"], tenants: "all", caseTypes: ["scoring"] }]);
    const { caseTypes, workerKey } = await some.registerWorker(worker);
    expect(caseTypes).toEqual([{ name: "scoring", version: 1 }]);
    expect(await some.claimWork({ workerKey, runs, claimIds })).toMatchObject({ tasks: [] });
    const answer = { kind: "confirmed", result: null } as const;
    const report = { caseId, workerKey, claimId: claimIds[0] ?? "", task: "run 1 1 book", answer };
    expect(await refusalOf(some.reportWork(report))).toMatchObject({ code: "CASE_NOT_FOUND" });
    const ofOneTenant = clientOf(store, [{ verbs: ["work"], tenants: ["acme"], caseTypes: "all" }]);
    expect(await refusalOf(ofOneTenant.registerWorker(worker))).toMatchObject({ code: "NOT_ALLOWED" });
    expect((await store.loadRow(caseId))?.claim).toBeNull();
  });

  test("is refused to another version of the protocol, and to a name that no definition has", async () => {
    const client = clientOf(memoryStore());
    const other = await refusalOf(client.registerWorker({ ...worker, protocol: 2 }));
    expect(other).toMatchObject({ code: "WORK_PROTOCOL_UNKNOWN" });
    expect(other.message).toContain("speaks version 2");
    const ruby = await refusalOf(client.registerWorker({ ...worker, runs: "ruby" }));
    expect(ruby).toMatchObject({ code: "UNKNOWN_CASE_TYPE" });
    expect(ruby.message).toContain("elsewhere: python");
  });

  test.each([
    [
      "too many cases at once",
      { claimIds: Array.from({ length: 17 }, (_, n) => `${claimIds[0] ?? ""}-${n}`) },
    ],
    ["an id that can be guessed", { claimIds: ["1"] }],
    ["an id twice", { claimIds: [...claimIds, ...claimIds] }],
    ["none at all", { claimIds: [] }],
    ["a wait without end", { waitMs: 3_600_000 }],
  ])("is refused where a claim asks for %s", async (_, wrong) => {
    const client = clientOf(memoryStore());
    const { workerKey } = await client.registerWorker(worker);
    const told = client.claimWork({ workerKey, runs, claimIds, ...wrong });
    expect(await refusalOf(told)).toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("takes no report that is longer than a body may be", async () => {
    const store = memoryStore();
    const { caseId } = await clientOf(store).startCase({ type: "booking", input: null });
    const app = testApp(store, { registry, desk: testDesk(store, registry) });
    const answer = { kind: "confirmed", result: "x".repeat(3 * 1024 * 1024) };
    const body = JSON.stringify({ workerKey: "k", claimId: claimIds[0], task: "run 1 1 book", answer });
    const headers = { host: "localhost", "content-type": "application/json" };
    const path = `${API_BASE}/cases/${caseId}/work`;
    expect((await app.request(path, { method: "POST", headers, body }, fromHere)).status).toBe(413);
  });
});
