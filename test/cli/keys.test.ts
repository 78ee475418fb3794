import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, type Ended } from "./program.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A command in a project whose first key is the first of these. */
function withKeys(keyIds: string, ...words: readonly string[]): Promise<Ended> {
  const config = new URL("configs/sealed.config.mjs", import.meta.url).pathname;
  const env = { FOOTHOLD_DATABASE_URL: database.url, TEST_KEY_IDS: keyIds };
  return runCommand([...words, "--config", config], { env });
}

async function letAnHourPass(): Promise<void> {
  const client = new Client(database.url);
  await client.connect();
  await client.query(
    "update foothold.payload_keys set used_at = now() - interval '1 hour' where key_id = 'k1'",
  );
  await client.end();
}

test("a key is rotated out, and a project without a key that is in use is told so", async () => {
  await withKeys("k1", "migrate");
  const input = JSON.stringify({ vendor: "ACME", amount: 12.5 });
  await withKeys("k1", "cases", "start", "purchase", "--input", input);
  expect((await withKeys("k1", "keys", "list")).stdout).toMatch(/^k1 of aes-256-gcm: seals here; since /);

  const early = await withKeys("k2,k1", "keys", "rotate");
  expect([early.code, early.stdout]).toEqual([7, expect.stringContaining("The key k1 is still needed")]);
  await letAnHourPass();
  const turned = await withKeys("k2,k1", "keys", "rotate");
  expect([turned.code, turned.stdout]).toEqual([0, expect.stringContaining("The key k1 is needed no more")]);

  await withKeys("k2", "cases", "start", "purchase", "--input", input);
  const lacking = await withKeys("k3", "cases", "list");
  expect([lacking.code, lacking.stderr]).toEqual([5, expect.stringContaining("k2 of aes-256-gcm")]);
  const examined = await withKeys("k3", "doctor");
  expect(examined.stdout).toContain("error PAYLOAD_KEY_MISSING");
  expect(examined.stdout).not.toContain(Buffer.alloc(32, "k3").toString());

  expect((await withKeys("k3", "keys", "lost", "k9")).code).toBe(3);
  expect((await withKeys("k3", "keys", "lost", "k2")).stdout).toContain("The key k2 is given up");
  expect((await withKeys("k3", "cases", "list")).code).toBe(0);
});
