/** The stores that one contract of the inbox is held to, and what its tests do to each. */

import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { ClaimedWork, InboxStore, WorkOutcome } from "../../../src/store/inbox-port.ts";
import { memoryStore } from "../../../src/store/memory/store.ts";
import type { Store } from "../../../src/store/port.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { createTestDatabase, type TestDatabase } from "../../setup/database.ts";
import { eventIn, newDelivery, scope, type Made } from "../made-deliveries.ts";

const tables = [
  "deliveries",
  "delivery_parts",
  "inbox_events",
  "inbox_keys",
  "inbox_sightings",
  "inbox_work",
  "inbox_refusals",
  "inbox_sources",
  "case_keys",
  "cases",
  "journal",
].map((table) => `foothold.${table}`);

/** Whose work is claimed where a test does not say. */
export const consumers = [{ ...scope, consumer: "tell the order" }];

/** A PostgreSQL of one file's tests, empty before each. */
export interface OnPostgres {
  readonly store: () => Store;
  readonly database: () => TestDatabase;
  readonly client: () => Client;
}

/** Runs tests on the memory store and on PostgreSQL, each on an empty inbox. */
export function onBothStores(what: string, contract: (storeOf: () => Store) => void): void {
  describe(`${what}, in the memory store`, () => {
    let store: Store;
    beforeEach(() => {
      store = memoryStore();
    });
    contract(() => store);
  });
  onPostgres(what, ({ store }) => contract(store));
}

/** Runs tests on PostgreSQL, each on an empty inbox. */
export function onPostgres(what: string, tests: (on: OnPostgres) => void): void {
  describe(`${what}, in PostgreSQL`, () => {
    let database: TestDatabase;
    let client: Client;
    let store: Store;
    beforeAll(async () => {
      database = await createTestDatabase();
      client = new Client(database.url);
      await client.connect();
      store = postgresStore({ url: database.url });
      await store.migrate();
    });
    beforeEach(async () => {
      await client.query(`truncate ${tables.join(", ")}`);
    });
    afterAll(async () => {
      await client.end();
      await store.close();
      await database.drop();
    });
    tests({ store: () => store, database: () => database, client: () => client });
  });
}

/** Takes in a delivery of one event. Gives the event's id. */
export async function takeOne(inbox: InboxStore, made?: Made): Promise<string> {
  const delivery = newDelivery(made);
  await inbox.takeIn([delivery]);
  return eventIn(delivery).eventId;
}

/** Claims what is due. */
export async function claim(inbox: InboxStore, count = 10): Promise<readonly ClaimedWork[]> {
  const claimIds = Array.from({ length: count }, () => randomUUID());
  const reply = await inbox.claimWork({ holderId: "h1", claimIds, consumers, actWithinMs: 60_000 });
  return reply.claimed;
}

/** What became of a claim: done, where a test does not say. */
export function outcomeOf({ work }: ClaimedWork, given: Partial<WorkOutcome>): WorkOutcome {
  return {
    eventId: work.eventId,
    consumer: work.consumer,
    claimId: work.claimId ?? "",
    state: "done",
    dueInMs: null,
    attempts: work.attempts,
    sentence: "Told.",
    errorClass: null,
    caseIds: [],
    sourceId: null,
    waitsFor: null,
    ...given,
  };
}
