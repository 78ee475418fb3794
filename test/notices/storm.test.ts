import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../setup/database.ts";
import { IN_FLIGHT_MAX } from "./storm/storm-types.ts";
import { runStorm } from "./storm/storm.ts";

/** `npm run soak:desk` runs 5,000. */
const CASES = 300;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test(
  "cases blocked by one revoked access: one notice, one probe, and then all go on within the limit though a server is killed",
  { timeout: 600_000 },
  async () => {
    const report = await runStorm({
      databaseUrl: database.url,
      cases: CASES,
      workers: 2,
      onLine: () => {},
    });
    expect(report).toMatchObject({ notices: 1, probeRequests: 1, done: CASES, effects: CASES });
    expect(report.noticeTitle).toContain("need access to erp");
    expect(report.refusedRequests).toBeLessThanOrEqual(2 * IN_FLIGHT_MAX);
    expect(report.inFlightPeak).toBeLessThanOrEqual(IN_FLIGHT_MAX);
    expect(report.doneAtKill).toBeLessThan(CASES);
  },
);
