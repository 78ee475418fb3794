import { describe, expect, test } from "vitest";
import { stepOf } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import type { SendOutcome } from "../core/decide.ts";
import type { Store } from "../store/port.ts";
import { entriesOf, stateOf } from "./case-types.fixture.ts";
import { reportLate, type LateReportContext } from "./late-report.ts";
import { settle } from "./manual-clock.fixture.ts";
import { away, orderWith, Shop } from "./shop.fixture.ts";
import { sharedAbort } from "./stop-signal.ts";

const order = orderWith(() => "ok");
const ref = { step: "send", intentVersion: 1, attempt: 1 } as const;
const worked: SendOutcome = {
  kind: "succeeded",
  result: { kind: "value", value: "R-1" },
  evidence: { sentAt: 1 },
};

class Late {
  readonly shop = new Shop();
  readonly kill = sharedAbort();

  context(store: Store = this.shop.store): LateReportContext {
    const { ports, reports } = this.shop;
    return {
      store,
      ports,
      holder: { kind: "worker", name: "w-1", holderId: "h-1" },
      kill: this.kill.signal,
      onReport: (report) => reports.push(report),
    };
  }

  report(store?: Store): Promise<void> {
    return reportLate(this.context(store), order, "00case", { ref, claimId: "lost-1", outcome: worked });
  }
}

describe("a late report", () => {
  test("is kept once, however often it is made, and wakes the case that it is evidence for", async () => {
    const late = new Late();
    await late.shop.lost(order, "00case");
    await late.report();
    await late.report();
    expect((await entriesOf(late.shop.store)).filter((kind) => kind === "lateReport")).toHaveLength(1);
    const state = await stateOf(late.shop.store);
    expect(stepOf(state, "send").intent?.attempts[0]?.outcome).toMatchObject({ kind: "reportedLate" });
    expect(state.rest.kind).toBe("ready");
  });

  test("is tried again while the database is away, and told once it is stored", async () => {
    const late = new Late();
    await late.shop.lost(order, "00case");
    let failures = 3;
    const store: Store = {
      ...late.shop.store,
      changeCase: (caseId, commitId, decide) => {
        failures -= 1;
        if (failures >= 0) return Promise.reject(away());
        return late.shop.store.changeCase(caseId, commitId, decide);
      },
    };
    const reported = late.report(store);
    await late.shop.clock.advance(3_000);
    await reported;
    expect(late.shop.reports).toEqual([
      { kind: "lateReport", caseId: "00case", step: "send", attempt: 1, took: "effect" },
    ]);
  });

  test("is given up and told when the database stays away for five minutes", async () => {
    const late = new Late();
    const reported = late.report({ ...late.shop.store, changeCase: () => Promise.reject(away()) });
    await late.shop.clock.advance(300_000);
    await reported;
    expect(late.shop.reports).toMatchObject([{ kind: "databaseAway", during: "late report" }]);
    expect(late.shop.clock.sleepers).toBe(0);
  });

  test("is still tried once by a process that stops", async () => {
    const late = new Late();
    await late.shop.lost(order, "00case");
    late.kill.abort();
    await late.report();
    expect(await entriesOf(late.shop.store)).toContain("lateReport");
    const failed = new Late();
    failed.kill.abort();
    await failed.report({ ...failed.shop.store, changeCase: () => Promise.reject(away()) });
    expect(failed.shop.reports).toMatchObject([{ kind: "databaseAway", during: "late report" }]);
  });

  test("of a case whose journal cannot be read is told and not tried again", async () => {
    const late = new Late();
    const error = new FootholdError("CORRUPT_JOURNAL", "it lacks revision 2");
    await late.report({ ...late.shop.store, changeCase: () => Promise.reject(error) });
    expect(late.shop.reports).toEqual([{ kind: "bug", caseId: "00case", error }]);
  });

  test("is waited for by a stop that comes right after its claim was lost", async () => {
    const shop = new Shop();
    const releases: (() => void)[] = [];
    const store: Store = {
      ...shop.store,
      commit: (commits) =>
        commits.some(({ current }) => current.entries.some(({ kind }) => kind === "stepConfirmed"))
          ? Promise.resolve(commits.map(() => ({ kind: "claimLost" as const })))
          : shop.store.commit(commits),
      changeCase: async (caseId, commitId, decide) => {
        await new Promise<void>((resolve) => releases.push(resolve));
        return shop.store.changeCase(caseId, commitId, decide);
      },
    };
    await shop.start(order);
    const worker = shop.worker(order, { store });
    await worker.start();
    await settle();
    let isOver = false;
    const stopping = worker.stop().then(() => (isOver = true));
    await settle();
    expect(isOver).toBe(false);
    for (const release of releases) release();
    await stopping;
    expect(await entriesOf(shop.store)).toContain("lateReport");
  });
});
