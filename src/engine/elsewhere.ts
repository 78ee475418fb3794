/**
 * Workers in other places, in whatever language. Each is a holder like any other: it registers, beats, claims, and what it
 * reports goes through the one door under its claim. This side has the definitions, so it makes the plan, commits intent and
 * attempt before the worker is told to send, sorts what failed, and says what comes next. Nothing is kept between two requests
 * that the store has not: any server can answer the next one.
 */

import { ACT_WITHIN_MS_MIN, BEAT_SHARE } from "../core/claim.ts";
import { attemptOf, stepOf } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import { destinationKey } from "../core/in-flight.ts";
import type { Actor, Entry } from "../core/journal.ts";
import type { Ports } from "../core/ports.ts";
import type { CaseType } from "../define/case-type.ts";
import { readCheckReply } from "../define/answers.ts";
import { sendStepNamed } from "../define/facts.ts";
import { hasMasks, maskedTexts, resultPaths } from "../define/masking.ts";
import { sendsTo, type Registry } from "../define/registry.ts";
import { decideAfterAttempt, type SendOutcome } from "../core/decide.ts";
import type { FoldedCase, HeldClaim, Store } from "../store/port.ts";
import { linkingOf } from "./case-links.ts";
import { Committer } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import { signedResult } from "./destination-leave.ts";
import { outcomeElsewhere } from "./elsewhere-answer.ts";
import {
  WORK_HOLDS_MAX,
  WORK_PROTOCOL,
  type ClaimedWork,
  type ClaimOrder,
  type NewWorker,
  type Registered,
  type WorkLife,
  type WorkReport,
  type WorkTaken,
} from "./elsewhere-protocol.ts";
import { readTaskText, type TaskName, type WorkTask } from "./elsewhere-task.ts";
import { takeTurn, type TurnEnd, type TurnInput } from "./elsewhere-turn.ts";
import { KnownWorkers } from "./elsewhere-workers.ts";
import { freeClaim } from "./free.ts";
import { HeldCase } from "./held-case.ts";
import { reportLate } from "./late-report.ts";
import { Lease } from "./lease.ts";
import { measuredCommits } from "./measured.ts";
import { checkedElsewhere } from "./questions.ts";
import type { OnReport } from "./report.ts";
import { claimedTypes } from "./keyed.ts";
import { setAside } from "./set-aside.ts";
import { sharedAbort } from "./stop-signal.ts";
import { tellParentAtOnce } from "./tell-parent.ts";
import { ENGINE_VERSION } from "./version.ts";

/** How long a worker elsewhere may be silent, in ms. */
const LEASE_MS = 10_000;
/** How often a waiting claim looks without a hint, in ms. */
const LOOK_EVERY_MS = 1_000;
/** A claim that its worker does not name is freed once it is older than so many leases: what was said before may come late. */
const ORPHAN_LEASES = 2;
/** Characters of a holder id: as many bits as nobody guesses. */
const HOLDER_ID_CHARS = 36;
/** How long a request waits for a database that is away before it says so, in ms. */
const AWAY_MS_MAX = 10_000;

/** What it is made of. */
export interface ElsewhereOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  /** How long a worker elsewhere may be silent, in ms. Default 10,000. */
  readonly leaseMs?: number;
  readonly onReport?: OnReport;
}

