/** Starts the case of a slot: with the ids that were fixed for it, so that it is one case whoever starts it, and how often. */

import { FootholdError, invariant, isFootholdError } from "../core/errors.ts";
import { canonicalJson, type Json } from "../core/json.ts";
import { maskSecrets } from "../core/masked-text.ts";
import { describeThrown } from "../define/describe-value.ts";
import type { ScheduleSetup } from "../define/schedule.ts";
import { SHARD_COUNT } from "../store/port.ts";
import type { OpenSlot, SlotOutcome, SlotStart } from "../store/schedule-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { BUSINESS_KEY_CHARS_MAX, checkTexts } from "./requests.ts";
import { settleSlot } from "./schedule-turn.ts";
import { sendAgain } from "./send-again.ts";
import { caseIdOf, newCase, shardFor } from "./start.ts";
import { validInput } from "./validated.ts";

/** How long the check of an input may take, in ms. */
const CHECK_MS_MAX = 30_000;
/** Longest sentence that says why a slot was refused. */
const SENTENCE_CHARS_MAX = 1_000;

type Refused = Extract<SlotOutcome, { kind: "refused" }>;

/** Hex digits of a digest that make the random part of a case id: 60 bits. */
const SUFFIX_HEX_DIGITS = 15;

/**
 * Fixes the case of a slot, or says why there can be none. The same slot gives the same ids: a decision that a failover lost
 * is made again, while whoever made it first may be about to start its case.
 */
export function fixStart(
  { ports }: DeskParts,
  setup: ScheduleSetup,
  { slotKey, slotAt }: Pick<OpenSlot, "slotKey" | "slotAt">,
): SlotStart | Refused {
  const { tenant, caseType } = setup.outline;
  try {
    const given = setup.businessKeyOf(slotAt);
    if (given !== null) {
      checkTexts([{ path: "businessKey", value: given, charsMax: BUSINESS_KEY_CHARS_MAX }]);
    }
    const businessKey = typeof given === "string" ? given : null;
    const digest = ports.digest(canonicalJson([setup.name, slotKey, tenant, caseType]));
    const [suffix, rest] = [digest.slice(0, SUFFIX_HEX_DIGITS), digest.slice(SUFFIX_HEX_DIGITS)];
    const shard =
      businessKey === null
        ? Number.parseInt(rest.slice(0, 8), 16) % SHARD_COUNT
        : shardFor(ports, { tenant, caseType, businessKey });
    const caseId = caseIdOf(shard, BigInt(`0x${suffix}`).toString(32).padStart(12, "0"));
    return { caseId, commitId: `slot-${digest}`, caseType, tenant, businessKey };
  } catch (error) {
    return refusalOf(error, "businessKey");
  }
}

/**
 * Starts the case of an open slot and records what came of it. Throws `DATABASE_UNAVAILABLE`: then the slot stays open, and
 * is started by whoever comes next.
 */
export async function startOpenSlot(
  parts: DeskParts,
  setup: ScheduleSetup,
  open: OpenSlot,
): Promise<SlotOutcome> {
  const outcome = await attemptStart(parts, setup, open);
  await parts.store.schedules.change(
    { name: setup.name, slotKey: open.slotKey, caseId: open.start.caseId },
    (locked) => settleSlot(locked, { open, outcome }),
  );
  return outcome;
}

async function attemptStart(
  parts: DeskParts,
  setup: ScheduleSetup,
  { slotAt, start, by }: OpenSlot,
): Promise<SlotOutcome> {
  const { caseId, commitId, tenant, businessKey } = start;
  const { store, ports, registry } = parts;
  try {
    if (start.caseType !== setup.outline.caseType || tenant !== setup.outline.tenant) {
      return await judgeMoved(parts, start, setup);
    }
    const caseType = registry.get(start.caseType);
    const input = await inTime(parts, validInput(caseType, setup.inputOf(slotAt)));
    const at = await parts.now();
    const actor = by ?? { kind: "engine", name: `schedule ${setup.name}` };
    const slot = { schedule: setup.name, at: slotAt };
    const { priority } = setup;
    const first = { tenant, businessKey, input, by: actor, at, startAt: null, priority, slot };
    const reply = await sendAgain(ports.clock, () =>
      store.insertCase(newCase(parts, caseType, first, { caseId, commitId })),
    );
    switch (reply.kind) {
      case "started":
      case "repeated":
        return { kind: "started" };
      case "exists":
        return reply.caseId === caseId ? { kind: "started" } : { kind: "keyHeld", caseId: reply.caseId };
      case "idTaken":
        invariant(false, `the case id ${caseId} is taken by a case that another commit began`);
    }
  } catch (error) {
    if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") throw error;
    return refusalOf(error, "input");
  }
}

/** The schedule starts something else by now: what was fixed is there, or will not be. */
async function judgeMoved(
  { store }: DeskParts,
  { caseId, caseType, tenant }: SlotStart,
  { name, outline }: ScheduleSetup,
): Promise<SlotOutcome> {
  if ((await store.loadRow(caseId)) !== null) return { kind: "started" };
  const was = `a case of ${caseType} of the tenant ${tenant}`;
  const sentence = `This slot was to start ${was}, and ${name} starts ${outline.caseType} of ${outline.tenant} now.`;
  return { kind: "refused", code: "INVALID_REQUEST", sentence };
}

/** A check that never answers must not keep the other schedules waiting. */
async function inTime({ ports }: DeskParts, work: Promise<Json>): Promise<Json> {
  const ended = new AbortController();
  const late = ports.clock.sleep(CHECK_MS_MAX, ended.signal).then((): never => {
    throw new FootholdError("INVALID_INPUT", `The input was not checked within ${CHECK_MS_MAX / 1_000} s.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
  }
}

function refusalOf(error: unknown, option: "input" | "businessKey"): Refused {
  const isOurs = isFootholdError(error);
  const sentence = isOurs ? error.message : `The function ${option} threw: ${describeThrown(error)}`;
  const told = maskSecrets(sentence)
    .slice(0, SENTENCE_CHARS_MAX)
    .replaceAll("\0", "")
    .replaceAll(/\p{Cs}/gu, "\uFFFD");
  return { kind: "refused", code: isOurs ? error.code : "INVALID_INPUT", sentence: told };
}
