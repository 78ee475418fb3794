/** The events of a state, which must not grow with its journal. */

import type { ReceivedEvent } from "./case-state.ts";

/**
 * Events of one type that a state keeps at either end; those between are in the journal alone. At the front it is as
 * many as a case type may have steps: each wait takes the first that no other took.
 */
export const EVENTS_KEPT = 200;

/** Events with more after them; of a type with too many, those in the middle go. */
export function addEvents(
  events: readonly ReceivedEvent[],
  more: readonly ReceivedEvent[],
): readonly ReceivedEvent[] {
  return more.reduce(addEvent, events);
}

/** Once for each event of a journal, so without a list of those of the type. */
function addEvent(events: readonly ReceivedEvent[], event: ReceivedEvent): readonly ReceivedEvent[] {
  let [count, middle] = [0, 0];
  for (const [place, { eventType }] of events.entries()) {
    if (eventType !== event.eventType) continue;
    if (count === EVENTS_KEPT) middle = place;
    count += 1;
  }
  return [...(count < 2 * EVENTS_KEPT ? events : events.toSpliced(middle, 1)), event];
}
