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

function addEvent(events: readonly ReceivedEvent[], event: ReceivedEvent): readonly ReceivedEvent[] {
  const all = [...events, event];
  const places = all.flatMap(({ eventType }, place) => (eventType === event.eventType ? [place] : []));
  return places.length > 2 * EVENTS_KEPT ? all.filter((_, place) => place !== places[EVENTS_KEPT]) : all;
}
