import type { ServiceDefinition } from "./answering.ts";
import { BodyFields } from "./body-fields.ts";
import type { RunningService, ServiceOptions } from "./http-service.ts";
import { startService } from "./http-service.ts";
import type { JsonObject } from "./ledger-entries.ts";
import type { CheckedBody } from "./write.ts";

const mail: ServiceDefinition = {
  name: "mail",
  collection: "/messages",
  writeRouteAt: (path) => (path === "/messages" ? sendMessage : undefined),
  view: (effect) => ({
    // The stored body is this service's own answer, a JSON object.
    ...(JSON.parse(effect.answer.body) as JsonObject),
    idempotencyKey: effect.key,
    sentAt: effect.executedAt,
  }),
};

/**
 * Starts the example mail service on 127.0.0.1. It sends nothing anywhere: a message is sent when its ledger
 * says so.
 *
 * - `POST /messages` `{caseId, to, subject, body}` -> 201 `{messageId: "M-3", caseId, to, subject}`;
 *   `activity` (`notify` by default), `occurrence` and `position` are taken too. 422 `{errors: [{field,
 *   message}]}` names all that is wrong. With `Idempotency-Key` a message is sent once per key.
 * - `GET /messages/by-key/KEY` and `GET /messages/M-3` -> 200, the message with `idempotencyKey` and `sentAt`
 *   (epoch milliseconds), or 404.
 *
 * Its `failFirstPerKey` switch makes the first N tries of each message fail with 503, so that a notification
 * fails before it gets through. The paths that all services share: see `startService`.
 */
export function startMail(options: ServiceOptions = {}): Promise<RunningService> {
  return startService(mail, options);
}

function sendMessage(message: JsonObject): CheckedBody {
  const fields = new BodyFields(message);
  const step = fields.step("notify");
  const to = fields.text("to", { charsMax: 200 });
  if (to !== "" && !/^[^@\s]+@[^@\s]+$/.test(to))
    fields.refuse("to", "to must be an address such as a@b.test");
  const subject = fields.text("subject", { charsMax: 200 });
  fields.text("body", { charsMax: 20_000 });
  if (fields.errors.length > 0) return { kind: "invalid", errors: fields.errors };
  const answer = (messageId: string): JsonObject => ({ messageId, caseId: step.caseId, to, subject });
  return { kind: "valid", step, idPrefix: "M", answer };
}
