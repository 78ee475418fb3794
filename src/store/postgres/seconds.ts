/** Moves that wait for a second person, in PostgreSQL. */

import type { Actor } from "../../core/journal.ts";
import type { Json } from "../../core/json.ts";
import type { SecondMove, SecondState } from "../../core/second-person.ts";
import { SECONDS_MAX, type SecondRequest, type SecondStore } from "../second-port.ts";
import { shardOf } from "./case-lock.ts";
import type { Database } from "./database.ts";
import { payloadPlace } from "./payload-places.ts";
import { openJson, sealJson } from "./sealed-json.ts";

interface Columns {
  readonly request_id: string;
  readonly case_id: string;
  readonly move: SecondMove;
  readonly request: Json;
  readonly step: string | null;
  readonly plan: string;
  readonly reason: string | null;
  readonly asked_by: Actor;
  readonly state: SecondState;
  readonly answered_by: Actor | null;
  readonly why: string | null;
  readonly asked_at: number;
  readonly ends_at: number;
  readonly answered_at: number | null;
}

/** Makes it over the store's own pool. */
export function postgresSeconds(database: Database): SecondStore {
  return {
    ask: ({ requestId, caseId, move, request, step, plan, reason, askedBy, lastsMs }) =>
      database.guarded(async () => {
        const told = await sealJson(database.payloads, payloadPlace("second_requests", requestId), request);
        const who = JSON.stringify(askedBy);
        const shard = shardOf(caseId);
        await database.run("ask_second", [
          shard,
          requestId,
          caseId,
          move,
          told,
          step,
          plan,
          reason,
          who,
          lastsMs,
        ]);
      }),
    load: (requestId) =>
      database.guarded(async () => {
        const rows = await database.run<Columns>("load_second", [shardOfRequest(requestId), requestId]);
        const [request = null] = await toRequests(database, rows);
        return request;
      }),
    listOpen: (caseId) =>
      database.guarded(async () => {
        const shard = caseId === null ? null : shardOf(caseId);
        const rows = await database.run<Columns>("list_open_seconds", [shard, caseId, SECONDS_MAX]);
        return toRequests(database, rows);
      }),
    listOf: (caseId) =>
      database.guarded(async () => {
        const rows = await database.run<Columns>("list_seconds_of", [shardOf(caseId), caseId, SECONDS_MAX]);
        return (await toRequests(database, rows)).toReversed();
      }),
    settle: ({ requestId, to, by, why }) =>
      database.guarded(async () => {
        const values = [shardOfRequest(requestId), requestId, to, JSON.stringify(by), why];
        return (await database.run("settle_second", values)).length > 0;
      }),
  };
}

/** Null for an id that is none of ours, so that nothing is found. */
function shardOfRequest(requestId: string): number | null {
  return shardOf(requestId.slice(1));
}

async function toRequests(database: Database, rows: readonly Columns[]): Promise<readonly SecondRequest[]> {
  const requests = await openJson(
    database.payloads,
    rows.map(({ request_id: id, request }) => ({
      place: payloadPlace("second_requests", id),
      value: request,
    })),
  );
  return rows.map((row, index) => toRequest({ ...row, request: requests[index] ?? null }));
}

function toRequest(row: Columns): SecondRequest {
  const { request_id, case_id, asked_by, answered_by, asked_at, ends_at, answered_at, ...same } = row;
  return {
    ...same,
    requestId: request_id,
    caseId: case_id,
    askedBy: asked_by,
    answeredBy: answered_by,
    askedAt: asked_at,
    endsAt: ends_at,
    answeredAt: answered_at,
  };
}
