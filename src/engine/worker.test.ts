import { describe, expect, test } from "vitest";
import { stepOf } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import type { Entry } from "../core/journal.ts";
import { rowOf } from "../core/row.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType, RunContext } from "../define/case-type.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import { registryOf } from "../define/registry.ts";
import { memoryStore } from "../store/memory/store.ts";
import type { ClaimRequest, HolderCommit, HolderReply, Store } from "../store/port.ts";
import { preview } from "./advance.ts";
import { ann, anything, entriesOf, startCase, stateOf } from "./case-types.fixture.ts";
import { ManualClock, portsAround, settle } from "./manual-clock.fixture.ts";
import type { Report } from "./report.ts";
import { createSweep } from "./sweep.ts";
import { createWorker, type Worker, type WorkerOptions } from "./worker.ts";

const LEASE_MS = 3_000;
const BEAT_MS = LEASE_MS / 5;
const NET_POLL_MS = 5_000;
const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

type Run = (context: RunContext) => unknown;

function orderWith(run: Run, name = "order"): CaseType {
  return defineCase(name, { version: 1, owner: "ops", input: anything }).step("send", { to: erp, run });
}

/** Sends that go on until the test ends them. */
class Sends {
  readonly caseIds: string[] = [];
  readonly #ending: ((value: unknown) => void)[] = [];
  readonly run: Run = ({ caseId }) => {
    this.caseIds.push(caseId);
    return new Promise((resolve) => this.#ending.push(resolve));
  };

  async end(count = 1): Promise<void> {
    for (const end of this.#ending.splice(0, count)) end("done");
    await settle();
  }
}

const away = (): FootholdError => new FootholdError("DATABASE_UNAVAILABLE", "the database is away");

/** A store, a clock, workers. */
class Shop {
  readonly clock = new ManualClock();
  readonly store: Store = memoryStore({ now: () => this.clock.now() });
  readonly reports: Report[] = [];
  readonly ports = portsAround(this.clock, "w");

  worker(caseType: CaseType, options: Partial<WorkerOptions> = {}): Worker {
    return createWorker({
      store: this.store,
      registry: registryOf([caseType]),
      ports: this.ports,
      name: "w-1",
      host: "here",
      build: "1",
      leaseMs: LEASE_MS,
      onReport: (report) => this.reports.push(report),
      ...options,
    });
  }

  kinds(): readonly Report["kind"][] {
    return this.reports.map(({ kind }) => kind);
  }

  /** Stores entries on a case that nobody holds, as they would have come about. */
  async write(caseId: string, ...entries: readonly Entry[]): Promise<void> {
    const at = await this.store.now();
    const after = preview(await stateOf(this.store, caseId), entries, at);
    const commitId = `write-${caseId}-${after.revision}`;
    await this.store.changeCase(caseId, commitId, () => ({
      kind: "write",
      commitId,
      entries,
      at,
      row: rowOf(after),
      claim: "keep",
      reply: null,
    }));
  }

  /** A case whose worker was lost with an attempt open. */
  async lost(caseType: CaseType, caseId: string, times = 1): Promise<void> {
    await startCase(this.store, caseType, { caseId });
    const [step] = caseType.outline.steps;
    const ref = { step: step?.name ?? "", intentVersion: 1 } as const;
    await this.write(caseId, {
      kind: "intentOpened",
      ...ref,
      idempotencyKey: `${caseId}.send.1`,
      destination: "erp",
      credentialId: "erp",
      basis: "b",
      fingerprint: "f",
      request: "{}",
    });
    for (let attempt = 1; attempt <= times; attempt += 1) {
      const lost = { ...ref, attempt };
      await this.write(
        caseId,
        {
          kind: "attemptOpened",
          ...lost,
          fencingToken: attempt,
          sendDeadlineAt: 0,
          claimId: `lost-${attempt}`,
          holder: ann,
        },
        {
          kind: "claimLost",
          claimId: `lost-${attempt}`,
          holderId: "gone",
          holderName: "gone",
          why: "silent",
          openAttempts: [lost],
        },
      );
    }
  }
}

describe("a worker", () => {
  test("takes what is due at its start, and later what a hint tells it of", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order, { caseId: "00early" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    expect((await shop.store.loadCase("00early"))?.row.state).toBe("done");
    await startCase(shop.store, order, { caseId: "00late" });
    await settle();
    expect((await shop.store.loadCase("00late"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("takes a lone case of three instant steps through in six writes: start, claim, and a commit for each of four turns", async () => {
    const shop = new Shop();
    const three = defineCase("three", { version: 1, owner: "ops", input: anything })
      .step("a", { to: erp, run: () => 1 })
      .step("b", { to: erp, run: () => 2 })
      .step("c", { to: erp, run: () => 3 });
    const writes: string[] = [];
    const store: Store = {
      ...shop.store,
      insertCase: (start) => {
        writes.push("start");
        return shop.store.insertCase(start);
      },
      claimDue: async (request) => {
        const reply = await shop.store.claimDue(request);
        if (reply.cases.length > 0) writes.push("claim");
        return reply;
      },
      commit: (commits) => {
        writes.push(`commit ${commits.length}`);
        return shop.store.commit(commits);
      },
    };
    const worker = shop.worker(three, { store });
    await worker.start();
    await settle();
    await startCase(store, three);
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    expect(writes).toEqual(["start", "claim", "commit 1", "commit 1", "commit 1", "commit 1"]);
    await worker.stop();
  });

  test("finds within five seconds what no hint told it of", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const deaf: Store = { ...shop.store, listen: () => Promise.resolve(() => Promise.resolve()) };
    const worker = shop.worker(order, { store: deaf });
    await worker.start();
    await settle();
    await startCase(shop.store, order);
    await shop.clock.advance(NET_POLL_MS);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("wakes by itself when a case that it parked is due", async () => {
    const shop = new Shop();
    const nap = defineCase("nap", { version: 1, owner: "ops", input: anything }).sleep("rest", { for: "1s" });
    await startCase(shop.store, nap);
    const worker = shop.worker(nap);
    await worker.start();
    await shop.clock.advance(999);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("waiting");
    await shop.clock.advance(1);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("never holds more cases than it may, and goes on as they end", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    for (let n = 0; n < 10; n += 1) await startCase(shop.store, order, { caseId: `00case${n}` });
    const worker = shop.worker(order, { concurrency: 4 });
    await worker.start();
    await settle();
    expect(await shop.store.listClaims(100)).toHaveLength(4);
    for (let ended = 0; ended < 10; ended += 1) {
      expect((await shop.store.listClaims(100)).length).toBeLessThanOrEqual(4);
      await sends.end();
    }
    expect(sends.caseIds.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `00case${n}`));
    await worker.stop();
  });

  test("registers with its case types, and says goodbye when it stops", async () => {
    const shop = new Shop();
    const worker = shop.worker(orderWith(() => "ok"));
    await worker.start();
    expect(await shop.store.listHolders()).toMatchObject([
      {
        holderId: worker.holderId,
        name: "w-1",
        host: "here",
        build: "1",
        leaseMs: LEASE_MS,
        caseTypes: [{ name: "order", version: 1 }],
        endedAt: null,
      },
    ]);
    await worker.stop();
    expect((await shop.store.listHolders())[0]?.endedAt).not.toBeNull();
    expect(shop.clock.sleepers).toBe(0);
  });

  test("does not start on a database that is away or has no schema, and says which", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const without = (error: FootholdError): Store => ({
      ...shop.store,
      checkSchema: async () => {
        throw error;
      },
    });
    await expect(shop.worker(order, { store: without(away()) }).start()).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
    });
    const missing = new FootholdError("SCHEMA_MISSING", "run `foothold migrate`");
    await expect(shop.worker(order, { store: without(missing) }).start()).rejects.toMatchObject({
      code: "SCHEMA_MISSING",
    });
    expect(await shop.store.listHolders()).toEqual([]);
  });

  test("tells once that the database is away, and once that it is back", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    let isAway = false;
    const store: Store = {
      ...shop.store,
      beat: (holderId) => (isAway ? Promise.reject(away()) : shop.store.beat(holderId)),
      claimDue: (request) => (isAway ? Promise.reject(away()) : shop.store.claimDue(request)),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    isAway = true;
    await shop.clock.advance(2 * NET_POLL_MS);
    isAway = false;
    await startCase(shop.store, order);
    await shop.clock.advance(2_000);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    const told = shop.reports.filter((one) => one.kind === "databaseAway" || one.kind === "databaseBack");
    expect(told.map((one) => `${one.kind} ${one.during}`).toSorted()).toEqual([
      "databaseAway heartbeat",
      "databaseBack heartbeat",
    ]);
    await worker.stop();
  });

  test("claims nothing while it cannot trust its lease, and looks at once when it can again", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    let isAway = true;
    let claims = 0;
    const store: Store = {
      ...shop.store,
      beat: (holderId) => (isAway ? Promise.reject(away()) : shop.store.beat(holderId)),
      claimDue: (request) => {
        claims += 1;
        return shop.store.claimDue(request);
      },
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await shop.clock.advance(LEASE_MS);
    const before = claims;
    await startCase(shop.store, order);
    await shop.clock.advance(10_000);
    expect(claims).toBe(before);
    isAway = false;
    await shop.clock.advance(500 + BEAT_MS);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("that the sweep ended goes on under a new id, and its late success is kept as a report", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const { holderId } = worker;
    await shop.store.endHolder(holderId, null);
    await createSweep({ store: shop.store, ports: portsAround(shop.clock, "s") }).sweepOnce();
    await shop.clock.advance(BEAT_MS);
    expect(worker.holderId).not.toBe(holderId);
    expect(shop.reports).toContainEqual({ kind: "holderEnded", holderId, nextHolderId: worker.holderId });
    // The first send was aborted; the case is claimed and sent anew under the new id.
    await shop.clock.advance(1_000);
    expect(sends.caseIds).toEqual(["00case", "00case"]);
    await sends.end(1);
    expect(await entriesOf(shop.store)).toContain("lateReport");
    await sends.end(1);
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    const outcomes = stepOf(await stateOf(shop.store), "send").intent?.attempts.map(
      (one) => one.outcome.kind,
    );
    expect(outcomes?.[0]).toMatch(/reportedLate|confirmed/);
    await worker.stop();
  });

  test("releases claims under its id that it does not know, with the next beat", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const worker = shop.worker(order);
    await worker.start();
    const claim = { claimId: "orphan", holderId: worker.holderId, actWithinMs: 60_000 };
    await startCase(shop.store, order, { claim });
    await shop.clock.advance(BEAT_MS);
    expect(shop.reports).toContainEqual({
      kind: "claimFreed",
      caseId: "00case",
      claimId: "orphan",
      why: "orphaned",
    });
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await worker.stop();
  });

  test("that cannot release one orphan releases the others", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const store: Store = {
      ...shop.store,
      changeCase: (caseId, commitId, decide) =>
        caseId === "00bad"
          ? Promise.reject(new Error("not this one"))
          : shop.store.changeCase(caseId, commitId, decide),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    for (const caseId of ["00bad", "00good"]) {
      const claim = { claimId: `orphan-${caseId}`, holderId: worker.holderId, actWithinMs: 60_000 };
      await startCase(shop.store, order, { caseId, claim });
    }
    await shop.clock.advance(BEAT_MS);
    expect((await shop.store.loadCase("00good"))?.row.state).toBe("done");
    expect(shop.reports).toContainEqual(expect.objectContaining({ kind: "bug", caseId: "00bad" }));
    await worker.stop();
  });

  test("puts a case in sight whose journal cannot be read, and works on with the others", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    await startCase(shop.store, order, { caseId: "00bad" });
    await startCase(shop.store, order, { caseId: "00good" });
    const fault = new FootholdError("CORRUPT_JOURNAL", "The journal of case 00bad lacks revision 2.");
    const store: Store = {
      ...shop.store,
      claimDue: async (request: ClaimRequest) => {
        const reply = await shop.store.claimDue(request);
        return {
          ...reply,
          cases: reply.cases.filter(({ row }) => row.caseId !== "00bad"),
          unreadable: reply.cases
            .filter(({ row }) => row.caseId === "00bad")
            .map(({ row }) => ({ row, fault })),
        };
      },
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await shop.clock.advance(BEAT_MS);
    expect((await shop.store.loadCase("00good"))?.row.state).toBe("done");
    const row = (await shop.store.loadCase("00bad"))?.row;
    expect(row).toMatchObject({ state: "in_review", claim: null });
    expect(row?.summary.reviews).toMatchObject([{ reason: "bug", sentence: fault.message }]);
    expect(shop.reports).toContainEqual({ kind: "unreadable", caseId: "00bad", error: fault });
    await worker.stop();
  });
});

describe("a stop", () => {
  test("is safe twice, before a start, and when a start has failed", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    const idle = shop.worker(order);
    await idle.stop();
    await idle.stop();
    const failed = shop.worker(order, {
      store: { ...shop.store, checkSchema: () => Promise.reject(away()) },
    });
    await expect(failed.start()).rejects.toThrow("away");
    await failed.stop();
    expect(shop.clock.sleepers).toBe(0);
  });

  test("waits for what runs no longer than it was given, then aborts it", async () => {
    const shop = new Shop();
    const order = orderWith(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    let isOver = false;
    const stopping = worker.stop({ graceMs: 10_000 }).then(() => (isOver = true));
    await shop.clock.advance(9_999);
    expect(isOver).toBe(false);
    await shop.clock.advance(1);
    await stopping;
    expect((await shop.store.loadCase("00case"))?.row).toMatchObject({ state: "ready", claim: null });
    expect(await entriesOf(shop.store)).toContain("attemptFailed");
  });

  test("goes on beating while it waits, so that nobody takes what it finishes", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const stopping = worker.stop();
    await shop.clock.advance(4 * LEASE_MS);
    expect((await shop.store.listHolders())[0]?.endedAt).toBeNull();
    await sends.end();
    await shop.clock.advance(1);
    await stopping;
    expect(await entriesOf(shop.store)).toContain("stepConfirmed");
  });

  test("does not fail when the database is away: the sweep frees what could not be given back", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order);
    let isAway = false;
    const store: Store = {
      ...shop.store,
      commit: (commits) => (isAway ? Promise.reject(away()) : shop.store.commit(commits)),
      endHolder: () => Promise.reject(away()),
      beat: () => Promise.reject(away()),
    };
    const worker = shop.worker(order, { store });
    await worker.start();
    await settle();
    isAway = true;
    await sends.end();
    const stopping = worker.stop({ graceMs: 1_000 });
    await shop.clock.advance(20_000);
    await stopping;
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("claimed");
    expect(shop.kinds()).not.toContain("bug");
  });

  test("gives back at once what waits for its turn at the gate", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await shop.lost(order, "00lost");
    await startCase(shop.store, order, { caseId: "00other" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    const waits = sends.caseIds.includes("00lost") ? "00other" : "00lost";
    const stopping = worker.stop();
    await settle();
    expect((await shop.store.loadCase(waits))?.row).toMatchObject({ state: "ready", claim: null });
    await sends.end();
    await shop.clock.advance(1);
    await stopping;
  });
});

describe("R9: a case whose worker was lost with an attempt open", () => {
  test("opens its next attempt only when its worker has no other one open, and none is opened beside it", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await startCase(shop.store, order, { caseId: "00first" });
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    await shop.lost(order, "00lost");
    await settle();
    expect(sends.caseIds).toEqual(["00first"]);
    await startCase(shop.store, order, { caseId: "00later" });
    await settle();
    expect(sends.caseIds).toEqual(["00first"]);
    await sends.end();
    expect(sends.caseIds).toEqual(["00first", "00lost"]);
    await sends.end();
    expect(sends.caseIds).toEqual(["00first", "00lost", "00later"]);
    await sends.end();
    await worker.stop();
  });

  test("stores what it learns while it waits for its turn", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const wide = defineCase("wide", { version: 1, owner: "ops", input: anything })
      .step("send", { to: erp, after: [], run: sends.run })
      .step("next", { to: erp, after: [], run: sends.run });
    await shop.lost(wide, "00lost");
    const worker = shop.worker(wide);
    await worker.start();
    await settle();
    // One of its steps is under way alone; the other waits for the gate.
    expect(sends.caseIds).toEqual(["00lost"]);
    await startCase(shop.store, wide, { caseId: "00other" });
    await settle();
    await sends.end();
    expect(await entriesOf(shop.store, "00lost")).toContain("stepConfirmed");
    while ((await shop.store.loadCase("00other"))?.row.state !== "done") await sends.end();
    await worker.stop();
  });

  test("goes to people after the third loss, and is not sent again", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const order = orderWith(sends.run);
    await shop.lost(order, "00lost", 3);
    const worker = shop.worker(order);
    await worker.start();
    await settle();
    expect(sends.caseIds).toEqual([]);
    const row = (await shop.store.loadCase("00lost"))?.row;
    expect(row?.state).toBe("in_review");
    expect(row?.summary.reviews).toMatchObject([{ reason: "poison" }]);
    await worker.stop();
  });
});

