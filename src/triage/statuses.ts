/**
 * HTTP statuses -> why it failed and whether it happened, as data. Source: RFC 9110, 6585, 4918 and 8470, and the
 * habits of proxies and providers; where a gateway may have lost the answer of work that was done, executed is "maybe".
 */

import type { Executed, FailureCause } from "../core/failure.ts";

/** What a status says by itself. */
export interface StatusMeaning {
  readonly cause: FailureCause;
  readonly executed: Executed;
}

const NO = (cause: FailureCause): StatusMeaning => ({ cause, executed: "no" });
const MAYBE = (cause: FailureCause): StatusMeaning => ({ cause, executed: "maybe" });

const STATUSES: ReadonlyMap<number, StatusMeaning> = new Map([
  [400, NO("rejected")],
  [401, NO("denied")],
  [402, NO("quota")],
  [403, NO("denied")],
  [404, NO("gone")],
  [405, NO("bug")],
  [406, NO("bug")],
  [407, NO("denied")],
  // Some proxies give up so after the whole request had arrived.
  [408, MAYBE("transient")],
  [409, NO("conflict")],
  [410, NO("gone")],
  [411, NO("bug")],
  [412, NO("precondition")],
  [413, NO("rejected")],
  [414, NO("bug")],
  [415, NO("bug")],
  [420, NO("throttled")],
  [421, NO("transient")],
  [422, NO("rejected")],
  [423, NO("transient")],
  [424, NO("transient")],
  [425, NO("transient")],
  [428, NO("bug")],
  [429, NO("throttled")],
  [431, NO("bug")],
  [451, NO("denied")],
  [460, MAYBE("stopped")],
  [499, MAYBE("stopped")],
  [500, MAYBE("transient")],
  [501, NO("bug")],
  [502, MAYBE("transient")],
  [503, MAYBE("transient")],
  [504, MAYBE("transient")],
  [505, NO("bug")],
  [507, MAYBE("gone")],
  [508, MAYBE("bug")],
  [511, NO("denied")],
  [520, MAYBE("transient")],
  [521, NO("transient")],
  [522, MAYBE("transient")],
  [523, NO("transient")],
  [524, MAYBE("transient")],
  [525, NO("bug")],
  [526, NO("bug")],
  [529, NO("throttled")],
]);

/** What an HTTP status outside 2xx says; unlisted ones by their class. */
export function meaningOf(status: number): StatusMeaning {
  const listed = STATUSES.get(status);
  if (listed !== undefined) return listed;
  if (status >= 300 && status < 400) return NO("bug");
  if (status >= 400 && status < 500) return NO("rejected");
  return MAYBE("transient");
}
