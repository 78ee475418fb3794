import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, type TestContext } from "vitest";
import { z } from "zod";
import { runCommand, startCommand, type RunningCommand } from "../../test/cli/program.ts";
import { post } from "../services/calls.ts";
import type { Effect } from "../services/ledger-entries.ts";
import { readLedgerFile } from "../services/ledger-reader.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = join(root, "build/examples/purchase/start.js");
const requests = ["PR-1001", "PR-1002", "PR-1003"];

/** A data folder of one test, and what runs on it; both go when the test ends. */
class Place {
  // Made by the server itself: as root that runs under another account, which must be able to enter it.
  readonly folder = join(tmpdir(), `foothold-purchase-${randomBytes(6).toString("hex")}`);
  readonly #runs: RunningCommand[] = [];

  constructor(onTestFinished: TestContext["onTestFinished"]) {
    onTestFinished(async () => {
      for (const run of this.#runs) run.signal("SIGINT");
      await Promise.all(this.#runs.map((run) => run.ended()));
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
    });
  }

  /** `npm start` without npm. */
  start(): RunningCommand {
    const run = startCommand(["--port", "0", "--data", this.folder, "--no-open"], { cwd: root, file });
    this.#runs.push(run);
    return run;
  }

  cases(...words: readonly string[]): ReturnType<typeof runCommand> {
    return runCommand(["cases", ...words, "--data", this.folder], { cwd: root });
  }

  /** What really happened at one of the two systems. */
  async effects(ledger: "erp" | "mail"): Promise<readonly Effect[]> {
    return (await readLedgerFile(join(this.folder, "ledgers", `${ledger}.jsonl`))).effects;
  }
}

/** What the terminal says to type, typed. */
async function type(run: RunningCommand, told: RegExp): Promise<string> {
  const [, command = ""] = await run.waitFor(new RegExp(`npx foothold (${told.source})`));
  const { code, stdout, stderr } = await runCommand(command.trim().split(" "), { cwd: root });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

function casesOf(effects: readonly Effect[]): readonly string[] {
  return effects.map(({ step }) => step.caseId);
}

describe.concurrent("npm start", () => {
  test("shows how failed notifications get through, proves each record once, and takes what people type", async ({
    onTestFinished,
  }) => {
    const place = new Place(onTestFinished);
    const run = place.start();
    for (const name of requests) {
      await run.waitFor(new RegExp(`${name}  record R-\\d created`));
      await run.waitFor(new RegExp(`${name}  notification failed: mail answered 503, tried again in \\d`));
      await run.waitFor(new RegExp(`${name}  notification sent on attempt 3\\n.*${name}  done`));
    }
    await run.waitFor(/ERP ledger: 3 records for 3 approved requests, each once\n/);
    expect(new Set(casesOf(await place.effects("erp"))).size).toBe(3);

    expect(await type(run, /cases list --data \S+/)).toContain("Waiting for approval");
    await type(run, /cases approve \S+ --by you --data \S+/);
    await run.waitFor(/PR-1004  approved by you\n/);
    await run.waitFor(/PR-1004  done\n/);
    await run.waitFor(/ERP ledger: 4 records for 4 approved requests, each once\n/);
    expect(await type(run, /cases show \S+ --data \S+/)).toContain("Done");

    run.signal("SIGINT");
    const { code, stdout, stderr } = await run.ended();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nStopped\. .*\n\n$/);
    expect(stdout).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(existsSync(join(place.folder, "running.json"))).toBe(false);
  });

  test("killed while notifications wait for their next try, it picks up and creates nothing a second time", async ({
    onTestFinished,
  }) => {
    const place = new Place(onTestFinished);
    const killed = place.start();
    await killed.waitFor(/PR-1005  requested/);
    for (const name of requests) await killed.waitFor(new RegExp(`${name}  notification failed`));
    killed.signal("SIGKILL");
    const { code, stdout } = await killed.ended();
    expect(code).toBeNull();
    expect(stdout).not.toContain("  done");
    const before = await place.effects("erp");
    expect(before).toHaveLength(3);

    const run = place.start();
    await run.waitFor(/Picked up from the run before:\n\n( +PR-100\d +\S.*\n){5}/);
    for (const name of requests) await run.waitFor(new RegExp(`${name}  done\n`));
    await run.waitFor(/ERP ledger: 3 records for 3 approved requests, each once\n/);
    expect(run.printed()).not.toContain("requested:");
    expect(await place.effects("erp")).toEqual(before);
    expect(casesOf(await place.effects("mail")).toSorted()).toEqual(casesOf(before).toSorted());
  });

  test("an approval revoked before the notification stops the case at a person, naming what broke", async ({
    onTestFinished,
  }) => {
    const place = new Place(onTestFinished);
    const run = place.start();
    const [, url = ""] = await run.waitFor(/page +(http:\S+)/);
    // Out of order for longer, so that the mail is not out before the approval is revoked.
    const [, mailUrl = ""] = await run.waitFor(/mail +(http:[^\s,]+)/);
    await post(`${mailUrl}/faults`, { body: { failFirstPerKey: 4 } });
    await run.waitFor(/PR-1001  notification failed/);
    const page = z.object({ cases: z.array(z.object({ caseId: z.string() })) });
    const listed = page.parse(await (await fetch(`${url}/api/v1/cases?businessKey=PR-1001`)).json());
    const caseId = listed.cases[0]?.caseId ?? "";
    const payload = JSON.stringify({ reason: "the budget is frozen" });
    const revoked = await place.cases("event", caseId, "approval.revoked", "--payload", payload);
    expect(revoked.code).toBe(0);

    await run.waitFor(
      /PR-1001  record no longer stands: "approval still stands" is broken \(revoked: the budget is frozen\)/,
    );
    await run.waitFor(/PR-1001  stops for purchasing/);
    const shown = z
      .object({ storedState: z.string(), reading: z.object({ state: z.string(), sentence: z.string() }) })
      .parse(JSON.parse((await place.cases("show", caseId, "--json")).stdout));
    expect(shown.storedState).toBe("in_review");
    expect(shown.reading).toEqual({
      state: "Needs review",
      sentence: expect.stringContaining("approval still stands") as unknown,
    });
    // The record stays as it was, and nobody is told that it was ordered.
    expect(casesOf(await place.effects("erp")).filter((one) => one === caseId)).toHaveLength(1);
    expect(casesOf(await place.effects("mail"))).not.toContain(caseId);
  });

  test("a second one on the same folder is refused and says where the first one is", async ({
    onTestFinished,
  }) => {
    const place = new Place(onTestFinished);
    const run = place.start();
    const [, url = ""] = await run.waitFor(/page +(http:\S+)/);
    const second = await place.start().ended();
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain(`process ${run.pid}: open ${url}`);
  });
});
