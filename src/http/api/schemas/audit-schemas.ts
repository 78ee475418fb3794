/** What the API takes and tells of the audit. */

import { z } from "zod";
import type { SealHead } from "../../../core/seal.ts";
import {
  AUDIT_LINES_MAX,
  type AuditOutcome,
  type AuditPage,
  type StoredAuditLine,
} from "../../../store/audit-port.ts";
import type { ApiTypes, AuditQuery } from "../types.ts";
import { errorCode } from "./failure-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone, time, typed } from "./schema.ts";

const TEXT_CHARS_MAX = 400;
const filter = z.string().min(1).max(TEXT_CHARS_MAX);

const outcome = oneOf<AuditOutcome>({ done: true, requested: true, refused: true });

/** Filters of a list of audit lines. */
export const auditQuery: z.ZodType<AuditQuery> = typed<AuditQuery>()(
  z.strictObject({
    act: filter.exactOptional(),
    outcome: outcome.exactOptional(),
    who: filter.exactOptional(),
    caseId: filter.exactOptional(),
    about: filter.exactOptional(),
    since: time.exactOptional(),
    until: time.exactOptional(),
    limit: z.int().min(1).max(AUDIT_LINES_MAX).exactOptional(),
    cursor: filter.exactOptional(),
  }),
);

const auditLine = named<StoredAuditLine>("AuditLine")(
  z.strictObject({
    auditId: text,
    at: time,
    act: text,
    outcome,
    code: errorCode.nullable(),
    who: textOrNone,
    personId: textOrNone,
    caseId: textOrNone,
    about: textOrNone,
    plan: textOrNone,
    why: textOrNone,
    sentence: textOrNone,
    before: json,
    after: json,
    sealNo: count.nullable(),
  }),
);

/** One page of audit lines. */
export const auditPage: z.ZodType<AuditPage> = named<AuditPage>("AuditPage")(
  z.strictObject({ lines: list(auditLine), next: textOrNone }),
);

const sealHead = named<SealHead>("SealHead")(z.strictObject({ shard: count, sealNo: count, hash: text }));

/** Where each chain of seals ends. */
export const sealHeads: z.ZodType<ApiTypes["listSealHeads"]["reply"]> = typed<
  ApiTypes["listSealHeads"]["reply"]
>()(z.strictObject({ now: time, heads: list(sealHead) }));
