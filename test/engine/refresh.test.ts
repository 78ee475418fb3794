/** Access that is refreshed: once for everybody, and told apart from a destination that fails. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { defineCase } from "../../src/define/builder.ts";
import type { CaseType } from "../../src/define/case-type.ts";
import { defineDestination, type DestinationOptions } from "../../src/define/destination.ts";
import { expectOk } from "../../src/triage/response.ts";
import { input, worldsOn, type World } from "./world.ts";

// Real servers, timers and workers, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 30_000 });

/** A destination with a token endpoint whose refresh tokens are good once: used twice, the whole grant is revoked. */
class Provider {
  orders = 0;
  refused = 0;
  refreshes = 0;
  isRevoked = false;
  /** What the endpoint answers to the next refreshes instead of a token. */
  readonly troubles: { readonly status: number; readonly body: unknown }[] = [];
  #serial = 0;
  readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const [status, answer] = request.url === "/token" ? this.#token(body) : this.#order(request.headers);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The access token runs out. */
  expire(): void {
    this.#serial += 1;
  }

  #order({ authorization }: { readonly authorization?: string | undefined }): readonly [number, unknown] {
    if (this.isRevoked || authorization !== `Bearer access-${this.#serial}`) {
      this.refused += 1;
      return [401, { error: "invalid_token" }];
    }
    this.orders += 1;
    return [201, { id: this.orders }];
  }

  #token(refreshToken: string): readonly [number, unknown] {
    this.refreshes += 1;
    const trouble = this.troubles.shift();
    if (trouble !== undefined) return [trouble.status, trouble.body];
    // After `expire` the last token that was given out is one behind.
    const isGood =
      refreshToken === `refresh-${this.#serial - 1}` || refreshToken === `refresh-${this.#serial}`;
    if (!isGood) this.isRevoked = true;
    if (this.isRevoked) return [400, { error: "invalid_grant" }];
    this.#serial += 1;
    return [200, { access: `access-${this.#serial}`, refresh: `refresh-${this.#serial}` }];
  }
}

interface SetUp {
  readonly world: World;
  readonly provider: Provider;
  readonly order: CaseType;
}

const worlds = worldsOn("PostgreSQL");
afterAll(worlds.drop);

async function setUp(over: Partial<DestinationOptions> = {}): Promise<SetUp> {
  const world = await worlds.open();
  const provider = new Provider();
  const url = await provider.open();
  world.onClose(() => provider.close());
  // Where the tokens are kept: all workers read and write it.
  const kept = { access: "access-0", refresh: "refresh-0" };
  const erp = defineDestination("erp", {
    idempotency: { by: "none" },
    credential: {
      id: "erp-account",
      refresh: async ({ fetch: bound, credentialId, signal }) => {
        expect(credentialId).toBe("erp-account");
        const response = await expectOk(
          await bound(`${url}/token`, { method: "POST", body: kept.refresh, signal }),
        );
        Object.assign(kept, await response.json());
      },
    },
    owners: { access: "erp-admins" },
    retry: { firstDelay: "50ms" },
    ...over,
  });
  const order = defineCase("order", { version: 1, owner: "ops", input }).step("send", {
    to: erp,
    run: async ({ signal }) => {
      const headers = { authorization: `Bearer ${kept.access}` };
      await expectOk(await fetch(`${url}/orders`, { method: "POST", headers, signal }));
      return null;
    },
  });
  return { world, provider, order };
}

async function start({ world, order }: SetUp, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => world.start(order)));
}

describe("a token that ran out", () => {
  test("is had anew once for 60 cases of two workers, and all of them go on without a person", async () => {
    const set = await setUp();
    set.provider.expire();
    const ids = await start(set, 60);
    await set.world.worker([set.order], { name: "one" });
    await set.world.worker([set.order], { name: "two" });
    for (const id of ids) await set.world.rests(id, "done", "in_review");
    expect(set.provider).toMatchObject({ refreshes: 1, isRevoked: false, orders: 60 });
    const kinds = await set.world.kinds(ids[0] ?? "");
    expect(kinds).toContain("accessRefreshed");
    expect(kinds.at(-1)).toBe("caseDone");
  });

  test("is told in the history, with what was sent for it", async () => {
    const set = await setUp();
    set.provider.expire();
    const [id = ""] = await start(set, 1);
    await set.world.worker([set.order]);
    await set.world.rests(id, "done");
    const view = await set.world.desk(set.order).show(id);
    expect(view.history.map(({ sentence }) => sentence)).toContain(
      "send: the access of erp-account was refreshed. It sent 1 request.",
    );
  });

  test("that is refused again right after its refresh goes to the owner of the access", async () => {
    const set = await setUp();
    set.provider.expire();
    // The endpoint gives a token that the destination does not take.
    set.provider.troubles.push({ status: 200, body: { access: "access-of-nobody" } });
    const [id = ""] = await start(set, 1);
    await set.world.worker([set.order]);
    const row = await set.world.rests(id, "in_review");
    expect(row.summary.reviews).toMatchObject([{ reason: "denied", owner: "erp-admins" }]);
    expect(set.provider).toMatchObject({ refreshes: 1, refused: 2, orders: 0 });
  });
});

async function refreshWrongly(): Promise<never> {
  throw new TypeError("tokens is not defined");
}

describe("a refresh that fails", () => {
  test("because the token endpoint is down is tried again, and is no failure of the destination", async () => {
    const set = await setUp();
    set.provider.expire();
    const broken = { status: 500, body: { error: "server_error" } };
    set.provider.troubles.push(broken);
    const [id = ""] = await start(set, 1);
    await set.world.worker([set.order]);
    await set.world.rests(id, "done");
    const refreshed = (await set.world.entries(id)).filter((one) => one.kind === "accessRefreshed");
    expect(refreshed.map(({ answer }) => answer)).toMatchObject([
      {
        kind: "failed",
        failure: {
          kind: "transient",
          cause: "transient",
          executed: "no",
          sentence: "The token endpoint of erp-account answered 500: server_error.",
        },
      },
      { kind: "refreshed" },
    ]);
    expect(set.provider).toMatchObject({ refused: 1, orders: 1 });
  });

  test("because the grant is dead goes to its owner, and no other case asks again", async () => {
    const set = await setUp();
    set.provider.expire();
    set.provider.isRevoked = true;
    const ids = await start(set, 20);
    await set.world.worker([set.order]);
    for (const id of ids) {
      const row = await set.world.rests(id, "in_review");
      expect(row.summary.reviews).toMatchObject([{ reason: "denied", owner: "erp-admins" }]);
      expect(row.summary.reviews[0]?.sentence).toContain("The token endpoint of erp-account answered 400");
    }
    expect(set.provider.refreshes).toBe(1);
  });

  test("because its own code is wrong goes to the owner of the case type, with what it threw", async () => {
    const set = await setUp({ credential: { refresh: refreshWrongly } });
    set.provider.expire();
    const [id = ""] = await start(set, 1);
    await set.world.worker([set.order]);
    const row = await set.world.rests(id, "in_review");
    expect(row.summary.reviews).toMatchObject([{ reason: "bug", owner: "ops" }]);
    expect(row.summary.reviews[0]?.sentence).toContain("tokens is not defined");
  });
});
