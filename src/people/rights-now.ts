/** What somebody may do now, whoever they were when they asked for it. */

import { grantsOf, mayDo, type Roles } from "../core/rights.ts";
import type { LacksNow } from "../desk/requests.ts";
import type { PeopleStore } from "../store/people-port.ts";

/** By the list of people and what roles grant. Who is disabled, or not there, lacks every right. */
export function lacksNow(people: Pick<PeopleStore, "loadPerson">, roles: Roles): LacksNow {
  return async ({ id }, rights, on) => {
    const person = await people.loadPerson(id);
    const grants = person === null || person.disabledAt !== null ? [] : grantsOf(roles, person.roles);
    return rights.find((right) => !mayDo(grants, right, on)) ?? null;
  };
}
