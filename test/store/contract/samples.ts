import { describe, expect, test } from "vitest";
import type { CountedAttempts, Sample } from "../../../src/store/sample-port.ts";
import type { Bench } from "./contract.ts";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

function sampleAt(at: number, cases = 1): Sample {
  return {
    at,
    states: [{ caseType: "purchase", reading: "Needs review", cases, oldestAt: at - 5_000 }],
    destinations: [
      {
        destination: "erp",
        credentialId: "erp-ü",
        limit: 8,
        inFlight: 2,
        heldBack: 3,
        standing: "throttled",
      },
      {
        destination: "own",
        credentialId: "own",
        limit: null,
        inFlight: 0,
        heldBack: 0,
        standing: "up",
      },
    ],
    isWhole: true,
  };
}

export function testSamples(bench: Bench): void {
  describe("samples", () => {
    test("are read back as they were written, oldest first; of one moment the last", async () => {
      const { samples } = bench.store;
      const [first, second] = [sampleAt(10 * MINUTE_MS), sampleAt(20 * MINUTE_MS)];
      await samples.write(second);
      await samples.write(sampleAt(10 * MINUTE_MS, 7));
      await samples.write(first);
      expect(await samples.list({ sinceAt: 0, everyMs: 1_000 })).toEqual([first, second]);
      expect(await samples.list({ sinceAt: first.at, everyMs: 1_000 })).toEqual([second]);
    });

    test("are told as the last one of each stretch of time", async () => {
      const { samples } = bench.store;
      for (const minute of [10, 12, 14, 15, 21]) await samples.write(sampleAt(minute * MINUTE_MS));
      const told = await samples.list({ sinceAt: 0, everyMs: 5 * MINUTE_MS });
      expect(told.map(({ at }) => at / MINUTE_MS)).toEqual([14, 15, 21]);
    });

    test("are deleted when their time is over", async () => {
      const { samples } = bench.store;
      for (const minute of [10, 20]) await samples.write(sampleAt(minute * MINUTE_MS));
      await samples.forget(20 * MINUTE_MS);
      expect((await samples.list({ sinceAt: 0, everyMs: 1_000 })).map(({ at }) => at)).toEqual([
        20 * MINUTE_MS,
      ]);
    });

    test("are taken by one process of all at a time", async () => {
      const { samples } = bench.store;
      const turns = await Promise.all([1, 2, 3].map(() => samples.takeTurn(MINUTE_MS)));
      expect(turns.filter(Boolean)).toHaveLength(1);
      expect(await samples.takeTurn(MINUTE_MS)).toBe(false);
    });

    test("of attempts are summed over workers, and what a worker tells again replaces what it told before", async () => {
      const { samples } = bench.store;
      const fromAt = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
      const counted = (over: Partial<CountedAttempts>): CountedAttempts => ({
        fromAt,
        destination: "erp",
        credentialId: "erp-ü",
        attempts: 3,
        failed: 1,
        requests: 5,
        repeats: 2,
        unmetered: 0,
        ...over,
      });
      await samples.tellAttempts("w-1", [counted({}), counted({ fromAt: fromAt - QUARTER_MS, attempts: 9 })]);
      await samples.tellAttempts("w-2", [counted({ attempts: 10 }), counted({ destination: "zoll" })]);
      await samples.tellAttempts("w-1", [counted({ attempts: 4, unmetered: 1 })]);
      expect(await samples.listAttempts(fromAt - QUARTER_MS)).toEqual([
        counted({ attempts: 14, failed: 2, requests: 10, repeats: 4, unmetered: 1 }),
        counted({ destination: "zoll" }),
      ]);
      expect((await samples.listAttempts(0)).map(({ attempts }) => attempts)).toEqual([9, 14, 3]);
      await samples.tellAttempts("w-3", []);
    });

    test("of attempts are forgotten after a day", async () => {
      const { samples } = bench.store;
      const numbers = { attempts: 1, failed: 0, requests: 1, repeats: 0, unmetered: 0 };
      const at = (fromAt: number) => ({ fromAt, destination: "erp", credentialId: "erp", ...numbers });
      const day = 24 * 60 * MINUTE_MS;
      const recent = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
      await samples.tellAttempts("w-1", [at(recent), at(recent - 2 * day)]);
      await samples.forget(0);
      expect((await samples.listAttempts(0)).map(({ fromAt }) => fromAt)).toEqual([recent]);
    });
  });
}
