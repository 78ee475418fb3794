/**
 * Moves that need a second person. In place of the move a request is stored, with what the move would be made with and the plan
 * that the first person saw. Another person with the right to the move approves it, and only then it is made, on that
 * very plan; where the plan changed, the request is void and says what changed.
 */

import type { SecondView } from "./second-view.ts";
import { FootholdError, isFootholdError } from "../core/errors.ts";
import type { Actor } from "../core/journal.ts";
import { canonicalJson, isJsonObject, readJson, type JsonObject } from "../core/json.ts";
import { decideSecond, needsSecond, type SecondMove } from "../core/second-person.ts";
import { hasMasks } from "../define/masking.ts";
import { VALUE_CHARS_MAX } from "../define/schema.ts";
import type { StoredRow } from "../store/port.ts";
import type { SecondRequest } from "../store/second-port.ts";
import { cancel, correctInput, resume } from "./acts.ts";
import { auditLine, audited, headOfAct, houseHead, noteDone, type ActRequest } from "./audited.ts";
import type { ActReply } from "./change.ts";
import { definitionOf, neededDefinition } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { maskOf, maskSecond, type CaseMask } from "./masked-views.ts";
import { inputsOf, planFrom } from "./plan-input.ts";
import { planVersion } from "./plan-version.ts";
import { previewMove } from "./preview.ts";
import type { PreviewRequest } from "./move-preview.ts";
import { caseNotFound, personOf, reasonOf, REASON_CHARS_MAX, type Who } from "./requests.ts";
import { leaveOutside, skipStep, undoStep } from "./step-orders.ts";
import { maskReason } from "./typed-words.ts";
import { confirmStep, redoStep, ruleOut } from "./vouching.ts";

/** How long a request waits for an answer, in ms. */
const SECOND_LASTS_MS = 24 * 3_600_000;
/** Requests of one case that may wait at a time. */
const OPEN_MAX = 20;

/** An answer to a request. */
export interface SecondAnswerRequest {
  readonly approved: boolean;
  readonly by: Who;
  readonly reason?: string | null | undefined;
}

/** What a move that a second person may be asked for is made with. */
export type SecondMoveRequest = ActRequest & { readonly by: Who; readonly repairId?: string | undefined };

/** Stores a request in place of the move; null = the move needs nobody else. Throws what the move itself would be refused with. */
export async function askSecond(
  parts: DeskParts,
  move: SecondMove,
  caseId: string,
  request: SecondMoveRequest,
): Promise<ActReply | null> {
  const row = parts.secondRules.length === 0 ? null : await parts.store.loadRow(caseId);
  if (row === null || !needsSecond(parts.secondRules, move, row.caseType)) return null;
  const askedBy = personOf(request.by);
  const typed = reasonOf(request.reason);
  const { by: _by, reason: _reason, plan: _plan, ...rest } = request;
  const told = toJson(rest);
  const reason =
    typed === null ? null : await maskReason(parts, caseId, { reason: typed, input: told["input"] });
  const preview = await previewMove(parts, caseId, previewOf(move, request, told));
  if (!preview.isAllowed) {
    throw new FootholdError(
      preview.code ?? "INVALID_REQUEST",
      preview.why ?? "The move is not allowed now.",
      {
        details: { caseId },
      },
    );
  }
  const open = await parts.store.seconds.listOpen(caseId);
  if (open.length >= OPEN_MAX) throw tooMany(caseId);
  const step = request.step ?? null;
  const requestId = `s${caseId.slice(0, 3)}${parts.ports.ids.caseSuffix()}`;
  const plan = request.plan ?? (await planNow(parts, caseId, step));
  const lastsMs = SECOND_LASTS_MS;
  await parts.store.seconds.ask({
    requestId,
    caseId,
    move,
    request: told,
    step,
    plan,
    reason,
    askedBy,
    lastsMs,
  });
  const end = {
    outcome: "requested",
    code: null,
    sentence: null,
    before: null,
    // Sealed with the audit, so that what was asked for cannot be exchanged unseen.
    after: { requestId, request: parts.ports.digest(canonicalJson(told)), plan },
  } as const;
  await parts.store.audit.append(
    auditLine(parts.ports.ids, headOfAct(move, caseId, { ...request, reason }), end),
  );
  const endsAt = (await parts.now()) + lastsMs;
  const sentence =
    `Asked for as ${requestId}: another person with the right has to approve it until ` +
    `${parts.formatTime(endsAt)}. Nothing was done yet.`;
  return { caseId, outcome: "requested", sentence };
}

