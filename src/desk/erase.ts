/**
 * Erasing what is kept of a person: a case with all that stand above and below it, since each holds what the others were given.
 * Each is erased in one transaction, those above first, so that what was begun can be gone on with by asking again.
 */

import { decideErasure, type ErasureVerdict } from "../core/erasable.ts";
import { ERASE_ACT, ERASED, erasedKey, type Erasure } from "../core/erasure.ts";
import { erasedStepName, eraseJournal } from "../core/erasing.ts";
import { FootholdError } from "../core/errors.ts";
import { foldJournal } from "../core/fold.ts";
import { rowOf } from "../core/row.ts";
import type { CaseTraces, ErasedTexts, ErasureChange, LockedErasable } from "../store/erasure-port.ts";
import { LIST_LIMIT_MAX, type StoredRow } from "../store/port.ts";
import { audited, auditLine, headOfAct } from "./audited.ts";
import { checkEngine } from "./change.ts";
import type { DeskParts } from "./desk-parts.ts";
import { caseNotFound, checkTexts, isCaseId, personOf, REASON_CHARS_MAX, type Who } from "./requests.ts";
import { sealCase } from "./sealing.ts";

/** Cases that are erased together. */
const FAMILY_MAX = 10_000;
/** Times that seals are made before it is given up; each makes those of 2,000 lines. */
const SEALS_MAX = 50;

/** Who wants it, and why. Both stay, so the reason must not name whom it is about. */
interface EraseRequest {
  readonly by: Who;
  readonly reason: string;
}

/** One case of those that go together. */
export interface ErasurePreviewCase {
  readonly caseId: string;
  readonly caseType: string;
  /** What is kept of it. */
  readonly traces: CaseTraces;
  /** True where it was erased before. */
  readonly isErased: boolean;
  /** Why it cannot be erased now; null where it can. */
  readonly refusal: string | null;
}

/** What an erasure would be of. */
export interface ErasurePreview {
  readonly caseId: string;
  readonly cases: readonly ErasurePreviewCase[];
}

/** What was erased. */
export interface ErasureReply {
  readonly caseId: string;
  /** Erased now, those above first. */
  readonly erased: readonly string[];
  /** Erased before. */
  readonly known: readonly string[];
}

/** What the desk erases. */
export interface ErasureDesk {
  /**
   * Erases what is kept of a case and all that stand above and below it. Throws `ERASE_REFUSED`, `INVALID_REQUEST` without a
   * reason, and `CASE_NOT_FOUND`.
   */
  erase(caseId: string, request: EraseRequest): Promise<ErasureReply>;
  /** What that would be, and what is in its way. Changes nothing. Throws `CASE_NOT_FOUND`. */
  previewErasure(caseId: string): Promise<ErasurePreview>;
}

/** Makes it; each erasure, also one that is refused, is on record. */
export function erasureDesk(parts: DeskParts): ErasureDesk {
  return {
    erase: (caseId, request) =>
      audited(parts, headOfAct(ERASE_ACT, caseId, request), (acting) => eraseCase(acting, caseId, request)),
    previewErasure: (caseId) => previewErasure(parts, caseId),
  };
}

/** Tells what would be erased, and what is in the way. Changes nothing. Throws `CASE_NOT_FOUND`. */
async function previewErasure(parts: DeskParts, caseId: string): Promise<ErasurePreview> {
  const cases: ErasurePreviewCase[] = [];
  for (const row of await familyOf(parts, caseId)) {
    const traces = await parts.store.erasures.countTraces(row.caseId);
    const verdict = await judgeOnly(parts, row.caseId);
    if (traces === null || verdict === null) continue;
    cases.push({
      caseId: row.caseId,
      caseType: row.caseType,
      traces,
      isErased: verdict.kind === "erased",
      refusal: verdict.kind === "refused" ? verdict.sentence : null,
    });
  }
  return { caseId, cases };
}

/**
 * Erases a case with all that stand above and below it. Throws `ERASE_REFUSED` before anything is erased where one of them has
 * not ended, or is in use; `INVALID_REQUEST` without a reason, and `CASE_NOT_FOUND`. Doing it again changes nothing.
 */
