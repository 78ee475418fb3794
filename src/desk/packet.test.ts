import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { registryOf } from "../define/registry.ts";
import { systemPorts } from "../engine/system.ts";
import { createWorker, type Worker } from "../engine/worker.ts";
import { memoryStore } from "../store/memory/store.ts";
import { expectOk } from "../triage/response.ts";
import type { Desk } from "./desk.ts";
import type { ReviewPacket } from "./packet.ts";
import { testDesk } from "./purchase.fixture.ts";
import { refusalOf } from "./refusal.fixture.ts";

const order = { vendor: "ACME", amount: 12.5 };
const ada = { by: "ada" };
const waiting = { timeout: 10_000, interval: 10 };

/** A destination over real HTTP that answers as it is told; without being told, as the address asks it to, or 200. */
class Destination {
  readonly server: Server;
  readonly statuses: number[] = [];
  readonly requests: string[] = [];

  constructor() {
    this.server = createServer((request, response) => {
      this.requests.push(request.url ?? "");
      request.resume();
      const asked = Number(new URLSearchParams(request.url?.split("?")[1]).get("status") ?? 200);
      const status = this.statuses.shift() ?? asked;
      const body =
        status === 422 ? { errors: [{ field: "vendor", message: "is not known here" }] } : { id: "R-17" };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  }

  get url(): string {
    // A server on TCP has an address with a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

const erp = defineDestination("erp", {
  idempotency: { by: "key", window: "24h" },
  owners: { input: "purchasing-data", outage: "platform" },
  retry: { firstDelay: "1h" },
});

function postTo(destination: Destination): (path: string) => Promise<unknown> {
  return async (path) =>
    (await expectOk(await fetch(`${destination.url}${path}`, { method: "POST" }))).json();
}

/** Three steps side by side: one stands, one is to be tried again, and one is refused. */
function threeOn(destination: Destination) {
  const post = postTo(destination);
  return defineCase("three", { version: 1, owner: "purchasing", input: z.object({}) })
    .step("stands", { to: erp, run: () => post("/") })
    .step("busy", { to: erp, after: ["stands"], run: () => post("/?status=503") })
    .step("refused", { to: erp, after: ["stands"], run: () => post("/?status=422") });
}

function caseOn(destination: Destination) {
  const post = postTo(destination);
  return defineCase("purchase", {
    version: 1,
    owner: "purchasing",
    input: z.object({ vendor: z.string(), amount: z.number() }),
    events: { "approval.revoked": z.object({ why: z.string() }) },
  })
    .approval("approve", { by: "finance" })
    .step("createRecord", {
      to: erp,
      requires: {
        "approval still stands": ({ events }) =>
          events.latest("approval.revoked", { after: "approve" }) === null,
      },
      uses: ["amount"],
      request: ({ input }) => ({ amount: input.amount }),
      run: () => post("/records"),
    })
    .step("notify", {
      to: erp,
      request: ({ input }) => ({ vendor: input.vendor }),
      run: () => post("/notices"),
    });
}

describe("what is shown of a case that a worker worked on", () => {
  const destination = new Destination();
  let desk: Desk;
  let worker: Worker;
  beforeEach(async () => {
    destination.statuses.length = 0;
    destination.requests.length = 0;
    if (!destination.server.listening) await once(destination.server.listen(0, "127.0.0.1"), "listening");
    const store = memoryStore();
    const registry = registryOf([caseOn(destination), threeOn(destination)]);
    desk = testDesk(store, registry);
    const label = { name: "w-1", host: "host-1", build: "build-1" };
    worker = createWorker({ store, registry, ports: systemPorts(), ...label });
    await worker.start();
  });
  afterEach(async () => {
    await worker.stop();
    destination.server.closeAllConnections();
    await new Promise((resolve) => destination.server.close(resolve));
  });

  /** Starts a case, answers its approval, and waits until it reads as given. */
  async function approved(state: string): Promise<ReviewPacket> {
    const { caseId } = await desk.startCase("purchase", order, ada);
    await desk.answerApproval(caseId, { step: "approve", approved: true, by: "finn" });
    return reads(caseId, state);
  }
  async function reads(caseId: string, state: string): Promise<ReviewPacket> {
    await expect.poll(async () => (await desk.show(caseId)).reading.state, waiting).toBe(state);
    return desk.show(caseId);
  }

  test("a done case shows each confirmed action with its result, its key and how it came about", async () => {
    const view = await approved("Done");
    expect(view.confirmed.map(({ step, how, standing }) => [step, how, standing])).toEqual([
      ["approve", "by finn", "stands"],
      ["createRecord", "by the answer to attempt 1", "stands"],
      ["notify", "by the answer to attempt 1", "stands"],
    ]);
    expect(view.confirmed[1]).toMatchObject({
      result: { kind: "value", value: { id: "R-17" } },
      idempotencyKey: `${view.caseId}.createRecord.1`,
    });
    expect(view.foothold).toEqual(["notify"]);
    expect(view.attempts.map(({ step, executed, by }) => [step, executed, by])).toEqual([
      ["createRecord", "yes", "w-1"],
      ["notify", "yes", "w-1"],
    ]);
    expect(view.history.at(-1)?.sentence).toBe("Done: every step is confirmed.");
  });

  test("a failed step shows the last error, the next check allowed, and what is kept if the case goes on", async () => {
    destination.statuses.push(200, 503);
    const view = await approved("Will retry");
    expect(view.lastError).toMatchObject({
      step: "notify",
      attempt: 1,
      failure: { kind: "unknown", cause: "transient", executed: "maybe" },
    });
    expect(view.waits).toMatchObject([{ step: "notify", kind: "retry", actsNext: "the engine" }]);
    const failed = view.history.find(({ kind }) => kind === "attemptFailed");
    expect(failed?.sentence).toMatch(/^notify: attempt 1 failed\. .* Not tried again before .*Z\.$/);
    expect(view.steps.find(({ step }) => step === "notify")?.nextCheckAllowedAt).toBe(view.waits[0]?.dueAt);
    expect(view.plan?.steps.map(({ step, act, sentence }) => [step, act, sentence])).toEqual([
      ["approve", "nothing", "kept: confirmed by finn"],
      ["createRecord", "nothing", "kept: confirmed by the answer to attempt 1"],
      ["notify", "wait", expect.stringMatching(/^is tried again at .*Z \(attempt 2 of 5\)$/)],
    ]);
  });

  test("a resume does not wait for the automatic try, and sends only what is not confirmed", async () => {
    destination.statuses.push(200, 503);
    const { caseId } = await approved("Will retry");
    await desk.resume(caseId, ada);
    const view = await reads(caseId, "Done after repair");
    expect(destination.requests).toEqual(["/records", "/notices", "/notices"]);
    expect(view.history.map(({ sentence }) => sentence)).toContain("ada resumed the case.");
  });

  test("a rejected input names its owner and its fields, blocks a resume, and goes on once corrected", async () => {
    destination.statuses.push(200, 422);
    const view = await approved("Needs correction");
    expect(view.reading.actsNext).toBe("purchasing-data");
    expect(view.reviews).toMatchObject([{ step: "notify", reason: "rejected", owner: "purchasing-data" }]);
    expect(view.lastError?.failure.fields).toEqual([{ path: "vendor", message: "is not known here" }]);
    expect(view.failures).toEqual([view.lastError]);
    const failed = view.history.filter(({ kind }) => kind === "attemptFailed");
    expect(failed.map(({ sentence }) => sentence)).toEqual(["notify: attempt 1 failed. erp answered 422."]);
    const move = view.moves.find((one) => one.move === "resume");
    expect(move).toMatchObject({ isAllowed: false, code: "RESUME_BLOCKED" });
    expect((await refusalOf(desk.resume(view.caseId, ada))).code).toBe("RESUME_BLOCKED");

    const input = { ...order, vendor: "ACME Ltd" };
    await desk.correctInput(view.caseId, { input, by: "ada", reason: "name as registered" });
    // The approval was given for the old input, so it is asked again; what does not rest on the vendor stands.
    await reads(view.caseId, "Waiting for approval");
    await desk.answerApproval(view.caseId, { step: "approve", approved: true, by: "finn" });
    const repaired = await reads(view.caseId, "Done after repair");
    expect(destination.requests).toEqual(["/records", "/notices", "/notices"]);
    expect(repaired.originalInput).toEqual(order);
  });

  test("steps side by side that failed are each told with their failure, one that stands by now is not", async () => {
    destination.statuses.push(503);
    const { caseId } = await desk.startCase("three", {}, ada);
    await reads(caseId, "Will retry");
    await desk.resume(caseId, ada);
    const failed = async (): Promise<readonly string[]> =>
      (await desk.show(caseId)).failures.map(({ step }) => step).toSorted();
    await expect.poll(failed, waiting).toEqual(["busy", "refused"]);
    const view = await desk.show(caseId);
    expect(view.failures.find(({ step }) => step === "refused")).toMatchObject({
      failure: { kind: "rejected", fields: [{ path: "vendor" }] },
      kindWords: expect.any(String) as unknown,
    });
    expect(view.lastError).toEqual(view.failures[0]);
  });

  test("a revoked approval shows which prerequisite broke and what no longer stands, and recreates nothing", async () => {
    destination.statuses.push(200, 503);
    const { caseId } = await approved("Will retry");
    await desk.recordEvent(caseId, { eventType: "approval.revoked", payload: { why: "fraud" } });
    const view = await reads(caseId, "Needs review");
    expect(view.reading.sentence).toContain("approval still stands");
    expect(view.confirmed.find(({ step }) => step === "createRecord")).toMatchObject({
      standing: "lapsed",
      lapsedBecause: expect.stringContaining(`"approval still stands" is broken`) as unknown,
    });
    expect(view.foothold).toEqual(["approve"]);
    const condition = view.plan?.steps.find(({ step }) => step === "createRecord")?.conditions[0];
    expect(condition).toMatchObject({ name: "approval still stands", role: "requires", answer: "broken" });
    expect(destination.requests).toEqual(["/records", "/notices"]);
  });
});

test("a condition that reads what is not there yet is no fault before its turn, and one that can tell is shown", async () => {
  const early = defineCase("early", {
    version: 1,
    owner: "purchasing",
    input: z.object({ amount: z.number() }),
  })
    .approval("approve", { by: "finance", form: z.object({ limit: z.number() }) })
    .step("createRecord", {
      to: erp,
      before: {
        "within the approved limit": ({ input, results }) => input.amount <= results.approve.form.limit,
        "worth a record": ({ input }) => input.amount >= 1,
      },
      run: () => Promise.reject(new Error("nothing is sent here")),
    });
  const desk = testDesk(memoryStore(), registryOf([early]));
  const { caseId } = await desk.startCase("early", { amount: 0.5 }, ada);
  const { plan } = await desk.show(caseId);
  const later = plan?.steps.find(({ step }) => step === "createRecord");
  expect(later?.conditions.map(({ answer, why, askedAt }) => [answer, why, askedAt !== null])).toEqual([
    [null, null, false],
    ["broken", "the condition is not true", true],
  ]);
});
