/** What a status or a provider's code means, and the tables of them. */

import type {
  DeniedAccess,
  Executed,
  FailureCause,
  FailureOwner,
  FailureScope,
  Instruction,
} from "../core/failure.ts";

/** Why it failed, whether it happened, and what else is known by that alone. */
export interface Meaning {
  readonly cause: FailureCause;
  readonly executed: Executed;
  readonly owner?: FailureOwner;
  readonly scope?: FailureScope;
  readonly access?: DeniedAccess;
  readonly instruction?: Instruction;
}

/** What a meaning has besides. */
export type MeaningDetails = Omit<Meaning, "cause" | "executed">;

/** It surely did not happen. */
export function no(cause: FailureCause, details: MeaningDetails = {}): Meaning {
  return { cause, executed: "no", ...details };
}

/** It may have happened. */
export function maybe(cause: FailureCause, details: MeaningDetails = {}): Meaning {
  return { cause, executed: "maybe", ...details };
}

/** Access was refused. Whose else's is refused with it depends on what about it: a missing right may be about one thing only. */
export function denied(access: DeniedAccess, details: MeaningDetails = {}): Meaning {
  return no("denied", { access, scope: access === "scope" ? "case" : "credential", ...details });
}

/** What is true of two together: a part that surely happened weighs more than one that only may have. */
export function together(one: Executed, other: Executed): Executed {
  const order: readonly Executed[] = ["yes", "partial", "maybe", "no"];
  return order.find((each) => one === each || other === each) ?? "no";
}

/** Codes and what they mean. */
export type Codes = ReadonlyMap<string, Meaning>;

/** A table of codes: each row is a meaning and the codes, between spaces, that have it. */
export function codes(...rows: readonly (readonly [meaning: Meaning, codes: string])[]): Codes {
  return new Map(
    rows.flatMap(([meaning, names]) => names.split(" ").map((name) => [name, meaning] as const)),
  );
}
