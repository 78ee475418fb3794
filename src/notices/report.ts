/** What telling owners tells whoever runs it. */

import type { TellReason } from "../core/notices.ts";
import type { NoticeTarget } from "../store/notice-port.ts";

/** One thing that happened. */
export type NoticeReport =
  /** An owner is told, at so many places. Of what is over only those are told that want to be. */
  | {
      readonly kind: "told";
      readonly noticeId: string;
      readonly owner: string;
      readonly why: TellReason | "over";
      readonly title: string;
      readonly places: number;
    }
  | {
      readonly kind: "undeliverable";
      readonly messageId: string;
      readonly target: NoticeTarget;
      readonly sentence: string;
    }
  /** Nobody answers to the name of an owner; told once for each. */
  | { readonly kind: "nobody"; readonly owner: string; readonly title: string }
  /** A rota did not say who is on duty; its fallback was told. */
  | { readonly kind: "rota"; readonly owner: string; readonly why: string }
  | { readonly kind: "fault"; readonly error: unknown }
  | { readonly kind: "databaseAway"; readonly error: unknown }
  | { readonly kind: "databaseBack" };

/** Told of each. */
export type OnNoticeReport = (report: NoticeReport) => void;
