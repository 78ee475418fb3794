/** A worker's side of keys that limit how many cases are worked on at once: it claims within them, and calls whoever is next. */

import type { CaseType } from "../define/case-type.ts";
import type { ClaimRequest, FoldedCase, Store } from "../store/port.ts";

/** What a worker with these case types may claim. */
export function claimedTypes(caseTypes: readonly CaseType[]): ClaimRequest["caseTypes"] {
  return caseTypes.map(({ outline: { name, version, concurrency } }) => ({
    name,
    version,
    ...(concurrency === undefined ? {} : { concurrency }),
  }));
}

/** Who is told of a call. */
export interface Calling {
  readonly onCalled: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Calls whoever waits for the key of a case that is worked on no more, so that nobody needs to wait for the sweep. Never rejects: whom it
 * did not call, the sweep does.
 */
export async function callNext(
  { places }: Pick<Store, "places">,
  { row: { tenant, caseType }, state: { concurrencyKey: key } }: FoldedCase,
  { outline: { concurrency } }: CaseType,
  calling: Calling,
): Promise<void> {
  if (concurrency === undefined || key === null) return;
  try {
    const { called } = await places.callNext({ keys: [{ tenant, caseType, key }] });
    if (called > 0) calling.onCalled();
  } catch (error) {
    calling.onError(error);
  }
}