/** The work of workers elsewhere, as one server gives it. */
export class Elsewhere {
  readonly #options: ElsewhereOptions;
  readonly #leaseMs: number;
  readonly #databaseClock: DatabaseClock;
  readonly #committer: Committer;
  readonly #workers: KnownWorkers;
  readonly #onReport: OnReport;
  readonly #never = sharedAbort().signal;
  /** Requests of one worker that change its claims come one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #waiting = new Set<() => void>();
  #isListening = false;

  constructor(options: ElsewhereOptions) {
    const { store, registry, ports, leaseMs = LEASE_MS, onReport = () => undefined } = options;
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#onReport = onReport;
    this.#databaseClock = new DatabaseClock(ports.clock);
    this.#committer = new Committer(measuredCommits(store, ports), ports.clock, this.#never);
    this.#workers = new KnownWorkers({
      store,
      caseTypes: registry.all.filter(({ outline }) => outline.runBy !== undefined),
      ports,
      databaseClock: this.#databaseClock,
      onHastened: () => this.#hint(),
      onBug: (error) => onReport({ kind: "bug", caseId: null, error }),
    });
  }

  /** Makes a worker known. Its secret is told here and never again. */
  async register({ name, host, build, caseTypes }: NewWorker): Promise<Registered> {
    const { store, ports } = this.#options;
    const workerKey = `${ports.ids.unique()}${ports.ids.unique()}:${name}`;
    const { holderId } = this.#holderOf(workerKey);
    const types = versionsOf(caseTypes);
    await store.registerHolder({
      holderId,
      kind: "worker",
      name,
      host,
      build,
      leaseMs: this.#leaseMs,
      caseTypes: types,
      destinations: sendsTo(caseTypes.map(({ outline }) => outline)).map((one) =>
        destinationKey(one.name, one.credentialId),
      ),
    });
    const beatEveryMs = this.#leaseMs / BEAT_SHARE;
    const times = { leaseMs: this.#leaseMs, beatEveryMs, trustMs: this.#leaseMs - beatEveryMs };
    return { protocol: WORK_PROTOCOL, workerKey, holderId, ...times, caseTypes: types };
  }

  /** A sign of life. `holds`: every claim that the worker has or has asked for; others under its name are freed (R8). */
  async beat(workerKey: string, holds: readonly string[]): Promise<WorkLife> {
    const holder = this.#holderOf(workerKey);
    const pulse = await this.#pulse(holder.holderId);
    if (pulse === null) return { kind: "ended" };
    const { claims, now } = pulse;
    this.#workers.get(holder.holderId).inFlight.sync();
    const orphanedBefore = now - ORPHAN_LEASES * this.#leaseMs;
    for (const claim of claims)
      if (!holds.includes(claim.claimId) && claim.claimedAt < orphanedBefore) await this.#free(holder, claim);
    const held = new Set(claims.map(({ claimId }) => claimId));
    return { kind: "alive", lost: holds.filter((claimId) => !held.has(claimId)) };
  }

  /** Claims due cases, and waits for some for a while. Told again with the same ids, it gives the same cases. */
  async claim(workerKey: string, order: ClaimOrder): Promise<ClaimedWork> {
    const { clock } = this.#options.ports;
    const askedAt = clock.monotonic();
    const holder = this.#holderOf(workerKey);
    // The request is a sign of life, and waiting for its answer is none.
    const pulse = await this.#pulse(holder.holderId);
    if (pulse === null) return { kind: "ended" };
    const again = pulse.claims.filter(({ claimId }) => order.claimIds.includes(claimId));
    if (pulse.claims.length + order.claimIds.length > WORK_HOLDS_MAX) throw tooManyHeld();
    this.#listen();
    for (;;) {
      const woken = new AbortController();
      const ring = (): void => woken.abort();
      this.#waiting.add(ring);
      order.signal.addEventListener("abort", ring, { once: true });
      try {
        const tasks = await this.#oneByOne(holder.holderId, () =>
          again.length > 0 ? this.#resume(holder, again) : this.#claimNow(holder, order),
        );
        const heldMs = clock.monotonic() - askedAt;
        const leftMs = order.waitMs - heldMs;
        if (tasks.length > 0 || again.length > 0 || leftMs <= 0 || order.signal.aborted)
          return { kind: "tasks", tasks, heldMs: Math.floor(heldMs) };
        await clock.sleep(Math.min(LOOK_EVERY_MS, leftMs), woken.signal);
      } finally {
        this.#waiting.delete(ring);
        order.signal.removeEventListener("abort", ring);
      }
    }
  }

