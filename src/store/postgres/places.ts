/** Places of keys in PostgreSQL. */

import { invariant } from "../../core/errors.ts";
import type { PlaceFreedBy } from "../../core/concurrency-outline.ts";
import {
  CALLED_KEYS_MAX,
  HELD_COUNT_MAX,
  type CallReply,
  type CallRequest,
  type ConcurrencyKey,
  type KeyReading,
  type PlaceStore,
} from "../place-port.ts";
import type { Database, Parameter } from "./database.ts";
import type { Hinting } from "./listener.ts";

/** Places deleted by one call. */
const FORGOTTEN_MAX = 1_000;

interface CalledColumns {
  readonly called: number;
  /** Of the key to go on after; null = none. */
  readonly tenant?: string | null;
  readonly case_type?: string | null;
  readonly concurrency_key?: string | null;
}

interface PlaceColumns {
  /** Which of the keys, from 1. */
  readonly n: number;
  readonly slot: number | null;
  readonly case_id: string | null;
  readonly claim_id: string | null;
  readonly freed_by: PlaceFreedBy | null;
  readonly key_limit: number;
  readonly waiting: number;
}

/** The keys of a PostgreSQL store. */
export function postgresPlaces(database: Database, hinting: Hinting): PlaceStore {
  return {
    callNext: (request) => database.guarded(() => callNext(database, hinting, request)),
    read: (keys) => database.guarded(() => readKeys(database, keys)),
    forget: (takenBefore) =>
      database.guarded(async () => {
        const forgotten = await database.run("forget_places", [takenBefore, FORGOTTEN_MAX]);
        return forgotten.length;
      }),
  };
}

function columnsOf(keys: readonly ConcurrencyKey[]): readonly Parameter[] {
  return [keys.map(({ tenant }) => tenant), keys.map(({ caseType }) => caseType), keys.map(({ key }) => key)];
}

async function callNext(database: Database, hinting: Hinting, request: CallRequest): Promise<CallReply> {
  const [row] =
    "keys" in request
      ? await database.run<CalledColumns>("call_keys", [
          ...columnsOf(request.keys.slice(0, CALLED_KEYS_MAX)),
          hinting.payload,
        ])
      : await database.run<CalledColumns>("call_held", [
          request.after?.tenant ?? "",
          request.after?.caseType ?? "",
          request.after?.key ?? "",
          hinting.payload,
          CALLED_KEYS_MAX,
        ]);
  invariant(row !== undefined, "calling held back cases returned no row");
  if (row.called > 0) hinting.hint();
  const { tenant = null, case_type: caseType = null, concurrency_key: key = null } = row;
  const isAll = tenant === null || caseType === null || key === null;
  return { called: row.called, next: isAll ? null : { tenant, caseType, key } };
}

async function readKeys(database: Database, keys: readonly ConcurrencyKey[]): Promise<readonly KeyReading[]> {
  const read = keys.slice(0, CALLED_KEYS_MAX);
  if (read.length === 0) return [];
  const rows = await database.run<PlaceColumns>("read_keys", [...columnsOf(read), HELD_COUNT_MAX]);
  return read.map(({ tenant, caseType, key }, index) => {
    const own = rows.filter(({ n }) => n === index + 1);
    const [first] = own;
    invariant(first !== undefined, "read_keys returned no row for a key");
    const held = own.flatMap(({ slot, case_id: caseId, claim_id: claimId, freed_by: freedBy }) =>
      slot === null || caseId === null || claimId === null || freedBy === null
        ? []
        : [{ slot, caseId, claimId, freedBy }],
    );
    return { tenant, caseType, key, limit: first.key_limit, held, waiting: first.waiting };
  });
}
