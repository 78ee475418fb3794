/**
 * After a restore from a backup: what was sent since the backup was taken the journal does not know. So a step that is to send
 * for the first time since is not taken for one that never did. It is given the attempt that it may have had, under the key
 * that it would have had, and of that attempt nothing is known: what makes a repeat safe at its destination decides.
 */

import type { CaseState, Restored } from "./case-state.ts";
import type { Actor } from "./journal.ts";
import type { SendStepOutline } from "./outline.ts";

/** A state after a restore. */
export type RestoredState = CaseState & { readonly restored: Restored };

/** Who may have held the claim of an attempt that the backup does not have. */
export const BEFORE_RESTORE: Actor = { kind: "engine", name: "before the restore" };

/** No claim has such an id. */
export const CLAIM_BEFORE_RESTORE = "before-restore";

/** True while a step has sent nothing since its case was restored, so that it may have before. */
export function mayHaveBeenSent(state: CaseState, step: string): state is RestoredState {
  return state.restored !== null && !state.restored.begun.includes(step);
}

/** True for a send that may be a second one. What a step wrote in our own database was restored with it. */
export function isDoubtful(state: CaseState, { name, destination }: SendStepOutline): boolean {
  return destination.repeatSafety.by !== "transaction" && mayHaveBeenSent(state, name);
}
