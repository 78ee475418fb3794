/**
 * Leaves work of an event undone because a person says so. What arrived stays as it is, and the work stays in sight as
 * ignored: no repeat of the event brings it back, a replay by hand does.
 */

import { FootholdError, unreachable } from "../core/errors.ts";
import { formatUtc } from "../core/utc-time.ts";
import type { StoredWork, WorkState } from "../store/inbox-port.ts";
import type { Store } from "../store/port.ts";
import { showEvent } from "./show-event.ts";

/** How often it is looked again where work moved between the look and the act. */
const TRIES_MAX = 5;

/** Who ignores it, and why. */
export interface IgnoreAct {
  readonly by: string;
  readonly reason: string;
  /** Left out = the work of every consumer. */
  readonly consumer?: string;
}

/** What became of it. */
export interface IgnoreReport {
  /** What this act ignored, and where it stood before. */
  readonly ignored: readonly { readonly consumer: string; readonly was: WorkState }[];
  /** What is as it was, and why. */
  readonly left: readonly { readonly consumer: string; readonly why: string }[];
}

/** Whether a piece of work can be ignored. */
export type IgnoreVerdict =
  | { readonly kind: "open" }
  | { readonly kind: "ignored" }
  | { readonly kind: "refused"; readonly why: string };

/**
 * Judges one piece of work. `now` is the store's time, `alive` are the holders that have not ended: what one of them has
 * claimed it may be doing this very moment, so that is refused while the claim lasts.
 */
export function judgeIgnoring(
  { state, dueAt, holderId }: Pick<StoredWork, "state" | "dueAt" | "holderId">,
  { now, alive }: { readonly now: number; readonly alive: ReadonlySet<string> },
): IgnoreVerdict {
  switch (state) {
    case "ready":
    case "waiting":
    case "in_review":
      return { kind: "open" };
    case "ignored":
      return { kind: "ignored" };
    case "done":
      return { kind: "refused", why: "it is done" };
    case "claimed":
      if (holderId === null || dueAt === null || dueAt <= now || !alive.has(holderId))
        return { kind: "open" };
      return {
        kind: "refused",
        why: `${holderId} is at it, until ${formatUtc(dueAt)} at the latest`,
      };
    default:
      return unreachable(state, "state of work");
  }
}

/**
 * Ignores the work of an event that is not done. Safe to do twice. Throws `INVALID_REQUEST` for an event or consumer that is
 * not there, and `NOTHING_TO_IGNORE` where all of it is done or a worker is at it.
 */
export async function ignoreEvent(store: Store, eventId: string, act: IgnoreAct): Promise<IgnoreReport> {
  const { event, work } = await showEvent(store, eventId);
  const { consumer, by, reason } = act;
  if (consumer !== undefined && !work.some((one) => one.consumer === consumer))
    throw noSuchWork(eventId, consumer, work);
  // Another event with the same fact is no more done than one that comes after this one was.
  for (const key of event.furtherKeys) await store.inbox.takeKey(eventId, key);
  const ignored: IgnoreReport["ignored"][number][] = [];
  for (let tries = 1; ; tries += 1) {
    const judged = await judgeWork(store, eventId, consumer);
    const open = judged.filter(({ verdict }) => verdict.kind === "open").map(({ one }) => one);
    const sentence = `Ignored by ${by}: ${reason}`;
    const consumers = await store.inbox.ignoreWork(eventId, open, { by, reason, sentence });
    const hit = open.filter((one) => consumers.includes(one.consumer));
    ignored.push(...hit.map((one) => ({ consumer: one.consumer, was: one.state })));
    // A claim keeps others of its lane waiting.
    if (hit.some(({ state }) => state === "claimed")) await store.inbox.hintWork();
    if (hit.length === open.length || tries === TRIES_MAX) return reportOf(eventId, ignored, judged);
  }
}

/** What became of it, in a sentence for people. */
export function ignoreSentence({ ignored, left }: IgnoreReport): string {
  const names = ignored.map(({ consumer }) => consumer).join(", ");
  const rest = left.map(({ consumer, why }) => ` ${consumer} is as it was: ${why}.`).join("");
  return `${ignored.length === 0 ? "Nothing is changed." : `Ignored: ${names}.`}${rest}`;
}

/** How the work of each consumer stood, and stands. */
export function standingsOf({ ignored }: IgnoreReport): {
  readonly before: Readonly<Record<string, WorkState>>;
  readonly after: Readonly<Record<string, WorkState>>;
} {
  return {
    before: Object.fromEntries(ignored.map(({ consumer, was }) => [consumer, was])),
    after: Object.fromEntries(ignored.map(({ consumer }) => [consumer, "ignored"])),
  };
}

interface Judged {
  readonly one: StoredWork;
  readonly verdict: IgnoreVerdict;
}

async function judgeWork(
  store: Store,
  eventId: string,
  consumer: string | undefined,
): Promise<readonly Judged[]> {
  const { work } = await showEvent(store, eventId);
  const wanted = work.filter((one) => consumer === undefined || one.consumer === consumer);
  // In this order, as in the sweep: whoever holds work was registered before.
  const isHeld = wanted.some(({ state }) => state === "claimed");
  const holders = isHeld ? await store.listHolders() : [];
  const alive = new Set(holders.filter(({ endedAt }) => endedAt === null).map(({ holderId }) => holderId));
  const now = await store.now();
  return wanted.map((one) => ({ one, verdict: judgeIgnoring(one, { now, alive }) }));
}

function reportOf(
  eventId: string,
  ignored: IgnoreReport["ignored"],
  judged: readonly Judged[],
): IgnoreReport {
  const names = new Set(ignored.map(({ consumer }) => consumer));
  const others = judged.filter(({ one }) => !names.has(one.consumer));
  const left = others.map(({ one, verdict }) => ({ consumer: one.consumer, why: whyLeft(verdict) }));
  const isKnown = others.some(({ verdict }) => verdict.kind === "ignored");
  if (ignored.length > 0 || isKnown) return { ignored, left };
  const what = left.map(({ consumer, why }) => `${consumer}: ${why}`).join("; ") || "nobody takes it";
  throw new FootholdError("NOTHING_TO_IGNORE", `No work of the event ${eventId} can be ignored: ${what}.`);
}

function whyLeft(verdict: IgnoreVerdict): string {
  switch (verdict.kind) {
    case "open":
      return "it moved meanwhile";
    case "ignored":
      return "it is ignored already";
    case "refused":
      return verdict.why;
  }
}

function noSuchWork(eventId: string, consumer: string, work: readonly StoredWork[]): FootholdError {
  const known = work.map((one) => one.consumer).join(", ") || "none";
  return new FootholdError(
    "INVALID_REQUEST",
    `The event ${eventId} has no work for ${JSON.stringify(consumer.slice(0, 60))}; it has work for: ${known}.`,
  );
}
