/** Who has the places of the keys that hold cases back, for what people read. */

import { readState, type KeyHolder, type KeyStanding } from "../core/state.ts";
import { CALLED_KEYS_MAX, type ConcurrencyKey, type KeyReading } from "../store/place-port.ts";
import type { Store, StoredHolder, StoredRow } from "../store/port.ts";

/** Cases with places of which it is read how they stand, for one key and for one look. */
const HOLDERS_OF_KEY_MAX = 3;
const HOLDERS_MAX = 100;

/** What is known of keys; undefined for a case that its key does not hold back. */
export type KeyStandings = (row: StoredRow) => KeyStanding | undefined;

/** Reads the keys that hold these cases back. */
export async function keyStandingsFor(
  store: Store,
  rows: readonly StoredRow[],
  holders: readonly StoredHolder[],
): Promise<KeyStandings> {
  const keys = new Map<string, ConcurrencyKey>();
  for (const row of rows) {
    const key = keyThatHolds(row);
    if (key !== null && keys.size < CALLED_KEYS_MAX) keys.set(nameOf(key), key);
  }
  if (keys.size === 0) return () => undefined;
  const readings = await store.places.read([...keys.values()]);
  const keepers = await readKeepers(store, readings, holders);
  const standings = new Map(
    readings.map((one): [string, KeyStanding] => [
      nameOf(one),
      {
        limit: one.limit,
        waiting: one.waiting,
        holders: one.held.map(({ caseId }) => ({ caseId, untilEnd: keepers.get(caseId) ?? null })),
      },
    ]),
  );
  return (row) => {
    const key = keyThatHolds(row);
    return key === null ? undefined : standings.get(nameOf(key));
  };
}

/** How those stand that keep their place until they end: what such a case waits for, all others of the key wait for. */
async function readKeepers(
  store: Store,
  readings: readonly KeyReading[],
  holders: readonly StoredHolder[],
): Promise<ReadonlyMap<string, NonNullable<KeyHolder["untilEnd"]>>> {
  const caseIds = readings
    .flatMap(({ held }) => held.filter(({ freedBy }) => freedBy === "end").slice(0, HOLDERS_OF_KEY_MAX))
    .slice(0, HOLDERS_MAX)
    .map(({ caseId }) => caseId);
  const rows = await Promise.all(caseIds.map((caseId) => store.loadRow(caseId)));
  const now = await store.now();
  return new Map(
    rows
      .filter((row) => row !== null)
      .map((row) => {
        const holder = holders.find(({ holderId }) => holderId === row.claim?.holderId) ?? null;
        const { state, actsNext } = readState({ ...row, holder, now });
        return [row.caseId, { state, actsNext }];
      }),
  );
}

function keyThatHolds({ tenant, caseType, heldSinceAt, summary }: StoredRow): ConcurrencyKey | null {
  const { concurrencyKey: key } = summary;
  return heldSinceAt === undefined || key === undefined ? null : { tenant, caseType, key };
}

function nameOf({ tenant, caseType, key }: ConcurrencyKey): string {
  return JSON.stringify([tenant, caseType, key]);
}
