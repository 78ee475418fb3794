/** The store as one simulated process meets it: over a network that is slow, loses requests, and loses replies. */

import { FootholdError } from "../src/core/errors.ts";
import type { InboxStore } from "../src/store/inbox-port.ts";
import type { ScheduleStore } from "../src/store/schedule-port.ts";
import type {
  ClaimReply,
  CaseChange,
  ChangeId,
  FoldedCase,
  HolderCommit,
  HolderReply,
  NewCase,
  StepTransaction,
  Store,
} from "../src/store/port.ts";
import type { FaultCounts } from "./faults.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** How the network to the database behaves. Shares are probabilities per call. */
export interface NetworkHabits {
  readonly latencyMsMax: number;
  /** The request never arrives; the caller hears an error after a while. */
  readonly requestLost: number;
  /** The database does it, and the caller hears an error: the fault that matters most. */
  readonly replyLost: number;
  /** Now and then a call takes this long, in ms. */
  readonly stallMs: number;
  readonly stall: number;
}

/** A network that loses nothing. */
export const CALM_NETWORK: NetworkHabits = {
  latencyMsMax: 5,
  requestLost: 0,
  replyLost: 0,
  stall: 0,
  stallMs: 0,
};

/** Draws a network that is slow, and loses some of what goes over it. */
export function drawNetwork(random: SeededRandom): NetworkHabits {
  const sometimes = (share: number): number => (random.chance(0.5) ? share : 0);
  return {
    latencyMsMax: random.between(1, 40),
    requestLost: sometimes(0.03),
    replyLost: sometimes(0.05),
    stall: sometimes(0.01),
    stallMs: 4_000,
  };
}

/** What a simulated store needs. */
export interface SimulatedStoreOptions {
  readonly store: Store;
  readonly process: SimulatedProcess;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  /** Asked at each call: the world may calm down. */
  readonly habits: () => NetworkHabits;
  readonly counts: FaultCounts;
  /** Told what a worker has claimed, before anything else happens. */
  readonly onClaims?: (reply: ClaimReply) => Promise<void>;
  /** Told when the store took a commit under a claim that was not the case's. */
  readonly onStaleWrite: (commit: HolderCommit) => void;
}

