/** What the routes of the audit take and give. */

import type { SealHead } from "../../core/seal.ts";
import type { AuditOutcome, AuditPage } from "../../store/audit-port.ts";

/** Filters of a list of audit lines. */
export interface AuditQuery {
  readonly act?: string;
  readonly outcome?: AuditOutcome;
  /** A name or a person's id. */
  readonly who?: string;
  readonly caseId?: string;
  readonly about?: string;
  /** Epoch ms: from then, and before then. */
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

/** What each route takes and gives. */
export interface AuditApiTypes {
  readonly listAudit: { params: object; query: AuditQuery; body: null; reply: AuditPage };
  readonly listSealHeads: {
    params: object;
    query: object;
    body: null;
    reply: { readonly now: number; readonly heads: readonly SealHead[] };
  };
}
