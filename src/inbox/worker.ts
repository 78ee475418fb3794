/**
 * Does the work of the inbox: claims what is due under the holder of the process that it runs in, a few pieces at a time.
 * It sleeps until the next piece is due or a hint comes; a slow net poll covers hints that were missed.
 */

import { isFootholdError } from "../core/errors.ts";
import { unmeasured } from "../core/measuring.ts";
import type { Ports } from "../core/ports.ts";
import type { Registry } from "../define/registry.ts";
import type { Store } from "../store/port.ts";
import type { ClaimedWork, WorkOutcome } from "../store/inbox-port.ts";
import { followWork } from "./traced.ts";
import { doWork, type CaseDoor, type WorkEnd } from "./do-work.ts";
import type { OnInboxReport } from "./report.ts";
import type { Source } from "./source.ts";

/** Pieces of work at the same time. */
const CONCURRENCY = 16;
/** How long a claim holds, in ms: `fetch` and the acts that follow, several times over. */
const ACT_WITHIN_MS = 90_000;
const NET_POLL_MS = 2_000;
/** How often claims are given back that we do not know, in ms. */
const RELEASE_EVERY_MS = 5_000;
/** Between two claims, unless the last one took all it could: every commit of a case hints, and few of them concern events. */
const CLAIM_GAP_MS = 25;
/** How long it is waited when the database was away, in ms. */
const AWAY_MS = 500;
/** How often it is tried to store what became of a piece of work: until its claim is over. */
const SETTLE_TRIES_MAX = 100;
/** Failed tries of one round, and the delays between them: 5 s x 4^n, at most 15 min, half of it by chance. */
const ATTEMPTS_MAX = 5;
const DELAY_MS_FIRST = 5_000;
const DELAY_MS_MAX = 900_000;

/** What it is made of. */
export interface InboxWorkerOptions {
  readonly store: Store;
  readonly door: CaseDoor;
  readonly registry: Registry;
  readonly sources: readonly Source[];
  readonly ports: Ports;
  /** The holder of this process, which beats and is swept as for cases. It may change. */
  readonly holderId: () => string;
  readonly onReport?: OnInboxReport;
  /** Failed tries of one round. Default 5. */
  readonly attemptsMax?: number;
  /** Delay before the second try, in ms. Default 5,000. */
  readonly firstDelayMs?: number;
}

/** A running worker of the inbox. */
export interface InboxWorker {
  /** Takes work from now on. Safe twice. */
  start(): Promise<void>;
  /** Something may be due now. */
  hint(): void;
  /** Ends after what is under way. Safe twice. */
  stop(): Promise<void>;
  /** Does what is due now, once. Returns how many pieces. */
  workOnce(): Promise<number>;
}

/** Makes one; nothing runs before `start` or `workOnce`. */
export function createInboxWorker(options: InboxWorkerOptions): InboxWorker {
  return new Working(options);
}

class Working implements InboxWorker {
  readonly #options: InboxWorkerOptions;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #wake = new AbortController();
  #isHinted = false;
  #loop: Promise<void> | null = null;
  #unlisten: () => Promise<void> = () => Promise.resolve();
  #isAway = false;
  /** The claims that we work under. */
  readonly #known = new Set<string>();
  /** When claims that we do not know were given back last; after a reply that was lost there may be some. */
  #releasedAt = -Infinity;

  constructor(options: InboxWorkerOptions) {
    this.#options = options;
    this.#sources = new Map(options.sources.map((source) => [scopeName(source.tenant, source.name), source]));
  }

