/** What somebody may do, and to what: grants of verbs over tenants and case types. What no grant says is denied. Pure. */

import type { VisibleCases } from "../../core/case-criteria.ts";
import { VERBS, type Verb } from "./verbs.ts";

/** All of something, or these alone. */
type Some<Text extends string = string> = "all" | readonly Text[];

/** Verbs that hold for the cases of these tenants and types. */
export interface Grant {
  readonly verbs: Some<Verb>;
  readonly tenants: Some;
  readonly caseTypes: Some;
}

/** What a right is about: one case or the start of one, or what belongs to no case. */
export type RightsObject = { readonly tenant: string; readonly caseType: string } | "house";

/** True if one of the grants covers both the verb and the object. What belongs to no case needs a grant over all of them. */
export function mayDo(grants: readonly Grant[], verb: Verb, object: RightsObject): boolean {
  return grants.some((grant) => {
    if (!includes(grant.verbs, verb)) return false;
    if (object === "house") return grant.tenants === "all" && grant.caseTypes === "all";
    return includes(grant.tenants, object.tenant) && includes(grant.caseTypes, object.caseType);
  });
}

/** True if somebody may do it to anything at all. */
export function mayDoSomewhere(grants: readonly Grant[], verb: Verb): boolean {
  return grants.some(({ verbs }) => includes(verbs, verb));
}

/** The cases that somebody has the right for; null = all of them. */
export function visibleCases(grants: readonly Grant[], verb: Verb): readonly VisibleCases[] | null {
  const those = grants.filter(({ verbs }) => includes(verbs, verb));
  if (those.some(({ tenants, caseTypes }) => tenants === "all" && caseTypes === "all")) return null;
  return those.map(({ tenants, caseTypes }) => ({
    tenants: tenants === "all" ? null : tenants,
    caseTypes: caseTypes === "all" ? null : caseTypes,
  }));
}

/** True if somebody has the right for cases of this type, of whatever tenant; or of every tenant. */
export function mayDoForType(
  grants: readonly Grant[],
  verb: Verb,
  { caseType, tenants }: { readonly caseType: string; readonly tenants: "any" | "every" },
): boolean {
  return grants.some(
    (grant) =>
      includes(grant.verbs, verb) &&
      includes(grant.caseTypes, caseType) &&
      (tenants === "any" || grant.tenants === "all"),
  );
}

/** The verbs that somebody has somewhere. */
export function verbsOf(grants: readonly Grant[]): readonly Verb[] {
  return VERBS.filter((verb) => mayDoSomewhere(grants, verb));
}

function includes<Text extends string>(some: Some<Text>, one: Text): boolean {
  return some === "all" || some.includes(one);
}
