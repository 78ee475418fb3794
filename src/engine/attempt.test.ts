import { getEventListeners } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SendOutcome } from "../core/decide.ts";
import type { Json } from "../core/json.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType, RunContext } from "../define/case-type.ts";
import { defineDestination, type Destination } from "../define/destination.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import type { LateRequest } from "../wire/attempt-record.ts";
import { WireMeter, type AttemptMeter } from "../wire/meter.ts";
import { unmetered } from "../wire/unmetered.ts";
import { CountingServer } from "../wire/wire.fixture.ts";
import { makeAttempt, readResult, type AttemptContext } from "./attempt.ts";
import { anything, startedState, withAttempt } from "./case-types.fixture.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { Failpoint } from "./failpoints.ts";
import { Lease } from "./lease.ts";
import { ManualClock, settle } from "./manual-clock.fixture.ts";
import { sharedAbort } from "./stop-signal.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

type Run = (context: RunContext) => unknown;

const overHttp = defineDestination("overHttp", { idempotency: { by: "none" }, transport: "http" });

function orderWith(
  run: Run,
  options: { readonly request?: () => Json; readonly to?: Destination } = {},
): CaseType {
  return defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
    to: erp,
    ...options,
    // The engine gives what it gives; these tests look at all of it.
    run,
    deadline: "5s",
  });
}

/** Everything around one send, by hand. */
class Bench {
  readonly clock = new ManualClock();
  readonly databaseClock = new DatabaseClock(this.clock);
  readonly lease = new Lease(this.clock, 10_000);
  readonly kill = sharedAbort();
  readonly lost = sharedAbort();
  readonly passed: Failpoint[] = [];
  readonly late: SendOutcome[] = [];
  readonly lateRequests: LateRequest[] = [];
  readonly meter: AttemptMeter;
  isOver: boolean | null = null;
  onFailpoint: (point: Failpoint) => void | Promise<void> = () => undefined;

  constructor(meter: AttemptMeter = unmetered) {
    this.meter = meter;
    this.databaseClock.follow(1_000, this.clock.monotonic());
    this.lease.extend(this.lease.mark());
  }

  context(): AttemptContext {
    return {
      clock: this.clock,
      databaseClock: this.databaseClock,
      lease: this.lease,
      kill: this.kill.signal,
      meter: this.meter,
      onFailpoint: (point) => {
        this.passed.push(point);
        return this.onFailpoint(point);
      },
    };
  }

