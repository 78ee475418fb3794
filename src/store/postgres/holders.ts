/** Holders and their claims. */

import { invariant } from "../../core/errors.ts";
import type { BeatReply, HeldClaim, NewHolder, StoredHolder } from "../port.ts";
import { toHeldClaim, toHolder, type ClaimColumns, type HolderColumns } from "./case-rows.ts";
import type { Database } from "./database.ts";

/** Stores a holder that starts. */
export async function registerHolder(
  database: Database,
  holder: NewHolder,
): Promise<{ readonly now: number }> {
  const { holderId, kind, name, host, build, leaseMs, caseTypes, destinations } = holder;
  const types = JSON.stringify(caseTypes);
  const rows = await database.run<{ readonly now: number }>("register_holder", [
    holderId,
    kind,
    name,
    host,
    build,
    leaseMs,
    types,
    JSON.stringify(destinations),
  ]);
  const [row] = rows;
  invariant(row !== undefined, "register_holder returned no row");
  return { now: row.now };
}

/** Renews a holder and gives its claims. */
export async function beat(database: Database, holderId: string): Promise<BeatReply> {
  type Columns = { readonly now: number } & (ClaimColumns | { readonly case_id: null });
  const rows = await database.run<Columns>("beat_holder", [holderId]);
  const [first] = rows;
  if (first === undefined) return { kind: "ended" };
  const claims = rows.flatMap((row) => (row.case_id === null ? [] : [toHeldClaim(row)]));
  return { kind: "alive", now: first.now, claims };
}

/** Every holder that is kept. */
export async function listHolders(database: Database): Promise<readonly StoredHolder[]> {
  return (await database.run<HolderColumns>("list_holders", [])).map(toHolder);
}

/** Marks a holder as ended; true if it was marked by this call. */
export async function endHolder(
  database: Database,
  holderId: string,
  seenBeat: number | null,
): Promise<boolean> {
  return (await database.run("end_holder", [holderId, seenBeat])).length > 0;
}

/** Deletes holders of long ago; how many. */
export async function forgetHolders(database: Database, endedBefore: number): Promise<number> {
  return (await database.run("forget_holders", [endedBefore])).length;
}

/** Every claim, at most `limit`. */
export async function listClaims(database: Database, limit: number): Promise<readonly HeldClaim[]> {
  return (await database.run<ClaimColumns>("list_claims", [limit])).map(toHeldClaim);
}
