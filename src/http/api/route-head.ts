/** What a route is, without its schemas: where it answers, and the right that it needs. */

import type { Verb } from "../../core/rights.ts";

/** Of the API, not of the package. */
export const API_VERSION = "1.0.0";

/**
 * What a right is judged on: a case, a case type, what a schedule starts, all that a person may see of them, the whole house, or
 * nothing.
 */
type JudgedOn = "case" | "caseType" | "schedule" | "visible" | "house" | "anyone";

/** One route, without its schemas. */
export interface RouteHead {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/api/v1`; parameters in braces. */
  readonly path: string;
  /** Null = everybody who is signed in. */
  readonly verb: Verb | null;
  readonly on: JudgedOn;
  /** `needed`: the act is refused without `If-Match`, which holds the plan version that the person saw, or `*`. */
  readonly plan: "needed" | "none";
  /** True where nobody needs to be signed in. */
  readonly isOpen?: boolean;
  /** A field of the body that needs a right of its own when it is true. */
  readonly also?: { readonly field: string; readonly verb: Verb };
  readonly tag:
    | "Cases"
    | "Moves"
    | "Repairs"
    | "Many cases"
    | "Schedules"
    | "Second persons"
    | "House"
    | "Inbox"
    | "People"
    | "Audit"
    | "Work";
  /** One line. */
  readonly summary: string;
}
