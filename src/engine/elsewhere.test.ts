import { describe, expect, test } from "vitest";
import { stepOf } from "../core/case-state.ts";
import { registryOf } from "../define/registry.ts";
import { entriesOf, stateOf } from "./case-types.fixture.ts";
import { booking, Far, LEASE_MS, letters, nextOf, scoring, theOne } from "./elsewhere.fixture.ts";
import { createWorker } from "./worker.ts";

const scored = { kind: "confirmed", result: { score: 7 } } as const;
const silent = {
  kind: "failed",
  sent: "maybe",
  name: "TimeoutError",
  message: "timed out",
  code: "ETIMEDOUT",
} as const;

describe("a worker elsewhere", () => {
  test("runs the steps of a case one after the other, each sent only once its attempt is in the journal", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const first = theOne(await far.claim(worker));
    expect(first).toMatchObject({
      caseType: "scoring",
      step: "score",
      key: null,
      ask: "run",
      attempt: 1,
      request: { text: "hi" },
      undoes: null,
      withinMs: 30_000,
    });
    expect(await entriesOf(far.store)).toEqual(["caseStarted", "intentOpened", "attemptOpened"]);
    const taken = await far.report(worker, first, scored);
    expect(nextOf(taken)).toMatchObject({ step: "file", request: { score: 7 }, claimId: first.claimId });
    const filed = await far.report(worker, nextOf(taken), { kind: "confirmed", result: { id: "A-1" } });
    expect(filed).toEqual({ kind: "stored", next: null, heldMs: 0 });
    expect(await stateOf(far.store)).toMatchObject({ rest: { kind: "done" } });
    expect((await far.store.loadRow("00case"))?.claim).toBeNull();
  });

  test("is a holder with a name, and no case of its types is taken by workers of this process", async () => {
    const far = new Far();
    await far.start(scoring);
    const here = createWorker({
      store: far.store,
      registry: registryOf([scoring]),
      ports: far.ports,
      name: "w-1",
      host: "box",
      build: "1",
    });
    await here.start();
    await far.clock.advance(10_000);
    expect((await far.store.loadRow("00case"))?.state).toBe("ready");
    const worker = await far.worker();
    await far.claim(worker);
    const [mine] = (await far.store.listHolders()).filter(({ name }) => name === "py-1");
    expect(mine).toMatchObject({ holderId: worker.holderId, host: "box", build: "python 3.11" });
    expect((await far.store.loadRow("00case"))?.claim?.holderId).toBe(worker.holderId);
    expect(worker.workerKey).not.toContain(worker.holderId);
    await here.stop();
  });

  test("gets the same tasks when it asks again with the same claim ids, and opens no second attempt", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const ids = far.claimIds();
    const first = theOne(await far.claim(worker, ids));
    far.server = far.newServer();
    expect(theOne(await far.claim(worker, ids))).toEqual(first);
    expect((await entriesOf(far.store)).filter((kind) => kind === "attemptOpened")).toHaveLength(1);
  });

  test("is answered alike when it reports again, also at once and by another server", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const first = theOne(await far.claim(worker));
    const other = far.newServer();
    const { workerKey } = worker;
    const { caseId, claimId, task } = first;
    const report = { workerKey, claimId, task, answer: scored, goOn: true };
    const both = await Promise.all([far.server.report(caseId, report), other.report(caseId, report)]);
    const again = await far.newServer().report(caseId, report);
    for (const taken of [...both, again]) expect(nextOf(taken)).toMatchObject({ step: "file", attempt: 1 });
    const kinds = await entriesOf(far.store);
    expect(kinds.filter((kind) => kind === "stepConfirmed")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "attemptOpened")).toHaveLength(2);
  });

  test("that takes nothing more gives the case back, for another worker", async () => {
    const far = new Far();
    await far.start(scoring);
    const [one, two] = [await far.worker("py-1"), await far.worker("py-2")];
    const task = theOne(await far.claim(one));
    expect(await far.claim(two)).toEqual([]);
    expect(await far.report(one, task, scored, false)).toMatchObject({ kind: "stored", next: null });
    expect(theOne(await far.claim(two))).toMatchObject({ step: "file" });
  });

  test("is given each key of an each", async () => {
    const far = new Far();
    await far.start(letters, { text: "ab" });
    const worker = await far.worker();
    const a = theOne(await far.claim(worker));
    expect(a).toMatchObject({ step: "post", key: "a", request: { letter: "a" } });
    const b = nextOf(await far.report(worker, a, { kind: "confirmed", result: "A" }));
    expect(b).toMatchObject({ step: "post", key: "b", claimId: a.claimId });
    await far.report(worker, b, { kind: "confirmed", result: "B" });
    expect((await stateOf(far.store)).rest.kind).toBe("done");
  });

  test("that waits for work is woken by a start", async () => {
    const far = new Far();
    const worker = await far.worker();
    const { signal } = new AbortController();
    const order = { claimIds: far.claimIds(), waitMs: 20_000, caseTypes: [scoring], signal };
    const asked = far.server.claim(worker.workerKey, order);
    await far.clock.advance(4_500);
    await far.start(scoring);
    await far.clock.advance(1_000);
    expect(await asked).toMatchObject({ kind: "tasks", tasks: [{ step: "score" }], heldMs: 4_500 });
  });

  test("that waits in vain is told so when its time is over, or when nobody waits any more", async () => {
    const far = new Far();
    const worker = await far.worker();
    const gone = new AbortController();
    const order = { claimIds: far.claimIds(), waitMs: 3_000, caseTypes: [scoring], signal: gone.signal };
    const asked = far.server.claim(worker.workerKey, order);
    await far.clock.advance(3_000);
    expect(await asked).toMatchObject({ kind: "tasks", tasks: [] });
    const left = far.server.claim(worker.workerKey, order);
    await far.clock.advance(100);
    gone.abort();
    await far.start(scoring);
    await far.clock.advance(100);
    expect(await left).toMatchObject({ tasks: [] });
    expect((await far.store.loadRow("00case"))?.claim).toBeNull();
  });
});

