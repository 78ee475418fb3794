/** A case that another installation exported, taken over here. */

import type { CaseState } from "../core/case-state.ts";
import { FootholdError } from "../core/errors.ts";
import { readExportedCase } from "../core/exported-case.ts";
import { engineVersionFor } from "../core/key-places.ts";
import { importJournal } from "../core/imported-case.ts";
import { maskTexts } from "../core/masked-values.ts";
import { isEnded } from "../core/moves.ts";
import { keyShard } from "../define/case-keys.ts";
import { SHARD_COUNT } from "../store/port.ts";
import { auditedInHouse, houseHead } from "./audited.ts";
import type { DeskParts } from "./desk-parts.ts";
import { isCaseId, personOf, reasonOf, type Who } from "./requests.ts";
import { sendAgain } from "./send-again.ts";
import { textsAround } from "./typed-words.ts";

/** What is taken over, by whom and why. */
export interface ImportRequest {
  /** What `foothold cases export` printed, as parsed JSON. */
  readonly exported: unknown;
  readonly by: Who;
  readonly reason: string;
}

/** What became of it. */
export interface ImportedCase {
  readonly caseId: string;
  readonly caseType: string;
  /** Epoch ms. */
  readonly exportedAt: number;
  /** True where it goes on here; false = it had ended. */
  readonly isOpen: boolean;
  /** Why, without what it repeats of what the case masks. */
  readonly reason: string;
}

/**
 * Stores the case under its own id with its whole journal. Throws `INVALID_REQUEST` for what is no exported case, is masked, has
 * a parent or children, was erased, is here already, or has a business key that another case here holds; `DATABASE_UNAVAILABLE`.
 */
export function importCase(parts: DeskParts, request: ImportRequest): Promise<ImportedCase> {
  return auditedInHouse(
    parts,
    houseHead("import", request),
    (acting) => takeOver(acting, request),
    ({ caseId: about, reason: why, caseType, exportedAt }) => ({
      about,
      why,
      after: { caseType, exportedAt },
    }),
  );
}

async function takeOver(parts: DeskParts, request: ImportRequest): Promise<ImportedCase> {
  const { store, ports } = parts;
  const exported = readExportedCase(request.exported);
  const { caseId, exportedAt } = exported;
  if (!isCaseId(caseId)) throw refused(`${JSON.stringify(caseId)} is no id of a case`);
  const reason = reasonOf(request.reason);
  if (reason === null) throw refused("it needs a reason, which goes on record");
  const told = {
    commitId: ports.ids.unique(),
    now: await store.now(),
    by: personOf(request.by),
    reasonBeside: (state: CaseState) => withoutMasked(parts, state, reason),
  };
  const { before, startedBy, startedAt, commits } = importJournal(exported, told);
  const { tenant, caseType, businessKey, definitionVersion, concurrencyKey = null } = startedBy;
  const engineVersion = engineVersionFor(concurrencyKey);
  const shard = Number(caseId.slice(0, 2));
  if (shard >= SHARD_COUNT) throw refused(`the id of case ${caseId} names no shard that there is`);
  if (businessKey !== null) {
    const keyed = keyShard(ports.digest, { tenant, caseType, key: businessKey }, SHARD_COUNT);
    if (shard !== keyed)
      throw refused(`the id of case ${caseId} is none that a case with its business key has`);
  }
  const identity = {
    caseId,
    shard,
    tenant,
    caseType,
    businessKey,
    startedAt,
    definitionVersion,
    engineVersion,
  };
  const imported = {
    caseId,
    caseType,
    exportedAt,
    isOpen: !isEnded(before),
    reason: told.reasonBeside(before),
  };
  const reply = await sendAgain(ports.clock, () => store.importCase(identity, commits));
  switch (reply.kind) {
    case "started":
      return imported;
    case "repeated": {
      const journal = (await store.loadCase(caseId))?.journal ?? [];
      if (journal.some(({ commitId }) => commitId === told.commitId)) return imported;
      throw refused(`case ${caseId} is here already`);
    }
    case "idTaken":
      throw refused(`case ${caseId} is here already`);
    case "exists":
      throw refused(`case ${reply.caseId} holds the business key of case ${caseId} here`);
  }
}

function withoutMasked({ registry }: DeskParts, state: CaseState, reason: string): string {
  return maskTexts(
    reason,
    textsAround(registry.find(state.caseType), state, () => state),
  );
}

function refused(why: string): FootholdError {
  return new FootholdError("INVALID_REQUEST", `Nothing is imported: ${why}.`);
}
