/** The audit over the API. */

import type { AuditFilter } from "../../store/audit-port.ts";
import type { AuditApiTypes, AuditQuery } from "./audit-types.ts";
import type { Handler } from "./call.ts";

/** Lines in one answer where nothing else is asked for. */
const LIST_LIMIT = 100;

/** Every route's. */
export const AUDIT_HANDLERS: { readonly [Id in keyof AuditApiTypes]: Handler<Id> } = {
  listAudit: async ({ parts, query }) => ({ reply: await parts.store.audit.list(filterOf(query)) }),
  listSealHeads: async ({ parts: { store } }) => ({
    reply: { now: await store.now(), heads: await store.audit.readHeads() },
  }),
};

function filterOf({ since, until, limit, cursor, ...rest }: AuditQuery): AuditFilter {
  return {
    ...rest,
    limit: limit ?? LIST_LIMIT,
    ...(since === undefined ? {} : { sinceAt: since }),
    ...(until === undefined ? {} : { untilAt: until }),
    ...(cursor === undefined ? {} : { after: cursor }),
  };
}
