/** The routes of the audit, as data. */

import type { AuditApiTypes } from "./audit-types.ts";
import type { RouteHead } from "./route-head.ts";

const read = { method: "GET", verb: "seeAudit", on: "house", plan: "none", tag: "Audit" } as const;

/** Each by the name of its operation. */
export const AUDIT_ROUTES: {
  readonly [Id in keyof AuditApiTypes]: RouteHead & { readonly plan: "none" };
} = {
  listAudit: {
    ...read,
    path: "/audit",
    summary: "One page of what people did and were refused, newest first",
  },
  listSealHeads: {
    ...read,
    path: "/audit/heads",
    summary: "Where each chain of seals ends, to be kept elsewhere",
  },
};
