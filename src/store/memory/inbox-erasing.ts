/** What the inbox of a memory store has of the events that a case was told or started by. */

import { ERASED } from "../../core/erasure.ts";
import type { JournalEntry } from "../../core/journal.ts";
import type { MemoryInbox } from "./inbox-tables.ts";

/** Events and deliveries, by id. */
export interface EventsOfCase {
  readonly events: ReadonlySet<string>;
  readonly deliveries: ReadonlySet<string>;
}

/** Finds them: by the work that reached the case, by its journal, and by what told the same. */
export function eventsOfCase(
  inbox: MemoryInbox,
  caseId: string,
  journal: readonly JournalEntry[],
): EventsOfCase {
  const reached = [...inbox.works.values()].flatMap(({ work }) =>
    work.caseIds.includes(caseId) ? [work.eventId] : [],
  );
  const told = journal.flatMap(({ entry }) => {
    const sourceId = "sourceId" in entry ? entry.sourceId : "";
    return sourceId.startsWith("inbox:") ? [sourceId.slice(sourceId.lastIndexOf(":") + 1)] : [];
  });
  const known = new Set([...reached, ...told]);
  const same = [...known].flatMap((eventId) => sightsOf(inbox, eventId, ["sameFact", "sameBody"]));
  const events = new Set([...known, ...same].filter((eventId) => inbox.events.has(eventId)));
  const deliveries = [...events].flatMap((eventId) => [
    inbox.events.get(eventId)?.event.deliveryId ?? "",
    ...sightsOf(inbox, eventId, ["repeat", "different", "listed"]),
  ]);
  return { events, deliveries: new Set(deliveries.filter((id) => inbox.deliveries.has(id))) };
}

function sightsOf(inbox: MemoryInbox, eventId: string, kinds: readonly string[]): readonly string[] {
  const sightings = inbox.sightings.get(eventId) ?? [];
  return sightings.filter(({ kind }) => kinds.includes(kind)).map(({ reference }) => reference);
}

/** Work on them, and on what came with them, that is not over. */
export function openWorkOn(inbox: MemoryInbox, { deliveries }: EventsOfCase): number {
  const open = [...inbox.works.values()].filter(({ work }) => {
    const deliveryId = inbox.events.get(work.eventId)?.event.deliveryId ?? "";
    return deliveries.has(deliveryId) && work.state !== "done" && work.state !== "ignored";
  });
  return open.length;
}

/** Erases subjects, lanes, texts, headers and bodies, and deletes the keys that the case is found by. */
export function eraseEvents(inbox: MemoryInbox, caseId: string, { events, deliveries }: EventsOfCase): void {
  for (const [name, called] of inbox.works) {
    if (!events.has(called.work.eventId)) continue;
    const sentence = called.work.sentence === null ? null : ERASED;
    inbox.works.set(name, { lane: null, work: { ...called.work, sentence } });
  }
  for (const eventId of events) {
    const seen = inbox.events.get(eventId);
    if (seen !== undefined) {
      const subject = seen.event.subject === null ? null : ERASED;
      inbox.events.set(eventId, { ...seen, event: { ...seen.event, subject } });
    }
    const sightings = inbox.sightings.get(eventId) ?? [];
    inbox.sightings.set(
      eventId,
      sightings.map((one) => (one.reason === null ? one : { ...one, reason: ERASED })),
    );
  }
  for (const id of deliveries) {
    const delivered = inbox.deliveries.get(id);
    if (delivered === undefined) continue;
    const kept = delivered.stored.kept === "same" ? "same" : "deleted";
    inbox.deliveries.set(id, { stored: { ...delivered.stored, headers: [], kept }, body: null });
  }
  for (const [name, cases] of inbox.linked) {
    inbox.linked.set(name, new Set([...cases].filter((one) => one !== caseId)));
  }
}
