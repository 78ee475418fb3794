import { expect, test } from "vitest";
import type { Measuring } from "../core/measuring.ts";
import { startCase } from "./case-types.fixture.ts";
import { portsAround, settle } from "./manual-clock.fixture.ts";
import { measuredCommits } from "./measured.ts";
import { away, BEAT_MS, orderWith, Sends, Shop } from "./shop.fixture.ts";
import { createSweep } from "./sweep.ts";

/** What was counted, by name and labels. */
class Counted implements Measuring {
  readonly #sums = new Map<string, number>();

  count(name: string, labels: Readonly<Record<string, string>>, more = 1): void {
    const key = [name, ...Object.values(labels)].join(" ");
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + more);
  }

  record(name: string, labels: Readonly<Record<string, string>>): void {
    this.count(name, labels);
  }

  of(part: string): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#sums].filter(([key]) => key.includes(part)));
  }
}

const gone = (): Promise<never> => Promise.reject(away());

test("a claim that is freed under a worker that still sends is counted once as freed and once as lost", async () => {
  const shop = new Shop();
  const counted = new Counted();
  const sends = new Sends();
  const order = orderWith(sends.run);
  await startCase(shop.store, order);
  const ports = { ...shop.ports, measuring: counted };
  const worker = shop.worker(order, { ports });
  await worker.start();
  await settle();
  await shop.store.endHolder(worker.holderId, null);
  const sweepPorts = { ...portsAround(shop.clock, "s"), measuring: counted };
  await createSweep({ store: shop.store, ports: sweepPorts }).sweepOnce();
  await shop.clock.advance(BEAT_MS + 1_000);
  await sends.end(2);
  await worker.stop();
  const claimed = shop.reports.flatMap((report) => (report.kind === "claimed" ? report.caseIds : []));
  expect(claimed.length).toBeGreaterThan(1);
  expect(counted.of("claims")).toEqual({
    "foothold_claims_total order": claimed.length,
    "foothold_claims_freed_total silent": 1,
    "foothold_claims_lost_total order": 1,
  });
  expect(counted.of("heartbeats")).toMatchObject({ "foothold_heartbeats_total ended": 1 });
  expect(counted.of("sweep")).toEqual({ "foothold_sweep_passes_total done": 1 });
});

test("a claim that its own worker does not know is counted as orphaned", async () => {
  const shop = new Shop();
  const counted = new Counted();
  const order = orderWith(() => "ok");
  const worker = shop.worker(order, { ports: { ...shop.ports, measuring: counted } });
  await worker.start();
  const claim = { claimId: "orphan", holderId: worker.holderId, actWithinMs: 60_000 };
  await startCase(shop.store, order, { claim });
  await shop.clock.advance(BEAT_MS);
  await worker.stop();
  expect(counted.of("freed")).toEqual({ "foothold_claims_freed_total orphaned": 1 });
});

test("what the database does not answer is counted apart: beats, passes of the sweep and batches of commits", async () => {
  const shop = new Shop();
  const counted = new Counted();
  const ports = { ...shop.ports, measuring: counted };
  const store = { ...shop.store, beat: gone, listClaims: gone, commit: gone };
  const worker = shop.worker(
    orderWith(() => "ok"),
    { store, ports },
  );
  await worker.start();
  await shop.clock.advance(BEAT_MS);
  await worker.stop();
  await expect(createSweep({ store, ports }).sweepOnce()).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
  });
  await expect(measuredCommits(store, ports).commit([])).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
  });
  expect(counted.of("")).toEqual({
    "foothold_heartbeats_total unanswered": 1,
    "foothold_sweep_passes_total failed": 1,
    "foothold_commit_duration_seconds failed": 1,
    foothold_commit_batch_size: 1,
  });
});
