/** The inbox of the PostgreSQL store, put together from its parts. */

import type { InboxStore } from "../inbox-port.ts";
import type { Database } from "./database.ts";
import { refuse, takeIn } from "./inbox-intake.ts";
import {
  countEventNeeds,
  countRefusals,
  countWork,
  forget,
  listEvents,
  listRefusals,
  loadBody,
  showEvent,
} from "./inbox-reading.ts";
import { listSources, noteSources, readReconciling, writeReconciling } from "./inbox-sources.ts";
import {
  claimWork,
  expireWork,
  findCases,
  freeWork,
  hintWork,
  ignoreWork,
  linkCase,
  listWorkHolders,
  releaseWork,
  rematchWork,
  reopenWork,
  settleWork,
  takeKey,
} from "./inbox-work.ts";
import type { KeyWatch } from "./key-watch.ts";
import type { Hinting } from "./listener.ts";

/** Makes it over the store's own pool. */
export function postgresInbox(database: Database, hinting: Hinting, watch: KeyWatch): InboxStore {
  return {
    takeIn: (deliveries) =>
      database.guarded(async () => {
        await watch.ready();
        return takeIn(database, deliveries);
      }),
    refuse: (refusals) => database.guarded(() => refuse(database, refusals)),
    hintWork: () => database.guarded(() => hintWork(database, hinting)),
    claimWork: (request) =>
      database.guarded(async () => {
        await watch.ready();
        return claimWork(database, request);
      }),
    settleWork: (outcomes) => database.guarded(() => settleWork(database, outcomes)),
    releaseWork: (holderId, known) => database.guarded(() => releaseWork(database, holderId, known)),
    takeKey: (eventId, key) => database.guarded(() => takeKey(database, eventId, key)),
    listWorkHolders: () => database.guarded(() => listWorkHolders(database)),
    freeWork: (endedHolders) => database.guarded(() => freeWork(database, endedHolders)),
    expireWork: () => database.guarded(() => expireWork(database)),
    rematchWork: () => database.guarded(() => rematchWork(database)),
    findCases: (target) => database.guarded(() => findCases(database, target)),
    linkCase: (caseId, targets) => database.guarded(() => linkCase(database, hinting, caseId, targets)),
    loadBody: (deliveryId) => database.guarded(() => loadBody(database, deliveryId)),
    showEvent: (eventId) => database.guarded(() => showEvent(database, eventId)),
    listEvents: (filter) => database.guarded(() => listEvents(database, filter)),
    listRefusals: (limit) => database.guarded(() => listRefusals(database, limit)),
    countNeeds: (dueAfterMs) => database.guarded(() => countEventNeeds(database, dueAfterMs)),
    countWork: () => database.guarded(() => countWork(database)),
    countRefusals: (withinMs) => database.guarded(() => countRefusals(database, withinMs)),
    reopenWork: (eventId, work, act) => database.guarded(() => reopenWork(database, eventId, work, act)),
    ignoreWork: (eventId, seen, act) => database.guarded(() => ignoreWork(database, eventId, seen, act)),
    readReconciling: (tenant, source) => database.guarded(() => readReconciling(database, tenant, source)),
    writeReconciling: (tenant, source, reconciling) =>
      database.guarded(() => writeReconciling(database, tenant, source, reconciling)),
    noteSources: (sources) => database.guarded(() => noteSources(database, sources)),
    listSources: () => database.guarded(() => listSources(database)),
    forget: (which, older) => database.guarded(() => forget(database, which, older)),
  };
}
