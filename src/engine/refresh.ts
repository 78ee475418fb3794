/**
 * Refreshes of access: one at a time for each credential, whichever step, worker or process wants it. The store says whose
 * turn it is; who has it calls the author's `refresh` and tells the store what came of it, and the others are told that.
 */

import { stepOf } from "../core/case-state.ts";
import { invariant, isFootholdError } from "../core/errors.ts";
import { failureOf, type Failure } from "../core/failure.ts";
import type { Entry, RefreshAnswer } from "../core/journal.ts";
import type { SendStepOutline } from "../core/outline.ts";
import type { Ports } from "../core/ports.ts";
import {
  decideAfterRefresh,
  endTurn,
  REFRESH_MS_MAX,
  takeTurn,
  TURN_MS,
  type Refreshed,
  type RefreshTurn,
} from "../core/refresh.ts";
import type { DestinationCalls } from "../define/destination-calls.ts";
import type { CredentialChange } from "../store/destination-port.ts";
import type { Store } from "../store/port.ts";
import { sortFailure, type StopCause } from "../triage/sort.ts";
import type { AttemptMeter } from "../wire/meter.ts";
import { questionSummary, watchedQuestion } from "./metering.ts";
import type { Asking } from "./questions.ts";
import { StopSignal } from "./stop-signal.ts";

/** How often it is looked whether somebody else's refresh has ended, in ms. */
const LOOK_EVERY_MS = 500;
/** How long somebody else's refresh is waited for, in ms: a turn, and the one after it. */
export const REFRESH_WAIT_MS_MAX: number = 2 * TURN_MS;
/** How often the end of a refresh is told to a store that does not answer; by then the turn is over anyway. */
const TELLS_MAX = Math.ceil(TURN_MS / LOOK_EVERY_MS);
/** How long `refresh` may go on after its signal aborted, in ms. */
const SETTLE_MS_MAX = 1_000;

/** What refreshing needs. */
export interface RefreshParts {
  readonly store: Pick<Store, "changeCredential">;
  readonly ports: Ports;
  readonly meter: AttemptMeter;
  /** Aborts when the process must stop at once. */
  readonly kill: AbortSignal;
}

/** A refresh that is wanted. */
interface RefreshRequest {
  readonly step: SendStepOutline;
  readonly refresh: NonNullable<DestinationCalls["refresh"]>;
  /** When the attempt that was refused began, by the store's clock. */
  readonly usedAt: number;
}

/** The refreshes of one process. */
export class Refreshes {
  readonly #parts: RefreshParts;
  readonly #underWay = new Map<string, Promise<Refreshed | null>>();

  constructor(parts: RefreshParts) {
    this.#parts = parts;
  }

  /** Has a credential refreshed. Never rejects for what the endpoint does. Null = the process stops. */
  async refresh(request: RefreshRequest): Promise<Refreshed | null> {
    const { credentialId } = request.step.destination;
    const others = this.#underWay.get(credentialId);
    if (others !== undefined) {
      const told = await others;
      return told === null ? null : { answer: told.answer, restUntilAt: told.restUntilAt };
    }
    const own = this.#inTurn(request).finally(() => this.#underWay.delete(credentialId));
    this.#underWay.set(credentialId, own);
    return own;
  }