  async send(caseType: CaseType): Promise<SendOutcome> {
    const { ref, state } = withAttempt(caseType, startedState(caseType));
    const step = caseType.steps["send"];
    if (step?.kind !== "step") throw new Error("the case type has no step send");
    const { outcome, isOver } = await makeAttempt(this.context(), {
      step,
      state,
      ref,
      place: { caseId: state.caseId, step: "send", attempt: ref.attempt, claimId: "claim-1" },
      lost: this.lost.signal,
      onLateSuccess: (late) => this.late.push(late),
      onLateRequest: (late) => this.lateRequests.push(late),
    });
    this.isOver = isOver;
    return outcome;
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

describe("a send", () => {
  test("gives what run returned, with when it was sent and answered as evidence", async () => {
    const bench = new Bench();
    const outcome = bench.send(
      orderWith(async () => {
        await bench.clock.sleep(40);
        return { recordId: "R-1" };
      }),
    );
    await bench.clock.advance(40);
    expect(await outcome).toEqual({
      kind: "succeeded",
      result: { kind: "value", value: { recordId: "R-1" } },
      evidence: { sentAt: 1_000, answeredAt: 1_040 },
    });
  });

  test("passes its failpoints in order", async () => {
    const bench = new Bench();
    await bench.send(orderWith(() => null));
    expect(bench.isOver).toBe(true);
    expect(bench.passed).toEqual(["afterIntent", "duringSend", "afterSend"]);
  });

  test("hands out the key, the token, the attempt and the request as the journal has them", async () => {
    let seen: RunContext | null = null;
    await new Bench().send(
      orderWith((context) => void (seen = context), { request: () => ({ b: 1, a: [2, null] }) }),
    );
    expect(seen).toMatchObject({
      caseId: "00case",
      idempotencyKey: "00case.send.1",
      fencingToken: 1_000,
      attempt: 1,
      request: { a: [2, null], b: 1 },
      input: {},
      results: {},
    });
  });

  test("gives each attempt a request of its own: what one changes, the next does not see", async () => {
    const seen: unknown[] = [];
    const order = orderWith(
      ({ request }) => {
        seen.push(structuredClone(request));
        (request as { items: unknown[] }).items.push("more");
      },
      { request: () => ({ items: ["one"] }) },
    );
    await new Bench().send(order);
    await new Bench().send(order);
    expect(seen).toEqual([{ items: ["one"] }, { items: ["one"] }]);
  });

  test("leaves no timer and no listener behind", async () => {
    const bench = new Bench();
    const { lease } = bench;
    await bench.send(
      orderWith(({ signal }) => {
        signal.addEventListener("abort", () => undefined);
      }),
    );
    await settle();
    // What is left is the lease's own watch.
    expect(bench.clock.sleepers).toBe(1);
    for (const signal of [bench.kill.signal, bench.lost.signal, lease.signal]) {
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    }
  });
});

async function neverSent(prepare: (bench: Bench) => void): Promise<SendOutcome> {
  const bench = new Bench();
  bench.onFailpoint = () => prepare(bench);
  return bench.send(
    orderWith(() => {
      throw new Error("it was sent");
    }),
  );
}

describe("a send that may not begin", () => {
  test.each<[string, string, (bench: Bench) => void]>([
    ["the process stops", "unsent.shutdown", (bench) => bench.kill.abort()],
    ["the claim is lost", "unsent.lease", (bench) => bench.lost.abort()],
    [
      "the process slept past its lease, before any timer fired",
      "unsent.lease",
      (bench) => bench.clock.stall(8_000),
    ],
    ["its deadline has passed", "unsent.deadline", (bench) => bench.clock.stall(5_000)],
  ])("is not sent when %s, and that proves that nothing happened", async (_, rule, prepare) => {
    expect(await neverSent(prepare)).toMatchObject({
      kind: "failed",
      failure: { kind: "stopped", executed: "no", rule },
    });
  });
});

describe("a send that takes too long", () => {
  test("is aborted at its deadline; an answer that does not come may have been given", async () => {
    const bench = new Bench();
    const outcome = bench.send(orderWith(({ signal }) => untilAborted(signal)));
    await bench.clock.advance(5_000);
    expect(await outcome).toMatchObject({
      kind: "failed",
      failure: { kind: "unknown", cause: "stopped", executed: "maybe", rule: "stopped.deadline" },
    });
  });

  test("is aborted when the lease can no longer be trusted", async () => {
    const bench = new Bench();
    const order = orderWith(({ signal }) => untilAborted(signal));
    bench.clock.stall(4_000);
    bench.databaseClock.follow(1_000, bench.clock.monotonic());
    const outcome = bench.send(order);
    await bench.clock.advance(4_000);
    expect(await outcome).toMatchObject({ failure: { executed: "maybe", rule: "stopped.lease" } });
  });

  test("is aborted when the claim is lost, and when the process stops", async () => {
    for (const [stop, rule] of [
      ["lost", "stopped.lease"],
      ["kill", "stopped.shutdown"],
    ] as const) {
      const bench = new Bench();
      const outcome = bench.send(orderWith(({ signal }) => untilAborted(signal)));
      await settle();
      bench[stop].abort(new Error("stop"));
      expect(await outcome).toMatchObject({ failure: { executed: "maybe", rule } });
    }
  });

  test("is taken as unknown a second later when run ignores its signal", async () => {
    const bench = new Bench();
    const outcome = bench.send(orderWith(() => new Promise(() => undefined)));
    await bench.clock.advance(5_999);
    let isOver = false;
    void outcome.then(() => (isOver = true));
    await settle();
    expect(isOver).toBe(false);
    await bench.clock.advance(1);
    expect(await outcome).toMatchObject({ failure: { executed: "maybe", rule: "stopped.deadline" } });
    expect(bench.isOver).toBe(false);
    expect(bench.late).toEqual([]);
  });

  test("reports its success when run ends well after all", async () => {
    const bench = new Bench();
    const outcome = bench.send(
      orderWith(async () => {
        await bench.clock.sleep(20_000);
        return { recordId: "R-9" };
      }),
    );
    await bench.clock.advance(6_000);
    expect(await outcome).toMatchObject({ kind: "failed" });
    await bench.clock.advance(20_000);
    expect(bench.late).toMatchObject([
      { kind: "succeeded", result: { kind: "value", value: { recordId: "R-9" } } },
    ]);
  });

  test("reports nothing when run fails after all: that proves nothing", async () => {
    const bench = new Bench();
    const outcome = bench.send(
      orderWith(async () => {
        await bench.clock.sleep(20_000);
        throw new Error("late");
      }),
    );
    await bench.clock.advance(30_000);
    await outcome;
    expect(bench.late).toEqual([]);
  });

  test("that succeeds just as it is aborted has succeeded", async () => {
    const bench = new Bench();
    const outcome = bench.send(
      orderWith(async ({ signal }) => {
        await untilAborted(signal).catch(() => undefined);
        return "done";
      }),
    );
    await bench.clock.advance(5_000);
    expect(await outcome).toMatchObject({ kind: "succeeded", result: { value: "done" } });
  });

  test("is not blamed on a stop that came after run had ended", async () => {
    const bench = new Bench();
    bench.onFailpoint = (point) => (point === "afterSend" ? bench.kill.abort() : undefined);
    const outcome = await bench.send(
      orderWith(() => {
        throw new Error("its own");
      }),
    );
    expect(outcome).toMatchObject({ failure: { kind: "unknown", cause: "transient", rule: "unclear" } });
  });
});

describe("a result that cannot be stored", () => {
  const endless: Record<string, unknown> = {};
  endless["self"] = endless;

  test.each<[string, unknown]>([
    ["a BigInt", { n: 1n }],
    ["a cycle", endless],
    ["a NUL character", "a\0b"],
    ["half a surrogate pair", "\uD83C"],
    ["a function", () => undefined],
    ["an infinite number", Infinity],
    ["more than is stored", "x".repeat(VALUE_CHARS_MAX)],
    [
      "a getter that throws",
      {
        get value() {
          throw new Error("no");
        },
      },
    ],
    [
      "what cannot even be told",
      {
        get value() {
          throw Object.create(null) as Error;
        },
      },
    ],
  ])("confirms the step all the same, because it took effect: %s", async (_, value) => {
    const outcome = await new Bench().send(orderWith(() => value));
    expect(outcome).toMatchObject({ kind: "succeeded", result: { kind: "unreadable" } });
  });

  test("confirms with why it does not fit its schema", async () => {
    const order = orderWith(() => ({ recordId: 7 }));
    const step = order.steps["send"];
    if (step?.kind !== "step") throw new Error("no step");
    const strict = {
      ...step,
      result: () =>
        Promise.resolve({
          kind: "invalid",
          faults: [
            { path: "recordId", message: "must be a text" },
            { path: "", message: "half a pair \uD83C" },
          ],
        } as const),
    };
    expect(await readResult(strict, { recordId: 7 })).toEqual({
      kind: "unreadable",
      why: "it does not fit its schema (recordId: must be a text; the value: half a pair \uFFFD)",
    });
  });

  test("takes what the schema made of the result", async () => {
    const order = defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
      to: erp,
      result: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value: unknown) => ({ value: { ...(value as object), made: true } }),
        },
      },
      run: () => ({ recordId: "R-1" }),
      deadline: "5s",
    });
    expect(await new Bench().send(order)).toMatchObject({
      result: { kind: "value", value: { recordId: "R-1", made: true } },
    });
  });
});

