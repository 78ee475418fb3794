import type { ServiceDefinition } from "./answering.ts";
import { BodyFields } from "./body-fields.ts";
import type { RunningService, ServiceOptions } from "./http-service.ts";
import { startService } from "./http-service.ts";
import type { Effect, JsonObject } from "./ledger-entries.ts";
import type { Ledger } from "./ledger.ts";
import type { CheckedBody, WriteRoute } from "./write.ts";

/** Largest amount of a record. */
const amountMax = 1_000_000_000;

const erp: ServiceDefinition = {
  name: "erp",
  collection: "/records",
  writeRouteAt: (path, ledger) => {
    if (path === "/records") return createRecord;
    const revoked = /^\/records\/([^/]+)\/revoke$/.exec(path)?.[1];
    return revoked === undefined ? undefined : revokeRecord(revoked, ledger);
  },
  view: viewRecord,
};

/**
 * Starts the example ERP on 127.0.0.1.
 *
 * - `POST /records` `{caseId, vendor, amount}` -> 201 `{recordId: "R-17", caseId, vendor, amount}`;
 *   `activity` (`createRecord` by default), `occurrence` and `position` are taken too. 422 `{errors: [{field,
 *   message}]}` names all that is wrong. With `Idempotency-Key` a record is created once per key.
 * - `GET /records/by-key/KEY` and `GET /records/R-17` -> 200, the record with `idempotencyKey`, `status`
 *   (`standing` or `revoked`) and `createdAt` (epoch milliseconds), or 404: the answer to "did it happen?".
 * - `POST /records/R-17/revoke` `{reason}` -> 201: the record stays and reads `revoked` from now on.
 *
 * How it misbehaves, and the paths that all services share: see `startService`.
 */
export function startErp(options: ServiceOptions = {}): Promise<RunningService> {
  return startService(erp, options);
}

function createRecord(body: JsonObject): CheckedBody {
  const fields = new BodyFields(body);
  const step = fields.step("createRecord");
  const vendor = fields.text("vendor", { charsMax: 200 });
  const amount = fields.amount("amount", { max: amountMax });
  if (fields.errors.length > 0) return { kind: "invalid", errors: fields.errors };
  const answer = (recordId: string): JsonObject => ({ recordId, caseId: step.caseId, vendor, amount });
  return { kind: "valid", step, idPrefix: "R", answer };
}

function revokeRecord(recordId: string, ledger: Ledger): WriteRoute {
  return (body) => {
    const record = ledger.effectOfId("erp", recordId);
    if (record?.path !== "/records") return { kind: "missing", message: `there is no record ${recordId}` };
    const fields = new BodyFields(body);
    const reason = fields.text("reason", { charsMax: 500 });
    if (fields.errors.length > 0) return { kind: "invalid", errors: fields.errors };
    const step = { ...record.step, activity: "revokeRecord", occurrence: 1, position: null };
    const answer = (revocationId: string): JsonObject => ({ revocationId, recordId, reason });
    return { kind: "valid", step, idPrefix: `${recordId}-revoked`, answer };
  };
}

function viewRecord(effect: Effect, ledger: Ledger): JsonObject {
  const revoked = ledger.effectCountAt("erp", `/records/${effect.id}/revoke`) > 0;
  return {
    // The stored body is this service's own answer, a JSON object.
    ...(JSON.parse(effect.answer.body) as JsonObject),
    idempotencyKey: effect.key,
    status: revoked ? "revoked" : "standing",
    createdAt: effect.executedAt,
  };
}
