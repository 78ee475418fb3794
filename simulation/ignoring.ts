/**
 * People who leave work of events undone, and some of it not for good: they open it again. Of their own draws, and over a
 * network of their own, so that all else of a seed stays what it is until they act.
 */

import { isFootholdError } from "../src/core/errors.ts";
import { ignoreEvent } from "../src/inbox/ignore.ts";
import { createInbox } from "../src/inbox/inbox.ts";
import type { Source } from "../src/inbox/source.ts";
import type { WorkState } from "../src/store/inbox-port.ts";
import type { Store, StoredCase } from "../src/store/port.ts";
import type { FaultCounts } from "./faults.ts";
import type { Violation } from "./journal-rules.ts";
import { SimulatedProcess } from "./process.ts";
import { SeededRandom } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import { simulateStore, type NetworkHabits } from "./store.ts";

/** The seeds in which something is ignored, how often at most, and until when, in virtual ms. */
const SHARE = 0.6;
const TIMES_MAX = 6;
const UNTIL_MS = 12_000;
/** Work is open for moments only: how often somebody looks for some, and how many times, in virtual ms. */
const LOOK_EVERY_MS = 20;
const LOOKS_MAX = 50;
/** When the last of what was not meant for good is open again, in virtual ms. */
const REPLAYED_BY_MS = 14_000;
/** How often an act is made until an answer is heard. */
const TRIES_MAX = 20;
/** Events that somebody chooses from. */
const EVENTS_MAX = 500;
/** A worker that is lost holds its work until a sweep sees it. */
const OPEN: readonly WorkState[] = ["ready", "waiting", "in_review", "claimed"];
/** Tells these draws from all others of a seed. */
const SALT = 0x16_0e_ed;

/** What they reach. */
export interface IgnoringOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly counts: FaultCounts;
  readonly source: Source;
  /** As it is, network and all apart. */
  readonly store: Store;
  readonly habits: () => NetworkHabits;
  readonly onTrace: (line: string) => void;
}

/** Work that is to stay undone. */
interface Left {
  readonly eventId: string;
  readonly consumer: string;
  /** True where no worker had it before, so that no case may know of it. */
  readonly isUntouched: boolean;
}

/** The people of one run, who act one after another. */
export class Ignoring {
  readonly #options: IgnoringOptions;
  readonly #random: SeededRandom;
  readonly #process: SimulatedProcess;
  readonly #store: Store;
  readonly #left = new Map<string, Left>();
  #acting: Promise<void> = Promise.resolve();
  #failovers = 0;

  constructor(options: IgnoringOptions) {
    this.#options = options;
    const { seed, scheduler, store, habits, counts } = options;
    this.#random = new SeededRandom(seed ^ SALT);
    this.#process = new SimulatedProcess("ignoring", scheduler, this.#random.fork());
    const network = { store, scheduler, habits, counts, onStaleWrite: () => undefined };
    this.#store = simulateStore({ ...network, process: this.#process, random: this.#random.fork() });
  }

  /** Draws what is ignored, and when. */
  plan(): void {
    if (!this.#random.chance(SHARE)) return;
    const times = this.#random.between(1, TIMES_MAX);
    for (let index = 0; index < times; index += 1)
      this.#options.scheduler.schedule(this.#random.between(0, UNTIL_MS), () => void this.#ignoreOne());
  }

  /** The database may have lost what was ignored so far. */
  noteFailover(): void {
    this.#failovers += 1;
    this.#left.clear();
  }

  /** What was ignored for good is ignored still, and what no worker had before, no case knows. */
  async check(cases: readonly StoredCase[]): Promise<readonly Violation[]> {
    const { store, source } = this.#options;
    const found: string[] = [];
    for (const { eventId, consumer, isUntouched } of this.#left.values()) {
      const work = (await store.inbox.showEvent(eventId))?.work.find((one) => one.consumer === consumer);
      if (work?.state !== "ignored" || work.sentence?.startsWith("Ignored by ops") !== true)
        found.push(`${eventId} was ignored, and is ${work?.state}: ${work?.sentence}`);
      const sourceId = `inbox:${source.name}:${eventId}`;
      const isKnown = cases.some(({ journal }) =>
        journal.some(({ entry }) => "sourceId" in entry && entry.sourceId === sourceId),
      );
      if (isUntouched && isKnown)
        found.push(`${eventId} was ignored before anybody took it, and a case knows it`);
    }
    return found.map((what) => ({ rule: "ignored", what }));
  }

  /** Looks for open work, and ignores a piece of it. */
  async #ignoreOne(looks: number = 1): Promise<void> {
    const { store, scheduler, counts } = this.#options;
    const { events } = await store.inbox.listEvents({ limit: EVENTS_MAX, workStates: OPEN });
    // What a worker is at is refused, as a rule.
    const states = this.#random.chance(0.05) ? OPEN : OPEN.slice(0, -1);
    const open = events.flatMap(({ work }) => work.filter(({ state }) => states.includes(state)));
    if (open.length === 0) {
      if (looks < LOOKS_MAX) scheduler.schedule(LOOK_EVERY_MS, () => void this.#ignoreOne(looks + 1));
      return;
    }
    const { eventId, consumer } = this.#random.pick(open);
    const isForGood = this.#random.chance(0.5);
    const replayedAt = this.#random.between(scheduler.now, REPLAYED_BY_MS);
    const act = { by: "ops", reason: "it was sent by mistake", consumer };
    await this.#act(`ignores ${eventId}`, async () => {
      const failovers = this.#failovers;
      const { ignored } = await ignoreEvent(this.#store, eventId, act);
      const [one] = ignored;
      if (one === undefined) return;
      counts.hit("ignoredEvent");
      // A worker whose claim a failover lost can have told a case of it all the same.
      const isCertain = failovers === 0 && one.was === "ready";
      const isUntouched = isCertain && (await this.#wasNeverTaken(eventId, consumer));
      if (isForGood && failovers === this.#failovers)
        this.#left.set(eventId, { eventId, consumer, isUntouched });
    });
    if (isForGood) return;
    const replayAct = { ...act, reason: "it was none" };
    const replay = async (): Promise<void> => {
      this.#left.delete(eventId);
      await createInbox({
        store: this.#store,
        sources: [this.#options.source],
        ports: this.#process.ports,
      }).replay(eventId, replayAct);
    };
    scheduler.schedule(Math.max(0, replayedAt - scheduler.now), () => {
      void this.#act(`opens ${eventId} again`, replay);
    });
  }

  /** As far as its row can tell: a loss counts, and so does what was tried before it was opened again. */
  async #wasNeverTaken(eventId: string, consumer: string): Promise<boolean> {
    const history = await this.#options.store.inbox.showEvent(eventId);
    const work = history?.work.find((one) => one.consumer === consumer);
    const wasReplayed = history?.sightings.some(({ kind }) => kind === "replayed") === true;
    return work?.losses === 0 && work.attempts === 0 && !wasReplayed;
  }

  /** One after the other. Never rejects. */
  #act(what: string, act: () => Promise<void>): Promise<void> {
    this.#acting = this.#acting.then(() => this.#untilHeard(what, act));
    return this.#acting;
  }

  /** It is safe to do twice. */
  async #untilHeard(what: string, act: () => Promise<void>): Promise<void> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      try {
        await act();
        this.#options.onTrace(`a person ${what}`);
        return;
      } catch (error) {
        this.#options.onTrace(`a person is refused: ${what}: ${String(error)}`);
        if (!isFootholdError(error)) throw error;
        if (error.code !== "DATABASE_UNAVAILABLE") return;
      }
    }
  }
}