describe("what a worker elsewhere failed with", () => {
  test.each([
    ["nothing left", { sent: "no", code: "ECONNREFUSED" }, { kind: "transient", executed: "no" }],
    ["nobody answered", { sent: "maybe", code: "ECONNREFUSED" }, { kind: "unknown", executed: "maybe" }],
    [
      "it was refused",
      {
        sent: "answered",
        status: 422,
        headers: { "content-type": "application/json" },
        body: { error: "text" },
      },
      { kind: "rejected", executed: "no" },
    ],
    [
      "it was told to wait",
      { sent: "answered", status: 429, headers: { "retry-after": "60" } },
      { kind: "throttled", instruction: { kind: "retryAfter" } },
    ],
    ["its own code failed", { sent: "no", name: "TypeError" }, { kind: "bug", executed: "no" }],
    ["it was stopped", { sent: "maybe", stopped: "shutdown" }, { kind: "unknown", executed: "maybe" }],
  ] as const)("is sorted as here: %s", async (_, failed, sorted) => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    const error = { kind: "failed", name: "Error", message: "it failed", ...failed } as const;
    expect(await far.report(worker, task, error)).toMatchObject({ kind: "stored", next: null });
    const [attempt] = stepOf(await stateOf(far.store), "score").intent?.attempts ?? [];
    expect(attempt?.outcome).toMatchObject({ kind: "failed", failure: sorted });
    const blind = { isAtLeast: true, findings: [{ code: "BLIND", client: null }] };
    const wire = failed.sent === "no" ? undefined : { requests: 1, repeats: 0, ...blind };
    expect(attempt?.wire).toEqual(wire);
  });

  test("of an unknown outcome follows its destination: sent again with its key, or looked for", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const first = theOne(await far.claim(worker));
    await far.report(worker, first, silent);
    await far.clock.advance(60_000);
    const again = theOne(await far.claim(worker));
    expect(again).toMatchObject({
      step: "score",
      ask: "run",
      attempt: 2,
      idempotencyKey: first.idempotencyKey,
    });
    expect(again.fencingToken).toBeGreaterThan(first.fencingToken);
    const file = nextOf(await far.report(worker, again, scored));
    const check = nextOf(await far.report(worker, file, silent));
    expect(check).toMatchObject({ step: "file", ask: "check", request: { score: 7 }, attempt: 1 });
    const happened = { kind: "happened", result: { id: "A-1" }, evidence: "seen" } as const;
    expect(await far.report(worker, check, happened)).toMatchObject({ next: null });
    expect(await stateOf(far.store)).toMatchObject({
      rest: { kind: "done" },
      steps: { file: { confirmation: { result: { value: { id: "A-1" } } } } },
    });
  });

  test("is never sent again where nothing makes that safe, and stands in review", async () => {
    const far = new Far();
    await far.start(booking);
    const worker = await far.worker();
    await far.report(worker, theOne(await far.claim(worker)), silent);
    await far.clock.advance(3_600_000);
    expect(await far.claim(worker)).toEqual([]);
    expect(stepOf(await stateOf(far.store), "book").review).toMatchObject({ reason: "unknown" });
  });

  test("does not hide a result that is not as declared: it took effect, and people see why it cannot be read", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    await far.report(worker, task, { kind: "confirmed", result: { score: "seven" } });
    const { confirmation, review } = stepOf(await stateOf(far.store), "score");
    expect(confirmation?.result.kind).toBe("unreadable");
    expect(review?.reason).toBe("unreadable");
  });
});

