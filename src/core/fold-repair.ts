/** What entries about the repair of a case change. */

import type { CaseState, OpenRepair, ReceivedEvent } from "./case-state.ts";
import { corruptJournal } from "./corrupt-journal.ts";
import type { EntryOf } from "./fold-step.ts";
import { wake } from "./going-on.ts";
import type { Entry } from "./journal.ts";
import { addEvents } from "./received-events.ts";
import { withAttached, withoutRepair } from "./repair.ts";

type RepairEntry = EntryOf<"repairOpened" | "repairTakenOver" | "eventAttached" | "repairEnded">;

/** A repair begins, changes hands or ends, or an event is kept until it ends. */
export function applyRepair(state: CaseState, entry: RepairEntry, at: number): CaseState {
  switch (entry.kind) {
    case "repairOpened":
      return openRepair(state, entry, at);
    case "repairTakenOver":
      return takeOver(state, entry, at);
    case "eventAttached":
      return attachEvent(state, entry, at);
    case "repairEnded":
      return endRepair(state, entry, at);
  }
}

function openRepair(state: CaseState, { claimId, by }: EntryOf<"repairOpened">, at: number): CaseState {
  if (state.repair !== null) throw corruptJournal(state, "a repair is opened while another one is open");
  return { ...state, repair: { claimId, by, openedAt: at, attached: [] } };
}

/** What is attached stays so: one repair goes over into the other. */
function takeOver(state: CaseState, entry: EntryOf<"repairTakenOver">, at: number): CaseState {
  const { claimId, by, reason } = entry;
  const { attached } = repairOf(state, entry);
  const end = { kind: "takenOver", by, reason } as const;
  const over = withoutRepair(state, { claimId: entry.from.claimId, endedAt: at, end });
  return { ...over, repair: { claimId, by, openedAt: at, attached } };
}

/** Whatever lies below the repair stands again, and what is attached is applied to it. */
function endRepair(state: CaseState, entry: EntryOf<"repairEnded">, at: number): CaseState {
  const { claimId, why, ignored } = entry;
  const { attached } = repairOf(state, entry);
  const former = { claimId, endedAt: at, end: { kind: "ended", why } } as const;
  if (ignored !== null || attached.length === 0) return withoutRepair(state, former);
  return wake(withoutRepair(withAttached(state), former), at);
}

function attachEvent(state: CaseState, entry: EntryOf<"eventAttached">, at: number): CaseState {
  const { eventType, sourceId, payload } = entry;
  const repair = repairOf(state, entry);
  const event: ReceivedEvent = { revision: state.revision, at, eventType, sourceId, payload };
  return { ...state, repair: { ...repair, attached: addEvents(repair.attached, [event]) } };
}

function repairOf(state: CaseState, { kind }: Entry): OpenRepair {
  if (state.repair === null) throw corruptJournal(state, `${kind} while no repair is open`);
  return state.repair;
}
