/**
 * Who may answer an approval: the people whom the name of its owner stands for, and whoever may stand in for them, with a
 * reason. Where nobody can tell who these people are, whoever has the right to approve. Pure.
 */

import type { ErrorCode } from "./errors.ts";
import type { Actor } from "./journal.ts";
import { isSamePerson } from "./second-person.ts";

/** Names that one sentence lists. */
const NAMES_MAX = 5;

/** Somebody whom an owner's name stands for, and who was given an account. */
export interface OwnerAccount {
  readonly personId: string;
  readonly name: string;
  /** False for an account that is disabled. */
  readonly maySignIn: boolean;
}

/** An owner whom an approval is asked of. Without accounts nobody can tell who its people are. */
export interface ApprovalOwner {
  readonly owner: string;
  readonly accounts: readonly OwnerAccount[];
}

/** Whether an answer is taken from whoever gives it. */
export type ApproverVerdict =
  /** `inPlaceOf`: the owner for whom they stand in; null = they answer for themselves. */
  | { readonly kind: "taken"; readonly inPlaceOf: string | null }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly sentence: string };

/** Judges who answers. `owners`: the one that the approval names, then those who may answer beside it. */
export function decideApproverOf(
  owners: readonly ApprovalOwner[],
  {
    by,
    standsIn,
    caseId,
    step,
  }: {
    readonly by: Actor;
    readonly standsIn: boolean;
    readonly caseId: string;
    readonly step: string;
  },
): ApproverVerdict {
  const bound = boundOwners(owners);
  const isTheirs = bound.some(({ accounts }) =>
    accounts.some(({ personId, name }) => isSamePerson({ kind: "person", name, personId }, by)),
  );
  if (bound.length === 0 || isTheirs) return { kind: "taken", inPlaceOf: null };
  if (standsIn) return { kind: "taken", inPlaceOf: bound.map(({ owner }) => owner).join(" or ") };
  const sentence =
    `${step} of case ${caseId} is not for ${by.name} to answer. ${sayWhoAnswers(owners)} ` +
    `Ask them, or somebody with the right to stand in (standIn), who gives a reason. Nothing was done.`;
  return { kind: "refused", code: "APPROVER_REFUSED", sentence };
}

/** Who may answer, in one plain sentence. */
export function sayWhoAnswers(owners: readonly ApprovalOwner[]): string {
  const bound = boundOwners(owners);
  const [first] = owners;
  if (bound.length === 0) {
    const whose = first === undefined ? "its owner" : first.owner;
    return `Whoever has the right to approve may answer: no account is known to be ${whose}'s.`;
  }
  const able = bound.flatMap(({ owner, accounts }) => {
    const names = accounts.filter(({ maySignIn }) => maySignIn).map(({ name }) => name);
    if (names.length === 0) return [];
    return [names.length === 1 && names[0] === owner ? owner : `${listed(names)} of ${owner}`];
  });
  if (able.length > 0) return `Only ${able.join(", or ")} may answer.`;
  return `Only ${bound.map(({ owner }) => owner).join(" or ")} may answer, and nobody of them may sign in.`;
}

/**
 * Those whose people are known. Where the people of the owner that the approval names are not, it binds nobody; of the others
 * such a one adds nobody, so that an approval is never opened to everybody by time alone.
 */
function boundOwners(owners: readonly ApprovalOwner[]): readonly ApprovalOwner[] {
  const isKnown = ({ accounts }: ApprovalOwner): boolean => accounts.length > 0;
  return owners.slice(0, 1).some(isKnown) ? owners.filter(isKnown) : [];
}

function listed(names: readonly string[]): string {
  const [last, ...before] = names.slice(0, NAMES_MAX).toReversed();
  const more = names.length - NAMES_MAX;
  if (more > 0) return `${names.slice(0, NAMES_MAX).join(", ")} or ${more} more`;
  return before.length === 0 ? `${last}` : `${before.toReversed().join(", ")} or ${last}`;
}
