/** Checks, probes and version reads are watched as attempts are, and count as none. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { happened } from "../../src/define/answers.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { probe } from "../../src/define/probe.ts";
import { input, worldsOn, type World } from "./world.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 30_000 });

const worlds = worldsOn("memory");
afterAll(worlds.drop);

/** Answers 503 to the first request of each path that begins with /shaky, and 200 to all others. */
async function shakyServer(world: World): Promise<string> {
  const seen = new Set<string>();
  const server: Server = createServer((request, response) => {
    const path = request.url ?? "";
    const isFirst = path.startsWith("/shaky") && !seen.has(path);
    seen.add(path);
    if (path === "/lost") request.socket.destroy();
    else response.writeHead(isFirst ? 503 : 200).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  world.onClose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client that asks again by itself, as many do. */
async function askTwice(url: string, signal: AbortSignal): Promise<void> {
  for (let tries = 1; tries <= 2; tries += 1) {
    const { status, body } = await fetch(url, { signal });
    await body?.cancel();
    if (status === 200) return;
  }
}

const hidden = { code: "HIDDEN_RETRY", client: "fetch" };
const twice = { requests: 2, repeats: 1, isAtLeast: false, findings: [hidden] };

describe("what a question sends", () => {
  test("is counted and told with hidden retries by name, and spends no attempt", async () => {
    const world = await worlds.open();
    const url = await shakyServer(world);
    const erp = defineDestination("erp", { idempotency: { by: "lookup" }, retry: { firstDelay: "1ms" } });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("create", {
      to: erp,
      before: {
        "in stock": probe({
          of: erp,
          ask: async ({ signal }) => {
            await askTwice(`${url}/shaky-probe`, signal);
            return true;
          },
        }),
      },
      run: async ({ signal }) => {
        await fetch(`${url}/lost`, { method: "POST", signal });
        return "made";
      },
      check: async ({ signal }) => {
        await askTwice(`${url}/shaky-check`, signal);
        return happened("made", "E-1");
      },
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    const entries = await world.entries(caseId);
    expect(entries.find(({ kind }) => kind === "conditionAnswered")).toMatchObject({ wire: twice });
    expect(entries.find(({ kind }) => kind === "stepConfirmed")).toMatchObject({
      by: { how: "check" },
      wire: twice,
    });
    expect(entries.filter(({ kind }) => kind === "attemptOpened")).toHaveLength(1);
    const view = await world.desk(order).show(caseId);
    expect(view.attempts.map(({ requests }) => requests?.sent)).toEqual([1]);
    const told = view.history.map(({ sentence }) => sentence).filter((one) => one.includes("HIDDEN_RETRY"));
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('"in stock" holds. It sent 2 requests. HIDDEN_RETRY: fetch sends the same');
  });

  test("is not told where nothing was sent over HTTP", async () => {
    const world = await worlds.open();
    const erp = defineDestination("erp", { idempotency: { by: "none" } });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("create", {
      to: erp,
      before: { "in stock": probe({ of: erp, ask: () => true }) },
      run: () => null,
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "done");
    const answered = (await world.entries(caseId)).find(({ kind }) => kind === "conditionAnswered");
    expect(answered).not.toHaveProperty("wire");
  });
});
