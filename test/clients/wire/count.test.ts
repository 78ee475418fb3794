import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { MeteredEvidence } from "../../../src/wire/evidence.ts";
import { findingsOf } from "../../../src/wire/findings.ts";
import { WireMeter } from "../../../src/wire/meter.ts";
import { Attempts, CountingServer } from "../../../src/wire/wire.fixture.ts";
import { passTimeFaster } from "./fast-time.ts";
import { OCTOKIT, ONCE, REPEATING, REPEATING_READS, type SetUp } from "./set-ups.ts";

const server = new CountingServer();
const meter = new WireMeter();
const attempts = new Attempts();
/** More than any client tries by itself, so that nothing here is refused. */
const requestsMax = 1_000;
let endMetering: () => void = () => undefined;
let endFastTime: () => void = () => undefined;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  endMetering = meter.start();
  endFastTime = passTimeFaster();
  server.paths.length = 0;
  server.keys.length = 0;
});
afterEach(() => {
  endFastTime();
  endMetering();
});

async function seen({ send }: SetUp): Promise<MeteredEvidence> {
  const attempt = attempts.next({ requestsMax });
  return (await meter.watch(attempt, (transport) => send(server.url, transport))).evidence;
}

/** What the server counted of one run, beside what the meter saw of it. */
async function run(setUp: SetUp): Promise<{ readonly counted: number; readonly evidence: MeteredEvidence }> {
  const before = server.paths.length;
  const evidence = await seen(setUp);
  return { counted: server.paths.length - before, evidence };
}

const behaviors: readonly [name: string, behave: () => void][] = [
  ["answers 503", () => server.answersStatus(503)],
  ["drops the connection", () => server.drops()],
];
const RUNS = 3;

describe.each(behaviors)("against a server that %s", (_, behave) => {
  beforeEach(behave);

  test.each([...ONCE, ...REPEATING, ...REPEATING_READS].map((one) => [one.name, one] as const))(
    "the meter counts what the server counts: %s",
    async (__, setUp) => {
      for (let runs = 0; runs < RUNS; runs += 1) {
        const { counted, evidence } = await run(setUp);
        expect(counted).toBeGreaterThan(0);
        expect(evidence).toMatchObject({ sentCount: counted, unsentCount: 0, blindSpots: [] });
        expect(new Set(evidence.requests.map(({ client }) => client))).toEqual(new Set([setUp.client]));
      }
    },
  );

  test.each([...ONCE, ...REPEATING, ...REPEATING_READS].map((one) => [one.name, one] as const))(
    "each of three attempts side by side gets its own: %s",
    async (__, setUp) => {
      const alone = await run(setUp);
      const before = server.paths.length;
      const counts = await Promise.all([1, 2, 3].map(async () => (await seen(setUp)).sentCount));
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(server.paths.length - before);
      expect(counts).toEqual([alone.counted, alone.counted, alone.counted]);
    },
  );
});

describe("a client that repeats a write by itself", () => {
  const bounds = { maxAttempts: 5, maxRequests: 8 };

  test.each(REPEATING.map((one) => [one.name, one] as const))("is named with it: %s", async (_, setUp) => {
    server.drops();
    const dropped = (await run(setUp)).evidence;
    server.answersStatus(503);
    const answered = (await run(setUp)).evidence;
    // Some repeat only after the one or the other.
    const evidence = dropped.sentCount > answered.sentCount ? dropped : answered;
    expect(evidence.repeatCount).toBe(evidence.sentCount - 1);
    expect(findingsOf(evidence, bounds, [])).toContainEqual({ code: "HIDDEN_RETRY", client: setUp.client });
  });

  test("is told as unsafe where the write carries no key", async () => {
    server.answersStatus(503);
    const openai = REPEATING.find(({ name }) => name === "OpenAI");
    if (openai === undefined) throw new Error("no OpenAI");
    const { evidence } = await run(openai);
    expect(findingsOf(evidence, bounds, []).map(({ code }) => code)).toEqual([
      "HIDDEN_RETRY",
      "UNSAFE_HIDDEN_RETRY",
      "MULTIPLIED",
    ]);
    expect(evidence.requests.map(({ clientTry }) => clientTry?.number)).toEqual([1, 2, 3]);
  });

  test("makes a key of its own for every call: Stripe", async () => {
    server.drops();
    const stripe = REPEATING.find(({ name }) => name === "Stripe");
    if (stripe === undefined) throw new Error("no Stripe");
    const first = await run(stripe);
    const second = await run(stripe);
    for (const { evidence } of [first, second]) {
      expect(findingsOf(evidence, bounds, [])).toContainEqual({
        code: "AUTO_KEY_PER_CALL",
        client: "Stripe",
      });
    }
    const keys = [first, second].map(({ evidence }) => evidence.requests[0]?.keyHash);
    expect(new Set(keys).size).toBe(2);
    expect(new Set(server.keys).size).toBe(2);
  });
});

describe("Octokit as it comes", () => {
  test.each(behaviors)(
    "is counted as the server counts it, alone, while the server %s",
    async (_, behave) => {
      behave();
      for (let runs = 0; runs < RUNS; runs += 1) {
        const { counted, evidence } = await run(OCTOKIT);
        expect(counted).toBeGreaterThan(1);
        expect(evidence.sentCount).toBe(counted);
      }
    },
  );

  test("is counted alone, and for several attempts at once the total is right and a wrong owner is never a proof", async () => {
    server.answersStatus(503);
    const alone = await run(OCTOKIT);
    expect(alone.evidence.sentCount).toBe(alone.counted);
    const before = server.paths.length;
    const all = await Promise.all([1, 2, 3].map(() => seen(OCTOKIT)));
    expect(all.reduce((sum, { sentCount }) => sum + sentCount, 0)).toBeLessThanOrEqual(
      server.paths.length - before,
    );
    // An attempt of which nothing was seen says so.
    expect(all.filter(({ sentCount, blindSpots }) => sentCount === 0 && blindSpots.length === 0)).toEqual([]);
  });
});