  async #inTurn(request: RefreshRequest): Promise<Refreshed | null> {
    const { ports, kill } = this.#parts;
    const { clock } = ports;
    const endsAt = clock.monotonic() + REFRESH_WAIT_MS_MAX;
    let turnId = ports.ids.unique();
    while (!kill.aborted) {
      const askedAt = clock.monotonic();
      const turn = await this.#take(request, turnId);
      if (turn?.kind === "known") return { answer: turn.answer, restUntilAt: turn.restUntilAt };
      if (turn?.kind === "yours") {
        // A process that stood still meanwhile may have lost its turn: it must not refresh beside another one.
        const isInTime = clock.monotonic() - askedAt < TURN_MS - REFRESH_MS_MAX - SETTLE_MS_MAX;
        if (isInTime) return this.#call(request, turnId);
        turnId = ports.ids.unique();
      }
      if (clock.monotonic() >= endsAt) {
        return { answer: { kind: "failed", failure: neverEnds(request) }, restUntilAt: null };
      }
      await clock.sleep(LOOK_EVERY_MS, kill);
    }
    return null;
  }

  /** Null = the store did not answer; asked again with the same id it gives the same turn. */
  async #take({ step, usedAt }: RefreshRequest, turnId: string): Promise<RefreshTurn | null> {
    const { credentialId } = step.destination;
    return this.#reach(credentialId, (stored, now) =>
      takeTurn(stored, { credentialId, turnId, usedAt }, now),
    );
  }

  async #reach<Reply>(credentialId: string, decide: CredentialChange<Reply>): Promise<Reply | null> {
    try {
      return await this.#parts.store.changeCredential(credentialId, decide);
    } catch (error) {
      if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") return null;
      throw error;
    }
  }

  async #call(request: RefreshRequest, turnId: string): Promise<Refreshed> {
    const { ports, meter, kill } = this.#parts;
    const { step, refresh } = request;
    const { credentialId } = step.destination;
    const stop = new StopSignal<StopCause>([{ signal: kill, cause: "shutdown" }]);
    const ended = new AbortController();
    void this.#stopInTime(stop, ended.signal);
    const { signal } = stop;
    const now = (): number => ports.clock.now();
    const watch = meter.open(watchedQuestion(`refresh ${turnId}`, signal, now));
    const { fetch, dispatcher } = watch.transport;
    const running = watch.run(async () => refresh({ credentialId, signal, fetch, dispatcher }));
    const end = await Promise.race([settled(running), this.#givenUp(signal)]);
    ended.abort();
    const stopped = stop.release();
    const evidence = watch.end();
    const destination = `The token endpoint of ${credentialId}`;
    const sorting = { destination, stopped, now: now(), evidence, sorters: [] };
    const answer: RefreshAnswer =
      end.kind === "ended"
        ? { kind: "refreshed" }
        : { kind: "failed", failure: elsewhere(sortFailure(end.error, sorting)) };
    const restUntilAt = await this.#tell(credentialId, turnId, answer);
    return { answer, restUntilAt, wire: questionSummary(evidence) };
  }

  async #stopInTime(stop: StopSignal<StopCause>, ended: AbortSignal): Promise<void> {
    await this.#parts.ports.clock.sleep(REFRESH_MS_MAX, ended);
    if (!ended.aborted) stop.stop("deadline", new Error(`no new token within ${REFRESH_MS_MAX} ms`));
  }

  async #givenUp(signal: AbortSignal): Promise<CallEnd> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await this.#parts.ports.clock.sleep(SETTLE_MS_MAX);
    return { kind: "threw", error: new Error("refresh did not end after its signal aborted") };
  }

  /** Others wait for it. A store that stays away learns nothing, and the turn runs out. */
  async #tell(credentialId: string, turnId: string, answer: RefreshAnswer): Promise<number | null> {
    const { clock } = this.#parts.ports;
    for (let tells = 1; tells <= TELLS_MAX; tells += 1) {
      const told = await this.#reach(credentialId, (stored, now) => {
        const state = endTurn(stored, turnId, answer, now);
        return { state, reply: { restUntilAt: state?.last?.restUntilAt ?? null } };
      });
      if (told !== null) return told.restUntilAt;
      await clock.sleep(LOOK_EVERY_MS);
    }
    return null;
  }
}

type CallEnd = { readonly kind: "ended" } | { readonly kind: "threw"; readonly error: unknown };

async function settled(running: Promise<unknown>): Promise<CallEnd> {
  try {
    await running;
    return { kind: "ended" };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/** Whatever became of the refresh, nothing was sent to the destination of the step. */
function elsewhere(failure: Failure): Failure {
  return failureOf({ ...failure, executed: "no", scope: "credential" });
}

function neverEnds({ step }: RefreshRequest): Failure {
  return failureOf({
    cause: "transient",
    executed: "no",
    scope: "credential",
    confidence: "proved",
    rule: "refresh.underWay",
    sentence: `Another process refreshes the access of ${step.destination.credentialId} and has not ended yet.`,
  });
}

/** Has the access refreshed for a step that was refused, and decides what to write; nothing where the process stops. */
export async function askRefresh(
  refreshes: Refreshes,
  { caseType, state, random }: Asking,
  step: SendStepOutline,
  now: () => number,
): Promise<readonly Entry[]> {
  const refresh = caseType.destinations[step.destination.name]?.refresh ?? null;
  const { intent, lastFailure } = stepOf(state, step.name);
  const attempt = intent?.attempts.find(({ number }) => number === lastFailure?.attempt);
  invariant(
    refresh !== null && attempt !== undefined,
    `the access for ${step.name} of case ${state.caseId} was to be refreshed, but nothing says how or why`,
  );
  const refreshed = await refreshes.refresh({ step, refresh, usedAt: attempt.openedAt });
  if (refreshed === null) return [];
  return [decideAfterRefresh(step, state, refreshed, now(), random)];
}