/** The requests that wait, oldest first; of one case where one is named. */
export async function listSeconds(parts: DeskParts, caseId: string | null): Promise<readonly SecondView[]> {
  const open = await parts.store.seconds.listOpen(caseId);
  const caseIds = [...new Set(open.map((request) => request.caseId))];
  const rows = new Map(
    await Promise.all(caseIds.map(async (id) => [id, await parts.store.loadRow(id)] as const)),
  );
  const masks = new Map(
    await Promise.all([...rows].map(async ([id, row]) => [id, await maskOfRow(parts, row)] as const)),
  );
  return open.map((request) =>
    maskSecond(viewSecond(request, parts.formatTime), masks.get(request.caseId) ?? null),
  );
}

/** What is masked of the case: read where its definition masks anything. */
async function maskOfRow({ store, registry }: DeskParts, row: StoredRow | null): Promise<CaseMask | null> {
  const { caseType } = row === null ? { caseType: null } : definitionOf(registry, row);
  const isRead = row !== null && caseType !== null && hasMasks(caseType);
  return maskOf(caseType, isRead ? ((await store.loadCase(row.caseId))?.journal ?? []) : []);
}

/** Those of one case that wait, and those that are over; what is masked in them as it is, for a view that masks it. */
export async function secondsOf(
  parts: DeskParts,
  caseId: string,
): Promise<{ readonly open: readonly SecondView[]; readonly over: readonly SecondView[] }> {
  const all = await parts.store.seconds.listOf(caseId);
  const now = await parts.now();
  const isOpen = ({ state, endsAt }: SecondRequest): boolean => state === "open" && endsAt > now;
  const view = (request: SecondRequest): SecondView => viewSecond(request, parts.formatTime);
  return { open: all.filter(isOpen).map(view), over: all.filter((one) => !isOpen(one)).map(view) };
}

function viewSecond(request: SecondRequest, formatTime: (at: number) => string): SecondView {
  const { requestId, caseId, move, step, plan, reason, askedBy, askedAt, endsAt, state } = request;
  const { answeredBy, answeredAt, why } = request;
  return {
    requestId,
    caseId,
    move,
    step,
    request: request.request,
    plan,
    reason,
    askedBy,
    askedAt,
    endsAt,
    state,
    answeredBy,
    answeredAt,
    why,
    sentence: saySecond(request, formatTime),
  };
}

function saySecond(request: SecondRequest, formatTime: (at: number) => string): string {
  const { move, step, reason, askedBy, endsAt, state, answeredBy, answeredAt, why } = request;
  const at = step === null ? "" : ` at ${step}`;
  const because = reason === null ? "" : ` (${reason})`;
  const until = formatTime(endsAt);
  if (state === "open" || answeredBy === null || answeredAt === null) {
    return `${askedBy.name} asks for ${move}${at}${because}; another person has to approve it until ${until}.`;
  }
  const told = why === null ? "" : `: ${why.replace(/\.$/, "")}`;
  const became = state === "void" ? `approved it, and it was refused` : `${state} it`;
  const when = formatTime(answeredAt);
  return `${askedBy.name} asked for ${move}${at}${because}; ${answeredBy.name} ${became} at ${when}${told}.`;
}

/**
 * Approves or declines a request. Approved, the move is made as the first person asked for it, on the plan that they saw.
 * Throws `SECOND_NOT_FOUND`, `SECOND_OVER`, `SECOND_REFUSED` for the same person, and what the move is refused with.
 */
export async function answerSecond(
  parts: DeskParts,
  requestId: string,
  answer: SecondAnswerRequest,
): Promise<ActReply> {
  const known = await findSecond(parts, requestId);
  const head = {
    ...houseHead(answer.approved ? "approveSecond" : "declineSecond", answer),
    caseId: known?.caseId ?? null,
    about: requestId,
  };
  return audited(parts, head, async () => {
    const by = personOf(answer.by);
    const typed = reasonOf(answer.reason);
    const request = await secondNamed(parts, requestId);
    const now = await parts.store.now();
    const verdict = decideSecond(request, { by, isApproved: answer.approved, now });
    if (verdict.kind === "refused") {
      throw new FootholdError(verdict.code, verdict.sentence, { details: { caseId: request.caseId } });
    }
    const { caseId } = request;
    const why = typed === null ? null : await maskReason(parts, caseId, { reason: typed });
    const reply: ActReply = answer.approved
      ? await makeApproved(parts, request, by)
      : { caseId, outcome: "done", sentence: "Declined; nothing was done." };
    const to = answer.approved ? "approved" : "declined";
    await parts.store.seconds.settle({ requestId, to, by, why });
    await noteDone({ store: parts.store, ids: parts.ports.ids }, { ...head, caseId, why }, { state: to });
    return reply;
  });
}

/** The request with this id. Throws `SECOND_NOT_FOUND`. */
export async function secondNamed(
  { store }: Pick<DeskParts, "store">,
  requestId: string,
): Promise<SecondRequest> {
  const request = await findSecond({ store }, requestId);
  if (request !== null) return request;
  throw secondNotFound(requestId);
}

