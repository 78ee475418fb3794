import type { FaultPlan } from "./faults.ts";
import { faultPlan } from "./faults.ts";
import type { FieldError } from "./body-fields.ts";

/** How a service misbehaves now. Every part can be switched while it runs. */
export interface Switches {
  /** The seeded faults; null is none. */
  readonly plan: FaultPlan | null;
  /** `unauthorized` answers 401 and `forbidden` 403 to everything but the control paths. */
  readonly access: "granted" | "unauthorized" | "forbidden";
  /** How long a POST waits before it is looked at, in milliseconds. */
  readonly latencyMs: number;
  /**
   * Writes with one key (or, without a key, for one step) that are answered 503 before the first one is
   * taken.
   */
  readonly failFirstPerKey: number;
}

/** A service that behaves: no faults, access granted, no latency. */
export const behaving: Switches = { plan: null, access: "granted", latencyMs: 0, failFirstPerKey: 0 };

/** Longest latency, in milliseconds. */
const latencyMsMax = 10_000;

/** Most failures per key. */
const failFirstMax = 1_000;

/** The switches that a request asks for, or all that is wrong with it. */
export type SwitchRequest =
  | { readonly kind: "valid"; readonly switches: Partial<Switches> }
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] };

/**
 * Reads the body of `POST /faults`: any of `seed` (a whole number, or null for no plan), `access`,
 * `latencyMs` and `failFirstPerKey`. What is not named stays as it is; a field that is not one of these is an
 * error.
 */
export function readSwitches(text: string): SwitchRequest {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: "invalid", errors: [{ field: "", message: "the body is not JSON" }] };
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { kind: "invalid", errors: [{ field: "", message: "the body is not a JSON object" }] };
  }
  const errors: FieldError[] = [];
  let switches: Partial<Switches> = {};
  for (const [field, value] of Object.entries(body)) {
    const read = readSwitch(field, value);
    if (typeof read === "string") errors.push({ field, message: read });
    else switches = { ...switches, ...read };
  }
  return errors.length === 0 ? { kind: "valid", switches } : { kind: "invalid", errors };
}

/** One switch, or what is wrong with it. */
function readSwitch(field: string, value: unknown): Partial<Switches> | string {
  switch (field) {
    case "seed":
      if (value === null) return { plan: null };
      return Number.isSafeInteger(value)
        ? { plan: faultPlan(Number(value)) }
        : "seed must be a whole number or null";
    case "access":
      if (value === "granted" || value === "unauthorized" || value === "forbidden") return { access: value };
      return "access must be granted, unauthorized or forbidden";
    case "latencyMs":
      if (isCountUpTo(latencyMsMax, value)) return { latencyMs: value };
      return `latencyMs must be a whole number from 0 to ${latencyMsMax}`;
    case "failFirstPerKey":
      if (isCountUpTo(failFirstMax, value)) return { failFirstPerKey: value };
      return `failFirstPerKey must be a whole number from 0 to ${failFirstMax}`;
    default:
      return `${field} is no switch; there are seed, access, latencyMs and failFirstPerKey`;
  }
}

function isCountUpTo(max: number, value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}
