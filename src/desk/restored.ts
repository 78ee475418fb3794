/**
 * After the database was restored from a backup, or a failover lost commits: every open case is told, so that what was sent since
 * is found out before anything is sent (core/restored.ts).
 */

import { FootholdError } from "../core/errors.ts";
import { seemsAlive } from "../core/state.ts";
import { changeCase } from "./change.ts";
import type { DeskParts } from "./desk-parts.ts";
import { personOf, type Who } from "./requests.ts";

/** Cases of one page, and cases that are told at once. */
const PAGE = 500;
const AT_ONCE = 8;
/** Cases whose ids are named because they could not be told. */
const UNTOLD_MAX = 100;

/** When the backup was taken. */
export interface RestoredRequest {
  /** Epoch ms; rather too early than too late. */
  readonly backupAt: number;
  readonly by: Who;
}

/** What became of it. */
export interface RestoredReport {
  /** Open cases that were told, those that knew it from an earlier run included. */
  readonly cases: number;
  /** Cases that could not be told, with the reason: at most 100. They must be looked at before workers run. */
  readonly untold: readonly { readonly caseId: string; readonly why: string }[];
}

/**
 * Tells every open case. Doing it again for the same backup tells nobody twice. Throws `INVALID_REQUEST` for a time that is not
 * past, and while a worker runs: it may have sent already what could be a repeat.
 */
export async function markRestored(parts: DeskParts, request: RestoredRequest): Promise<RestoredReport> {
  const { store } = parts;
  const { backupAt } = request;
  const now = await store.now();
  if (!Number.isInteger(backupAt) || backupAt < 0 || backupAt > now) {
    throw new FootholdError("INVALID_REQUEST", "The backup must have been taken at a time in the past.");
  }
  const alive = (await store.listHolders()).find((one) => one.kind === "worker" && seemsAlive(one, now));
  if (alive !== undefined) {
    throw new FootholdError(
      "INVALID_REQUEST",
      `The worker ${alive.name} (${alive.host}) runs, or did within its lease. Stop every worker, say what was restored, ` +
        `then start them again.`,
    );
  }
  const by = personOf(request.by);
  const untold: { readonly caseId: string; readonly why: string }[] = [];
  let cases = 0;
  for (let after: string | undefined; ;) {
    const page = await store.listCases({
      states: ["ready", "claimed", "waiting", "paused", "in_review"],
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    for (let at = 0; at < page.rows.length; at += AT_ONCE) {
      const told = page.rows.slice(at, at + AT_ONCE).map(async ({ caseId }) => {
        try {
          await tellCase(parts, caseId, { backupAt, by });
          cases += 1;
        } catch (error) {
          if (!(error instanceof FootholdError) || error.code === "DATABASE_UNAVAILABLE") throw error;
          if (untold.length < UNTOLD_MAX) untold.push({ caseId, why: error.message });
        }
      });
      await Promise.all(told);
    }
    if (page.next === null) return { cases, untold };
    after = page.next;
  }
}

async function tellCase(
  parts: DeskParts,
  caseId: string,
  { backupAt, by }: { readonly backupAt: number; readonly by: ReturnType<typeof personOf> },
): Promise<void> {
  await changeCase(
    parts,
    { caseId, repairId: undefined },
    () => ({ kind: "write", entries: [{ kind: "restored", backupAt, by }] }),
    `restored ${backupAt}`,
  );
}
