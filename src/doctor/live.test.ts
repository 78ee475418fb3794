import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineDestination, readDestination } from "../define/destination.ts";
import type { CallContext } from "../define/destination-calls.ts";
import { systemPorts } from "../engine/system.ts";
import { expectOk } from "../triage/response.ts";
import { WireMeter } from "../wire/meter.ts";
import { tryDestination, type LiveReport } from "./live.ts";

let status = 200;
let requests = 0;
const server: Server = createServer((request, response) => {
  requests += 1;
  request.resume();
  response.writeHead(status, { "content-type": "application/json" }).end("{}");
});
let url = "";
const meter = new WireMeter();
let endMetering: () => void = () => undefined;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/me`;
});
afterAll(() => void server.close());
beforeEach(() => {
  status = 200;
  requests = 0;
  endMetering = meter.start();
});
afterEach(() => endMetering());

function tried(ping: (context: CallContext) => Promise<unknown>): Promise<LiveReport> {
  const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" }, credential: "account" });
  const { outline } = readDestination(erp);
  return tryDestination({ destination: outline, ping }, { clock: systemPorts().clock, meter });
}
const ask = async ({ fetch, signal }: CallContext): Promise<unknown> =>
  expectOk(await fetch(url, { signal }));
const codes = ({ findings }: LiveReport): readonly string[] => findings.map(({ code }) => code);

describe("one dry attempt", () => {
  test("that is answered tells that all is well, and what was sent", async () => {
    const report = await tried(ask);
    expect(report).toMatchObject({
      isReached: true,
      requests: 1,
      repeats: 0,
      isAtLeast: false,
      findings: [],
    });
    expect(report).toMatchObject({ credentialId: "account", clients: ["fetch"], failure: null });
    expect(requests).toBe(1);
  });

  test.each([
    [401, "CREDENTIAL_REFUSED"],
    [403, "CREDENTIAL_REFUSED"],
    [429, "SLOWED_DOWN"],
    [503, "UNREACHABLE"],
    [404, "PING_FAILED"],
  ])("that is answered %d is told as %s", async (answer, code) => {
    status = answer;
    const report = await tried(ask);
    expect(report.isReached).toBe(false);
    expect(codes(report)).toEqual([code]);
  });

  test("that meets a closed port is told as not reached", async () => {
    const report = await tried(({ fetch, signal }) => fetch("http://127.0.0.1:1/", { signal }));
    expect(codes(report)).toEqual(["UNREACHABLE"]);
    expect(report.requests).toBe(0);
  });

  test("whose code is wrong is told as that", async () => {
    const report = await tried(async () => {
      throw new TypeError("client is not defined");
    });
    expect(report).toMatchObject({
      isReached: false,
      findings: [{ code: "PING_FAILED", remedy: "the code of ping" }],
    });
  });

  test("whose client repeats it by itself is counted as the server counts, and named", async () => {
    status = 503;
    const report = await tried(async ({ signal }) => {
      for (let tries = 1; tries <= 3; tries += 1) await (await fetch(url, { signal })).text();
    });
    expect(requests).toBe(3);
    expect(report).toMatchObject({ isReached: true, requests: 3, repeats: 2 });
    expect(codes(report)).toEqual(["HIDDEN_RETRY", "MULTIPLIED"]);
  });

  test("whose client only says how often it would repeat is multiplied with the attempts of a step", async () => {
    const report = await tried(({ fetch, signal }) =>
      fetch(url, {
        signal,
        headers: { "amz-sdk-request": "attempt=1; max=3", "amz-sdk-invocation-id": "i" },
      }),
    );
    expect(codes(report)).toEqual(["HIDDEN_RETRY", "MULTIPLIED"]);
    expect(report.findings[1]).toMatchObject({
      sentence:
        "AWS SDK sends one request up to 3 times, times 5 attempts of a step: 15 requests, where 8 are allowed.",
      remedy: "maxAttempts: 1",
    });
  });

  test("without TLS over a network is told, on this machine it is not", async () => {
    const report = await tried(({ fetch, signal }) => fetch("http://erp.invalid/", { signal }));
    expect(codes(report)).toEqual(["UNREACHABLE", "PLAIN_HTTP"]);
  });
});
