/**
 * Judges what each process has under way at a destination: never more than its part of the limit, by what it can have
 * known as it decided to send. What it knew is read from the answers that the store gave it; the parts are worked out
 * here anew. A part is only as new as a heartbeat, so what all together have under way is not judged.
 */

import { destinationKey, freshDestination, type DestinationState } from "../src/core/in-flight.ts";
import type { InFlightPolicy } from "../src/core/outline.ts";
import type { DestinationChange } from "../src/store/destination-port.ts";
import type { HolderCommit, NewHolder, Store } from "../src/store/port.ts";
import { SEND_DEADLINE_MS } from "./case-shape.ts";
import { EPOCH_MS, type SimulatedProcess } from "./process.ts";

/** What a process knew of a destination from a moment on. */
interface View {
  readonly at: number;
  readonly limit: number;
  readonly senders: readonly string[];
  /** Answers that came later are not in the limit yet. */
  readonly toldAt: number;
}

/** When it was decided to make an attempt, at the earliest and at the latest. */
interface Decision {
  readonly from: number;
  readonly until: number;
}

interface Side {
  /** Where several are of one moment, nobody can tell from outside which of them it was. */
  readonly views: View[];
  /** What was told and is not answered, and how often something was. */
  telling: number;
  told: number;
  readonly underWay: Set<Decision>;
  readonly answeredAt: number[];
  /** Permits that were given and are not accounted for. */
  permits: number;
}

/** An attempt of a step, by name. */
export interface WatchedAttempt {
  readonly caseId: string;
  readonly step: string;
  readonly intentVersion: number;
  readonly attempt: number;
}

/** What it is made of. */
export interface InFlightWatchOptions {
  readonly now: () => number;
  readonly policy: InFlightPolicy;
  readonly violate: (rule: string, what: string) => void;
}

/** Watches every process of a run. */
export class InFlightWatch {
  readonly #options: InFlightWatchOptions;
  readonly #sides = new Map<SimulatedProcess, Map<string, Side>>();
  readonly #holders = new Map<SimulatedProcess, Pick<NewHolder, "destinations">>();
  /** Every id under which a process may be known: one that was marked as ended goes on under another. */
  readonly #holderIds = new Map<SimulatedProcess, Set<string>>();
  readonly #decisions = new Map<string, Decision>();

  constructor(options: InFlightWatchOptions) {
    this.#options = options;
  }

