/** What people do to cases without a page of their own. */

import type { Review } from "../src/core/journal.ts";
import type { Json } from "../src/core/json.ts";
import type { Desk } from "../src/desk/desk.ts";
import type { StoredRow } from "../src/store/port.ts";
import { ARRIVED } from "./case-shape.ts";
import { correctedInput } from "./case-type.ts";
import type { FaultCounts } from "./faults.ts";
import type { SeededRandom } from "./random.ts";

/** One act of a person who does not look what the case needs. */
export type PersonAct = "approve" | "correct" | "resume" | "pause" | "cancel" | "leaveOutside";

/** How long the case is watched that is tried first with a restored access, in virtual ms. */
const TRIAL_MS = 3_000;

/** People at their desk. */
export interface People {
  readonly desk: Desk;
  readonly random: SeededRandom;
  readonly counts: FaultCounts;
  readonly onTrace: (line: string) => void;
}

/** Does it once. Rejects as the desk does. */
export async function actOnce(
  { desk, random, counts }: People,
  act: PersonAct,
  caseId: string,
): Promise<void> {
  switch (act) {
    case "approve":
      await desk.answerApproval(caseId, {
        step: "step1",
        approved: random.chance(0.9),
        by: "finance",
      });
      return;
    case "resume":
      await desk.resume(caseId, { by: "ops" });
      counts.hit("resume");
      return;
    case "pause":
      await desk.pause(caseId, { by: "ops", reason: "to look into it" });
      counts.hit("pause");
      return;
    case "cancel":
      await desk.cancel(caseId, { by: "ops" });
      counts.hit("cancel");
      return;
    case "leaveOutside":
      await desk.leaveOutside(caseId, {
        step: `step${random.between(1, 4)}`,
        by: "ops",
        reason: "they keep it",
      });
      counts.hit("leftOutside");
      return;
    case "correct":
      await desk.correctInput(caseId, {
        input: correctedInput(random),
        by: "ops",
        reason: "it was wrong",
      });
      counts.hit("correction");
  }
}

/** Says that an access is restored. Never rejects: what is refused is told. */
export async function tellRestored(
  { desk, counts, onTrace }: People,
  destination: string,
  credentialId: string,
): Promise<void> {
  try {
    const { probe } = await desk.restoreAccess({ destination, credentialId, by: "ops", waitMs: TRIAL_MS });
    if (probe.kind !== "nothingWaits") counts.hit("restored");
    onTrace(`access to ${destination} is restored: ${probe.kind}`);
  } catch (error) {
    onTrace(`access to ${destination} is not restored: ${String(error)}`);
  }
}

/** How people help. */
interface Help {
  readonly now: number;
  /** The case waits for an event. */
  readonly onAwaited: () => void;
  /** How likely they are to say that what nobody can find out about stays outside. */
  readonly leavesShare: number;
}

/** Gives a case what it waits for. Never rejects. */
export async function helpCase(
  people: People,
  { caseId, state, summary }: StoredRow,
  { now, onAwaited, leavesShare }: Help,
): Promise<void> {
  if (state === "done" || state === "canceled") return;
  const { desk, random } = people;
  const { reviews, waits, undoing } = summary;
  const ignore = (error: unknown): void => people.onTrace(`helping ${caseId}: ${String(error)}`);
  if (waits.some(({ kind }) => kind === "event")) {
    onAwaited();
    const payload: Json = { n: now };
    const event = { eventType: ARRIVED, payload, sourceId: `help-${now}` };
    await desk.recordEvent(caseId, event).catch(ignore);
  }
  if (waits.some(({ kind }) => kind === "approval")) {
    await desk.answerApproval(caseId, { step: "step1", approved: true, by: "finance" }).catch(ignore);
  }
  for (const wait of waits) {
    // Whoever was refused first may have ended by now; those who wait need the word all the same.
    if (wait.kind === "access") await tellRestored(people, wait.destination, wait.credentialId);
  }
  for (const { kind, destination } of summary.problems ?? []) {
    // A refresh that came a moment ago is not made again: only the word that the access is there helps.
    const isTold = kind === "denied" && destination !== null && random.chance(0.5);
    if (isTold) await tellRestored(people, destination, destination);
  }
  if (undoing !== undefined) await leaveStuck(people, caseId, { reviews, leavesShare }).catch(ignore);
  if (reviews.some(({ reason }) => reason === "rejected")) {
    const correction = { input: correctedInput(random), by: "ops", reason: "rejected" };
    await desk.correctInput(caseId, correction).catch(ignore);
  } else if (reviews.length > 0 || state === "paused") {
    await desk.resume(caseId, { by: "ops" }).catch(ignore);
  }
}

/** What can be undone no more, or not found out, people say to stay; now and then they do so at once. */
async function leaveStuck(
  { desk, random, counts }: People,
  caseId: string,
  { reviews, leavesShare }: { readonly reviews: readonly Review[]; readonly leavesShare: number },
): Promise<void> {
  for (const { step, reason } of reviews) {
    if (reason !== "staysOutside" && !random.chance(leavesShare)) continue;
    await desk.leaveOutside(caseId, { step, by: "ops", reason: "it cannot be taken back" });
    counts.hit("leftOutside");
  }
}
