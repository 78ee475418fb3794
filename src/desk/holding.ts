/** Who holds a case, until when, and who frees it if nothing more is heard of the holder. */

import { seemsAlive } from "../core/state.ts";
import type { StoredHolder, StoredRow } from "../store/port.ts";

/** The claim on a case, for people. */
export interface Holding {
  readonly holderId: string;
  /** Null where nobody knows the holder any more. */
  readonly name: string | null;
  readonly host: string | null;
  readonly build: string | null;
  readonly kind: "worker" | "page" | null;
  readonly claimedAt: number;
  /** The claim ends at this time unless its holder is heard of or commits before. Past = it has ended. */
  readonly untilAt: number;
  readonly isAlive: boolean;
  readonly freedBy: "the sweep";
  /** Such as "held by w-3 (host, build) until 10:04:10; freed by the sweep", "being repaired by ann until 10:04:10, …". */
  readonly sentence: string;
}

/** Reads the claim of a row; null when nobody holds it. */
export function holdingOf(
  { claim }: Pick<StoredRow, "claim">,
  holders: readonly StoredHolder[],
  now: number,
  formatTime: (at: number) => string,
): Holding | null {
  if (claim === null) return null;
  const { holderId, claimedAt, actByAt } = claim;
  const holder = holders.find((one) => one.holderId === holderId) ?? null;
  const untilAt = holder === null ? actByAt : Math.min(holder.beatAt + holder.leaseMs, actByAt);
  const isAlive = holder !== null && seemsAlive(holder, now) && now <= actByAt;
  return {
    holderId,
    name: holder?.name ?? null,
    host: holder?.host ?? null,
    build: holder?.build ?? null,
    kind: holder?.kind ?? null,
    claimedAt,
    untilAt,
    isAlive,
    freedBy: "the sweep",
    sentence: sayHolding({ holderId, holder, isAlive }, formatTime(untilAt)),
  };
}

interface Told {
  readonly holderId: string;
  readonly holder: StoredHolder | null;
  readonly isAlive: boolean;
}

function sayHolding({ holderId, holder, isAlive }: Told, until: string): string {
  if (holder?.kind === "page") {
    return isAlive
      ? `being repaired by ${holder.name} until ${until}, or longer while that page is open`
      : `was being repaired by ${holder.name} until ${until}; the sweep ends the repair`;
  }
  const who = holder === null ? `holder ${holderId}` : `${holder.name} (${holder.host}, ${holder.build})`;
  return isAlive
    ? `held by ${who} until ${until}; freed by the sweep`
    : `was held by ${who} until ${until}; the sweep frees it`;
}
