/**
 * HTTP statuses -> why it failed and whether it happened, as data. Source: RFC 9110, 6585, 4918 and 8470, and the
 * habits of proxies and providers; where a gateway may have lost the answer of work that was done, executed is "maybe".
 */

import { denied, maybe, no, type Meaning } from "./meaning.ts";

/** The destination as a whole, not this request. */
const outage = { scope: "destination" } as const;
/** What stands between us and the destination turned us away. */
const onTheWay = { owner: "operator", scope: "destination" } as const;

const STATUSES: ReadonlyMap<number, Meaning> = new Map([
  // Work that was done is answered so too: its page is elsewhere. So is a login that is asked for.
  [302, maybe("bug")],
  [303, maybe("bug")],
  [400, no("rejected")],
  [401, denied("refreshable")],
  [402, no("quota")],
  [403, denied("scope")],
  [404, no("gone")],
  [405, no("bug")],
  [406, no("bug")],
  [407, denied("revoked", onTheWay)],
  // Some proxies give up so after the whole request had arrived.
  [408, maybe("transient")],
  [409, no("conflict")],
  [410, no("gone")],
  [411, no("bug")],
  [412, no("precondition")],
  [413, no("rejected")],
  [414, no("bug")],
  [415, no("bug")],
  [420, no("throttled")],
  [421, no("transient")],
  [422, no("rejected")],
  [423, no("transient")],
  [424, no("transient")],
  [425, no("transient")],
  [428, no("bug")],
  [429, no("throttled")],
  [431, no("bug")],
  [451, denied("blocked")],
  [460, maybe("stopped")],
  [499, maybe("stopped")],
  [500, maybe("transient")],
  [501, no("bug")],
  [502, maybe("transient", outage)],
  [503, maybe("transient", outage)],
  [504, maybe("transient", outage)],
  [505, no("bug")],
  // Part of the work may be done by the time that these are found out.
  [507, maybe("transient", { owner: "operator" })],
  [508, maybe("bug")],
  [511, denied("blocked", onTheWay)],
  [520, maybe("transient", outage)],
  [521, no("transient", outage)],
  [522, maybe("transient", outage)],
  [523, no("transient", outage)],
  [524, maybe("transient", outage)],
  [525, no("bug", outage)],
  [526, no("bug", outage)],
  [529, no("throttled", outage)],
]);

/** What an HTTP status outside 2xx says; unlisted ones by their class. */
export function meaningOf(status: number): Meaning {
  const listed = STATUSES.get(status);
  if (listed !== undefined) return listed;
  if (status >= 300 && status < 400) return no("bug");
  if (status >= 400 && status < 500) return no("rejected");
  return maybe("transient");
}
