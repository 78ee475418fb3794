/** Whether somebody who may sign in can answer the approvals that definitions ask for. Pure. */

import type { CaseOutline } from "../core/outline.ts";
import { grantsOf, mayDoForType, type Roles } from "../core/rights.ts";
import type { NoticeBook } from "../define/notice-book.ts";
import { accountNamesOf, ownersOfApproval } from "../define/owner-names.ts";
import type { StoredPerson } from "../store/people-port.ts";
import { finding, type Finding } from "./finding.ts";

/** What is known of people. */
export interface KnownPeople {
  /** Who the names of owners stand for. */
  readonly owners: NoticeBook["owners"];
  readonly people: readonly Pick<StoredPerson, "name" | "roles" | "disabledAt">[];
  readonly roles: Roles;
}

/** A finding for each owner of an approval behind whom there is nobody. Where nobody has an account, nobody is looked for. */
export function examineApprovers(caseTypes: readonly CaseOutline[], known: KnownPeople): readonly Finding[] {
  if (known.people.length === 0) return [];
  return caseTypes.flatMap(({ name: caseType, steps }) =>
    steps.flatMap((step) => {
      if (step.kind !== "approval") return [];
      return ownersOfApproval(step).flatMap((owner, index) =>
        examineOwner({ caseType, step: step.name, owner, isLater: index > 0 }, known),
      );
    }),
  );
}

interface Asked {
  readonly caseType: string;
  readonly step: string;
  readonly owner: string;
  /** True for whom it is escalated to. */
  readonly isLater: boolean;
}

function examineOwner(
  { owner, isLater, ...place }: Asked,
  { owners, people, roles }: KnownPeople,
): readonly Finding[] {
  const { caseType, step } = place;
  const names = accountNamesOf(owners, owner);
  const accounts = people.filter(({ name }) => names.includes(name));
  const asked = `${step} of ${caseType}`;
  if (accounts.length === 0) {
    const so = isLater ? `it adds nobody who may answer ${asked}` : `${asked} is not for its people alone`;
    const sentence = `No account is known to be ${owner}'s, so ${so}.`;
    const remedy = `notices: { owners: { ${JSON.stringify(owner)}: { people: [...] } } }, by the names of foothold people`;
    return [finding("APPROVER_UNKNOWN", place, { sentence, remedy })];
  }
  const isAble = accounts.some(
    (one) =>
      one.disabledAt === null &&
      mayDoForType(grantsOf(roles, one.roles), "approve", { caseType, tenants: "any" }),
  );
  if (isAble) return [];
  const who = accounts.map(({ name }) => name).join(", ");
  const so = isLater ? `nobody more may answer ${asked}` : `${asked} waits for whoever stands in`;
  const sentence = `Nobody of ${owner} (${who}) may sign in and approve, so ${so}.`;
  const [first] = accounts;
  const remedy = `foothold people change ${first?.name ?? ""} --role approver, or --enable`;
  return [finding("APPROVER_MISSING", place, { sentence, remedy })];
}