/** A store that refuses what `isBad` says, as one does whose data it cannot hold. */
function refusing(store: Store, isBad: (commit: HolderCommit) => boolean): Store {
  return {
    ...store,
    commit: async (commits) => {
      const replies: HolderReply[] = [];
      for (const commit of commits) {
        if (isBad(commit)) replies.push({ kind: "refused", why: "invalid data" });
        else replies.push(...(await store.commit([commit])));
      }
      return replies;
    },
  };
}

function holdsBad({ current }: HolderCommit): boolean {
  return JSON.stringify(current.entries).includes('"bad"');
}

function opensNext({ current }: HolderCommit): boolean {
  return current.entries.some((entry) => entry.kind === "intentOpened" && entry.step === "next");
}

describe("what only a bug or a hostile store can do", () => {
  test("a bug of the engine puts the case in sight, is told, and takes nobody else down", async () => {
    const shop = new Shop();
    const order = orderWith(() => "ok");
    // A definition whose outline promises a step that is not there.
    const broken: CaseType = { ...order, outline: order.outline, input: order.input, events: {}, steps: {} };
    await startCase(shop.store, broken);
    const worker = shop.worker(broken);
    await worker.start();
    await settle();
    const row = (await shop.store.loadCase("00case"))?.row;
    expect(row?.state).toBe("in_review");
    expect(row?.summary.reviews).toMatchObject([{ step: "send", reason: "bug", owner: "ops" }]);
    expect(row?.summary.reviews[0]?.sentence).toContain("The engine itself failed");
    expect(shop.kinds()).toContain("bug");
    expect(await entriesOf(shop.store)).not.toContain("attemptOpened");
    await worker.stop();
  });

  test("a result that the store refuses confirms its step all the same, and is never sent again", async () => {
    const shop = new Shop();
    let sent = 0;
    const order = orderWith(() => {
      sent += 1;
      return "bad";
    });
    await startCase(shop.store, order);
    const worker = shop.worker(order, { store: refusing(shop.store, holdsBad) });
    await worker.start();
    await settle();
    expect(sent).toBe(1);
    expect(stepOf(await stateOf(shop.store), "send").confirmation?.result).toEqual({
      kind: "unreadable",
      why: "the store refused it (invalid data)",
    });
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("in_review");
    await worker.stop();
  });

  test("a good result does not suffer from what was to follow it", async () => {
    const shop = new Shop();
    const two = defineCase("two", { version: 1, owner: "ops", input: anything })
      .step("send", { to: erp, run: () => "good" })
      .step("next", { to: erp, run: () => "ok" });
    await startCase(shop.store, two);
    const worker = shop.worker(two, { store: refusing(shop.store, opensNext) });
    await worker.start();
    await settle();
    expect(stepOf(await stateOf(shop.store), "send").confirmation?.result).toEqual({
      kind: "value",
      value: "good",
    });
    const row = (await shop.store.loadCase("00case"))?.row;
    expect(row?.summary.reviews).toMatchObject([{ step: "next", reason: "bug" }]);
    expect(shop.kinds()).toContain("bug");
    await worker.stop();
  });
});

