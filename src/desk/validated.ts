/** Values checked against the schemas of a definition, before anything is written. */

import { FootholdError, type FieldFault } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { CaseType, Validate } from "../define/case-type.ts";

/** A value as its schema gives it. Throws `code` with every fault; `what` begins the sentence. */
export async function checked(
  validate: Validate,
  value: unknown,
  code: "INVALID_INPUT" | "INVALID_EVENT" | "INVALID_APPROVAL" | "INVALID_REQUEST",
  what: string,
): Promise<Json> {
  const validation = await validate(value);
  if (validation.kind === "valid") return validation.value;
  const { faults: fields } = validation;
  throw new FootholdError(code, `${what}: ${sayFaults(fields)}.`, { details: { fields } });
}

/** An input as its schema gives it. Throws `INVALID_INPUT` naming each field. */
export function validInput({ outline, input }: CaseType, value: unknown): Promise<Json> {
  return checked(input, value, "INVALID_INPUT", `The input is not one of ${outline.name}`);
}

function sayFaults(faults: readonly FieldFault[]): string {
  return faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
}
