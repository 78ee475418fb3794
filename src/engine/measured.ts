/** What is counted and measured of a worker's sends and commits. */

import type { DestinationOutline } from "../core/outline.ts";
import { unmeasured } from "../core/measuring.ts";
import type { Ports } from "../core/ports.ts";
import type { Store } from "../store/port.ts";
import type { AttemptEnd } from "./attempt.ts";

type MeasuringPorts = Pick<Ports, "clock" | "measuring">;
type CommitStore = Pick<Store, "commit" | "findCommit">;

/** Makes a send, and measures it. */
export async function measureSend<End extends AttemptEnd>(
  { clock, measuring = unmeasured }: MeasuringPorts,
  { name: destination }: Pick<DestinationOutline, "name">,
  make: () => Promise<End>,
): Promise<End> {
  const startedAt = clock.monotonic();
  const end = await make();
  const { outcome: sent } = end;
  const outcome = sent.kind;
  const kind = sent.kind === "failed" ? sent.failure.kind : "none";
  measuring.count("foothold_attempts_total", { destination, outcome, kind });
  measuring.record(
    "foothold_attempt_duration_seconds",
    { destination, outcome },
    (clock.monotonic() - startedAt) / 1_000,
  );
  const { requests, repeats } = sent.wire ?? { requests: 0, repeats: 0 };
  if (requests > 0) measuring.count("foothold_requests_total", { destination }, requests);
  if (repeats > 0) measuring.count("foothold_hidden_retries_total", { destination }, repeats);
  return end;
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
