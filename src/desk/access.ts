/**
 * Access restored: one act for every case that waits on a credential. One case is tried first; what its destination says
 * decides whether the others go on. Those that stand in review are resumed one by one; those that only wait for the
 * access are freed by one write, and workers take them up as the destination's limit allows. Done again, it goes on with
 * what is still waiting.
 */

import { nameWithoutKey } from "../core/part-name.ts";
import { sendsOf } from "../core/sends.ts";
import { stepOf, type CaseState } from "../core/case-state.ts";
import { FootholdError, isFootholdError, type ErrorCode } from "../core/errors.ts";
import type { Wait } from "../core/waits.ts";
import { forgetRefresh } from "../core/refresh.ts";
import { afterRestored, beforeTrial, type DestinationState } from "../core/in-flight.ts";
import type { DestinationId } from "../store/destination-port.ts";
import type { StoredRow } from "../store/port.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";
import { resume } from "./acts.ts";
import type { DeskParts } from "./desk-parts.ts";
import { sendAgain } from "./send-again.ts";
import { checkTexts, personOf, REASON_CHARS_MAX, type Who } from "./requests.ts";

/** How long the case that is tried first is watched, in ms, where nothing else is asked for. */
const PROBE_WAIT_MS_DEFAULT = 60_000;
/** How often it is looked at, in ms. */
const LOOK_EVERY_MS = 200;
/** Cases released at the same time. */
const RELEASES_MAX = 8;
/** Parked cases made due at once by the act itself, and how far apart, in ms. */
const HASTENED_MAX = 256;
const HASTEN_GAP_MS = 20;
/**
 * Cases of which one is tried first: so many of those in review and of those that only wait, since many can be kept by
 * something else.
 */
const CANDIDATES_MAX = 200;
/** Pages of waiting cases that are looked through for some to try. */
const PARKED_PAGES_MAX = 20;
/** Reasons that a reply names; the rest is counted. */
const REFUSED_MAX = 20;

/** Who restored which access. */
export interface AccessRequest {
  readonly destination: string;
  /** Needed where steps use several credentials of the destination. */
  readonly credentialId?: string | undefined;
  readonly by: Who;
  readonly reason?: string | null | undefined;
  /** How long the case that is tried first is watched. Default 60 s. */
  readonly waitMs?: number | undefined;
  /** Told after each case that was released. */
  readonly onReleased?: ((released: number, waiting: number) => void) | undefined;
}

/** What the destination said to the case that was tried first. */
export type AccessProbe =
  /** Nothing waits on this credential. */
  | { readonly kind: "nothingWaits" }
  | { readonly kind: "works"; readonly caseId: string }
  | { readonly kind: "stillDenied"; readonly caseId: string; readonly why: string }
  /** It failed for another reason, or nobody worked on it in time. */
  | { readonly kind: "cannotTell"; readonly caseId: string; readonly why: string };

/** What became of it. */
export interface AccessReply {
  readonly destination: string;
  readonly credentialId: string;
  readonly probe: AccessProbe;
  /** Cases that go on, the one that was tried included. */
  readonly released: number;
  /** Cases that wait on it still. */
  readonly waiting: number;
  /** Why single cases were not released; at most 20. */
  readonly refused: readonly {
    readonly caseId: string;
    readonly code: ErrorCode;
    readonly sentence: string;
  }[];
}

/** A case that waits on the credential, and where. */
interface Waiting {
  readonly caseId: string;
  readonly step: string;
  readonly startedAt: number;
}

/**
 * Tries one case that waits on the credential, and lets the others go on where its destination takes it. Throws
 * `INVALID_REQUEST` for a destination that no loaded case type sends to, or of which the credential must be named.
 */