let endMetering: () => void = () => undefined;

describe("what a send really sends", () => {
  const server = new CountingServer();
  const meter = new WireMeter();

  beforeAll(() => server.start());
  afterAll(() => server.stop());
  beforeEach(() => {
    endMetering = meter.start();
    server.paths.length = 0;
  });
  afterEach(() => endMetering());

  test("is kept with its outcome, whether it took effect or failed", async () => {
    server.answersStatus(200);
    const post = (): Promise<Response> => fetch(`${server.url}/a`, { method: "POST" });
    expect(await new Bench(meter).send(orderWith(async () => (await post()).json()))).toMatchObject({
      kind: "succeeded",
      wire: { requests: 1, repeats: 0, isAtLeast: false, findings: [] },
    });
    server.answersStatus(503);
    const failed = await new Bench(meter).send(
      orderWith(async () => {
        await post();
        await post();
        throw new Error("failed");
      }),
    );
    expect(failed).toMatchObject({
      kind: "failed",
      wire: {
        requests: 2,
        repeats: 1,
        findings: [{ code: "HIDDEN_RETRY" }, { code: "UNSAFE_HIDDEN_RETRY" }, {}],
      },
    });
  });

  test("sorts an error that says nothing", async () => {
    server.answersStatus(429, { "retry-after": "37" });
    const outcome = await new Bench(meter).send(
      orderWith(async () => {
        await fetch(`${server.url}/a`, { method: "POST" });
        throw new Error("failed");
      }),
    );
    expect(outcome).toMatchObject({
      failure: { kind: "throttled", executed: "no", instruction: { kind: "retryAfter", delayMs: 37_000 } },
    });
  });

  describe("where the step sends over HTTP alone", () => {
    const to = overHttp;
    const send = (run: Run): Promise<SendOutcome> => new Bench(meter).send(orderWith(run, { to }));

    test("a mistake before the first request sent nothing, and is known for a bug", async () => {
      const outcome = await send(({ request }) => (request as { vendor: { id: string } }).vendor.id);
      expect(outcome).toMatchObject({
        kind: "failed",
        failure: { kind: "bug", executed: "no", confidence: "proved", rule: "code.threw" },
      });
    });

    test("a request that nobody waits for is seen all the same", async () => {
      server.answersStatus(200);
      const outcome = await send(async () => {
        void fetch(`${server.url}/a`, { method: "POST" }).catch(() => undefined);
        throw new TypeError("x is undefined");
      });
      expect(outcome).toMatchObject({ failure: { cause: "bug", executed: "maybe" } });
    });

    test("what has not ended proves nothing", async () => {
      const bench = new Bench(meter);
      const outcome = bench.send(orderWith(() => new Promise(() => undefined), { to }));
      await bench.clock.advance(5_000);
      await bench.clock.advance(1_000);
      expect(await outcome).toMatchObject({ failure: { kind: "unknown", executed: "maybe" } });
    });
  });

  test("without that a mistake before the first request may have sent something by other means", async () => {
    const outcome = await new Bench(meter).send(
      orderWith(() => {
        throw new TypeError("x is undefined");
      }),
    );
    expect(outcome).toMatchObject({ failure: { kind: "unknown", cause: "bug", executed: "maybe" } });
  });

  test("is not told where the step sends by other means", async () => {
    expect(await new Bench(meter).send(orderWith(() => 1))).not.toHaveProperty("wire");
  });

  test("is bounded by the step's own fetch, and the failure says how the client's repeats are turned off", async () => {
    server.answersStatus(503);
    const outcome = await new Bench(meter).send(
      orderWith(async ({ fetch: stepFetch }) => {
        for (;;) await stepFetch(`${server.url}/a`, { method: "POST" });
      }),
    );
    expect(server.countOf("/a")).toBe(8);
    expect(outcome).toMatchObject({
      kind: "failed",
      wire: { requests: 8, repeats: 7 },
      failure: {
        cause: "transient",
        executed: "maybe",
        sentence: expect.stringMatching(/POST \/a was not sent: .* turn that off: /) as unknown,
      },
    });
  });

  test("is told when it comes after the send was taken for ended", async () => {
    server.answersStatus(200);
    const bench = new Bench(meter);
    let loose: Promise<unknown> = Promise.resolve();
    await bench.send(
      orderWith(() => {
        loose = settle().then(() => fetch(`${server.url}/late`, { method: "POST" }));
      }),
    );
    await loose;
    expect(bench.lateRequests).toMatchObject([{ method: "POST", isSure: true }]);
  });
});
