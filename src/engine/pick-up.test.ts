import { describe, expect, test } from "vitest";
import { stepOf } from "../core/case-state.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType } from "../define/case-type.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import type { HolderCommit, HolderReply, Store } from "../store/port.ts";
import { anything, entriesOf, startCase, stateOf } from "./case-types.fixture.ts";
import { freeClaim } from "./free.ts";
import { portsAround, settle } from "./manual-clock.fixture.ts";
import { erp, LEASE_MS, orderWith, Sends, Shop } from "./shop.fixture.ts";
import { createSweep } from "./sweep.ts";

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

const roomy = defineDestination("roomy", {
  idempotency: { by: "key", window: "1h" },
  inFlight: { start: 30 },
});

test("many steps that end at the same moment are sent once each, and are no leak of listeners", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", onWarning);
  const shop = new Shop();
  const sends = new Sends();
  const none = defineCase("wide", { version: 1, owner: "ops", input: anything });
  let wide: CaseType = none;
  for (let n = 0; n < 30; n += 1) {
    wide = (wide as typeof none).step(`s${n}`, { to: roomy, after: [], run: sends.run });
  }
  await startCase(shop.store, wide);
  const worker = shop.worker(wide);
  await worker.start();
  await settle();
  expect(sends.caseIds).toHaveLength(30);
  await sends.end(30);
  await settle();
  expect((await shop.store.loadCase("00case"))?.row.state).toBe("done");
  expect(sends.caseIds).toHaveLength(30);
  await worker.stop();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

describe("a claim that was taken away", () => {
  test("stops what else runs under it as soon as one commit is refused, and all of it is reported late", async () => {
    const shop = new Shop();
    const sends = new Sends();
    const wide = defineCase("wide", { version: 1, owner: "ops", input: anything })
      .step("a", { to: erp, after: [], run: sends.run })
      .step("b", {
        to: erp,
        after: [],
        run: ({ signal }) =>
          new Promise<string>((resolve) => {
            signal.addEventListener("abort", () => resolve(`stopped: ${String(signal.reason)}`));
          }),
      });
    await startCase(shop.store, wide);
    const worker = shop.worker(wide);
    await worker.start();
    await settle();
    const [claim] = await shop.store.listClaims(10);
    if (claim === undefined) throw new Error("nothing is claimed");
    const freeing = { ...claim, holderName: "w-1", why: "actBy", commitId: "f-1" } as const;
    expect(await freeClaim(shop.store, freeing)).toEqual({ kind: "freed" });
    // The case goes to the same worker again; only what the first claim began is looked at here.
    await sends.end(1);
    await settle();
    expect(shop.reports).toContainEqual({ kind: "claimLost", caseId: "00case", claimId: claim.claimId });
    const late = (await shop.store.loadCase("00case"))?.journal.flatMap(({ entry }) =>
      entry.kind === "lateReport" ? [entry] : [],
    );
    expect(late).toMatchObject([
      { step: "a", claimId: claim.claimId, outcome: { kind: "succeeded", result: { value: "done" } } },
      {
        step: "b",
        claimId: claim.claimId,
        outcome: { kind: "succeeded", result: { value: "stopped: Error: the claim was lost" } },
      },
    ]);
    const stopping = worker.stop({ graceMs: 0 });
    await shop.clock.advance(10_000);
    await stopping;
  });
});

test("a send that does not heed its signal is not reported as unknown: it may still tell what it did", async () => {
  const shop = new Shop();
  const sends = new Sends();
  const order = orderWith(sends.run);
  await startCase(shop.store, order);
  const worker = shop.worker(order, { concurrency: 1 });
  await worker.start();
  await settle();
  // The sweep ends the holder: its lease is over, its claim is free, and the send is aborted and does not care.
  await shop.store.endHolder(worker.holderId, null);
  await createSweep({ store: shop.store, ports: portsAround(shop.clock, "s") }).sweepOnce();
  await shop.clock.advance(LEASE_MS);
  expect(shop.kinds()).toContain("claimLost");
  expect(await entriesOf(shop.store)).not.toContain("lateReport");
  await sends.end(1);
  const late = (await shop.store.loadCase("00case"))?.journal.flatMap(({ entry }) =>
    entry.kind === "lateReport" ? [entry.outcome.kind] : [],
  );
  expect(late).toEqual(["succeeded"]);
  const stopping = worker.stop({ graceMs: 0 });
  await shop.clock.advance(10_000);
  await stopping;
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
