import type { ServiceDefinition } from "./answering.ts";
import { BodyFields } from "./body-fields.ts";
import type { RunningService, ServiceOptions } from "./http-service.ts";
import { startService } from "./http-service.ts";
import type { JsonObject } from "./ledger-entries.ts";
import type { CheckedBody } from "./write.ts";

const registry: ServiceDefinition = {
  name: "registry",
  collection: "/activities",
  writeRouteAt: (path) => (path === "/activities" ? enterActivity : undefined),
  view: (effect) => ({
    // The stored body is this service's own answer, a JSON object.
    ...(JSON.parse(effect.answer.body) as JsonObject),
    idempotencyKey: effect.key,
    enteredAt: effect.executedAt,
  }),
};

/**
 * Starts the example permit registry on 127.0.0.1: the book in which each activity of a permit case is
 * entered.
 *
 * - `POST /activities` `{caseId, activity, occurrence, position}` -> 201 `{entryId: "E-9", ...}` with the
 *   same fields; all four are required, `occurrence` and `position` are 1-based. 422 `{errors: [{field,
 *   message}]}` names all that is wrong. With `Idempotency-Key` an activity is entered once per key.
 * - `GET /activities/by-key/KEY` and `GET /activities/E-9` -> 200, the entry with `idempotencyKey` and
 *   `enteredAt` (epoch milliseconds), or 404.
 *
 * Give it and the mail service one `ledger` to have all effects of a case in one true order. The paths that
 * all services share: see `startService`.
 */
export function startRegistry(options: ServiceOptions = {}): Promise<RunningService> {
  return startService(registry, options);
}

function enterActivity(body: JsonObject): CheckedBody {
  const fields = new BodyFields(body);
  const step = fields.step("");
  for (const field of ["activity", "occurrence", "position"]) {
    if (body[field] === undefined) fields.refuse(field, `${field} is missing`);
  }
  if (fields.errors.length > 0) return { kind: "invalid", errors: fields.errors };
  const answer = (entryId: string): JsonObject => ({ entryId, ...step });
  return { kind: "valid", step, idPrefix: "E", answer };
}
