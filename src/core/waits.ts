/** Why a case waits without a person, step by step, and when the engine looks again. */

/** A step waits for somebody's answer. */
export interface ApprovalWait {
  readonly kind: "approval";
  readonly step: string;
  /** When it goes to review without an answer; null = never. */
  readonly dueAt: number | null;
  /** The owner that it is asked of. */
  readonly by: string;
  /** When they are reminded: `times` times, each `everyMs` after the one before, the first so long after `askedAt`. */
  readonly remind?: { readonly askedAt: number; readonly everyMs: number; readonly times: number };
  /** Who is asked too from then on. */
  readonly escalation?: { readonly to: string; readonly at: number };
}

/** Reminders of one wait for an approval. */
export const REMINDERS_MAX = 10;

/** The owners who are asked by now: the one that the approval names, then whoever it was escalated to. */
export function ownersAsked({ by, escalation }: ApprovalWait, now: number): readonly string[] {
  return escalation === undefined || now < escalation.at ? [by] : [by, escalation.to];
}

/** When the owners were last to be reminded by now; null = not yet, or never. */
export function lastReminderAt({ remind }: ApprovalWait, now: number): number | null {
  if (remind === undefined) return null;
  const { askedAt, everyMs, times } = remind;
  const due = Math.min(Math.floor((now - askedAt) / everyMs), times);
  return due < 1 ? null : askedAt + due * everyMs;
}

/** Why a step waits without a person. `dueAt`: when the engine looks again. */
export type Wait =
  | {
      readonly kind: "retry";
      readonly step: string;
      readonly dueAt: number;
      readonly attempt: number;
      readonly attemptsMax: number;
      readonly by: "backoff" | "provider";
    }
  | { readonly kind: "check"; readonly step: string; readonly dueAt: number }
  | {
      readonly kind: "probe";
      readonly step: string;
      readonly dueAt: number;
      readonly condition: string;
      readonly why: string;
    }
  | ApprovalWait
  | {
      readonly kind: "event";
      readonly step: string;
      readonly dueAt: number;
      readonly eventType: string;
      /** Further types, the first event of any of which ends the wait. */
      readonly orTypes?: readonly string[];
    }
  | { readonly kind: "timer"; readonly step: string; readonly dueAt: number }
  /** It is looked again, at `untilAt` for the last time. `dueAt` of a repeat is not journaled. */
  | {
      readonly kind: "poll";
      readonly step: string;
      readonly dueAt: number;
      readonly untilAt: number;
      readonly destination: string;
      readonly why: string;
    }
  /** For another case to end, which tells of it: nothing looks again by itself. */
  | {
      readonly kind: "child";
      readonly step: string;
      readonly dueAt: null;
      readonly caseId: string;
      readonly caseType: string;
      /** True while that case, or one that it waits for, waits for people. */
      readonly needsPeople: boolean;
    }
  /** Held back: all workers together send no more to this destination now. `dueAt` of a repeat is not journaled. */
  | {
      readonly kind: "held";
      readonly step: string;
      readonly dueAt: number;
      readonly destination: string;
      readonly credentialId: string;
    }
  /**
   * Access was refused to another case that uses the credential, or its quota to this one until its reset at `dueAt`;
   * `owner` can restore it.
   */
  | {
      readonly kind: "access";
      readonly step: string;
      readonly dueAt: number;
      readonly destination: string;
      readonly credentialId: string;
      readonly owner: string;
    };
