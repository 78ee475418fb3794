/** What the API tells of errors and failures. */

import { z } from "zod";
import { ERROR_CODES, type ErrorCode, type FieldFault } from "../../../core/errors.ts";
import type { Failure, FailureCause, FailureKind, Instruction } from "../../../core/failure.ts";
import { json, list, named, oneOf, text, typed } from "./schema.ts";

/** A stable code of an error. */
export const errorCode: z.ZodType<ErrorCode> = z.enum(ERROR_CODES);

/** A fault of one field. */
export const fieldFault: z.ZodType<FieldFault> = named<FieldFault>("FieldFault")(
  z.strictObject({ path: text, message: text }),
);

const failureCauses = {
  transient: true,
  throttled: true,
  quota: true,
  rejected: true,
  denied: true,
  conflict: true,
  precondition: true,
  gone: true,
  bug: true,
  stopped: true,
} as const;

/** Why something failed. */
export const failureKind: z.ZodType<FailureKind> = oneOf<FailureKind>({ ...failureCauses, unknown: true });

/** Whether something happened. */
export const executed: z.ZodType<Failure["executed"]> = oneOf<Failure["executed"]>({
  no: true,
  maybe: true,
  yes: true,
  partial: true,
});

const instruction = typed<Instruction>()(
  z.union([
    z.strictObject({ kind: z.literal("retryAfter"), delayMs: z.number(), source: text }),
    z.strictObject({ kind: z.literal("pace"), firstMs: z.number(), maxMs: z.number(), source: text }),
    z.strictObject({ kind: z.literal("doNotRetry"), source: text }),
    z.strictObject({ kind: z.literal("newerToken"), seen: z.number(), source: text }),
  ]),
);

/** Why an attempt failed. */
export const failure: z.ZodType<Failure> = named<Failure>("Failure")(
  z.strictObject({
    kind: failureKind,
    cause: oneOf<FailureCause>(failureCauses),
    executed,
    owner: oneOf<Failure["owner"]>({
      system: true,
      input: true,
      access: true,
      operator: true,
      developer: true,
    }),
    scope: oneOf<Failure["scope"]>({ case: true, credential: true, destination: true }),
    access: oneOf<NonNullable<Failure["access"]>>({
      refreshable: true,
      revoked: true,
      scope: true,
      blocked: true,
    }).nullable(),
    confidence: oneOf<Failure["confidence"]>({ proved: true, declared: true, inferred: true, guessed: true }),
    rule: text,
    sentence: text,
    instruction: instruction.nullable(),
    fields: list(fieldFault),
    raw: json,
  }),
);