function findSecond({ store }: Pick<DeskParts, "store">, requestId: string): Promise<SecondRequest | null> {
  return /^s\d\d-[0-9a-z]{1,40}$/.test(requestId) ? store.seconds.load(requestId) : Promise.resolve(null);
}

/** `SECOND_NOT_FOUND` for one id. */
export function secondNotFound(requestId: string): FootholdError {
  return new FootholdError(
    "SECOND_NOT_FOUND",
    `There is no request ${JSON.stringify(requestId.slice(0, 60))} for a second person in this database.`,
  );
}

/** Done once, however often it is approved: the request's id is the act's. What is refused makes the request void. */
async function makeApproved(parts: DeskParts, request: SecondRequest, second: Actor): Promise<ActReply> {
  const { requestId, caseId, move, askedBy, step, plan, reason } = request;
  const told = [reason, `approved by ${second.name}`].filter((one) => one !== null).join("; ");
  const by = whoOf(askedBy);
  const act = { by, actId: requestId, plan, reason: told.slice(0, REASON_CHARS_MAX) };
  const head = headOfAct(move, caseId, { ...act, ...(step === null ? {} : { step }) });
  try {
    return await audited(parts, head, (acting) => runMove(acting, request, act));
  } catch (error) {
    const isRefused = isFootholdError(error) && error.code !== "DATABASE_UNAVAILABLE";
    if (isRefused)
      await parts.store.seconds.settle({ requestId, to: "void", by: second, why: error.message });
    throw error;
  }
}

interface ApprovedAct {
  readonly by: Who;
  readonly actId: string;
  readonly plan: string;
  readonly reason: string;
}

function runMove(
  parts: DeskParts,
  { caseId, move, request, step: at }: SecondRequest,
  act: ApprovedAct,
): Promise<ActReply> {
  const told = isJsonObject(request) ? request : {};
  const step = at ?? "";
  switch (move) {
    case "resume":
      return resume(parts, caseId, { ...act, ...(at === null ? {} : { step }) });
    case "force":
      return resume(parts, caseId, { ...act, step, force: true });
    case "correct":
      return correctInput(parts, caseId, { ...act, input: told["input"] ?? null });
    case "confirm":
      return confirmStep(parts, caseId, { ...act, step, result: told["result"], evidence: evidenceOf(told) });
    case "ruleOut":
      return ruleOut(parts, caseId, { ...act, step, evidence: evidenceOf(told) });
    case "skip":
      return skipStep(parts, caseId, { ...act, step, result: told["result"] });
    case "redo":
      return redoStep(parts, caseId, { ...act, step });
    case "undo":
      return undoStep(parts, caseId, { ...act, step });
    case "leaveOutside":
      return leaveOutside(parts, caseId, { ...act, step });
    case "cancel":
      return cancel(parts, caseId, act);
  }
}

function evidenceOf(told: JsonObject): string | null {
  const { evidence } = told;
  return typeof evidence === "string" ? evidence : null;
}

function whoOf(actor: Actor): Who {
  if (actor.kind !== "person" || actor.personId === undefined) return actor.name;
  return { id: actor.personId, label: actor.name, roles: [] };
}

function previewOf(
  move: SecondMove,
  { step = "", repairId }: SecondMoveRequest,
  told: JsonObject,
): PreviewRequest {
  const under = { repairId };
  switch (move) {
    case "resume":
      return { move, ...(step === "" ? {} : { step }), ...under };
    case "force":
      return { move: "resume", step, force: true, ...under };
    case "correct":
      return { move, input: told["input"] ?? null, ...under };
    case "confirm":
    case "skip":
      return { move, step, result: told["result"], ...under };
    case "ruleOut":
    case "redo":
    case "undo":
    case "leaveOutside":
      return { move, step, ...under };
    case "cancel":
      return { move, ...under };
  }
}

async function planNow(parts: DeskParts, caseId: string, step: string | null): Promise<string> {
  const stored = await parts.store.loadCase(caseId);
  if (stored === null) throw caseNotFound(caseId);
  const caseType = neededDefinition(parts.registry, stored.row);
  const now = await parts.now();
  const inputs = inputsOf(stored.state, (state) =>
    planFrom(parts.ports, caseType, { ...stored, state, now }),
  );
  return planVersion(inputs, step);
}

function toJson(value: unknown): JsonObject {
  const read = readJson(value, VALUE_CHARS_MAX);
  if (read.kind === "json" && isJsonObject(read.value)) return read.value;
  throw new FootholdError("INVALID_REQUEST", "What the move is made with cannot be stored.");
}

function tooMany(caseId: string): FootholdError {
  return new FootholdError(
    "SECOND_REFUSED",
    `Case ${caseId} has ${OPEN_MAX} moves that wait for a second person; answer these first.`,
    { details: { caseId } },
  );
}
