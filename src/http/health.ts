/** Whether all is well, for machines: the database answers, and every type that has work has a worker. */

import { isFootholdError, type ErrorCode } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";
import type { Desk } from "../desk/desk.ts";
import type { NoWorkerNotice } from "../desk/overview.ts";

/** How long the database may take to answer before it counts as down, in ms. */
const HEALTH_DEADLINE_MS = 5_000;

/** A schedule of which a slot is due, and since when. */
interface OverdueSchedule {
  readonly schedule: string;
  /** Epoch ms. */
  readonly overdueSinceAt: number;
  readonly sentence: string;
}

/** What `/healthz` tells. `attention`: the server works, and something needs a person or a worker. */
export type Health =
  | {
      readonly status: "ok" | "attention";
      readonly database: { readonly answers: true };
      /** Types with work and no worker. */
      readonly noWorker: readonly NoWorkerNotice[];
      /** Schedules of which a slot is due that no process decides. */
      readonly overdueSchedules: readonly OverdueSchedule[];
      /** Messages to owners that could not be delivered. */
      readonly undelivered: number;
    }
  | {
      readonly status: "down";
      readonly database: { readonly answers: false; readonly code: ErrorCode; readonly detail: string };
    };

/** Asks the database, for 5 s at most. Never rejects. */
export async function readHealth(desk: Desk, clock: Clock): Promise<Health> {
  const stop = new AbortController();
  const late = clock
    .sleep(HEALTH_DEADLINE_MS, stop.signal)
    .then(() =>
      down("DATABASE_UNAVAILABLE", `The database has not answered for ${HEALTH_DEADLINE_MS / 1000} s.`),
    );
  const health = await Promise.race([askDatabase(desk), late]);
  stop.abort();
  return health;
}

async function askDatabase(desk: Desk): Promise<Health> {
  try {
    const { notices, undelivered, schedules } = await desk.overview();
    const overdueSchedules = schedules.flatMap(({ schedule, overdueSinceAt, sentence }) =>
      overdueSinceAt === null ? [] : [{ schedule, overdueSinceAt, sentence }],
    );
    return {
      status: notices.length + overdueSchedules.length + undelivered === 0 ? "ok" : "attention",
      database: { answers: true },
      noWorker: notices,
      overdueSchedules,
      undelivered,
    };
  } catch (error) {
    if (isFootholdError(error)) return down(error.code, error.message);
    return down("DATABASE_UNAVAILABLE", "Asking the database failed in an unexpected way.");
  }
}

function down(code: ErrorCode, detail: string): Health {
  return { status: "down", database: { answers: false, code, detail } };
}