  async #claimNow(
    holder: WorkHolder,
    { claimIds, caseTypes, signal }: ClaimOrder,
  ): Promise<readonly WorkTask[]> {
    const { store, ports } = this.#options;
    // Nobody would hear of what is claimed now.
    if (signal.aborted) return [];
    const askedAt = ports.clock.monotonic();
    const reply = await store.claimDue({
      holderId: holder.holderId,
      claimIds,
      caseTypes: claimedTypes(caseTypes),
      engineVersion: ENGINE_VERSION,
      actWithinMs: ACT_WITHIN_MS_MIN,
    });
    this.#databaseClock.follow(reply.now, askedAt);
    if (reply.cases.length > 0)
      this.#onReport({ kind: "claimed", caseIds: reply.cases.map(({ row }) => row.caseId) });
    for (const { row, fault } of reply.unreadable) {
      const { caseId, claim, summary } = row;
      this.#onReport({ kind: "unreadable", caseId, error: fault });
      await setAside(store, { caseId, claimId: claim?.claimId ?? null, fault, summary });
    }
    return this.#tasksOf(holder, reply.cases);
  }

  /** Cases that an earlier request with these ids brought, whose answer was lost. */
  async #resume(holder: WorkHolder, claims: readonly HeldClaim[]): Promise<readonly WorkTask[]> {
    const stored = await Promise.all(claims.map(({ caseId }) => this.#options.store.loadCase(caseId)));
    const cases = stored.filter((one) => one !== null);
    return this.#tasksOf(
      holder,
      cases.filter(({ row }) => row.claim?.holderId === holder.holderId),
    );
  }

  async #tasksOf(holder: WorkHolder, cases: readonly FoldedCase[]): Promise<readonly WorkTask[]> {
    const tasks: WorkTask[] = [];
    for (const stored of cases) {
      const claimId = stored.row.claim?.claimId;
      if (claimId === undefined) continue;
      const { held, caseType } = this.#hold(stored, claimId);
      const end = await this.#turn(holder, { held, caseType, outcomes: [], mayBegin: true });
      if (end.kind === "task") tasks.push(end.task);
    }
    return tasks;
  }

  /** Takes a report. Throws `INVALID_REQUEST` where it names nothing that this case was ever asked. */
  async report(caseId: string, report: WorkReport): Promise<WorkTaken> {
    const { clock } = this.#options.ports;
    const askedAt = clock.monotonic();
    const holder = this.#holderOf(report.workerKey);
    const named = readTaskText(report.task);
    if (named === null) throw unknownTask(report.task);
    const end = await this.#oneByOne(holder.holderId, () => this.#takeReport(holder, caseId, named, report));
    if (end.kind === "claimLost") return { kind: "late" };
    const next = end.kind === "task" ? end.task : null;
    return { kind: "stored", next, heldMs: Math.floor(clock.monotonic() - askedAt) };
  }

  async #takeReport(
    holder: WorkHolder,
    caseId: string,
    named: TaskName,
    report: WorkReport,
  ): Promise<TurnEnd> {
    const { holderId } = holder;
    const pulse = await this.#pulse(holderId);
    const stored = await this.#options.store.loadCase(caseId);
    if (stored === null) throw unknownTask(report.task);
    const { held, caseType } = this.#hold(stored, report.claimId);
    const { claim } = stored.row;
    const isHeld = pulse !== null && claim?.claimId === report.claimId && claim.holderId === holderId;
    return named.kind === "run"
      ? this.#takeOutcome(holder, { held, caseType, isHeld, named, report })
      : this.#takeCheck(holder, { held, caseType, isHeld, named, report });
  }

  async #takeOutcome(holder: WorkHolder, taking: Taking<"run">): Promise<TurnEnd> {
    const { held, caseType, isHeld, named, report } = taking;
    const { claimId, answer, goOn } = report;
    const { ref } = named;
    const { ports } = this.#options;
    const attempt = attemptOf(stepOf(held.state, ref.step).intent, { ...ref, claimId });
    const step = sendStepNamed(caseType, ref.step);
    if (step === null) throw unknownTask(report.task);
    const now = this.#databaseClock.now();
    const startedAt = attempt?.openedAt ?? now;
    const outcome = await outcomeElsewhere(answer, {
      step,
      masking: hasMasks(caseType)
        ? { texts: maskedTexts(caseType, held.state), result: resultPaths(caseType, ref.step) }
        : undefined,
      startedAt,
      now,
    });
    if (outcome === null) throw wrongAnswer(report, "confirmed or failed");
    const isOpen = attempt?.outcome.kind === "open";
    // Told again: what it says is in the journal.
    if (!isHeld && (attempt?.outcome.kind === "confirmed" || attempt?.outcome.kind === "failed"))
      return { kind: "released" };
    if (isHeld && attempt === undefined) throw unknownTask(report.task);
    if (!isHeld) return this.#late(holder, taking, outcome);
    const known = stepOf(held.state, ref.step);
    const outcomes: readonly Entry[] = isOpen
      ? [decideAfterAttempt(step.outline, held.state, ref, outcome, now, ports.random())]
      : [];
    const mayBegin = goOn && !isStanding(answer);
    const input = { held, caseType, outcomes, mayBegin, ...this.#namedCommit(report) };
    const end = await this.#turn(holder, input, () =>
      this.#workers.ended(
        holder.holderId,
        claimId,
        signedResult(
          step.outline,
          known,
          ref,
          outcome,
          answer.kind === "failed" && answer.stopped !== undefined,
        ),
      ),
    );
    return end.kind === "claimLost" && isOpen ? this.#late(holder, taking, outcome) : end;
  }

  /** The same report makes the same commit, whichever server it comes to (R3). */
  #namedCommit({ claimId, task }: WorkReport): Pick<TurnInput, "commitId"> {
    return { commitId: this.#options.ports.digest(`report ${claimId} ${task}`) };
  }

  async #late(holder: WorkHolder, taking: Taking<"run">, outcome: SendOutcome): Promise<TurnEnd> {
    const { held, caseType, named, report } = taking;
    const { store, ports } = this.#options;
    const { claimId } = report;
    this.#workers.ended(holder.holderId, claimId, { failure: null, isNothing: true });
    const context = { store, ports, holder: actorOf(holder), kill: this.#never };
    const late = { ref: named.ref, claimId, outcome };
    await reportLate({ ...context, onReport: this.#onReport }, caseType, held.caseId, late);
    return { kind: "claimLost" };
  }

  async #takeCheck(holder: WorkHolder, taking: Taking<"check">): Promise<TurnEnd> {
    const { held, caseType, isHeld, named, report } = taking;
    const { answer, goOn } = report;
    if (!isHeld) return { kind: "claimLost" };
    const { ports } = this.#options;
    const step = sendStepNamed(caseType, named.step);
    if (step === null) throw unknownTask(report.task);
    if (answer.kind === "confirmed" || answer.kind === "failed")
      throw wrongAnswer(report, "happened, differs, didNotHappen or cannotTell");
    const now = this.#databaseClock.now();
    // What it was asked about may have changed meanwhile: the plan is made again first.
    const isAsAsked = named.revision === held.state.revision && named.askedAt <= now;
    const asking = { caseType, state: held.state, digest: ports.digest, random: ports.random() };
    const question = { step: step.outline, about: named.about };
    const outcomes = isAsAsked
      ? await checkedElsewhere(asking, question, readCheckReply(answer), {
          askedAt: named.askedAt,
          answeredAt: now,
        })
      : [];
    return this.#turn(holder, { held, caseType, outcomes, mayBegin: goOn, ...this.#namedCommit(report) });
  }

  /** An orderly goodbye. What is held is freed by the sweep, as of any worker that is gone. */
  async leave(workerKey: string): Promise<void> {
    const { holderId } = this.#holderOf(workerKey);
    this.#workers.forget(holderId);
    await this.#options.store.endHolder(holderId, null);
  }

  async #turn(holder: WorkHolder, input: TurnInput, onStored?: () => void): Promise<TurnEnd> {
    const { ports, store } = this.#options;
    const worker = this.#workers.get(holder.holderId);
    onStored?.();
    const end = await takeTurn(
      {
        ports,
        databaseClock: this.#databaseClock,
        leaseMs: this.#leaseMs,
        holder: actorOf(holder),
        inFlight: worker.inFlight,
        gate: worker.gate,
        onOpened: (claimId, counted) => worker.open.set(claimId, counted),
        onReport: this.#onReport,
      },
      input,
    );
    const { held } = input;
    if (end.kind === "released" && held.state.parent !== null)
      await tellParentAtOnce({ store, ports, onReport: this.#onReport }, held.caseId);
    return end;
  }

  #hold(stored: FoldedCase, claimId: string): { readonly held: HeldCase; readonly caseType: CaseType } {
    const { store, registry, ports } = this.#options;
    const caseType = registry.get(stored.row.caseType);
    const { caseId } = stored.row;
    const onBug = (error: unknown): void => this.#onReport({ kind: "bug", caseId, error });
    const kill = AbortSignal.timeout(AWAY_MS_MAX);
    const link = linkingOf({ store, ports, kill, onBug }, caseType);
    const lease = new Lease(ports.clock, this.#leaseMs);
    const context = { ports, databaseClock: this.#databaseClock, lease, committer: this.#committer };
    return { held: new HeldCase(link === null ? context : { ...context, link }, stored, claimId), caseType };
  }

  /** Null: it was ended, or never was. */
  async #pulse(
    holderId: string,
  ): Promise<{ readonly now: number; readonly claims: readonly HeldClaim[] } | null> {
    const { store, ports } = this.#options;
    const askedAt = ports.clock.monotonic();
    const reply = await store.beat(holderId);
    if (reply.kind === "ended") {
      this.#workers.forget(holderId);
      return null;
    }
    this.#databaseClock.follow(reply.now, askedAt);
    return reply;
  }

  async #free({ name: holderName }: WorkHolder, { caseId, claimId, holderId }: HeldClaim): Promise<void> {
    const { store, ports } = this.#options;
    const commitId = ports.ids.unique();
    const why = "orphaned";
    const freed = await freeClaim(store, { caseId, claimId, holderId, holderName, why, commitId });
    this.#workers.ended(holderId, claimId, { failure: null, isNothing: true });
    if (freed.kind === "freed") this.#onReport({ kind: "claimFreed", caseId, claimId, why });
  }

  /** One after the other: two answers to one report must not both open what comes next. */
  async #oneByOne<T>(holderId: string, act: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(holderId) ?? Promise.resolve();
    const own = before.then(act, act);
    this.#turns.set(holderId, own);
    try {
      return await own;
    } finally {
      if (this.#turns.get(holderId) === own) this.#turns.delete(holderId);
    }
  }

  /**
   * The id that people see is the hash of the secret, so that nobody who sees it can speak for the worker. The name is part of the
   * secret, so that it need not be looked up.
   */
  #holderOf(workerKey: string): WorkHolder {
    const holderId = this.#options.ports.digest(`worker ${workerKey}`).slice(0, HOLDER_ID_CHARS);
    return { holderId, name: workerKey.slice(workerKey.indexOf(":") + 1) };
  }

  #hint(): void {
    for (const ring of this.#waiting) ring();
  }

  /** Once somebody has asked for work, for as long as the store is open. Without hints it looks every second all the same. */
  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#options.store
      .listen(() => this.#hint())
      .catch(() => {
        this.#isListening = false;
      });
  }
}