describe("a question", () => {
  test("is asked about what is stored: a probe sees the result that came just before it", async () => {
    const shop = new Shop();
    const seen: unknown[] = [];
    const two = defineCase("two", { version: 1, owner: "ops", input: anything })
      .step("send", { to: erp, run: () => "R-1" })
      .step("next", {
        to: erp,
        before: {
          "the record is open": probe({
            of: erp,
            ask: ({ results }) => {
              seen.push((results as { send?: unknown }).send);
              return true;
            },
          }),
        },
        run: () => "ok",
      });
    await startCase(shop.store, two);
    const worker = shop.worker(two);
    await worker.start();
    await settle();
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    expect(seen).toEqual(["R-1"]);
    await worker.stop();
  });

  test("that may take longer than a claim may be silent gives its claim the time first", async () => {
    const shop = new Shop();
    const answers: ((holds: boolean) => void)[] = [];
    const order = defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
      to: erp,
      before: {
        "the office is open": probe({
          of: erp,
          deadline: "5m",
          ask: () => new Promise<boolean>((resolve) => answers.push(resolve)),
        }),
      },
      run: () => "ok",
    });
    await startCase(shop.store, order);
    const worker = shop.worker(order);
    await worker.start();
    const sweep = createSweep({ store: shop.store, ports: portsAround(shop.clock, "s") });
    sweep.start();
    await settle();
    const [claim] = await shop.store.listClaims(10);
    expect(claim?.actWithinMs).toBe(300_000 + LEASE_MS);
    await shop.clock.advance(200_000);
    for (const answer of answers) answer(true);
    await shop.clock.advance(1);
    expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
    await sweep.stop();
    await worker.stop();
  });
});
