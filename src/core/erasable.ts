/** Whether what a case holds of people can be erased now. Pure. */

import type { CaseState } from "./case-state.ts";
import type { Erasure } from "./erasure.ts";

/** What is known of a case that somebody wants to have erased. */
export interface ErasableCase {
  readonly state: CaseState;
  /** Up to which entry its journal is sealed. */
  readonly sealedRevision: number;
  /** What is under way outside its journal. */
  readonly open: OpenTraces;
}

/** How much of what concerns a case is not over. */
interface OpenTraces {
  /** Audit lines about it that no seal took yet. */
  readonly unsealedLines: number;
  /** Work of events that it was told, and of events that came with them. */
  readonly work: number;
  /** Moves that wait for a second person. */
  readonly seconds: number;
  /** Bulk acts that are not over, with this case in them. */
  readonly bulkActs: number;
}

/** What can be done. */
export type ErasureVerdict =
  | { readonly kind: "erase" }
  /** It was erased before. */
  | { readonly kind: "erased"; readonly erasure: Erasure }
  /** Its seals must be made first: what is erased is held to the hash that was sealed. */
  | { readonly kind: "unsealed" }
  | { readonly kind: "refused"; readonly sentence: string };

/** Judges a case by itself; that its parent and the cases that it started go with it is up to whoever asks. */
export function decideErasure({ state, sealedRevision, open }: ErasableCase): ErasureVerdict {
  const { caseId, rest, erased } = state;
  if (erased !== undefined) return { kind: "erased", erasure: erased };
  const refuse = (why: string): ErasureVerdict => ({
    kind: "refused",
    sentence: `Case ${caseId} is not erased: ${why}.`,
  });
  if (rest.kind !== "done" && rest.kind !== "canceled") {
    return refuse("it has not ended; let it end, or cancel it first");
  }
  if (Object.values(state.steps).some(({ review }) => review !== null)) {
    return refuse("it has an open review; close it first");
  }
  if (open.seconds > 0) return refuse("a move on it waits for a second person; have it answered first");
  if (open.bulkActs > 0) return refuse("it is in a bulk act that is not over; wait for that, or stop it");
  if (open.work > 0) {
    return refuse(
      "an event that it was told, or one that came with that, is still worked on; deal with it first",
    );
  }
  if (sealedRevision < state.revision || open.unsealedLines > 0) return { kind: "unsealed" };
  return { kind: "erase" };
}
