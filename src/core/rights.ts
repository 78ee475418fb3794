/**
 * What somebody may do, and to what: grants of verbs over tenants and case types, collected in roles. What no grant says is
 * denied. Pure.
 */

import type { VisibleCases } from "./case-criteria.ts";

/** Rights, each to do one kind of thing. */
export const VERBS = [
  "see",
  "start",
  "approve",
  "standIn",
  "tellEvent",
  "check",
  "resume",
  "force",
  "correct",
  "confirm",
  "skip",
  "redo",
  "undo",
  "assign",
  "pause",
  "cancel",
  "note",
  "repair",
  "takeOver",
  "restoreAccess",
  "bulk",
  "replay",
  "ignore",
  "seeBody",
  "reveal",
  "erase",
  "tell",
  "seeInbox",
  "seeWorkers",
  "seeNotices",
  "seePeople",
  "seeAudit",
  "work",
] as const;

/** One of {@link VERBS}. */
export type Verb = (typeof VERBS)[number];

/** All of something, or these alone. */
export type Some<Text extends string = string> = "all" | readonly Text[];

/** Verbs that hold for the cases of these tenants and types. */
export interface Grant {
  readonly verbs: Some<Verb>;
  readonly tenants: Some;
  readonly caseTypes: Some;
}

/** Roles by name. */
export type Roles = ReadonlyMap<string, readonly Grant[]>;

/** What a right is about: one case or the start of one, or what belongs to no case. */
export type RightsObject = { readonly tenant: string; readonly caseType: string } | "house";

const see: readonly Verb[] = ["see", "seeInbox", "seeWorkers", "seeNotices"];
const operate: readonly Verb[] = [
  ...see,
  "start",
  "tellEvent",
  "check",
  "resume",
  "correct",
  "assign",
  "pause",
  "note",
  "repair",
  "takeOver",
  "restoreAccess",
  "bulk",
  "replay",
  "seeBody",
  "tell",
];

function everywhere(verbs: Some<Verb>): readonly Grant[] {
  return [{ verbs, tenants: "all", caseTypes: "all" }];
}

/**
 * The roles that are there without a word in the configuration. An operator vouches for nothing, ends nothing and sees
 * nothing that is masked.
 */
export const BUILT_IN_ROLES: Roles = new Map([
  ["viewer", everywhere(see)],
  ["operator", everywhere(operate)],
  ["approver", everywhere(["see", "approve", "note"])],
  ["admin", everywhere("all")],
]);

/** What these roles grant together; one that nobody knows grants nothing. */
export function grantsOf(roles: Roles, names: readonly string[]): readonly Grant[] {
  return names.flatMap((name) => roles.get(name) ?? []);
}

/** The same grants for no more than these verbs. */
export function narrowed(grants: readonly Grant[], scopes: Some<Verb>): readonly Grant[] {
  if (scopes === "all") return grants;
  return grants.map((grant) => ({
    ...grant,
    verbs: grant.verbs === "all" ? scopes : grant.verbs.filter((verb) => scopes.includes(verb)),
  }));
}

/** True if one of the grants covers both the verb and the object. What belongs to no case needs a grant over all of them. */
export function mayDo(grants: readonly Grant[], verb: Verb, object: RightsObject): boolean {
  return grants.some((grant) => {
    if (!includes(grant.verbs, verb)) return false;
    if (object === "house") return grant.tenants === "all" && grant.caseTypes === "all";
    return includes(grant.tenants, object.tenant) && includes(grant.caseTypes, object.caseType);
  });
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

/** True if somebody may do it to anything at all. */
export function mayDoSomewhere(grants: readonly Grant[], verb: Verb): boolean {
  return grants.some(({ verbs }) => includes(verbs, verb));
}

/** The verbs that somebody has somewhere. */
export function verbsOf(grants: readonly Grant[]): readonly Verb[] {
  return VERBS.filter((verb) => mayDoSomewhere(grants, verb));
}

function includes<Text extends string>(some: Some<Text>, one: Text): boolean {
  return some === "all" || some.includes(one);
}
