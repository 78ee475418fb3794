/** A holder that lost its claim tells what had happened: kept as a fact, evidence for an open step (R10). */

import { isFootholdError } from "../core/errors.ts";
import type { SendOutcome } from "../core/decide.ts";
import type { Actor, AttemptRef } from "../core/journal.ts";
import { decideLateReport } from "../core/late.ts";
import type { Ports } from "../core/ports.ts";
import { rowOf } from "../core/row.ts";
import type { CaseType } from "../define/case-type.ts";
import type { CaseChange, FoldedCase, Store } from "../store/port.ts";
import { preview } from "./advance.ts";
import type { OnReport } from "./report.ts";

/** How often a report is tried while the database is away; then it is given up and told. */
const TRIES_MAX = 300;
/** Delay between two tries, in ms. */
const TRY_EVERY_MS = 1_000;

/** What reporting needs. */
export interface LateReportContext {
  readonly store: Store;
  readonly ports: Ports;
  readonly holder: Actor;
  readonly kill: AbortSignal;
  readonly onReport: OnReport;
}

/** A late outcome. */
export interface LateOutcomeOf {
  readonly ref: AttemptRef;
  readonly claimId: string;
  readonly outcome: SendOutcome;
}

/** Stores a late report, once per attempt and outcome. Never rejects. */
export async function reportLate(
  context: LateReportContext,
  caseType: CaseType,
  caseId: string,
  late: LateOutcomeOf,
): Promise<void> {
  const { store, ports, kill, onReport } = context;
  const commitId = ports.ids.unique();
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    try {
      await store.changeCase(caseId, { commitId, sourceId: null }, (stored, now) =>
        changeFor(context, caseType, stored, now, commitId, late),
      );
      const took = late.outcome.kind === "succeeded" ? "effect" : "noEffect";
      onReport({ kind: "lateReport", caseId, step: late.ref.step, attempt: late.ref.attempt, took });
      return;
    } catch (error) {
      const isAway = isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE";
      if (!isAway || tries === TRIES_MAX || kill.aborted) {
        onReport(
          isAway ? { kind: "databaseAway", during: "late report", error } : { kind: "bug", caseId, error },
        );
        return;
      }
      await ports.clock.sleep(TRY_EVERY_MS, kill);
    }
  }
}

function changeFor(
  { holder }: LateReportContext,
  { outline }: CaseType,
  { state }: FoldedCase,
  now: number,
  commitId: string,
  late: LateOutcomeOf,
): CaseChange<null> {
  const entries = decideLateReport(outline, state, { ...late, holder });
  if (entries.length === 0) return { kind: "leave", reply: null };
  const at = Math.max(now, state.changedAt);
  return {
    kind: "write",
    commitId,
    entries,
    at,
    row: rowOf(preview(state, entries, at)),
    claim: "keep",
    reply: null,
  };
}