describe("a worker elsewhere that falls silent", () => {
  test("loses its claim after a lease, and what it had under way is unknown", async () => {
    const far = new Far();
    await far.start(booking);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    await far.sweep(LEASE_MS + 1_000);
    expect(await entriesOf(far.store)).toContain("claimLost");
    const next = await far.worker("py-2");
    expect(await far.claim(next)).toEqual([]);
    expect(stepOf(await stateOf(far.store), "book").review).toMatchObject({ reason: "unknown" });
    expect(await far.server.beat(worker.workerKey, [task.claimId])).toEqual({ kind: "ended" });
    const { signal } = new AbortController();
    const order = { claimIds: far.claimIds(), waitMs: 0, caseTypes: [booking], signal };
    expect(await far.server.claim(worker.workerKey, order)).toEqual({ kind: "ended" });
  });

  test("and wakes is refused: what it reports confirms nothing, and is kept as evidence once", async () => {
    const far = new Far();
    await far.start(booking);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    await far.sweep(LEASE_MS + 1_000);
    const booked = { kind: "confirmed", result: "B-1" } as const;
    expect(await far.report(worker, task, booked)).toEqual({ kind: "late" });
    expect(await far.report(worker, task, booked)).toEqual({ kind: "late" });
    const kinds = await entriesOf(far.store);
    expect(kinds.filter((kind) => kind === "lateReport")).toHaveLength(1);
    expect(kinds).not.toContain("stepConfirmed");
    const next = await far.worker("py-2");
    expect(await far.claim(next)).toEqual([]);
    expect(await stateOf(far.store)).toMatchObject({ rest: { kind: "done" } });
  });

  test("keeps its claim as long as it beats, whichever server answers", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    await far.sweep(4 * LEASE_MS, async () => {
      far.server = far.newServer();
      expect(await far.server.beat(worker.workerKey, [task.claimId])).toEqual({ kind: "alive", lost: [] });
    });
    expect(nextOf(await far.report(worker, task, scored))).toMatchObject({ step: "file" });
  });

  test("is not kept alive by waiting for an answer", async () => {
    const far = new Far();
    const worker = await far.worker();
    const { signal } = new AbortController();
    const order = { claimIds: far.claimIds(), waitMs: 20_000, caseTypes: [scoring], signal };
    const asked = far.server.claim(worker.workerKey, order);
    await far.sweep(LEASE_MS + 1_000);
    const [holder] = await far.store.listHolders();
    expect(holder?.endedAt).not.toBeNull();
    await far.clock.advance(20_000);
    await asked;
  });

  test("or does not name a claim any more has it freed, but not before it could have heard of it", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    expect(await far.server.beat(worker.workerKey, [])).toEqual({ kind: "alive", lost: [] });
    expect((await far.store.loadRow("00case"))?.claim).not.toBeNull();
    for (let beats = 0; beats < 7; beats += 1) {
      await far.clock.advance(1_000);
      await far.server.beat(worker.workerKey, []);
    }
    expect((await far.store.loadRow("00case"))?.claim).toBeNull();
    const life = await far.server.beat(worker.workerKey, [task.claimId]);
    expect(life).toEqual({ kind: "alive", lost: [task.claimId] });
  });
});

describe("a report", () => {
  test("of a worker that cannot send any more gives the case back with it", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    const over = {
      kind: "failed",
      sent: "no",
      name: "Failed",
      message: "no trust",
      stopped: "lease",
    } as const;
    expect(await far.report(worker, task, over)).toMatchObject({ kind: "stored", next: null });
    expect((await far.store.loadRow("00case"))?.claim).toBeNull();
  });

  test("of another worker than the one that was asked is refused", async () => {
    const far = new Far();
    await far.start(booking);
    const [one, two] = [await far.worker("py-1"), await far.worker("py-2")];
    const task = theOne(await far.claim(one));
    expect(await far.report(two, task, { kind: "confirmed", result: "B-2" })).toEqual({ kind: "late" });
    expect((await far.store.loadRow("00case"))?.claim?.holderId).toBe(one.holderId);
    expect(await entriesOf(far.store)).not.toContain("stepConfirmed");
  });

  test("that names nothing the case was asked for, or answers another question, stores nothing", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const task = theOne(await far.claim(worker));
    for (const name of ["", "run 1 1", "run 1 9 score", "run 1 1 nothing", "check outcome 1 1 nothing"]) {
      const told = far.report(worker, { ...task, task: name }, scored);
      await expect(told).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    }
    const wrong = far.report(worker, task, { kind: "didNotHappen" });
    await expect(wrong).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const check = { ...task, task: "check outcome 3 1 score" };
    await expect(far.report(worker, check, scored)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(far.report(worker, { ...task, caseId: "00none" }, scored)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    expect(await entriesOf(far.store)).toHaveLength(3);
  });

  test("of a check about a case that moved meanwhile is not used: the plan is made again", async () => {
    const far = new Far();
    await far.start(scoring);
    const worker = await far.worker();
    const file = nextOf(await far.report(worker, theOne(await far.claim(worker)), scored));
    const check = nextOf(await far.report(worker, file, silent));
    const stale = check.task.replace(/^check outcome \d+/, "check outcome 1");
    const taken = await far.report(worker, { ...check, task: stale }, { kind: "didNotHappen" });
    expect(nextOf(taken)).toMatchObject({ ask: "check", step: "file" });
    expect(await entriesOf(far.store)).not.toContain("checked");
  });
});
