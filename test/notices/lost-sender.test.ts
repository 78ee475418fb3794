import { afterAll, beforeAll, expect, test } from "vitest";
import { startHookServer, type HookServer } from "../../src/notices/receivers.fixture.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { until } from "../engine/world.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { startOwnProcess } from "../setup/own-process.ts";
import { startReviewed } from "./world.ts";

let database: TestDatabase;
let hook: HookServer;
beforeAll(async () => {
  database = await createTestDatabase();
  hook = await startHookServer();
});
afterAll(async () => {
  await hook.close();
  await database.drop();
});

test("a notice whose sender was killed after it was sent comes again under the same key, and is counted", async () => {
  const store = postgresStore({ url: database.url });
  try {
    await store.migrate();
    await startReviewed(store, 4);
    // It takes the message and says nothing: whoever sent it cannot have marked it as sent.
    hook.answers.push("silent");
    const file = new URL("sender-process.ts", import.meta.url);
    const first = startOwnProcess(file, [database.url, hook.url]);
    await until("the first to send", () => hook.requests.length === 1);
    await first.end("SIGKILL");
    const claimed = await store.notices.listMessages({ limit: 10 });
    expect(claimed).toMatchObject([{ state: "claimed", attempts: 1 }]);
    const second = startOwnProcess(file, [database.url, hook.url]);
    const sent = await until("another to send it again", async () => {
      const messages = await store.notices.listMessages({ states: ["sent"], limit: 10 });
      return messages.length > 0 && messages;
    });
    await second.end("SIGKILL");
    expect(sent).toMatchObject([{ messageId: claimed[0]?.messageId, state: "sent", attempts: 2 }]);
    const keys = hook.requests.map(({ body }) => {
      // What was sent is an event of this shape.
      const { dedup_key: key } = JSON.parse(body) as { readonly dedup_key: string };
      return key;
    });
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  } finally {
    await store.close();
  }
});
