/** One event, with all that is known of it. */

import { FootholdError } from "../core/errors.ts";
import type { EventHistory, InboxStore } from "../store/inbox-port.ts";
import { shardOfEvent } from "./keys.ts";

/** Everything about one event. Throws `INVALID_REQUEST` when there is none. */
export async function showEvent(
  { inbox }: { readonly inbox: Pick<InboxStore, "showEvent"> },
  eventId: string,
): Promise<EventHistory> {
  const found = shardOfEvent(eventId) === null ? null : await inbox.showEvent(eventId);
  if (found !== null) return found;
  throw new FootholdError(
    "INVALID_REQUEST",
    `There is no event ${JSON.stringify(eventId.slice(0, 60))} in the inbox of this database.`,
  );
}
