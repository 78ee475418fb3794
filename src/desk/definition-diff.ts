/**
 * What the definitions loaded here would change about cases that are under way: asked before they are deployed. Each
 * open case is planned as its next pick-up would plan it; nothing is asked outside, changed or recorded.
 */

import { isUnreadable } from "../core/corrupt-journal.ts";
import { FootholdError } from "../core/errors.ts";
import { planCase, type Plan } from "../core/plan.ts";
import type { PlannedStep } from "../core/planning.ts";
import { renamesFor } from "../core/renames.ts";
import type { StoredRow } from "../store/port.ts";
import { definitionOf } from "./definition.ts";
import type { DeskParts } from "./desk-parts.ts";
import { sayLapse } from "./entry-words.ts";
import { planFrom } from "./plan-input.ts";

/** Cases that are looked at where nothing else is asked for, and at most. */
export const DIFF_CASES_DEFAULT = 10_000;
export const DIFF_CASES_MAX = 1_000_000;
/** Cases of one page, and of one look at the journals. */
const PAGE = 100;
/** Case ids that are named for each change. */
const EXAMPLES_MAX = 3;

/** What would become of a group of cases. */
type ChangeKind =
  /** No definition of this name is loaded, or only a lower version than a case was last run with: nobody would take it. */
  | "notTaken"
  /** A step took effect and is not there any more: what is new to the case is not begun, and it goes to review. */
  | "vanished"
  /** A step has another name, and what the case did under the former one stands for it. */
  | "renamed"
  /** A confirmation would lapse at the next pick-up. */
  | "lapses"
  /** Its journal cannot be read. */
  | "unreadable";

/** A group of cases of which the same would become. */
interface DefinitionChange {
  readonly kind: ChangeKind;
  readonly caseType: string;
  /** Null where it is about the whole case. */
  readonly step: string | null;
  readonly sentence: string;
  readonly cases: number;
  /** At most three case ids. */
  readonly examples: readonly string[];
}

/** What the loaded definitions would change. */
export interface DefinitionDiff {
  /** Open cases that were looked at. */
  readonly looked: number;
  /** False where there are more than were to be looked at. */
  readonly isAll: boolean;
  /** Of those looked at, how many go on as they are. */
  readonly unchanged: number;
  /** Most cases first. */
  readonly changes: readonly DefinitionChange[];
}

/** Which cases to look at. */
export interface DiffRequest {
  readonly caseType?: string | undefined;
  readonly tenant?: string | undefined;
  /** At most {@link DIFF_CASES_MAX}; {@link DIFF_CASES_DEFAULT} when left out. */
  readonly limit?: number | undefined;
}

type Found = Pick<DefinitionChange, "kind" | "step" | "sentence">;

/** Looks at open cases, newest start first. Throws `INVALID_REQUEST` for a limit out of bounds. */
export async function diffDefinitions(parts: DeskParts, request: DiffRequest): Promise<DefinitionDiff> {
  const limit = request.limit ?? DIFF_CASES_DEFAULT;
  if (!Number.isInteger(limit) || limit < 1 || limit > DIFF_CASES_MAX) {
    throw new FootholdError("INVALID_REQUEST", `limit must be a whole number from 1 to ${DIFF_CASES_MAX}.`);
  }
  const groups = new Map<string, DefinitionChange>();
  const { caseType, tenant } = request;
  let looked = 0;
  let unchanged = 0;
  let after: string | null = null;
  for (;;) {
    const page = await parts.store.listCases({
      states: ["ready", "claimed", "waiting", "paused", "in_review"],
      limit: Math.min(PAGE, limit - looked),
      ...(caseType === undefined ? {} : { caseType }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(after === null ? {} : { after }),
    });
    const found = await Promise.all(
      page.rows.map(async (row) => ({ row, changes: await changesOf(parts, row) })),
    );
    for (const { row, changes } of found) {
      looked += 1;
      if (changes.length === 0) unchanged += 1;
      for (const change of changes) addTo(groups, row, change);
    }
    after = page.next;
    if (after === null || looked >= limit) break;
  }
  return {
    looked,
    isAll: after === null,
    unchanged,
    changes: [...groups.values()].toSorted((one, other) => other.cases - one.cases),
  };
}

async function changesOf(parts: DeskParts, row: StoredRow): Promise<readonly Found[]> {
  const { standing, caseType } = definitionOf(parts.registry, row);
  if (caseType === null) {
    const needed = `version ${standing.neededVersion} or later`;
    const here = standing.loadedVersion === null ? "none is" : `version ${standing.loadedVersion} is`;
    const sentence = `no worker with these definitions takes it: it needs ${needed}, and ${here} loaded`;
    return [{ kind: "notTaken", step: null, sentence }];
  }
  try {
    const stored = await parts.store.loadCase(row.caseId);
    if (stored === null) return [];
    const now = await parts.now();
    const renamed = renamesFor(caseType.outline, stored.state).map(({ from, to }): Found => {
      const sentence = `is ${to} from now on; what was done of it stands, and nothing of it is done again`;
      return { kind: "renamed", step: from, sentence };
    });
    const plan = planCase(planFrom(parts.ports, caseType, { row: stored.row, state: stored.state, now }));
    return [...renamed, ...changesIn(plan)];
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return [
      { kind: "unreadable", step: null, sentence: "its journal cannot be read, whatever the definition" },
    ];
  }
}

/** What a plan finds that the journal does not know yet. */
function changesIn({ shifts, steps, strays }: Plan): readonly Found[] {
  const lapses = shifts.flatMap((shift): readonly Found[] => {
    if (shift.kind !== "stepLapsed") return [];
    const planned = steps.find(({ step }) => step.name === shift.step);
    const next = planned === undefined ? "" : `; ${sayNext(planned)}`;
    return [
      { kind: "lapses", step: shift.step, sentence: `no longer stands: ${sayLapse(shift.because)}${next}` },
    ];
  });
  const vanished = strays.flatMap(({ review, isOpen }): readonly Found[] =>
    isOpen ? [] : [{ kind: "vanished", step: review.step, sentence: `goes to review: ${review.sentence}` }],
  );
  return [...lapses, ...vanished];
}

function sayNext({ step, target, act }: PlannedStep): string {
  if (target !== step) return "what it did is undone first";
  switch (act.kind) {
    case "send":
      return "it is done again";
    case "check":
    case "ask":
    case "look":
      return "its destination is asked first";
    case "review":
      return `${act.review.owner} is asked`;
    case "wait":
      return "it is asked or waited for again";
    case "confirm":
    case "record":
      return "it is confirmed anew";
    case "fanOut":
      return "its keys are fixed, and each is begun";
    case "refresh":
      return "its access is refreshed first";
    case "nothing":
      return "nothing is done before what it follows stands";
  }
}

function addTo(groups: Map<string, DefinitionChange>, { caseId, caseType }: StoredRow, found: Found): void {
  const key = JSON.stringify([caseType, found.kind, found.step, found.sentence]);
  const known = groups.get(key) ?? { ...found, caseType, cases: 0, examples: [] };
  const examples = known.examples.length < EXAMPLES_MAX ? [...known.examples, caseId] : known.examples;
  groups.set(key, { ...known, cases: known.cases + 1, examples });
}
