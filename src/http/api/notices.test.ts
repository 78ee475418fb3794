import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readNoticeBook } from "../../define/notice-book.ts";
import { testRegistry } from "../../desk/purchase.fixture.ts";
import { refusalOf } from "../../desk/refusal.fixture.ts";
import { systemPorts } from "../../engine/system.ts";
import type { NoticeDeskParts } from "../../notices/notice-desk.ts";
import { startHookServer, type HookServer } from "../../notices/receivers.fixture.ts";
import { createNoticeSweep } from "../../notices/sweep.ts";
import { memoryStore } from "../../store/memory/store.ts";
import type { Store } from "../../store/port.ts";
import { startReviewed } from "../../../test/notices/world.ts";
import { fromHere, testApp } from "../app.fixture.ts";
import { watchedClient } from "./every-route.fixture.ts";

let hook: HookServer;
beforeAll(async () => {
  hook = await startHookServer();
});
afterAll(() => hook.close());

function setUp(store: Store): { readonly parts: NoticeDeskParts; readonly sweep: () => Promise<unknown> } {
  const { book } = readNoticeBook({
    channels: { chat: { kind: "slack", url: () => hook.url, allowPrivate: true } },
    owners: { purchasing: { tell: ["chat"] } },
    gather: 0,
  });
  const sending = { consoleUrl: null, formatTime: String, reachesLoopback: false };
  const parts = { store, registry: testRegistry, ports: systemPorts(), book, sending };
  const sweep = createNoticeSweep({ parts, onReport: () => undefined });
  return { parts, sweep: () => sweep.sweepOnce() };
}

describe("notices over the API", () => {
  test("show who was told, have what could not be delivered sent anew, and try an owner out", async () => {
    const store = memoryStore();
    const { parts, sweep } = setUp(store);
    const app = testApp(store, { notices: parts });
    const { client } = watchedClient(app);
    const ask = async (path: string): Promise<string> =>
      (await app.request(path, { headers: { host: "localhost:4680" } }, fromHere)).text();
    await startReviewed(store, 3);
    hook.answers.push({ status: 404 });
    await sweep();
    const { notices, undeliverable, undeliverableCount } = await client.listNotices();
    expect(notices).toMatchObject([{ owner: "purchasing", toldCases: 3 }]);
    expect(undeliverableCount).toBe(1);
    expect((await client.showOverview()).undelivered).toBe(1);
    expect(JSON.parse(await ask("/healthz"))).toMatchObject({ status: "attention", undelivered: 1 });
    expect(await ask("/metrics")).toContain("\nfoothold_notices_undelivered 1\n");
    const { messageId = "" } = undeliverable[0] ?? {};
    expect(await client.retryNotice({ messageId })).toMatchObject({ became: "waiting" });
    expect((await refusalOf(client.retryNotice({ messageId }))).code).toBe("INVALID_REQUEST");
    await sweep();
    expect((await client.showOverview()).undelivered).toBe(0);
    const { owners } = await client.listOwners();
    expect(owners).toContainEqual({
      owner: "purchasing",
      uses: expect.arrayContaining(["cases of purchase", "input for erp"]) as unknown,
      answeredBy: "people",
      places: [{ whom: "purchasing", channel: "chat" }],
      rotaFault: null,
      cases: 3,
    });
    expect(await client.testOwner({ owner: "purchasing" })).toEqual({
      owner: "purchasing",
      results: [{ whom: "purchasing", channel: "chat", isSent: true, sentence: null }],
    });
    expect((await refusalOf(client.testOwner({ owner: "finance" }))).code).toBe("INVALID_REQUEST");
    const { lines } = await client.listAudit();
    expect(lines.map(({ act, who, about }) => [act, who, about])).toEqual([
      ["testOwner", "ada", "purchasing"],
      ["retryNotice", "ada", messageId],
    ]);
  });
});
