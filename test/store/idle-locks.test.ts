/** A process that stands still with the lock of a case: stopped, blocked by a loop, or cut off without a word. */

import { once } from "node:events";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { lockCase } from "../../src/store/postgres/case-lock.ts";
import { readConnection } from "../../src/store/postgres/connection.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { Payloads } from "../../src/store/postgres/payloads.ts";
import { DriverFault } from "../../src/store/postgres/failures.ts";
import { appending } from "./contract/changes.ts";
import { changeOf, newCase, note } from "./made-cases.ts";
import { openPostgres, type PostgresSubject } from "./postgres-subject.ts";

/** Longer than it is let stand, in ms. */
const STANDS_MS = 4_000;
const LET_STAND_MS = 2_000;

let subject: PostgresSubject;
let stuck: Database;
beforeAll(async () => {
  subject = await openPostgres(inject("databaseUrl"));
  stuck = new Database(readConnection({ url: subject.url, poolMax: 2 }), new Payloads(null));
});
afterAll(async () => {
  await stuck.close();
  await subject.close();
});

test("keeps others from the case for 2 s at most, and is refused when it goes on", async () => {
  const start = newCase({ at: Date.now() });
  const { caseId, shard } = start.identity;
  await subject.store.insertCase(start);
  const goOn = new AbortController();
  const locked = new AbortController();
  const change = stuck.transact("begin_change", async (session) => {
    await lockCase(session, shard, caseId);
    locked.abort();
    await once(goOn.signal, "abort");
    await lockCase(session, shard, caseId);
  });
  // It is refused while the test looks elsewhere.
  change.catch(() => undefined);
  await once(locked.signal, "abort");
  const lockedAt = performance.now();
  await subject.store.changeCase(caseId, changeOf("another"), appending([note("somebody else")], "another"));
  expect(performance.now() - lockedAt).toBeLessThan(STANDS_MS);
  expect(performance.now() - lockedAt).toBeGreaterThan(LET_STAND_MS / 2);
  goOn.abort();
  await expect(change).rejects.toBeInstanceOf(DriverFault);
  // Its connection is not used again.
  await stuck.run("read_clock", []);
});
