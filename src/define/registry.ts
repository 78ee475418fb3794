/** The case types that a process has loaded. */

import { FootholdError } from "../core/errors.ts";
import type { CaseType } from "./case-type.ts";

/** Case types by name. */
export interface Registry {
  readonly all: readonly CaseType[];
  /** Null when no loaded case type has this name. */
  find(name: string): CaseType | null;
  /** Throws `UNKNOWN_CASE_TYPE` with the names that are loaded. */
  get(name: string): CaseType;
}

/** Collects case types. Throws `INVALID_DEFINITION` when two have the same name. */
export function registryOf(caseTypes: readonly CaseType[]): Registry {
  const byName = new Map<string, CaseType>();
  for (const one of caseTypes) {
    const { name } = one.outline;
    if (byName.has(name)) {
      throw new FootholdError(
        "INVALID_DEFINITION",
        `Two case types are named ${name}; give one of them another name.`,
      );
    }
    byName.set(name, one);
  }
  return {
    all: caseTypes,
    find: (name) => byName.get(name) ?? null,
    get: (name) => {
      const found = byName.get(name);
      if (found !== undefined) return found;
      const known = [...byName.keys()].join(", ") || "none";
      throw new FootholdError("UNKNOWN_CASE_TYPE", `No case type ${name} is loaded here. Loaded: ${known}.`);
    },
  };
}
