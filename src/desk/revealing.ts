/** Reveals: what is behind the marks of one case, told to one person, on record before it is told. */

import { maskedPlaces, type MaskedPlace } from "../core/masked-values.ts";
import { EVERYTHING, maskedParts, type MaskedPart } from "../define/masking.ts";
import type { CaseState } from "../core/case-state.ts";
import type { CaseType } from "../define/case-type.ts";
import { auditLine, headOfAct } from "./audited.ts";
import { checkEngine } from "./change.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { caseNotFound, checkTexts, isCaseId, personOf, REASON_CHARS_MAX, type Who } from "./requests.ts";

/** Masked values that one reveal tells. */
const REVEALED_MAX = 500;

/** Who wants to see what is masked, and what for. */
export interface RevealRequest {
  readonly by: Who;
  readonly reason: string;
}

/** One value that was behind a mark. */
export interface RevealedValue extends MaskedPlace, Pick<MaskedPart, "part" | "name"> {}

/** What was behind the marks of a case. */
export interface Revealed {
  readonly caseId: string;
  /** Of the case at this revision. */
  readonly revision: number;
  readonly values: readonly RevealedValue[];
  /** True where there are more than are told. */
  readonly isCut: boolean;
}

/** Tells what is masked of a case as it stands. Throws `INVALID_REQUEST` without a reason, and `CASE_NOT_FOUND`. */
export async function revealCase(
  parts: DeskParts,
  caseId: string,
  request: RevealRequest,
): Promise<Revealed> {
  checkTexts([{ path: "reason", value: request.reason, charsMax: REASON_CHARS_MAX, isProse: true }]);
  personOf(request.by);
  const stored = isCaseId(caseId) ? await parts.store.loadCase(caseId) : null;
  if (stored === null) throw caseNotFound(caseId);
  checkEngine(stored.row, parts.engineVersion);
  const { caseType } = definitionOf(parts.registry, stored.row);
  const all = revealedOf(caseType, stored.state);
  const values = all.slice(0, REVEALED_MAX);
  const { revision } = stored.state;
  const after = { values: values.length, revision };
  const end = { outcome: "done", code: null, sentence: null, before: null, after } as const;
  await parts.store.audit.append(auditLine(parts.ports.ids, headOfAct("reveal", caseId, request), end));
  return { caseId, revision, values, isCut: all.length > values.length };
}

/** True where something of a case as it stands is masked. */
export function hasMaskedValues(caseType: CaseType | null, state: CaseState): boolean {
  return revealedOf(caseType, state).length > 0;
}

function revealedOf(caseType: CaseType | null, state: CaseState): readonly RevealedValue[] {
  const parts = caseType === null ? withoutDefinition(state) : maskedParts(caseType, state);
  return parts.flatMap(({ part, name, value, paths }) =>
    maskedPlaces(value, paths).map((place) => ({ part, name, ...place })),
  );
}

/** Nobody knows what is masked where the definition is not loaded: all of it is. */
function withoutDefinition({ input, originalInput, steps, events }: CaseState): readonly MaskedPart[] {
  const confirmed = Object.entries(steps).flatMap(([name, { confirmation }]): readonly MaskedPart[] => {
    if (confirmation === null) return [];
    const { result, evidence } = confirmation;
    const told = result.kind === "value" ? [whole("result", name, result.value)] : [];
    return [...told, whole("evidence", name, evidence)];
  });
  return [
    whole("input", null, input),
    whole("originalInput", null, originalInput),
    ...confirmed,
    ...events.map(({ eventType, payload }) => whole("event", eventType, payload)),
  ];
}

function whole(part: MaskedPart["part"], name: string | null, value: MaskedPart["value"]): MaskedPart {
  return { part, name, value, paths: EVERYTHING };
}