/** Puts the network between a process and the store. */
export function simulateStore(options: SimulatedStoreOptions): Store {
  const { store, process, scheduler, random, counts } = options;

  const delay = (): number => {
    const habits = options.habits();
    if (random.chance(habits.stall)) return random.between(1, habits.stallMs);
    return random.between(0, habits.latencyMsMax);
  };

  const call = <Reply>(name: string, apply: () => Promise<Reply>): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const habits = options.habits();
      const isRequestLost = random.chance(habits.requestLost);
      const isReplyLost = !isRequestLost && random.chance(habits.replyLost);
      const [there, back] = [delay(), delay()];
      const away = (): void => reject(unavailable(name));
      if (isRequestLost) {
        counts.hit("requestLost");
        process.after(there + back, away);
        return;
      }
      // What has left the process arrives, whether the process still lives or not.
      scheduler.schedule(there, () => {
        void arrive(apply, (reply) => {
          if (reply.kind === "threw") process.after(back, () => reject(reply.error));
          else if (!isReplyLost) process.after(back, () => resolve(reply.value));
          else {
            counts.hit("replyLost");
            process.after(back, away);
          }
        });
      });
    });

  return {
    description: `${store.description} over a simulated network`,
    migrate: () => call("migrate", () => store.migrate()),
    checkSchema: () => call("checkSchema", () => store.checkSchema()),
    now: () => call("now", () => store.now()),
    close: () => Promise.resolve(),
    insertCase: (start) => call("insertCase", () => store.insertCase(start)),
    importCase: (identity, commits) => call("importCase", () => store.importCase(identity, commits)),
    claimDue: (request) =>
      call("claimDue", async () => {
        const reply = await store.claimDue(request);
        await options.onClaims?.(reply);
        return reply;
      }),
    commit: (commits) => call("commit", () => watchedCommit(store, commits, options.onStaleWrite)),
    begin: () => call("begin", () => beginOver(call, store)),
    findCommit: (commit) => call("findCommit", () => store.findCommit(commit)),
    changeCase: (caseId, change, decide) =>
      call("changeCase", () => store.changeCase(caseId, change, decide)),
    changeCredential: (credentialId, decide) =>
      call("changeCredential", () => store.changeCredential(credentialId, decide)),
    setAside: (caseId, claimId, summary) => call("setAside", () => store.setAside(caseId, claimId, summary)),
    loadCase: (caseId) => call("loadCase", () => store.loadCase(caseId)),
    loadRow: (caseId) => call("loadRow", () => store.loadRow(caseId)),
    listCases: (filter) => call("listCases", () => store.listCases(filter)),
    countFound: (criteria, max) => call("countFound", () => store.countFound(criteria, max)),
    readPulse: (caseIds) => call("readPulse", () => store.readPulse(caseIds)),
    countCases: () => call("countCases", () => store.countCases()),
    registerHolder: (holder) => call("registerHolder", () => store.registerHolder(holder)),
    beat: (holderId) => call("beat", () => store.beat(holderId)),
    listHolders: () => call("listHolders", () => store.listHolders()),
    endHolder: (holderId, beat) => call("endHolder", () => store.endHolder(holderId, beat)),
    forgetHolders: (endedBefore) => call("forgetHolders", () => store.forgetHolders(endedBefore)),
    listClaims: (limit) => call("listClaims", () => store.listClaims(limit)),
    readDestinations: () => call("readDestinations", () => store.readDestinations()),
    changeDestination: (id, decide) => call("changeDestination", () => store.changeDestination(id, decide)),
    forgetDestinations: (before) => call("forgetDestinations", () => store.forgetDestinations(before)),
    hastenHeld: (request) => call("hastenHeld", () => store.hastenHeld(request)),
    countHeld: () => call("countHeld", () => store.countHeld()),
    listen: (onHint) => store.listen(() => process.after(delay(), onHint)),
    children: {
      listUntold: (request) => call("listUntold", () => store.children.listUntold(request)),
      noteTold: (caseId, standing, known) =>
        call("noteTold", () => store.children.noteTold(caseId, standing, known)),
    },
    inbox: inboxOver(call, store.inbox),
    people: store.people,
    // Nothing here makes bulk acts, takes samples, or tells anybody.
    bulk: store.bulk,
    audit: store.audit,
    erasures: store.erasures,
    notices: store.notices,
    samples: store.samples,
    keys: store.keys,
    milestones: store.milestones,
    seconds: store.seconds,
    schedules: schedulesOver(call, store.schedules),
    places: {
      callNext: (request) => call("callNext", () => store.places.callNext(request)),
      read: (keys) => call("readKeys", () => store.places.read(keys)),
      forget: (takenBefore) => call("forgetPlaces", () => store.places.forget(takenBefore)),
    },
  };
}

type Call = <Reply>(name: string, apply: () => Promise<Reply>) => Promise<Reply>;

