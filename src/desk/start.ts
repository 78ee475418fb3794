/** Starting a case: input checked, id drawn, first commit. */

import { FootholdError } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import type { Entry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { Ports } from "../core/ports.ts";
import { engineVersionFor } from "../core/key-places.ts";
import { rowOf } from "../core/row.ts";
import type { SlotRef } from "../core/schedule.ts";
import type { Priority } from "../core/starting.ts";
import { concurrencyKeyOf } from "../define/concurrency.ts";
import { keyShard } from "../define/case-keys.ts";
import type { CaseType } from "../define/case-type.ts";
import { DURATION_MS_MAX, parseDuration, type Duration } from "../define/duration.ts";
import { SHARD_COUNT, type InsertReply, type NewCase } from "../store/port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { followStart } from "./traced.ts";
import {
  BUSINESS_KEY_CHARS_MAX,
  checkTexts,
  DEFAULT_TENANT,
  personOf,
  TENANT_CHARS_MAX,
  type Who,
} from "./requests.ts";
import { sendAgain } from "./send-again.ts";
import { validInput } from "./validated.ts";

/** How a case is started. */
export interface StartOptions {
  /** Who starts it, for people. */
  readonly by: Who;
  /** A second start with the same tenant, type and business key finds the first case. */
  readonly businessKey?: string | undefined;
  /** `default` when left out. */
  readonly tenant?: string | undefined;
  /** When work on it begins, epoch ms, at most ten years ahead; what is past is now. At once when left out. */
  readonly startAt?: number | undefined;
  /** The same from now on. Not both. */
  readonly startAfter?: Duration | undefined;
  /** Which due cases are taken first; one step counts for ten minutes of waiting. `normal` when left out. */
  readonly priority?: Priority | undefined;
}

/** When another case may start with the same key, the case type says (`keyFreedBy`). */
export interface StartedCase {
  readonly caseId: string;
  /** False when another case has this tenant, type and business key; then nothing was written. */
  readonly isNew: boolean;
}

/** Digits of the shard at the start of a case id. */
const SHARD_DIGITS = 2;
/** Case ids drawn before giving up: with 60 random bits, one that is taken is all but impossible. */
const ID_DRAWS_MAX = 5;

/** Starts a case. Throws `UNKNOWN_CASE_TYPE`, `INVALID_INPUT`, `INVALID_REQUEST`, `INVALID_DEFINITION`, `DATABASE_UNAVAILABLE`. */
export async function startCase(
  parts: DeskParts,
  typeName: string,
  value: unknown,
  options: StartOptions,
): Promise<StartedCase> {
  const { ports, store } = parts;
  const caseType = parts.registry.get(typeName);
  const tenant = options.tenant ?? DEFAULT_TENANT;
  const businessKey = options.businessKey ?? null;
  checkTexts([
    { path: "tenant", value: tenant, charsMax: TENANT_CHARS_MAX },
    ...(businessKey === null
      ? []
      : [{ path: "businessKey", value: businessKey, charsMax: BUSINESS_KEY_CHARS_MAX }]),
  ]);
  const by = personOf(options.by);
  const input = await validInput(caseType, value);
  const at = await parts.now();
  const startAt = readStartAt(options, at);
  const priority = options.priority ?? "normal";
  const shard = shardFor(ports, { tenant, caseType: typeName, businessKey });
  for (let draws = 0; draws < ID_DRAWS_MAX; draws += 1) {
    const first = { tenant, businessKey, input, by, at, startAt, priority };
    const start = newCase(parts, caseType, first, {
      caseId: caseIdOf(shard, ports.ids.caseSuffix()),
      commitId: ports.ids.unique(),
    });
    const reply = await followStart(parts.ports, start.identity, () =>
      sendAgain(ports.clock, () => store.insertCase(start)),
    );
    const started = readReply(start.identity.caseId, reply);
    if (started === null) continue;
    return started;
  }
  throw new FootholdError(
    "INVARIANT_BROKEN",
    `${ID_DRAWS_MAX} random case ids in a row were taken: the source of random ids does not work.`,
  );
}

/** When it begins, where that is later than now. */
function readStartAt({ startAt, startAfter }: StartOptions, now: number): number | null {
  if (startAt !== undefined && startAfter !== undefined)
    throw new FootholdError("INVALID_REQUEST", "Give startAt or startAfter, not both.");
  if (startAt === undefined && startAfter === undefined) return null;
  const at = startAfter === undefined ? (startAt ?? now) : now + parseDuration(startAfter);
  if (!Number.isInteger(at) || at > now + DURATION_MS_MAX) {
    throw new FootholdError(
      "INVALID_REQUEST",
      "startAt must be epoch milliseconds, at most ten years ahead.",
    );
  }
  return at > now ? at : null;
}

function readReply(caseId: string, reply: InsertReply): StartedCase | null {
  switch (reply.kind) {
    case "started":
    case "repeated":
      return { caseId, isNew: true };
    case "exists":
      return { caseId: reply.caseId, isNew: false };
    case "idTaken":
      return null;
  }
}

/** What a case is started with. */
export interface FirstCommit {
  readonly tenant: string;
  readonly businessKey: string | null;
  readonly input: Json;
  readonly by: Extract<Entry, { kind: "caseStarted" }>["by"];
  readonly at: number;
  readonly startAt: number | null;
  readonly priority: Priority;
  /** The slot that it is started for; left out = none. */
  readonly slot?: SlotRef;
}

/** What a new case is known by. */
export interface StartIds {
  readonly caseId: string;
  readonly commitId: string;
}

/** The id of a case in a shard. */
export function caseIdOf(shard: number, suffix: string): string {
  return `${String(shard).padStart(SHARD_DIGITS, "0")}-${suffix}`;
}

/** A case as it is stored first. */
export function newCase(
  { ports: { digest } }: Pick<DeskParts, "ports">,
  caseType: CaseType,
  first: FirstCommit,
  { caseId, commitId }: StartIds,
): NewCase {
  const { at, startAt, priority, ...told } = first;
  const { outline } = caseType;
  const { keyFreedBy, search } = outline;
  const concurrencyKey = concurrencyKeyOf(caseType, first.input, digest);
  const entry: Entry = {
    kind: "caseStarted",
    caseType: outline.name,
    definitionVersion: outline.version,
    ...told,
    ...(startAt === null ? {} : { startAt }),
    ...(priority === "normal" ? {} : { priority }),
    ...(keyFreedBy === undefined || told.businessKey === null ? {} : { keyFreedBy }),
    ...(search === undefined ? {} : { search }),
    ...(concurrencyKey === null ? {} : { concurrencyKey }),
  };
  return {
    identity: {
      caseId,
      shard: Number(caseId.slice(0, SHARD_DIGITS)),
      tenant: first.tenant,
      caseType: outline.name,
      businessKey: first.businessKey,
      startedAt: at,
      definitionVersion: outline.version,
      engineVersion: engineVersionFor(concurrencyKey),
    },
    commitId,
    at,
    entries: [entry],
    row: rowOf(foldJournal(caseId, [{ revision: 1, at, commitId, entry }])),
    claim: null,
  };
}

/**
 * The shard of a new case: of one with a business key always the same, so that a unique constraint within the shard
 * finds the case that has the key already; else random.
 */
export function shardFor(
  { digest, random }: Pick<Ports, "digest" | "random">,
  named: { readonly tenant: string; readonly caseType: string; readonly businessKey: string | null },
): number {
  const { tenant, caseType, businessKey } = named;
  if (businessKey === null) return Math.floor(random() * SHARD_COUNT);
  return keyShard(digest, { tenant, caseType, key: businessKey }, SHARD_COUNT);
}
