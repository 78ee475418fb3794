/** What a move would do, as people see it before anybody makes it. */

import type { ErrorCode } from "../core/errors.ts";
import type { JsonChange } from "../core/json-diff.ts";
import type { PlanView } from "./plan-view.ts";

/** A move to be looked at first. */
export type PreviewRequest = { readonly repairId?: string | undefined } & (
  | { readonly move: "resume"; readonly step?: string | undefined; readonly force?: boolean | undefined }
  /** The whole input as it would be. */
  | { readonly move: "correct"; readonly input: unknown }
  | { readonly move: "confirm" | "skip"; readonly step: string; readonly result?: unknown }
  | {
      readonly move: "check" | "ruleOut" | "redo" | "undo" | "leaveOutside";
      readonly step: string;
    }
  | { readonly move: "cancel" }
);

/** A confirmation that the move would lapse. */
export interface LapsePreview {
  readonly step: string;
  readonly because: string;
  /** What would be done about it. */
  readonly next: string;
}

/** What a move would do. */
export interface MovePreview {
  readonly move: PreviewRequest["move"];
  readonly isAllowed: boolean;
  /** Why it is not; null where it is. */
  readonly code: ErrorCode | null;
  readonly why: string | null;
  /** Handed to the move, it is refused once the plan has changed (R5). */
  readonly plan: string;
  readonly before: PlanView;
  /** Null where the move is not allowed. */
  readonly after: PlanView | null;
  /** What it lapses that stands now. */
  readonly lapses: readonly LapsePreview[];
  /** From the present input to the new one; none for other moves. */
  readonly inputChanges: readonly JsonChange[];
}
