/** What is counted and measured of a worker's sends and commits. */

import type { CaseState } from "../core/case-state.ts";
import type { Failure } from "../core/failure.ts";
import { unmeasured } from "../core/measuring.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { Ports } from "../core/ports.ts";
import type { Store } from "../store/port.ts";
import type { AttemptEnd } from "./attempt.ts";
import type { OnReport, Report } from "./report.ts";

type MeasuringPorts = Pick<Ports, "clock" | "measuring">;
type CommitStore = Pick<Store, "commit" | "findCommit">;

/** Which send it is. */
export interface MeasuredSend {
  readonly state: Pick<CaseState, "caseId" | "caseType">;
  readonly step: SendStepOutline;
  readonly attempt: number;
  readonly claimId: string;
}

/** Makes a send, measures it, and reports how it ended. */
export async function measureSend<End extends AttemptEnd>(
  { ports: { clock, measuring = unmeasured }, onReport }: { ports: MeasuringPorts; onReport: OnReport },
  { state: { caseId, caseType }, step, attempt, claimId }: MeasuredSend,
  make: () => Promise<End>,
): Promise<End> {
  const destination = step.destination.name;
  const startedAt = clock.monotonic();
  const end = await make();
  const durationMs = clock.monotonic() - startedAt;
  const { outcome: sent } = end;
  const outcome = sent.kind;
  const failure = sent.kind === "failed" ? sent.failure : null;
  const kind = failure?.kind ?? "none";
  measuring.count("foothold_attempts_total", { destination, outcome, kind });
  measuring.record("foothold_attempt_duration_seconds", { destination, outcome }, durationMs / 1_000);
  const { requests, repeats } = sent.wire ?? { requests: 0, repeats: 0 };
  if (requests > 0) measuring.count("foothold_requests_total", { destination }, requests);
  if (repeats > 0) measuring.count("foothold_hidden_retries_total", { destination }, repeats);
  onReport({
    kind: "attempted",
    caseId,
    caseType,
    step: step.name,
    attempt,
    destination,
    claimId,
    durationMs,
    requests: sent.wire?.requests ?? null,
    failure: failure === null ? null : told(failure),
  });
  return end;
}

/** Not all of it: what the destination answered is kept with the case alone. */
function told({ kind, executed, sentence }: Failure): Extract<Report, { kind: "attempted" }>["failure"] {
  return { kind, executed, sentence };
}

/** The way to the store, with what each batch took. */
export function measuredCommits(
  store: CommitStore,
  { clock, measuring = unmeasured }: MeasuringPorts,
): CommitStore {
  return {
    findCommit: (commit) => store.findCommit(commit),
    commit: async (commits) => {
      const startedAt = clock.monotonic();
      let outcome = "failed";
      try {
        const replies = await store.commit(commits);
        outcome = "answered";
        return replies;
      } finally {
        const seconds = (clock.monotonic() - startedAt) / 1_000;
        measuring.record("foothold_commit_duration_seconds", { outcome }, seconds);
        measuring.record("foothold_commit_batch_size", {}, commits.length);
      }
    },
  };
}