  async start(): Promise<void> {
    if (this.#loop !== null) return;
    this.#loop = this.#run();
    this.#unlisten = await this.#options.store.listen(() => this.hint());
  }

  hint(): void {
    this.#isHinted = true;
    this.#wake.abort();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#wake.abort();
    await this.#loop;
    await this.#unlisten();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options.ports;
    while (!this.#stopped.signal.aborted) {
      const idleMs = await this.#pass();
      if (idleMs <= 0 || this.#stopped.signal.aborted) continue;
      this.#wake = new AbortController();
      await clock.sleep(CLAIM_GAP_MS, this.#stopped.signal);
      if (!this.#isHinted) await clock.sleep(Math.min(idleMs, NET_POLL_MS), this.#wake.signal);
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** One claim, whose work goes on beside it; how long there is nothing to claim then, in ms. */
  async #pass(): Promise<number> {
    const { store, ports, onReport } = this.#options;
    // A claim for one free place costs as much as one for many.
    const free = CONCURRENCY - this.#running.size;
    if (free < CONCURRENCY / 4) {
      await Promise.race(this.#running);
      return 0;
    }
    const wasHinted = this.#isHinted;
    this.#isHinted = false;
    try {
      // A case that was started or linked may be what an event waits for.
      if (wasHinted) await store.inbox.rematchWork();
      const reply = await this.#claim(free);
      for (const claimed of reply.claimed) this.#begin(claimed);
      if (this.#isAway) onReport?.({ kind: "databaseBack", during: "the work of the inbox" });
      this.#isAway = false;
      return reply.nextDueAt === null ? NET_POLL_MS : reply.nextDueAt - reply.now;
    } catch (error) {
      this.#tell(error);
      await ports.clock.sleep(AWAY_MS, this.#stopped.signal);
      return 0;
    }
  }

  #begin(claimed: ClaimedWork): void {
    const work = this.#doOne(claimed).finally(() => {
      this.#running.delete(work);
      this.#wake.abort();
    });
    this.#running.add(work);
  }

  async workOnce(): Promise<number> {
    const { claimed } = await this.#claim(CONCURRENCY);
    await Promise.all(claimed.map((one) => this.#doOne(one)));
    return claimed.length;
  }

  async #claim(count: number): ReturnType<Store["inbox"]["claimWork"]> {
    const { store, sources, ports } = this.#options;
    const holderId = this.#options.holderId();
    const now = ports.clock.monotonic();
    if (now - this.#releasedAt >= RELEASE_EVERY_MS) {
      await store.inbox.releaseWork(holderId, [...this.#known]);
      this.#releasedAt = now;
    }
    try {
      return await store.inbox.claimWork({
        holderId,
        claimIds: Array.from({ length: count }, () => ports.ids.unique()),
        consumers: sources.flatMap(({ tenant, name, consumers }) =>
          Object.keys(consumers).map((consumer) => ({ tenant, source: name, consumer })),
        ),
        actWithinMs: ACT_WITHIN_MS,
      });
    } catch (error) {
      this.#releasedAt = -Infinity;
      throw error;
    }
  }

  /** Never rejects: what is not settled is freed when its claim is over. */
  async #doOne(claimed: ClaimedWork): Promise<void> {
    const { work } = claimed;
    const source = this.#sources.get(scopeName(work.tenant, work.source));
    if (source === undefined) return;
    const claimId = work.claimId ?? "";
    this.#known.add(claimId);
    await this.#workOn(claimed, source);
    this.#known.delete(claimId);
  }

  async #workOn(claimed: ClaimedWork, source: Source): Promise<void> {
    const { store, door, registry, ports } = this.#options;
    const { work } = claimed;
    const context = { store, door, registry, ports, signal: this.#stopped.signal };
    try {
      const end = await followWork(ports, claimed, () => doWork(context, source, claimed));
      await this.#settle(this.#outcome(claimed, end), work.source);
    } catch (error) {
      this.#tell(error);
      await this.#settle(this.#again(claimed), work.source);
    }
  }

  /** Nothing else would touch it before its claim is over. Given up when this process stops: then its claims are freed. */
  async #settle(outcome: WorkOutcome, source: string): Promise<void> {
    const { store, ports } = this.#options;
    const { measuring = unmeasured } = ports;
    for (let tries = 1; tries <= SETTLE_TRIES_MAX; tries += 1) {
      try {
        await store.inbox.settleWork([outcome]);
        measuring.count("foothold_inbox_worked_total", { source, outcome: outcome.state });
        const { eventId, consumer, state, caseIds } = outcome;
        this.#options.onReport?.({ kind: "worked", eventId, source, consumer, state, caseIds });
        return;
      } catch (error) {
        this.#tell(error);
        if (this.#stopped.signal.aborted) return;
        await ports.clock.sleep(AWAY_MS, this.#stopped.signal);
      }
    }
  }

  /** The database was away: nothing is known against the work itself, so it is no failed try of it. */
  #again({ work }: ClaimedWork): WorkOutcome {
    const { eventId, consumer, attempts, claimId, caseIds, waitsFor, errorClass } = work;
    const sentence = "The database was away while it was worked on.";
    const rest = {
      eventId,
      consumer,
      attempts,
      claimId: claimId ?? "",
      caseIds,
      sourceId: null,
      waitsFor,
      errorClass,
    };
    return { ...rest, state: "waiting", dueInMs: AWAY_MS, sentence };
  }

  #outcome({ work }: ClaimedWork, end: WorkEnd): WorkOutcome {
    const { ports, attemptsMax = ATTEMPTS_MAX } = this.#options;
    const { eventId, consumer, attempts } = work;
    const claimId = work.claimId ?? "";
    const rest = {
      eventId,
      consumer,
      claimId,
      caseIds: [],
      sourceId: null,
      waitsFor: null,
      errorClass: null,
    };
    switch (end.kind) {
      case "done":
      case "ignored":
        return {
          ...rest,
          state: end.kind,
          dueInMs: null,
          attempts,
          sentence: end.sentence,
          caseIds: end.caseIds,
          sourceId: end.sourceId,
        };
      case "waits": {
        const { delayMs, untilAt, target: waitsFor } = end;
        const leftMs = untilAt - ports.clock.now();
        if (leftMs <= 0) return this.#review(rest, attempts, end.sentence, "nobody came");
        const dueInMs = Math.min(delayMs, leftMs);
        return { ...rest, state: "waiting", dueInMs, attempts, sentence: end.sentence, waitsFor };
      }
      case "review":
        return this.#review(rest, attempts, end.sentence, end.errorClass);
      case "failed": {
        const { sentence, errorClass } = end;
        if (attempts + 1 >= attemptsMax) return this.#review(rest, attempts + 1, sentence, errorClass);
        return {
          ...rest,
          state: "waiting",
          dueInMs: this.#delayMs(attempts),
          attempts: attempts + 1,
          sentence,
          errorClass,
        };
      }
    }
  }

  #review(
    rest: Pick<WorkOutcome, "eventId" | "consumer" | "claimId" | "caseIds" | "sourceId" | "waitsFor">,
    attempts: number,
    sentence: string,
    errorClass: string,
  ): WorkOutcome {
    const { eventId, consumer } = rest;
    this.#options.onReport?.({ kind: "workInReview", eventId, consumer, sentence });
    return { ...rest, state: "in_review", dueInMs: null, attempts, sentence, errorClass };
  }

  #delayMs(attempts: number): number {
    const { ports, firstDelayMs = DELAY_MS_FIRST } = this.#options;
    const whole = Math.min(DELAY_MS_MAX, firstDelayMs * 4 ** attempts);
    return Math.round(whole / 2 + ports.random() * (whole / 2));
  }

  #tell(error: unknown): void {
    const { onReport } = this.#options;
    const during = "the work of the inbox";
    if (!isFootholdError(error) || error.code !== "DATABASE_UNAVAILABLE") {
      onReport?.({ kind: "fault", during, error });
    } else if (!this.#isAway) {
      this.#isAway = true;
      onReport?.({ kind: "databaseAway", during, error });
    }
  }
}

function scopeName(tenant: string, source: string): string {
  return JSON.stringify([tenant, source]);
}
