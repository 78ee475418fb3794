import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startMailServer, type MailServer } from "../../src/notices/receivers.fixture.ts";
import { until } from "../engine/world.ts";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { runCommand, startCommand, type Ended } from "./program.ts";

// Every command is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let database: TestDatabase;
let mail: MailServer;
beforeAll(async () => {
  database = await createTestDatabase();
  mail = await startMailServer();
  const { code, stderr } = await run("migrate");
  if (code !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await mail.close();
  await database.drop();
});

function env(): Readonly<Record<string, string>> {
  return { FOOTHOLD_DATABASE_URL: database.url, SMTP_URL: mail.url };
}

function run(...words: readonly string[]): Promise<Ended> {
  return runCommand([...words, "--config", "notices.config.mjs"], { env: env() });
}

describe("the command line", () => {
  test("says who would be told for what, and who answers to no name", async () => {
    const { stdout } = await run("owners");
    expect(stdout).toBe(
      "finance\n  for approve of purchase\n  finance by mail\npurchasing\n  for cases of purchase\n" +
        "  ! nobody answers to this name\n",
    );
    const doctor = await run("doctor");
    expect(doctor.stdout).toContain("warning OWNER_UNANSWERED");
    expect(doctor.stdout).toContain("Nobody answers to the owner purchasing (cases of purchase)");
  });

  test("tries an owner out, and says so where nobody answers or nothing arrives", async () => {
    const good = await run("notices", "test", "finance", "--by", "ann");
    expect([good.code, good.stdout]).toEqual([0, "finance by mail: sent\n"]);
    expect(mail.mails.splice(0)).toMatchObject([{ to: ["ben@example.com"] }]);
    mail.refusals.push("550 5.1.1 no such mailbox");
    const refused = await run("notices", "test", "finance");
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining("finance by mail: mail") as unknown,
    ]);
    const nobody = await run("notices", "test", "purchasing");
    expect([nobody.code, nobody.stderr]).toEqual([6, expect.stringContaining("Nobody answers") as unknown]);
    expect((await run("audit", "list")).stdout).toContain("testOwner");
  });

  test("a worker tells the owner of a case that waits for them, and the list says that they were told", async () => {
    const worker = startCommand(["worker", "--config", "notices.config.mjs"], { env: env() });
    try {
      await worker.waitFor(/Ctrl-C stops it/);
      await run("cases", "start", "purchase", "--input", '{"vendor":"CANARY"}');
      await until("the owner to be told", () => mail.mails.length > 0);
      await worker.waitFor(/finance is told at 1 place: 1 case waits for approve \(purchase\)/);
      const { stdout } = await run("notices", "list");
      expect(stdout).toContain("finance: 1 case waits for approve (purchase)");
      expect(stdout).toMatch(/told once: finance\n/);
      const [told] = mail.mails;
      expect(told?.text).toMatch(/https:\/\/foothold\.example\.com\/cases\/\d\d-/);
      expect(told?.text).not.toContain("CANARY");
    } finally {
      worker.signal("SIGTERM");
      await worker.ended();
    }
  });

  test("sends nothing anew that was not undeliverable", async () => {
    const { code, stderr } = await run("notices", "retry", "none");
    expect([code, stderr]).toEqual([6, expect.stringContaining("is not there") as unknown]);
  });

  test("refuses a configuration that tells nobody, with every fault", async () => {
    const { code, stderr } = await runCommand(["owners", "--config", "faulty-notices.config.mjs"], {
      env: env(),
    });
    expect(code).toBe(6);
    expect(stderr).toContain("- notices.owners.ops.tell.0.by: names no channel; there are: none");
    expect(stderr).toContain('- notices.owners.ops.people: names "eve", and there are: ops');
  });
});
