/** What the inbox tells whoever runs it. */

import type { WorkOutcome } from "../store/inbox-port.ts";

/** One thing that happened. */
export type InboxReport =
  /** Something of ours failed; senders are asked to come again. */
  | { readonly kind: "fault"; readonly during: string; readonly error: unknown }
  | { readonly kind: "databaseAway"; readonly during: string; readonly error: unknown }
  | { readonly kind: "databaseBack"; readonly during: string }
  /** A piece of work was worked on, and stands so. */
  | {
      readonly kind: "worked";
      readonly eventId: string;
      readonly source: string;
      readonly consumer: string;
      readonly state: WorkOutcome["state"];
      readonly caseIds: readonly string[];
    }
  /** A piece of work ended in review. */
  | {
      readonly kind: "workInReview";
      readonly eventId: string;
      readonly consumer: string;
      readonly sentence: string;
    }
  /** What a sweep found. */
  | { readonly kind: "swept"; readonly freed: number; readonly expired: number; readonly rematched: number }
  /** A provider's list was read to its end. */
  | { readonly kind: "reconciled"; readonly source: string; readonly items: number; readonly missed: number };

/** Told of each. */
export type OnInboxReport = (report: InboxReport) => void;
