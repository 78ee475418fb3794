/** What a wait for an event gives, as a schema: for a person who says what it would have given. */

import { awaitedTypes, type WaitForEventStepOutline } from "../core/outline.ts";
import type { CaseType, Validate, Validation } from "./case-type.ts";

/** The payload's schema; of several events, that of `{ event, payload }`. Null where the case type has none for it. */
export function awaitedSchema(
  step: Pick<WaitForEventStepOutline, "eventType" | "orTypes">,
  events: CaseType["events"],
): Validate | null {
  if (step.orTypes === undefined) return events[step.eventType] ?? null;
  const types = awaitedTypes(step);
  return async (value) => {
    const { event, payload } = partsOf(value);
    const schema = types.includes(String(event)) ? events[String(event)] : undefined;
    if (schema === undefined) return invalid("event", `must be one of ${types.join(", ")}`);
    const read = await schema(payload);
    if (read.kind === "valid") return { kind: "valid", value: { event: String(event), payload: read.value } };
    return { ...read, faults: read.faults.map((one) => ({ ...one, path: within(one.path) })) };
  };
}

function partsOf(value: unknown): { readonly event: unknown; readonly payload: unknown } {
  if (typeof value !== "object" || value === null) return { event: undefined, payload: undefined };
  return { event: Reflect.get(value, "event"), payload: Reflect.get(value, "payload") };
}

function within(path: string): string {
  return path === "" ? "payload" : `payload.${path}`;
}

function invalid(path: string, message: string): Validation {
  return { kind: "invalid", faults: [{ path, message }] };
}
