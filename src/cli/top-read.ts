/** What `foothold top` asks: six requests each time, whatever there is. */

import { isFootholdError } from "../core/errors.ts";
import type { CallOptions, Client } from "../http/client/client.ts";
import { NEEDS_MAX, type TopSnapshot } from "./top-view.ts";

/** How far back the change of counts is told, in hours. */
const CHANGE_HOURS = 1;

/** Reads all of it. Throws what the client throws. */
export async function readTop(client: Client, call: CallOptions = {}): Promise<TopSnapshot> {
  const [overview, history, needs, workers, traffic, work] = await Promise.all([
    client.showOverview({}, call),
    client.showHistory({ hours: CHANGE_HOURS }, call),
    client.listCases({ needsPeople: true, limit: NEEDS_MAX }, call),
    ifAllowed(client.listWorkers({}, call)),
    ifAllowed(client.showTraffic({}, call)),
    ifAllowed(client.countWork({}, call)),
  ]);
  const cases = needs.cases.toSorted((one, other) => one.sinceAt - other.sinceAt);
  return {
    overview,
    history,
    needs: { ...needs, cases },
    workers,
    destinations: traffic?.destinations ?? null,
    work: work?.counts ?? null,
  };
}

/** Of the house not everybody may see all. */
async function ifAllowed<Told>(asking: Promise<Told>): Promise<Told | null> {
  try {
    return await asking;
  } catch (error) {
    if (isFootholdError(error) && error.code === "NOT_ALLOWED") return null;
    throw error;
  }
}
