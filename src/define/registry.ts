/** The case types that a process has loaded. */

import { FootholdError } from "../core/errors.ts";
import { destinationKey } from "../core/in-flight.ts";
import type { CaseOutline, DestinationOutline, StepOutline } from "../core/outline.ts";
import { reachedBy, sendsOf } from "../core/sends.ts";
import type { CaseType } from "./case-type.ts";
import { faultyChildren } from "./children.ts";
import { areRivals, RIVALS } from "./destination.ts";
import { faultsIn, faultyDefinition, type FaultyCase } from "./faulty-definition.ts";

/** Case types by name. */
export interface Registry {
  readonly all: readonly CaseType[];
  /** Null when no loaded case type has this name. */
  find(name: string): CaseType | null;
  /** Throws `UNKNOWN_CASE_TYPE` with the names that are loaded. */
  get(name: string): CaseType;
}

/** Those whose steps are run by workers of this process. */
export function runHere({ all }: Pick<Registry, "all">): readonly CaseType[] {
  return all.filter(({ outline }) => outline.runBy === undefined);
}

/** Every destination that steps of these case types send to, undo steps included, once per credential. */
export function sendsTo(outlines: readonly CaseOutline[]): readonly DestinationOutline[] {
  const sends = outlines.flatMap((outline) => outline.steps.flatMap(sendsOf));
  const byKey = new Map(
    sends.map(({ destination }) => [destinationKey(destination.name, destination.credentialId), destination]),
  );
  return [...byKey.values()];
}

/**
 * Loads case types. Throws one `INVALID_DEFINITION` with all faults of all of them: also two of one name, destinations of
 * one name with different settings, and a case type that starts one that is not loaded, or itself through others.
 */
export function registryOf(caseTypes: readonly CaseType[]): Registry {
  const { outlines, faulty } = readOutlines(caseTypes);
  // Whom a faulty one starts is not known.
  const astray = faulty.length === 0 ? faultyChildren(outlines) : [];
  const found = [...faulty, ...twins(outlines), ...rivals(outlines), ...astray];
  if (found.length > 0) throw faultyDefinition(found);
  const byName = new Map(caseTypes.map((one) => [one.outline.name, one]));
  return {
    all: caseTypes,
    find: (name) => byName.get(name) ?? null,
    get: (name) => {
      const one = byName.get(name);
      if (one !== undefined) return one;
      const known = [...byName.keys()].join(", ") || "none";
      throw new FootholdError("UNKNOWN_CASE_TYPE", `No case type ${name} is loaded here. Loaded: ${known}.`);
    },
  };
}

interface Outlines {
  readonly outlines: readonly CaseOutline[];
  readonly faulty: readonly FaultyCase[];
}

/** A case type is read on the first look at its outline. */
function readOutlines(caseTypes: readonly CaseType[]): Outlines {
  const outlines: CaseOutline[] = [];
  const faulty: FaultyCase[] = [];
  for (const one of caseTypes) {
    try {
      outlines.push(one.outline);
    } catch (error) {
      const faults = faultsIn(error);
      if (faults === null) throw error;
      faulty.push(...faults);
    }
  }
  return { outlines, faulty };
}

function twins(outlines: readonly CaseOutline[]): readonly FaultyCase[] {
  const names = outlines.map(({ name }) => name);
  return [...new Set(names)]
    .filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
    .map((name) => fault(name, "name", "two case types have this name: give one of them another"));
}

/** Within one case type they were found when it was read. */
function rivals(outlines: readonly CaseOutline[]): readonly FaultyCase[] {
  const first = new Map<string, { readonly destination: DestinationOutline; readonly caseType: string }>();
  return outlines.flatMap(({ name: caseType, steps }) =>
    destinationsOf(steps).flatMap((destination) => {
      const known = first.get(destination.name);
      if (known === undefined) first.set(destination.name, { destination, caseType });
      if (known === undefined || !areRivals(known.destination, destination)) return [];
      const path = `destinations.${destination.name}`;
      return [fault(caseType, path, `${RIVALS} (the other is in case type ${known.caseType})`)];
    }),
  );
}

function fault(name: string, path: string, message: string): FaultyCase {
  return { name, faults: [{ path, message }] };
}

/** Every destination that a case type sends to or asks, once. */
function destinationsOf(steps: readonly StepOutline[]): readonly DestinationOutline[] {
  const all = steps.flatMap(reachedBy);
  return all.filter((one, index) => all.findIndex(({ name }) => name === one.name) === index);
}
