import { describe, expect, test } from "vitest";
import type { Sample } from "../../../src/store/sample-port.ts";
import type { Bench } from "./contract.ts";

const MINUTE_MS = 60_000;

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
  });
}
