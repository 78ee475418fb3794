/** Whether this process has the definition that a case needs. One that has not can still read, pause and cancel it. */

import { FootholdError } from "../core/errors.ts";
import { adoptNames } from "../core/renames.ts";
import type { CaseType } from "../define/case-type.ts";
import type { Registry } from "../define/registry.ts";
import type { CaseIdentity, FoldedCase } from "../store/port.ts";

/** What is loaded here for a case. */
export interface DefinitionStanding {
  /** `gone`: no case type of that name. `older`: a lower version than the case was last run with (R12). */
  readonly kind: "loaded" | "older" | "gone";
  readonly caseType: string;
  readonly neededVersion: number;
  readonly loadedVersion: number | null;
  readonly sentence: string;
}

/** Looks up what is loaded for a case. */
export function definitionOf(
  registry: Registry,
  identity: Pick<CaseIdentity, "caseType" | "definitionVersion">,
): { readonly standing: DefinitionStanding; readonly caseType: CaseType | null } {
  const { caseType: name, definitionVersion: neededVersion } = identity;
  const caseType = registry.find(name);
  if (caseType === null) {
    const known = registry.all.map(({ outline }) => outline.name).join(", ") || "none";
    const sentence =
      `The definition of ${name} is not loaded here (loaded: ${known}). Nothing of the case is lost; ` +
      `load version ${neededVersion} or later to plan it and to go on.`;
    return {
      standing: { kind: "gone", caseType: name, neededVersion, loadedVersion: null, sentence },
      caseType: null,
    };
  }
  const loadedVersion = caseType.outline.version;
  if (loadedVersion < neededVersion) {
    const sentence =
      `The case runs version ${neededVersion} of ${name}; here version ${loadedVersion} is loaded, which may not ` +
      `know all of it. Nothing is lost; load version ${neededVersion} or later to plan it and to go on.`;
    return {
      standing: { kind: "older", caseType: name, neededVersion, loadedVersion, sentence },
      caseType: null,
    };
  }
  const sentence = `Version ${loadedVersion} of ${name} is loaded.`;
  return { standing: { kind: "loaded", caseType: name, neededVersion, loadedVersion, sentence }, caseType };
}

/** The case type for an act that needs it. Throws `UNKNOWN_CASE_TYPE`. */
export function neededDefinition(
  registry: Registry,
  identity: Pick<CaseIdentity, "caseId" | "caseType" | "definitionVersion">,
): CaseType {
  const { standing, caseType } = definitionOf(registry, identity);
  if (caseType !== null) return caseType;
  throw new FootholdError("UNKNOWN_CASE_TYPE", `Case ${identity.caseId}: ${standing.sentence}`, {
    details: { caseId: identity.caseId },
  });
}

/** A case with its steps under the names that they have in what is loaded here. */
export function asDefined<Found extends FoldedCase>(registry: Registry, found: Found): Found {
  const { caseType } = definitionOf(registry, found.row);
  return caseType === null ? found : { ...found, state: adoptNames(caseType.outline, found.state) };
}
