import { Client } from "pg";
import { describe, expect, test } from "vitest";
import type { Failure } from "../../../src/core/failure.ts";
import { retryAt } from "../../../src/core/retry.ts";
import { FRESH_ROUND } from "../../../src/core/case-state.ts";
import { defineCase } from "../../../src/define/builder.ts";
import { defineDestination, readDestination } from "../../../src/define/destination.ts";
import { memoryStore } from "../../../src/store/memory/store.ts";
import { postgresStore } from "../../../src/store/postgres/store.ts";
import { input, post, World } from "../../engine/world.ts";
import { createTestDatabase } from "../../setup/database.ts";
import { answered, NOW, sort } from "./sorting.ts";

const { retry } = readDestination(defineDestination("erp", { idempotency: { by: "none" } })).outline;

function told(status: number, error: string): Failure {
  return sort(answered(status, {}, { error }));
}

/** What a refresh of access is sorted as whose token endpoint answers so. */
async function refreshedAgainst(status: number, error: string): Promise<Failure | null> {
  const world = new World(memoryStore());
  try {
    const refresh = async (): Promise<never> => {
      throw answered(status, {}, { error });
    };
    const erp = defineDestination("erp", { idempotency: { by: "none" }, credential: { refresh } });
    const order = defineCase("order", { version: 1, owner: "ops", input }).step("create", {
      to: erp,
      run: () => {
        throw answered(401, {}, { error: "invalid_token" });
      },
    });
    await world.worker([order]);
    const caseId = await world.start(order);
    await world.rests(caseId, "waiting", "in_review");
    const refreshed = (await world.entries(caseId)).find((one) => one.kind === "accessRefreshed");
    return refreshed?.answer.kind === "failed" ? refreshed.answer.failure : null;
  } finally {
    await world.close();
  }
}

describe("who must act, and when", () => {
  test("19: a quota that is used up goes to its owner at once, and is no request to slow down", () => {
    const body = { error: { type: "insufficient_quota", code: "insufficient_quota" } };
    expect(sort(answered(429, {}, body))).toMatchObject({ kind: "quota", executed: "no", owner: "access" });
  });

  test("21: GitHub's secondary limit is a request to slow down, also without any header: a minute, then twice that", () => {
    const message =
      "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    const body = { message, documentation_url: "https://docs.github.com/rest" };
    const failure = sort(answered(403, { "x-ratelimit-remaining": "4900" }, body));
    expect(failure).toMatchObject({ kind: "throttled", executed: "no" });
    const after = (throttles: number): number | null =>
      retryAt(retry, failure, { ...FRESH_ROUND, throttles }, NOW, 0);
    expect([after(1), after(2), after(3)]).toEqual([NOW + 60_000, NOW + 120_000, NOW + 240_000]);
  });

  test("23: a dead grant is for its owner, our own registration for us; a limit and a fault are neither", async () => {
    expect(told(400, "invalid_grant")).toMatchObject({
      kind: "denied",
      access: "revoked",
      owner: "access",
      scope: "credential",
    });
    expect(told(429, "invalid_grant")).toMatchObject({ kind: "throttled" });
    // Which endpoint it was is not in the answer: of a write it stays unknown, and the cause is the outage.
    for (const error of ["server_error", "invalid_grant"]) {
      expect(told(500, error)).toMatchObject({ kind: "unknown", cause: "transient", access: null });
    }
    // Where the destination says how its access is refreshed, it is known: the step's own request was refused before.
    expect(await refreshedAgainst(500, "server_error")).toMatchObject({ kind: "transient", executed: "no" });
    expect(await refreshedAgainst(400, "invalid_grant")).toMatchObject({ kind: "denied", access: "revoked" });
    expect(told(400, "invalid_client")).toMatchObject({
      kind: "denied",
      access: "blocked",
      owner: "operator",
      scope: "destination",
    });
  });

  test.each(["40001", "40P01"])(
    "25: our own commit that meets %s is run again at once, and the step is not",
    async (sqlState) => {
      const database = await createTestDatabase();
      const world = new World(postgresStore({ url: database.url, schema: "t", poolMax: 4 }));
      try {
        await world.store.migrate();
        await failConfirmations(database.url, sqlState, 5);
        const destination = await world.destination({ deduplicates: false });
        const order = defineCase("order", { version: 1, owner: "ops", input }).step("create", {
          to: defineDestination("erp", { idempotency: { by: "none" } }),
          run: post(destination, "/orders"),
        });
        await world.worker([order]);
        const caseId = await world.start(order);
        await world.rests(caseId, "done");
        expect(destination.requests).toHaveLength(1);
        expect(await world.kinds(caseId)).toEqual([
          "caseStarted",
          "intentOpened",
          "attemptOpened",
          "stepConfirmed",
          "caseDone",
        ]);
        expect(world.reports.map(({ kind }) => kind)).toEqual(["claimed", "attempted", "released"]);
      } finally {
        await world.close();
        await database.drop();
      }
    },
  );

  test("27: a greylisted mail is tried again after a quarter of an hour, then half an hour", () => {
    for (const response of ["450 4.2.0 Greylisted", "422 4.2.2 Greylisted"]) {
      const thrown = Object.assign(new Error("refused"), {
        code: "EENVELOPE",
        command: "RCPT TO",
        responseCode: Number(response.slice(0, 3)),
        response,
      });
      const failure = sort(thrown);
      expect(failure).toMatchObject({ kind: "transient", executed: "no" });
      const after = (attempts: number): number | null =>
        retryAt(retry, failure, { ...FRESH_ROUND, attempts }, NOW, 0);
      expect([after(1), after(2)]).toEqual([NOW + 15 * 60_000, NOW + 30 * 60_000]);
    }
  });
});

/**
 * Lets the next commits of a confirmation fail so. A sequence counts them: no rollback takes back what it gave out.
 */
async function failConfirmations(url: string, sqlState: string, times: number): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(`
      create sequence t.commits;
      create function t.collide() returns trigger language plpgsql as $$
        begin
          if nextval('t.commits') <= ${times} then
            raise exception 'raised by the test' using errcode = '${sqlState}';
          end if;
          return new;
        end $$;
      create trigger collide before insert on t.journal for each row
        when (new.kind = 'stepConfirmed') execute function t.collide();
    `);
  } finally {
    await client.end();
  }
}