/** Each method over the network: nothing of an inbox is there by itself. */
function inboxOver(call: Call, inbox: InboxStore): InboxStore {
  return {
    takeIn: (deliveries) => call("takeIn", () => inbox.takeIn(deliveries)),
    refuse: (refusals) => call("refuse", () => inbox.refuse(refusals)),
    hintWork: () => call("hintWork", () => inbox.hintWork()),
    claimWork: (request) => call("claimWork", () => inbox.claimWork(request)),
    settleWork: (outcomes) => call("settleWork", () => inbox.settleWork(outcomes)),
    releaseWork: (holderId, known) => call("releaseWork", () => inbox.releaseWork(holderId, known)),
    takeKey: (eventId, key) => call("takeKey", () => inbox.takeKey(eventId, key)),
    listWorkHolders: () => call("listWorkHolders", () => inbox.listWorkHolders()),
    freeWork: (endedHolders) => call("freeWork", () => inbox.freeWork(endedHolders)),
    expireWork: () => call("expireWork", () => inbox.expireWork()),
    rematchWork: () => call("rematchWork", () => inbox.rematchWork()),
    findCases: (target) => call("findCases", () => inbox.findCases(target)),
    linkCase: (caseId, targets) => call("linkCase", () => inbox.linkCase(caseId, targets)),
    loadBody: (deliveryId) => call("loadBody", () => inbox.loadBody(deliveryId)),
    showEvent: (eventId) => call("showEvent", () => inbox.showEvent(eventId)),
    listEvents: (filter) => call("listEvents", () => inbox.listEvents(filter)),
    listRefusals: (limit) => call("listRefusals", () => inbox.listRefusals(limit)),
    countNeeds: (dueAfterMs) => call("countNeeds", () => inbox.countNeeds(dueAfterMs)),
    countWork: () => call("countWork", () => inbox.countWork()),
    countRefusals: (withinMs) => call("countRefusals", () => inbox.countRefusals(withinMs)),
    reopenWork: (eventId, work, act) => call("reopenWork", () => inbox.reopenWork(eventId, work, act)),
    ignoreWork: (eventId, seen, act) => call("ignoreWork", () => inbox.ignoreWork(eventId, seen, act)),
    readReconciling: (tenant, source) => call("readReconciling", () => inbox.readReconciling(tenant, source)),
    writeReconciling: (tenant, source, reconciling) =>
      call("writeReconciling", () => inbox.writeReconciling(tenant, source, reconciling)),
    noteSources: (sources) => call("noteSources", () => inbox.noteSources(sources)),
    listSources: () => call("listSources", () => inbox.listSources()),
    forget: (which, older) => call("forget", () => inbox.forget(which, older)),
  };
}

function schedulesOver(call: Call, schedules: ScheduleStore): ScheduleStore {
  return {
    list: () => call("listSchedules", () => schedules.list()),
    load: (name) => call("loadSchedule", () => schedules.load(name)),
    change: (target, decide) => call("changeSchedule", () => schedules.change(target, decide)),
    see: (names) => call("seeSchedules", () => schedules.see(names)),
    listSlots: (filter) => call("listSlots", () => schedules.listSlots(filter)),
    forgetSlots: (before) => call("forgetSlots", () => schedules.forgetSlots(before)),
  };
}

/** A transaction of a step whose commit goes over the network too. */
async function beginOver(call: Call, store: Store): Promise<StepTransaction> {
  const transaction = await store.begin();
  const commit = transaction.commit.bind(transaction);
  const startCase = transaction.startCase.bind(transaction);
  const changeCase = transaction.changeCase.bind(transaction);
  return Object.assign(transaction, {
    commit: (what: HolderCommit) => call("commit", () => commit(what)),
    startCase: (start: NewCase) => call("startCase", () => startCase(start)),
    changeCase: <Reply>(
      caseId: string,
      change: ChangeId,
      decide: (stored: FoldedCase, now: number) => CaseChange<Reply>,
    ) => call("changeCase", () => changeCase(caseId, change, decide)),
  });
}

/** One claim per case, and no write by anybody else: watched at the door itself. */
async function watchedCommit(
  store: Store,
  commits: readonly HolderCommit[],
  onStaleWrite: (commit: HolderCommit) => void,
): Promise<readonly HolderReply[]> {
  const claims = await Promise.all(
    commits.map(async ({ caseId }) => (await store.loadCase(caseId))?.row.claim?.claimId),
  );
  const replies = await store.commit(commits);
  commits.forEach((commit, index) => {
    const kind = replies[index]?.kind;
    if ((kind === "current" || kind === "moved") && claims[index] !== commit.claimId) onStaleWrite(commit);
  });
  return replies;
}

type Arrived<Reply> =
  { readonly kind: "replied"; readonly value: Reply } | { readonly kind: "threw"; readonly error: Error };

async function arrive<Reply>(
  apply: () => Promise<Reply>,
  then: (reply: Arrived<Reply>) => void,
): Promise<void> {
  try {
    then({ kind: "replied", value: await apply() });
  } catch (error) {
    then({ kind: "threw", error: error instanceof Error ? error : new Error(String(error)) });
  }
}

function unavailable(during: string): FootholdError {
  return new FootholdError("DATABASE_UNAVAILABLE", `The simulated network lost ${during}.`);
}
