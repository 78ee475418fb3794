import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineCase, defineDestination, expectOk } from "foothold";
import { startDev, type Dev } from "foothold/dev";
import { memoryStore } from "foothold/memory";
import { pinoLogger } from "../../src/cli/json-logger.ts";
import { LOG_EVENTS } from "../../src/telemetry/log-events.ts";

/** By its shape, by its field, and by the mask of the case type. */
const secrets = {
  token: "sk_live_aB3dE5fG7hJ9kL",
  password: "hunter2-hunter2",
  iban: "DE89370400440532013000",
};
const line = z.looseObject({ level: z.string(), time: z.string(), event: z.string(), msg: z.string() });

const written: string[] = [];
let shop: Server;
let dev: Dev;
let bodies: string[] = [];

beforeAll(async () => {
  shop = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      const answer = bodies.length === 1 ? 503 : 422;
      const { iban, token, password } = secrets;
      const told = { message: `account ${iban} with ${token} refused, password=${password}`, sent: body };
      response.writeHead(answer, { "x-api-key": token }).end(JSON.stringify(told));
    });
  });
  shop.listen(0, "127.0.0.1");
  await once(shop, "listening");
  const { port } = shop.address() as AddressInfo;
  const erp = defineDestination("erp", {
    idempotency: { by: "key", window: "24h" },
    retry: { firstDelay: "10ms" },
  });
  const pay = defineCase("pay", {
    version: 1,
    owner: "sales",
    input: z.object({ iban: z.string(), token: z.string() }),
    masked: ["iban", "token"],
  }).step("transfer", {
    to: erp,
    request: ({ input }) => ({ iban: input.iban }),
    run: async ({ fetch, request, idempotencyKey, signal }) => {
      const headers = { "idempotency-key": idempotencyKey, authorization: `Bearer ${secrets.token}` };
      const body = JSON.stringify(request);
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body, signal });
      await expectOk(answer);
      return {};
    },
  });
  const logger = pinoLogger("debug", { write: (text) => void written.push(text) });
  dev = await startDev({ store: memoryStore(), port: 0, cases: [pay], logger });
});

afterAll(async () => {
  await dev.stop();
  shop.close();
  await once(shop, "close");
});

test("the log of a whole story names case, step, attempt, destination, claim and trace, and holds no secret", async () => {
  bodies = [];
  const { iban, token } = secrets;
  const { caseId } = await dev.desk.startCase("pay", { iban, token }, { by: "docs" });
  await expect.poll(async () => (await dev.desk.list({ states: ["in_review"] })).cases.length).toBe(1);
  await dev.stop();
  const lines = written.map((text) => line.parse(JSON.parse(text)));
  expect(lines.filter(({ event }) => !(event in LOG_EVENTS))).toEqual([]);
  const of = { caseId, caseType: "pay", step: "transfer", destination: "erp" };
  const rest = {
    claimId: expect.any(String) as unknown,
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
  };
  const attempts = lines.filter(({ event }) => event === "attemptFailed");
  expect(attempts).toMatchObject([
    { level: "info", ...of, ...rest, attempt: 1, failureKind: "unknown" },
    { level: "info", ...of, ...rest, attempt: 2, failureKind: "rejected" },
  ]);
  expect(bodies[0]).toContain(iban);
  const log = written.join("");
  for (const [name, secret] of Object.entries(secrets))
    expect([name, log.includes(secret)]).toEqual([name, false]);
});
