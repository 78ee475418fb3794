import { expect, test } from "vitest";
import { createTestDatabase } from "../setup/database.ts";
import { runStorm } from "./storm/storm.ts";

/** `npm run soak:inbox` lets loose the full one: 10,000 events and ten kills of each. */
const EVENTS = 300;

test(
  "of a storm of deliveries none is lost, done twice or believed when forged, while server and workers are killed",
  { timeout: 240_000 },
  async () => {
    const database = await createTestDatabase();
    const said: string[] = [];
    try {
      const report = await runStorm({
        databaseUrl: database.url,
        events: EVENTS,
        seed: 7,
        serverKills: 1,
        workerKills: 1,
        settleWithinMs: 120_000,
        onLine: (line) => said.push(line),
      });
      expect([...report.violations, ...(report.violations.length > 0 ? said : [])]).toEqual([]);
      // A storm in which something did not really happen shows nothing.
      expect(report.successes).toBeGreaterThan(EVENTS * 1.2);
      expect(report.refusals).toBeGreaterThan(EVENTS * 0.02);
      expect(report.again).toBeGreaterThan(0);
      expect(report.attached).toBeGreaterThan(0);
    } finally {
      await database.drop();
    }
  },
);