export async function restoreAccess(parts: DeskParts, request: AccessRequest): Promise<AccessReply> {
  const reason = request.reason ?? `access to ${request.destination} restored`;
  checkTexts([{ path: "reason", value: reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  personOf(request.by);
  const { credentialId, steps } = usersOf(parts, request);
  // What a refresh met before says nothing about the access that is there now.
  await parts.store.changeCredential(credentialId, (stored) => ({
    state: forgetRefresh(stored),
    reply: null,
  }));
  const id = { destination: request.destination, credentialId };
  const reviewed = [...(await findWaiting(parts, steps)), ...(await findRefused(parts, id))];
  const inReview = new Set(reviewed.map(({ caseId }) => caseId));
  const someParked = (await findParked(parts, id)).filter(({ caseId }) => !inReview.has(caseId));
  const parked = Math.max(await countParked(parts, id), countCases(someParked));
  const reply = { ...id, refused: [] };
  const candidates = [...reviewed.slice(0, CANDIDATES_MAX), ...someParked];
  if (candidates.length === 0) {
    // Nobody is there to try it: the next case does.
    await free(parts, id);
    return { ...reply, probe: { kind: "nothingWaits" }, released: 0, waiting: 0 };
  }
  await change(parts, id, beforeTrial);
  const { probe, tried } = await tryOne(parts, candidates, { ...request, reason });
  const waiting = reviewed.length + parked;
  if (probe.kind !== "works") return { ...reply, probe, released: 0, waiting };
  await free(parts, id);
  const others = reviewed.filter((one) => one !== tried);
  const freed = waiting - others.length;
  request.onReleased?.(freed, others.length);
  const { released, refused } = await releaseAll(parts, others, { ...request, reason, freed });
  return {
    ...reply,
    probe,
    released: freed + released,
    waiting: others.length - released,
    refused: refused.slice(0, REFUSED_MAX),
  };
}

/** Tries the first that can go on at all: one that is blocked by something else must not keep the others. */
async function tryOne(
  parts: DeskParts,
  candidates: readonly Waiting[],
  request: Releasing,
): Promise<{ readonly probe: AccessProbe; readonly tried: Waiting }> {
  let last: unknown = null;
  for (const tried of candidates) {
    try {
      return { probe: await tryFirst(parts, tried, request), tried };
    } catch (error) {
      if (!isFootholdError(error) || error.code === "DATABASE_UNAVAILABLE") throw error;
      last = error;
    }
  }
  throw last;
}

/** Cases that are not in review and wait for others' access to be restored, as far as they are looked through. */
async function countParked({ store }: DeskParts, id: DestinationId): Promise<number> {
  const { destinations } = await store.readDestinations();
  const known = destinations.find((one) => isSame(one, id));
  if ((known?.state.denial ?? null) === null) return 0;
  return (await store.countHeld()).find((one) => isSame(one, id))?.cases ?? 0;
}

/**
 * Steps that only wait for the access, the first of them. Also where nobody is kept back any more: what a person had open
 * when it was restored waits on until its time.
 */
async function findParked(parts: DeskParts, id: DestinationId): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  for await (const { caseId, startedAt, summary } of listParked(parts)) {
    const waits = summary.waits.filter((one) => isForAccess(one, id));
    found.push(...waits.map(({ step }) => ({ caseId, step, startedAt })));
    if (found.length >= CANDIDATES_MAX) break;
  }
  return found.slice(0, CANDIDATES_MAX);
}

function countCases(waiting: readonly Waiting[]): number {
  return new Set(waiting.map(({ caseId }) => caseId)).size;
}

/** Cases that were refused themselves and wait for the reset of their quota: freeing the others does not free them. */
async function findRefused(parts: DeskParts, id: DestinationId): Promise<readonly Waiting[]> {
  const { destinations } = await parts.store.readDestinations();
  const isUsedUp = destinations.some((one) => isSame(one, id) && one.state.notBeforeBy === "quota");
  const found: Waiting[] = [];
  if (!isUsedUp) return found;
  for await (const { caseId, startedAt, summary } of listParked(parts)) {
    const { lastFailure, waits } = summary;
    const wait = waits.find((one) => isForAccess(one, id) && one.step === lastFailure?.step);
    if (wait !== undefined && lastFailure?.kind === "quota")
      found.push({ caseId, step: wait.step, startedAt });
  }
  return found;
}

function isForAccess(wait: Wait, id: DestinationId): wait is Extract<Wait, { kind: "access" }> {
  return wait.kind === "access" && isSame(wait, id);
}

function isSame(one: DestinationId, { destination, credentialId }: DestinationId): boolean {
  return one.destination === destination && one.credentialId === credentialId;
}

/** Waiting cases, as far as they are looked through. */
async function* listParked({ store }: DeskParts): AsyncGenerator<StoredRow, undefined> {
  let after: string | undefined;
  for (let page = 0; page < PARKED_PAGES_MAX; page += 1) {
    const filter = { states: ["waiting"], limit: LIST_LIMIT_MAX } as const;
    const { rows, next } = await store.listCases({ ...filter, ...(after === undefined ? {} : { after }) });
    yield* rows;
    if (next === null) return;
    after = next;
  }
}

async function change(
  { store, ports }: DeskParts,
  id: DestinationId,
  to: (state: DestinationState) => DestinationState,
): Promise<void> {
  await sendAgain(ports.clock, () =>
    store.changeDestination(id, (state) => ({ state: state === null ? null : to(state), reply: null })),
  );
}

/** Nothing is kept back for want of this access any more. Workers hasten the rest, as there is room. */
async function free(parts: DeskParts, id: DestinationId): Promise<void> {
  const { store, ports } = parts;
  await change(parts, id, afterRestored);
  await sendAgain(ports.clock, () => store.hastenHeld({ ...id, count: HASTENED_MAX, gapMs: HASTEN_GAP_MS }));
}

/** The steps that use the credential, as `type` and `step`. Throws `INVALID_REQUEST`. */
function usersOf(
  { registry }: DeskParts,
  { destination, credentialId }: Pick<AccessRequest, "destination" | "credentialId">,
): { readonly credentialId: string; readonly steps: ReadonlyMap<string, ReadonlySet<string>> } {
  const users = registry.all.flatMap(({ outline }) =>
    outline.steps.flatMap(sendsOf).map((step) => ({ caseType: outline.name, step })),
  );
  const there = users.filter(({ step }) => step.destination.name === destination);
  const known = [...new Set(there.map(({ step }) => step.destination.credentialId))];
  const [only] = known;
  const wanted = credentialId ?? (known.length === 1 ? only : undefined);
  if (only === undefined) {
    const names = [...new Set(users.map(({ step }) => step.destination.name))].join(", ") || "none";
    throw invalid(
      "destination",
      `No loaded case type sends to ${quoted(destination)}. They send to: ${names}.`,
    );
  }
  if (wanted === undefined || !known.includes(wanted)) {
    const which =
      wanted === undefined ? "is used with several credentials" : `is not used with ${quoted(wanted)}`;
    throw invalid("credentialId", `${destination} ${which}; name one of ${known.join(", ")}.`);
  }
  const steps = new Map<string, Set<string>>();
  for (const { caseType, step } of there) {
    if (step.destination.credentialId !== wanted) continue;
    steps.set(caseType, (steps.get(caseType) ?? new Set()).add(step.name));
  }
  return { credentialId: wanted, steps };
}

/** Every case that waits for access at one of the steps, the oldest first. */
async function findWaiting(
  { store }: DeskParts,
  steps: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  for (const [caseType, names] of steps) {
    let after: string | undefined;
    do {
      const page = await store.listCases({
        caseType,
        withReview: true,
        limit: LIST_LIMIT_MAX,
        ...(after === undefined ? {} : { after }),
      });
      found.push(...page.rows.flatMap((row) => waitingIn(row, names)));
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
  return found.toSorted((one, other) => one.startedAt - other.startedAt);
}

function waitingIn(
  { caseId, startedAt, summary }: StoredRow,
  names: ReadonlySet<string>,
): readonly Waiting[] {
  return summary.reviews
    .filter(
      ({ step, reason }) => (reason === "denied" || reason === "quota") && names.has(nameWithoutKey(step)),
    )
    .map(({ step }) => ({ caseId, step, startedAt }));
}

type Releasing = AccessRequest & { readonly reason: string };
/** `freed`: cases that go on already. */
type ReleasingAll = Releasing & { readonly freed: number };

async function tryFirst(
  parts: DeskParts,
  { caseId, step }: Waiting,
  request: Releasing,
): Promise<AccessProbe> {
  const { clock } = parts.ports;
  const before = lastAttempt(await stateOf(parts, caseId), step);
  await resume(parts, caseId, { step, by: request.by, reason: request.reason });
  const endsAt = clock.monotonic() + (request.waitMs ?? PROBE_WAIT_MS_DEFAULT);
  for (;;) {
    const said = judge(await stateOf(parts, caseId), step, before);
    if (said !== null) return { ...said, caseId };
    if (clock.monotonic() >= endsAt) {
      const why = "no worker has tried it yet; it goes on as soon as one does";
      return { kind: "cannotTell", caseId, why };
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}

type Said =
  | { readonly kind: "works" }
  | { readonly kind: "stillDenied"; readonly why: string }
  | { readonly kind: "cannotTell"; readonly why: string };

/** What an attempt since then tells of the access; null = there was none, or it is under way. */
function judge(state: CaseState, step: string, before: string): Said | null {
  const { confirmation, lastFailure, intent } = stepOf(state, step);
  if (lastAttempt(state, step) === before) return null;
  const attempt = intent?.attempts.at(-1);
  if (attempt?.outcome.kind === "open") return null;
  if (confirmation !== null) return { kind: "works" };
  if (lastFailure === null) return null;
  const { failure } = lastFailure;
  switch (failure.cause) {
    case "denied":
    case "quota":
      return { kind: "stillDenied", why: failure.sentence };
    // It let us in, and then had something else to say.
    case "rejected":
    case "conflict":
    case "precondition":
    case "gone":
      return { kind: "works" };
    case "transient":
    case "throttled":
    case "bug":
    case "stopped":
      return { kind: "cannotTell", why: failure.sentence };
  }
}

function lastAttempt(state: CaseState, step: string): string {
  const { intent } = stepOf(state, step);
  return intent === null ? "none" : `${intent.version}.${intent.attempts.length}`;
}

async function stateOf({ store }: DeskParts, caseId: string): Promise<CaseState> {
  const stored = await store.loadCase(caseId);
  if (stored !== null) return stored.state;
  throw new FootholdError("CASE_NOT_FOUND", `Case ${caseId} is not there any more.`, { details: { caseId } });
}

async function releaseAll(
  parts: DeskParts,
  waiting: readonly Waiting[],
  request: ReleasingAll,
): Promise<{ readonly released: number; readonly refused: AccessReply["refused"] }> {
  const queue = [...waiting];
  const refused: AccessReply["refused"][number][] = [];
  let released = 0;
  let broken: { readonly error: unknown } | null = null;
  const releaseNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && broken === null; next = queue.shift()) {
      const { caseId, step } = next;
      try {
        await resume(parts, caseId, { step, by: request.by, reason: request.reason });
        released += 1;
        request.onReleased?.(request.freed + released, waiting.length - released);
      } catch (error) {
        // Somebody holds it, or set it right meanwhile: the others do not wait for that.
        const isOwn = isFootholdError(error) && error.code !== "DATABASE_UNAVAILABLE";
        if (isOwn) refused.push({ caseId, code: error.code, sentence: error.message });
        else broken ??= { error };
      }
    }
  };
  // Each ends before this does: what is under way when one of them breaks is told as it ended.
  await Promise.all(Array.from({ length: RELEASES_MAX }, releaseNext));
  throwIfBroken(broken, request.freed + released, waiting.length - released);
  return { released, refused };
}

function throwIfBroken(broken: { readonly error: unknown } | null, released: number, left: number): void {
  if (broken === null) return;
  const { error } = broken;
  if (!isFootholdError(error)) throw error;
  const sentence = `${error.message} ${released} cases go on, ${left} wait still: restore the access again to go on.`;
  throw new FootholdError(error.code, sentence, { cause: error, details: { released, waiting: left } });
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function invalid(path: string, message: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", message, { details: { fields: [{ path, message }] } });
}
