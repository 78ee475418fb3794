import OpenAI from "openai";
import { Stripe } from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CaseType, RunContext } from "../../../src/define/case-type.ts";
import { defineCase } from "../../../src/define/builder.ts";
import { defineDestination } from "../../../src/define/destination.ts";
import type { CaseView } from "../../../src/desk/case-view.ts";
import { memoryStore } from "../../../src/store/memory/store.ts";
import { CountingServer } from "../../../src/wire/wire.fixture.ts";
import { input, World } from "../../engine/world.ts";

const server = new CountingServer();
let world: World;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  world = new World(memoryStore());
  server.paths.length = 0;
  server.keys.length = 0;
});
afterEach(async () => {
  await world.close();
});

type Run = (context: Pick<RunContext, "fetch" | "idempotencyKey">) => Promise<unknown>;

function caseOf(run: Run): CaseType {
  const to = defineDestination("model", {
    idempotency: { by: "key", window: "24h" },
    retry: { firstDelay: "1ms", maxDelay: "1ms" },
  });
  const send = async (context: Parameters<Run>[0]): Promise<null> => {
    await run(context);
    return null;
  };
  return defineCase("asking", { version: 1, owner: "ops", input }).step("ask", { to, run: send });
}

async function reviewed(caseType: CaseType): Promise<CaseView> {
  await world.worker([caseType]);
  const caseId = await world.start(caseType);
  await world.rests(caseId, "in_review");
  return world.desk(caseType).show(caseId);
}

async function ask(over: { readonly fetch?: typeof fetch } = {}): Promise<void> {
  const client = new OpenAI({ apiKey: "k", baseURL: server.url, ...over });
  await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "c" }] });
}

describe("a step whose client repeats requests by itself", () => {
  test("is shown with what each attempt really sent, and goes to people when the requests of the round are used up", async () => {
    server.answersStatus(503);
    const view = await reviewed(caseOf(() => ask()));
    expect(view.attempts.map(({ requests }) => requests?.sentence)).toEqual([
      "attempt 1 of 5 sent 3 requests",
      "attempt 2 of 5 sent 3 requests",
      "attempt 3 of 5 sent 3 requests",
    ]);
    expect(view.attempts[0]?.requests?.findings).toContainEqual({
      code: "HIDDEN_RETRY",
      sentence: "OpenAI sends the same request again by itself; turn that off: maxRetries: 0.",
    });
    expect(view.reviews[0]?.sentence).toContain("it was tried 3 of 5 times in 9 of 8 requests");
    expect(server.paths).toHaveLength(9);
  });

  test("sends no more than the round may when it sends with the step's own fetch", async () => {
    server.answersStatus(503);
    const view = await reviewed(caseOf(({ fetch: stepFetch }) => ask({ fetch: stepFetch })));
    expect(view.attempts.map(({ requests }) => requests?.sent)).toEqual([3, 3, 2]);
    expect(view.lastError?.failure.sentence).toMatch(/was not sent: .* turn that off: maxRetries: 0\.$/);
    expect(server.paths).toHaveLength(8);
  });
});

const charge =
  (key: (context: Parameters<Run>[0]) => Stripe.RequestOptions): Run =>
  async (context) => {
    const { hostname: host, port } = new URL(server.url);
    const httpClient = Stripe.createFetchHttpClient(context.fetch);
    const stripe = new Stripe("sk_test_x", { host, port, protocol: "http", httpClient });
    await stripe.customers.create({ name: "n" }, key(context));
  };

describe("a client that makes a key of its own for every call", () => {
  test("is stopped before its second key could be executed beside the first, as a fault of the step's code", async () => {
    server.drops();
    const view = await reviewed(caseOf(charge(() => ({}))));
    expect(view.reviews).toMatchObject([{ reason: "bug" }]);
    expect(view.reviews[0]?.sentence).toContain(
      "Stripe makes a key of its own; give it the step's idempotencyKey",
    );
    expect(view.attempts.at(-1)).toMatchObject({ executed: "no" });
    expect(new Set(server.keys).size).toBe(1);
  });

  test("goes on under the step's key once it is given that", async () => {
    server.drops();
    const view = await reviewed(caseOf(charge(({ idempotencyKey }) => ({ idempotencyKey }))));
    expect(view.reviews[0]?.reason).not.toBe("bug");
    expect(view.attempts.length).toBeGreaterThan(1);
    expect(new Set(server.keys)).toEqual(new Set([view.attempts[0]?.idempotencyKey]));
    expect(server.paths.length).toBeLessThanOrEqual(8);
  });
});
