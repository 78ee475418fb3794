/** Definitions as JavaScript authors write them, and what is said of them. */

import { z } from "zod";
import { defineCase } from "./builder.ts";
import type { CaseType } from "./case-type.ts";
import { defineDestination } from "./destination.ts";
import { faultsIn } from "./faulty-definition.ts";
import { probe } from "./probe.ts";

/** What a JavaScript author writes: the compiler judges nothing of it. */
export interface Untyped extends CaseType {
  step(name: unknown, options?: unknown): Untyped;
  each(name: unknown, options?: unknown): Untyped;
  child(name: unknown, options?: unknown): Untyped;
  eachChild(name: unknown, options?: unknown): Untyped;
  result(give: unknown): Untyped;
  approval(name: unknown, options?: unknown): Untyped;
  poll(name: unknown, options?: unknown): Untyped;
  waitForEvent(name: unknown, options?: unknown): Untyped;
  sleep(name: unknown, options?: unknown): Untyped;
}
export const untypedCase = defineCase as unknown as (name: unknown, options?: unknown) => Untyped;
export const untypedDestination = defineDestination as unknown as (
  name: unknown,
  options?: unknown,
) => unknown;
export const untypedProbe = probe as unknown as (options: unknown) => unknown;

export const input = z.object({ vendor: z.string() });
export const head = { version: 1, owner: "purchasing", input };
export const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
export const run = (): null => null;
export const holds = (): boolean => true;

/** The faults of a case type, as `path: message`. */
export function faultsOf(caseType: CaseType): readonly string[] {
  try {
    return [`no fault: ${caseType.outline.name}`];
  } catch (error) {
    const faulty = faultsIn(error);
    if (faulty === null) throw error;
    return faulty.flatMap(({ faults }) => faults.map(({ path, message }) => `${path}: ${message}`));
  }
}

export const nameRule = "begin with a letter, then letters, digits, _ or -, at most 64 characters";