  /** The store as a process reaches it, with what it is told noted. */
  over(process: SimulatedProcess, store: Store): Store {
    const { now } = this.#options;
    return {
      ...store,
      registerHolder: (holder) => {
        this.#holders.set(process, holder);
        this.#holderIds.set(process, (this.#holderIds.get(process) ?? new Set()).add(holder.holderId));
        return store.registerHolder(holder);
      },
      readDestinations: async () => {
        const sides = (this.#holders.get(process)?.destinations ?? []).map((key) => {
          const side = this.#side(process, key);
          return { key, side, told: side.told };
        });
        const reply = await store.readDestinations();
        for (const { key, side, told } of sides) {
          const { limit, toldAt } = viewOf(side);
          const known = reply.destinations.find((one) => keyOf(one) === key)?.state ?? null;
          const there = reply.senders.filter((one) => one.destinations.includes(key));
          const senders = there.map(({ holderId }) => holderId);
          // What was told meanwhile counts more than what was read; who sends there is taken from the reading.
          if (side.telling > 0 || side.told > told) side.views.push({ at: now(), limit, senders, toldAt });
          side.views.push({ at: now(), limit: this.#limitOf(known), senders, toldAt });
        }
        return reply;
      },
      changeDestination: async (id, decide) => {
        const side = this.#side(process, keyOf(id));
        const toldAt = now();
        const seen: { state: DestinationState | null; isGiven: boolean } = { state: null, isGiven: false };
        side.telling += 1;
        try {
          const reply = await store.changeDestination(id, (state, at) => {
            const change = decide(state, at);
            seen.state = change.state ?? state;
            seen.isGiven = this.#judgePermits(keyOf(id), state, change, at);
            return change;
          });
          side.told += 1;
          const { senders, toldAt: toldBefore } = viewOf(side);
          const told = { toldAt: isAboutPermit(reply) ? toldBefore : toldAt };
          side.views.push({ at: now(), limit: this.#limitOf(seen.state), senders, ...told });
          if (seen.isGiven) side.permits += 1;
          return reply;
        } finally {
          side.telling -= 1;
        }
      },
      commit: (commits) => {
        for (const commit of commits) this.#noteDecisions(process, commit);
        return store.commit(commits);
      },
      begin: async () => {
        const transaction = await store.begin();
        const commit = transaction.commit.bind(transaction);
        return Object.assign(transaction, {
          commit: (what: HolderCommit) => {
            this.#noteDecisions(process, what);
            return commit(what);
          },
        });
      },
    };
  }

  /** A commit that opens attempts leaves, alone or with what a step writes beside it. */
  #noteDecisions(process: SimulatedProcess, { caseId, current }: HolderCommit): void {
    for (const entry of current.entries) {
      if (entry.kind !== "attemptOpened") continue;
      const from = entry.sendDeadlineAt - SEND_DEADLINE_MS - EPOCH_MS;
      const name = nameOf(process, { ...entry, caseId });
      // The same again is a commit that is repeated.
      if (this.#decisions.get(name)?.from !== from)
        this.#decisions.set(name, { from, until: this.#options.now() });
    }
  }

  /** A request leaves; the function given tells that its sender waits no longer. */
  begin(process: SimulatedProcess, destination: string, attempt: WatchedAttempt): () => void {
    const { now, violate } = this.#options;
    const side = this.#side(process, destinationKey(destination, destination));
    const decision = this.#decisions.get(nameOf(process, attempt)) ?? { from: now(), until: now() };
    side.underWay.add(decision);
    const most = Math.max(...[...side.underWay].map((one) => this.#mostAt(process, side, one)));
    if (side.underWay.size > most) {
      if (side.permits > 0) side.permits -= 1;
      else {
        const what = `${process.name} has ${side.underWay.size} requests under way at ${destination}, and its part is ${most}`;
        violate("in flight", what);
      }
    }
    return () => {
      if (side.underWay.delete(decision)) side.answeredAt.push(now());
    };
  }

  /** Its part at most, as it may have been when the attempt was decided on. */
  #mostAt(process: SimulatedProcess, { views, answeredAt }: Side, { from, until }: Decision): number {
    const mine = this.#holderIds.get(process) ?? new Set();
    const last = views.findLast(({ at }) => at < from)?.at ?? -Infinity;
    const possible = views.filter(({ at }) => at >= last && at <= until);
    return Math.max(
      ...possible.map(({ limit, senders, toldAt }) => {
        const answers = answeredAt.filter((at) => at >= toldAt).length;
        const risen = Math.floor(Math.min(this.#options.policy.max, Math.sqrt(limit ** 2 + 2 * answers)));
        const count = senders.length + (senders.some((one) => mine.has(one)) ? 0 : 1);
        return risen < count ? 0 : Math.ceil(risen / count);
      }),
    );
  }

  /** True where a permit was given: never more than the limit at the same time. */
  #judgePermits(
    key: string,
    before: DestinationState | null,
    { state }: DestinationChange<unknown>,
    at: number,
  ): boolean {
    const known = new Set(before?.permits.map(({ permitId }) => permitId));
    const isGiven = state?.permits.some(({ permitId }) => !known.has(permitId)) === true;
    const out = state?.permits.filter(({ untilAt }) => untilAt > at).length ?? 0;
    const limit = Math.floor(state?.limit ?? 0);
    if (isGiven && out > limit)
      this.#options.violate("in flight", `${out} permits for ${key} are out, and its limit is ${limit}`);
    return isGiven;
  }

  #limitOf(state: DestinationState | null): number {
    const { policy } = this.#options;
    return Math.min(policy.max, (state ?? freshDestination(policy)).limit);
  }

  #side(process: SimulatedProcess, key: string): Side {
    const sides = this.#sides.get(process) ?? new Map<string, Side>();
    this.#sides.set(process, sides);
    const fresh: View = { at: -Infinity, limit: this.#limitOf(null), senders: [], toldAt: -Infinity };
    const counts = { telling: 0, told: 0, permits: 0 };
    const side = sides.get(key) ?? { views: [fresh], underWay: new Set(), answeredAt: [], ...counts };
    sides.set(key, side);
    return side;
  }
}

/** Whoever asks for a permit tells nothing of what it has seen. */
function isAboutPermit(reply: unknown): boolean {
  return typeof reply === "object" && reply !== null && "reply" in reply;
}

function keyOf(id: { readonly destination: string; readonly credentialId: string }): string {
  return destinationKey(id.destination, id.credentialId);
}

function nameOf(process: SimulatedProcess, one: WatchedAttempt): string {
  return `${process.name} ${one.caseId} ${one.step} ${one.intentVersion} ${one.attempt}`;
}

function viewOf({ views }: Side): View {
  const view = views.at(-1);
  if (view === undefined) throw new Error("a side has a view from the beginning");
  return view;
}
