/** The inbox of the memory store: each method is one step that nothing can come in between. */

import { countEventNeeds } from "../../core/event-needs.ts";
import type { InboxStore } from "../inbox-port.ts";
import { MemoryInbox, type Surroundings } from "./inbox-tables.ts";

/** An inbox with its standby. */
export interface MemoryInboxServer {
  readonly store: InboxStore;
  readonly tables: MemoryInbox;
  /** As that of the memory server. */
  readonly replicate: () => () => void;
}

/** Makes an empty inbox. */
export function memoryInbox(around: Surroundings): MemoryInboxServer {
  const inbox = new MemoryInbox(around);
  const written = async <Reply>(write: () => Reply): Promise<Reply> => inbox.written(write);
  const store: InboxStore = {
    takeIn: (deliveries) => written(() => deliveries.map((one) => inbox.takeIn(one))),
    refuse: (refusals) => written(() => inbox.refusals.note(refusals)),
    hintWork: async () => around.hint(),
    claimWork: (request) => written(() => inbox.claimWork(request)),
    settleWork: (outcomes) => written(() => outcomes.map((one) => inbox.settle(one))),
    releaseWork: (holderId, known) => written(() => inbox.releaseWork(holderId, known)),
    takeKey: (eventId, key) => written(() => inbox.takeKey(eventId, key)),
    listWorkHolders: async () => inbox.listWorkHolders(),
    freeWork: (endedHolders) => written(() => inbox.freeWork(endedHolders)),
    expireWork: () => written(() => inbox.expireWork()),
    rematchWork: () => written(() => inbox.rematchWork()),
    findCases: async (target) => inbox.findCases(target),
    linkCase: (caseId, targets) => written(() => inbox.linkCase(caseId, targets)),
    loadBody: async (deliveryId) => inbox.deliveries.get(deliveryId)?.body ?? null,
    showEvent: async (eventId) => inbox.showEvent(eventId),
    listEvents: async (filter) => inbox.listEvents(filter),
    listRefusals: async (limit) => inbox.refusals.list(limit),
    countNeeds: async (dueAfterMs) => ({
      needs: countEventNeeds(inbox.reviewed(), { now: around.now(), dueAfterMs }),
      isWhole: true,
    }),
    countWork: async () => inbox.countWork(),
    countRefusals: async (withinMs) => inbox.refusals.countAfter(around.now() - withinMs),
    reopenWork: (eventId, work, act) => written(() => inbox.reopen(eventId, work, act)),
    ignoreWork: (eventId, seen, act) => written(() => inbox.ignore(eventId, seen, act)),
    readReconciling: async (tenant, source) => inbox.sources.read(tenant, source),
    writeReconciling: (tenant, source, reconciling) =>
      written(() => inbox.sources.write(tenant, source, reconciling)),
    noteSources: (sources) => written(() => inbox.sources.note(sources)),
    listSources: async () => inbox.sources.list(),
    forget: (which, older) => written(() => inbox.forget(which, older)),
  };
  return { store, tables: inbox, replicate: () => inbox.replicate() };
}