async function eraseCase(parts: DeskParts, caseId: string, request: EraseRequest): Promise<ErasureReply> {
  checkTexts([{ path: "reason", value: request.reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  const { name: by } = personOf(request.by);
  const family = await familyOf(parts, caseId);
  for (const row of family) {
    checkEngine(row, parts.engineVersion);
    const verdict = await judgeOnly(parts, row.caseId);
    if (verdict?.kind === "refused") throw refused(row.caseId, verdict.sentence);
  }
  const erased: string[] = [];
  const known: string[] = [];
  for (const row of family) {
    const wasErased = await eraseOne(parts, row.caseId, request, by);
    (wasErased ? known : erased).push(row.caseId);
  }
  return { caseId, erased, known };
}

function refused(caseId: string, sentence: string): FootholdError {
  return new FootholdError("ERASE_REFUSED", sentence, { details: { caseId } });
}

/** All that stand above and below a case, itself included, those above first. Throws `CASE_NOT_FOUND`. */
async function familyOf({ store }: DeskParts, caseId: string): Promise<readonly StoredRow[]> {
  const asked = isCaseId(caseId) ? await store.loadRow(caseId) : null;
  if (asked === null) throw caseNotFound(caseId);
  let first = asked;
  for (let parent = first.summary.parent; parent !== undefined; parent = first.summary.parent) {
    const above = await store.loadRow(parent.caseId);
    if (above === null) break;
    first = above;
  }
  const family: StoredRow[] = [first];
  for (let at = 0; at < family.length; at += 1) {
    const parentId = family[at]?.caseId ?? "";
    for (let after: string | undefined, isMore = true; isMore;) {
      const filter = { parentId, limit: LIST_LIMIT_MAX, ...(after === undefined ? {} : { after }) };
      const { rows, next } = await store.listCases(filter);
      family.push(...rows);
      if (family.length > FAMILY_MAX) {
        throw refused(
          caseId,
          `Case ${caseId} is one of more than ${FAMILY_MAX} that would have to go together.`,
        );
      }
      isMore = next !== null;
      after = next ?? undefined;
    }
  }
  return family;
}

async function judgeOnly({ store, ports }: DeskParts, caseId: string): Promise<ErasureVerdict | null> {
  return store.erasures.erase(caseId, ports.digest, (found) => ({
    kind: "leave",
    reply: decideErasure(found),
  }));
}

interface Judged {
  readonly verdict: ErasureVerdict;
  readonly revision: number;
  readonly sealedRevision: number;
}

/** True where it was erased before. */
async function eraseOne(
  parts: DeskParts,
  caseId: string,
  request: EraseRequest,
  by: string,
): Promise<boolean> {
  const { store, ports } = parts;
  for (let count = 0; count < SEALS_MAX; count += 1) {
    const judged = await store.erasures.erase(caseId, ports.digest, (found, now): ErasureChange<Judged> => {
      const { sealedRevision, row } = found;
      const reply = { verdict: decideErasure(found), revision: row.revision, sealedRevision };
      if (reply.verdict.kind !== "erase") return { kind: "leave", reply };
      return {
        kind: "erase",
        reply,
        ...erasedOf(parts, found, request, { at: now, by, reason: request.reason }),
      };
    });
    if (judged === null) throw caseNotFound(caseId);
    const { verdict, revision, sealedRevision } = judged;
    switch (verdict.kind) {
      case "erase":
        return false;
      case "erased":
        return true;
      case "refused":
        throw refused(caseId, verdict.sentence);
      case "unsealed":
        await sealCase({ store, ports }, { caseId, revision, sealedRevision });
    }
  }
  throw refused(
    caseId,
    `Case ${caseId} is not erased: its seals are not made yet. Try again in some minutes.`,
  );
}

function erasedOf(
  { ports }: DeskParts,
  { row, journal }: LockedErasable,
  request: EraseRequest,
  erasure: Erasure,
): Omit<Extract<ErasureChange<Judged>, { kind: "erase" }>, "kind" | "reply"> {
  const { caseId, revision, state } = row;
  const left = eraseJournal(caseId, journal, erasure);
  const head = headOfAct(ERASE_ACT, caseId, request);
  return {
    journal: left,
    row: rowOf(foldJournal(caseId, left)),
    businessKey: row.businessKey === null ? null : erasedKey(caseId),
    textsOf: ({ about, why, sentence }): ErasedTexts => ({
      about: about === null ? null : erasedStepName(journal, about),
      plan: null,
      why: why === null ? null : ERASED,
      sentence: sentence === null ? null : ERASED,
    }),
    lineOf: (mark) =>
      auditLine(ports.ids, head, {
        outcome: "done",
        code: null,
        sentence: null,
        before: { revision, state },
        after: { revision, state, left: mark },
      }),
  };
}
