import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formatUtc } from "../../src/core/utc-time.ts";
import { found, notYet } from "../../src/define/answers.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { registryOf } from "../../src/define/registry.ts";
import { exportCase } from "../../src/desk/export-case.ts";
import { refusalOf } from "../../src/desk/refusal.fixture.ts";
import { postgresStore } from "../../src/store/postgres/store.ts";
import { runCommand, type Ended } from "../cli/program.ts";
import { input, look, post, until, World } from "../engine/world.ts";
import { createTestDatabase } from "../setup/database.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing.length = 0;
});

async function open(): Promise<{ readonly world: World; readonly url: string }> {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  const store = postgresStore({ url: database.url, poolMax: 6 });
  await store.migrate();
  const world = new World(store);
  closing.push(() => world.close());
  return { world, url: database.url };
}

function cli(database: string, ...words: readonly string[]): Promise<Ended> {
  return runCommand(words, { env: { FOOTHOLD_DATABASE_URL: database } });
}

describe("a case that is taken over from another installation", () => {
  test("goes on under its id, and does nothing a second time that it did there since the export", async () => {
    const { world: there } = await open();
    const { world: here } = await open();
    const bank = await there.destination();
    const registry = await there.destination({ deduplicates: false });
    const letters = await there.destination({ deduplicates: false });
    let isHeld = true;
    const order = defineCase("order", { version: 1, owner: "sales", input, masked: ["customer"] })
      .step("pay", {
        to: defineDestination("bank", { idempotency: { by: "key", window: "24h" } }),
        run: post(bank, "/payments"),
      })
      .poll("open", {
        of: defineDestination("house", { idempotency: { by: "none" } }),
        every: "1s",
        timeout: "1h",
        look: () => (isHeld ? notYet("closed") : found(true)),
      })
      .step("record", {
        to: defineDestination("registry", { idempotency: { by: "lookup" } }),
        run: post(registry, "/records"),
        check: look(registry),
      })
      .step("tell", {
        to: defineDestination("letters", { idempotency: { by: "none" } }),
        run: post(letters, "/letters"),
      });
    const caseId = await there.start(order, { n: 1, customer: "Ada Lovelace" });
    const worker = await there.worker([order]);
    await until("the payment", () => bank.effects.length === 1);
    await there.rests(caseId, "waiting");
    const exported = await exportCase({ store: there.store, registry: registryOf([order]) }, caseId, {
      isMasked: false,
    });
    // It is not paused there, as the guide says, and goes on to its end.
    isHeld = false;
    await there.rests(caseId, "done");
    await worker.stop({ graceMs: 5_000 });

    const request = {
      exported: JSON.parse(JSON.stringify(exported)) as unknown,
      by: "ann",
      reason: "we move, says Ada Lovelace",
    };
    const desk = here.desk(order);
    expect(await desk.importCase(request)).toMatchObject({ caseId, caseType: "order", isOpen: true });
    await here.worker([order]);
    await here.rests(caseId, "in_review");
    const { steps } = await here.state(caseId);
    expect(steps["pay"]?.confirmation).not.toBeNull();
    expect(steps["record"]?.confirmation).not.toBeNull();
    expect(steps["tell"]).toMatchObject({ confirmation: null, review: { reason: "unknown" } });
    expect([bank, registry, letters].map(({ effects }) => effects.length)).toEqual([1, 1, 1]);
    expect((await refusalOf(desk.importCase(request))).message).toContain(`case ${caseId} is here already`);
    const notes = (await here.entries(caseId)).flatMap((one) => (one.kind === "noteAdded" ? [one.text] : []));
    expect(notes).toEqual([
      `Imported from an export of ${formatUtc(exported.exportedAt)}: we move, says ***`,
    ]);
    const { lines } = await here.store.audit.list({ limit: 10 });
    expect(lines).toContainEqual(
      expect.objectContaining({
        act: "import",
        about: caseId,
        who: "ann",
        why: "we move, says ***",
        outcome: "done",
      }),
    );
  });

  test("by the command line, with what is refused in words", async () => {
    const [{ url: from }, { url: to }] = [await open(), await open()];
    const folder = mkdtempSync(join(tmpdir(), "foothold-import-"));
    closing.push(async () => rmSync(folder, { recursive: true }));
    const file = join(folder, "case.json");
    const order = JSON.stringify({ vendor: "ACME", amount: 12.5 });
    const started = await cli(from, "cases", "start", "purchase", "--input", order, "--key", "PO-7");
    expect([started.code, started.stderr]).toEqual([0, ""]);
    const [caseId = ""] = /\d\d-[0-9a-z]{12}/.exec(started.stdout) ?? [];
    const exported = await cli(from, "cases", "export", caseId, "--reveal", "we move");
    expect([exported.code, exported.stderr]).toEqual([0, ""]);
    writeFileSync(file, exported.stdout);
    const noReason = await cli(to, "cases", "import", file);
    expect([noReason.code, noReason.stderr]).toEqual([2, expect.stringContaining("--reason")]);
    const imported = await cli(to, "cases", "import", file, "--reason", "we move");
    expect([imported.code, imported.stderr]).toEqual([0, ""]);
    expect(imported.stdout).toContain(`Imported ${caseId} (purchase)`);
    expect((await cli(to, "cases", "show", caseId)).stdout).toContain("we move");
    const again = await cli(to, "cases", "import", file, "--reason", "we move");
    expect(again.stderr).toContain(`case ${caseId} is here already`);
    writeFileSync(file, "{");
    const broken = await cli(to, "cases", "import", file, "--reason", "we move");
    expect(broken.stderr).toContain(`${file} cannot be read`);
  });
});
