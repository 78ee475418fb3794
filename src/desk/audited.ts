/**
 * The audit of acts: each is on record, with who, why, on which plan, how it was before and is after, and what became of it.
 * What was done to a case is written in the very commit that does it; what was refused, and what is about no case, right
 * after. The contents of inputs, results and events never stand in a line: it names the revisions, and the journal has them.
 *
 * Starting a case and telling it an event are no moves: the journal says who did either, and is sealed too.
 */

import { isFootholdError, type ErrorCode, type FootholdError } from "../core/errors.ts";
import type { Entry } from "../core/journal.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Ids } from "../core/ports.ts";
import type { NewAuditLine } from "../store/audit-port.ts";
import type { Store } from "../store/port.ts";
import type { ActHead } from "./act-head.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Who } from "./requests.ts";
import { maskHead, type MaskLookup } from "./typed-words.ts";

/** Longest sentence that a line keeps, in UTF-16 units. */
const SENTENCE_CHARS_MAX = 500;
/** Longest text of a request that a line keeps: refused ones were not checked. */
const TEXT_CHARS_MAX = 2_000;

/** What a request may say of itself. */
export interface ActRequest {
  readonly by?: Who | undefined;
  readonly reason?: string | null | undefined;
  readonly plan?: string | undefined;
  readonly step?: string | undefined;
  readonly input?: unknown;
}

/** The head of an act on a case. */
export function headOfAct(
  act: string,
  caseId: string,
  { by, reason, plan, step, input }: ActRequest,
): ActHead {
  return {
    act,
    who: by ?? null,
    caseId,
    about: step ?? null,
    plan: plan ?? null,
    why: reason ?? null,
    input,
  };
}

/** The head of an act that is about no case. */
export function houseHead(act: string, { by, reason }: Pick<ActRequest, "by" | "reason">): ActHead {
  return { act, who: by ?? null, caseId: null, about: null, plan: null, why: reason ?? null };
}

/** What became of an act. */
type ActEnd = Pick<NewAuditLine, "outcome" | "code" | "sentence" | "before" | "after">;

/** A line, with a random id. Texts are cut where they are longer than any that is taken, and freed of what cannot be stored. */
export function auditLine(ids: Ids, head: ActHead, end: ActEnd): NewAuditLine {
  const { act, who, caseId, about, plan, why } = head;
  const name = typeof who === "string" ? who : (who?.label ?? null);
  return {
    auditId: ids.unique(),
    act,
    who: storable(name),
    personId: typeof who === "string" ? null : storable(who?.id ?? null),
    caseId,
    about: storable(about),
    plan: storable(plan),
    why: storable(why),
    ...end,
    sentence: storable(end.sentence)?.slice(0, SENTENCE_CHARS_MAX) ?? null,
  };
}

function storable(text: string | null): string | null {
  if (text === null) return null;
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replaceAll("\0", "")
    .replaceAll(/\p{Cs}/gu, "�");
}

/** The line of an act that is done to a case by these entries. */
export function lineOfChange(
  { ports, act: head }: Pick<DeskParts, "ports" | "act">,
  change: {
    readonly caseId: string;
    readonly before: JsonObject;
    readonly after: JsonObject;
    readonly entries: readonly Entry[];
  },
): NewAuditLine | null {
  if (head === null) return null;
  const { caseId, before, after, entries } = change;
  const isRequest = entries.some(({ kind }) => kind === "cancelRequested" || kind === "pauseRequested");
  return auditLine(
    ports.ids,
    { ...head, caseId },
    {
      outcome: isRequest ? "requested" : "done",
      code: null,
      sentence: null,
      before,
      after: { ...after, entries: entries.map(sayEntry) },
    },
  );
}

function sayEntry(entry: Entry): Json {
  if (entry.kind !== "approvalAnswered") return entry.kind;
  const answer = entry.approved ? "approved" : "refused";
  return entry.inPlaceOf === undefined ? answer : `${answer} in place of ${entry.inPlaceOf}`;
}

/** Refusals that are no act: nothing is known of whether it was done, or there is nothing to do it to. */
const NO_ACT: ReadonlySet<ErrorCode> = new Set([
  "DATABASE_UNAVAILABLE",
  "INVARIANT_BROKEN",
  "CASE_NOT_FOUND",
  "CORRUPT_JOURNAL",
  "PAYLOAD_KEY_MISSING",
]);
/** Refusals whose words may repeat what somebody typed. */
const TOLD_BY_FIELDS: ReadonlySet<ErrorCode> = new Set([
  "INVALID_INPUT",
  "INVALID_EVENT",
  "INVALID_APPROVAL",
  "INVALID_REQUEST",
]);

/** Makes an act. One that is refused is on record before whoever asked is told. */
export async function audited<Reply>(
  parts: DeskParts,
  head: ActHead,
  work: (acting: DeskParts) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work({ ...parts, act: head });
  } catch (error) {
    await noteRefusal({ store: parts.store, ids: parts.ports.ids, lookup: parts }, head, error);
    throw error;
  }
}

/** The same for an act that is about no case: `tell` says how things are after it, null = it changed nothing. */
export async function auditedInHouse<Reply>(
  parts: DeskParts,
  head: ActHead,
  work: (acting: DeskParts) => Promise<Reply>,
  tell: (reply: Reply) => Pick<ActHead, "about"> & Partial<Pick<ActHead, "why">> & { readonly after: Json },
): Promise<Reply> {
  const reply = await audited(parts, head, work);
  const { after, ...told } = tell(reply);
  await noteDone({ store: parts.store, ids: parts.ports.ids }, { ...head, ...told }, after);
  return reply;
}

/** Where lines are written, and what they are known by. */
export interface AuditParts {
  readonly store: Pick<Store, "audit">;
  readonly ids: Ids;
}

/** Makes an act that is no desk's, and puts it on record, done or refused; `tell` says how things were and are. */
export async function recorded<Reply>(
  parts: AuditParts,
  head: ActHead,
  work: () => Promise<Reply>,
  tell: (reply: Reply) => Pick<ActEnd, "before" | "after">,
): Promise<Reply> {
  try {
    const reply = await work();
    const end = { outcome: "done", code: null, sentence: null, ...tell(reply) } as const;
    await parts.store.audit.append(auditLine(parts.ids, head, end));
    return reply;
  } catch (error) {
    await noteRefusal({ ...parts, lookup: null }, head, error);
    throw error;
  }
}

/** Puts an act on record that is no commit on a case. */
export async function noteDone({ store, ids }: AuditParts, head: ActHead, after: Json): Promise<void> {
  const end = { outcome: "done", code: null, sentence: null, before: null, after } as const;
  await store.audit.append(auditLine(ids, head, end));
}

/** Puts a refused act on record. What was no refusal is not. `lookup`: null where it is about no case. */
export async function noteRefusal(
  { store, ids, lookup }: AuditParts & { readonly lookup: MaskLookup | null },
  head: ActHead,
  error: unknown,
): Promise<void> {
  if (!isFootholdError(error) || NO_ACT.has(error.code)) return;
  const { code } = error;
  const end = { outcome: "refused", code, sentence: sentenceOf(error), before: null, after: null } as const;
  const told = lookup === null ? head : await maskHead(lookup, head);
  await store.audit.append(auditLine(ids, told, end));
}

function sentenceOf({ code, message, details }: FootholdError): string {
  if (!TOLD_BY_FIELDS.has(code)) return message;
  const paths = (details.fields ?? []).map(({ path }) => path);
  return paths.length === 0 ? "It could not be taken." : `It could not be taken: ${paths.join(", ")}.`;
}
