/** Words that people type with an act, without what they repeat of what its case masks: lists and the audit hold them as they are. */

import type { CaseState } from "../core/case-state.ts";
import { isUnreadable } from "../core/corrupt-journal.ts";
import type { Entry } from "../core/journal.ts";
import { readJson } from "../core/json.ts";
import { maskTexts } from "../core/masked-values.ts";
import type { CaseType } from "../define/case-type.ts";
import { hasMasks, maskedParts, textsOfParts, type MaskedPart } from "../define/masking.ts";
import type { Registry } from "../define/registry.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import type { Store } from "../store/port.ts";
import type { ActHead } from "./act-head.ts";
import { definitionOf } from "./definition.ts";
import { isCaseId } from "./requests.ts";

/** Where it is looked up what a case masks. */
export interface MaskLookup {
  readonly store: Pick<Store, "loadRow" | "loadCase" | "schedules">;
  readonly registry: Registry;
}

/** What the words of an act may not repeat: what was masked before it, and what is after. Nothing where no definition is loaded. */
export function textsAround(
  caseType: CaseType | null,
  before: CaseState,
  after: () => CaseState,
): readonly string[] {
  if (caseType === null || !hasMasks(caseType)) return [];
  return textsOfParts([before, after()].flatMap((state) => maskedParts(caseType, state)));
}

/** Entries of an act without these texts in its words. */
export function maskWords(entries: readonly Entry[], texts: readonly string[]): readonly Entry[] {
  return texts.length === 0 ? entries : entries.map((entry) => maskWordsOf(entry, texts));
}

function maskWordsOf(entry: Entry, texts: readonly string[]): Entry {
  if ("reason" in entry)
    return entry.reason === null ? entry : { ...entry, reason: maskTexts(entry.reason, texts) };
  if (entry.kind === "noteAdded") return { ...entry, text: maskTexts(entry.text, texts) };
  if (entry.kind === "approvalAnswered")
    return entry.note === null ? entry : { ...entry, note: maskTexts(entry.note, texts) };
  if (entry.kind === "stepConfirmed" && "reason" in entry.by)
    return { ...entry, by: { ...entry.by, reason: maskTexts(entry.by.reason, texts) } };
  return entry;
}

/**
 * A reason for an act on a case, whatever comes of the act; a mark where the case cannot be read. `input`: what the act would
 * put in place of the case's, whatever it is.
 */
export async function maskReason(
  { store, registry }: MaskLookup,
  caseId: string,
  { reason, input }: { readonly reason: string; readonly input?: unknown },
): Promise<string> {
  const row = isCaseId(caseId) ? await store.loadRow(caseId) : null;
  const caseType = row === null ? null : definitionOf(registry, row).caseType;
  if (caseType === null || !hasMasks(caseType)) return reason;
  try {
    const stored = await store.loadCase(caseId);
    const known = stored === null ? [] : maskedParts(caseType, stored.state);
    return maskTexts(reason, textsOfParts([...known, ...partsGiven(caseType, input)]));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return "[masked]";
  }
}

function partsGiven({ masks }: CaseType, input: unknown): readonly MaskedPart[] {
  const read = readJson(input, VALUE_CHARS_MAX);
  return read.kind === "json" ? [{ part: "input", name: null, value: read.value, paths: masks.input }] : [];
}

/** The head of an act without these texts in its reason. */
export function headWithout(head: ActHead, texts: readonly string[]): ActHead {
  return head.why === null ? head : { ...head, why: maskTexts(head.why, texts) };
}

/** The head of an act on a case, whatever comes of the act, without what its reason repeats. */
export async function maskHead(lookup: MaskLookup, head: ActHead): Promise<ActHead> {
  const { caseId, why: reason, input, schedule } = head;
  if (reason === null) return head;
  if (caseId !== null) return { ...head, why: await maskReason(lookup, caseId, { reason, input }) };
  if (schedule !== undefined) return { ...head, why: await maskScheduleReason(lookup, schedule, reason) };
  return head;
}

/** Slots of a schedule whose cases are looked at: whoever types a reason has the newest in sight. */
const SLOTS_LOOKED_AT = 20;

/** A reason for an act on a schedule, without what the newest of its cases mask. */
async function maskScheduleReason(lookup: MaskLookup, schedule: string, reason: string): Promise<string> {
  const filter = { schedule, outcome: null, after: null, limit: SLOTS_LOOKED_AT };
  const slots = await lookup.store.schedules.listSlots(filter);
  let masked = reason;
  for (const { start, outcome } of slots) {
    const caseId = outcome.kind === "keyHeld" ? outcome.caseId : start?.caseId;
    if (caseId !== undefined) masked = await maskReason(lookup, caseId, { reason: masked });
  }
  return masked;
}