/** A worker elsewhere as its secret names it. */
interface WorkHolder {
  readonly holderId: string;
  readonly name: string;
}

/** A report that is being taken. */
interface Taking<Kind extends TaskName["kind"]> {
  readonly held: HeldCase;
  readonly caseType: CaseType;
  /** True where the claim is its worker's still. */
  readonly isHeld: boolean;
  readonly named: Extract<TaskName, { kind: Kind }>;
  readonly report: WorkReport;
}

/** A worker that cannot trust its lease, or stops, would be asked for nothing but the same again. */
function isStanding(answer: WorkReport["answer"]): boolean {
  return answer.kind === "failed" && (answer.stopped === "lease" || answer.stopped === "shutdown");
}

function actorOf({ holderId, name }: WorkHolder): Actor {
  return { kind: "worker", name, holderId };
}

function versionsOf(
  caseTypes: readonly CaseType[],
): readonly { readonly name: string; readonly version: number }[] {
  return caseTypes.map(({ outline: { name, version } }) => ({ name, version }));
}

function tooManyHeld(): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `A worker may hold ${WORK_HOLDS_MAX} cases at once; report on some of them first. Nothing was claimed.`,
  );
}

function unknownTask(task: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `The report names ${JSON.stringify(task.slice(0, 100))}, which this case was never asked for. Name the task as it was ` +
      `given. Nothing was stored.`,
  );
}

function wrongAnswer({ task, answer }: WorkReport, wanted: string): FootholdError {
  return new FootholdError(
    "INVALID_REQUEST",
    `The report of ${JSON.stringify(task.slice(0, 100))} says ${answer.kind}; it must be ${wanted}. Nothing was stored.`,
  );
}
