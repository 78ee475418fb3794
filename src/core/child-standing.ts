/** What a case and its parent know of each other. */

import type { Json } from "./json.ts";

/** How a child stands, as it tells its parent. */
export type ChildStanding =
  | { readonly kind: "running" }
  /** It, or one that it waits for, waits for people. */
  | { readonly kind: "inReview" }
  | { readonly kind: "done"; readonly result: Json }
  | { readonly kind: "canceled"; readonly by: string; readonly reason: string | null };

/** True of the end of a case, which no later telling takes back. */
export function isEnd({ kind }: ChildStanding): boolean {
  return kind === "done" || kind === "canceled";
}

/** The step that started a case. */
export interface ParentRef {
  readonly caseId: string;
  readonly step: string;
  readonly intentVersion: number;
  /** How many parents are above: 1 = its parent has none. */
  readonly depth: number;
}
