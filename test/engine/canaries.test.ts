import { afterAll, describe, expect, test } from "vitest";
import { caseLines } from "../../src/cli/case-text.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { probe } from "../../src/define/probe.ts";
import { expectOk } from "../../src/triage/response.ts";
import type { TestDestination } from "./destination.ts";
import { input, STORES, worldsOn } from "./world.ts";

/** Each is found wherever any part of a secret is left. */
const CANARY = "cAnArY7Zq1Xw9Kd2Lm4";
const secrets = {
  bearer: `Bearer ${CANARY}`,
  cookie: `session=${CANARY}; Path=/`,
  live: `sk_live_${CANARY}`,
  url: (base: string) => `${base.replace("http://", `http://app:${CANARY}@`)}/orders?api_key=${CANARY}`,
} as const;

const answer = {
  error: { message: `Invalid key: ${secrets.live}`, type: "auth", param: "token" },
  access_token: CANARY,
  echo: { headers: { Authorization: secrets.bearer, Cookie: secrets.cookie }, password: CANARY },
  errors: [{ field: "vendor", message: `not known to ${secrets.live}` }],
};
const headers = {
  "set-cookie": secrets.cookie,
  "x-api-key": CANARY,
  "www-authenticate": `Bearer ${CANARY}`,
  "x-request-id": "req-1",
};

function fails(way: string, destination: TestDestination): () => Promise<never> {
  return async () => {
    const url = `${destination.url}/orders?api_key=${CANARY}`;
    const send = (): Promise<Response> =>
      fetch(url, { method: "POST", headers: { authorization: secrets.bearer, cookie: secrets.cookie } });
    switch (way) {
      case "an answer and its headers":
        await expectOk(await send());
        throw new Error("it was answered well");
      case "a client's error with its request":
        throw Object.assign(new Error(`Request failed: ${secrets.url(destination.url)}`), {
          status: 401,
          config: { headers: { authorization: secrets.bearer } },
          request: { headers: { cookie: secrets.cookie } },
          response: { status: 401, headers, data: answer },
        });
      case "a bare message with causes":
        throw new Error(`authorization: ${secrets.bearer}`, {
          cause: new AggregateError([new Error(`password=${CANARY}`)], secrets.live),
        });
      default:
        // oxlint-disable-next-line typescript/only-throw-error -- clients throw texts too
        throw `client_secret=${CANARY}`;
    }
  };
}

const ways = [
  "an answer and its headers",
  "a client's error with its request",
  "a bare message with causes",
  "a thrown text",
];

describe.each(STORES)("secrets in what fails on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);

  test.each(ways)("are stored and told nowhere: %s", async (way) => {
    const world = await worlds.open();
    const destination = await world.destination();
    for (const status of [401, 401, 401])
      destination.script(`/orders?api_key=${CANARY}`, { status, headers, body: answer });
    const erp = defineDestination("erp", {
      idempotency: { by: "key", window: "24h" },
      retry: { maxAttempts: 2, firstDelay: "10ms" },
    });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
      to: erp,
      request: () => ({ vendor: "ACME" }),
      run: fails(way, destination),
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    const row = await world.rests(caseId, "in_review");
    const desk = world.desk(order);
    const packet = await desk.show(caseId);
    const told = {
      row,
      packet,
      printed: caseLines(packet, null),
      journal: (await world.store.loadCase(caseId))?.journal,
      problems: await desk.problems(),
      audit: await world.store.audit.list({ limit: 100 }),
      reports: world.reports,
    };
    // It is known what failed all the same.
    expect(packet.lastError?.failure.kind).toBe(
      way === "a thrown text" || way.startsWith("a bare") ? "unknown" : "denied",
    );
    expect(JSON.stringify(told)).not.toContain(CANARY);
  });

  test("are stored and told nowhere: a probe that throws them", async () => {
    const world = await worlds.open();
    const erp = defineDestination("erp", {
      idempotency: { by: "key", window: "24h" },
      retry: { maxAttempts: 2, firstDelay: "10ms" },
    });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
      to: erp,
      before: {
        "vendor is there": probe({
          of: erp,
          deadline: "1s",
          freshFor: "1m",
          ask: () => Promise.reject(new Error(`GET ${secrets.url("http://erp")} ${secrets.bearer}`)),
        }),
      },
      request: () => ({ vendor: "ACME" }),
      run: () => Promise.reject(new Error("it must not be sent")),
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "in_review");
    const told = [await world.desk(order).show(caseId), await world.entries(caseId), world.reports];
    expect(JSON.stringify(told)).toContain("vendor is there");
    expect(JSON.stringify(told)).not.toContain(CANARY);
  });
});
