/** Problems at the desk: what waits for people, in groups, with what people say of a group. */

import type { VisibleCases } from "../core/case-criteria.ts";
import { groupProblems, problemKeyText, type ProblemGroup, type ProblemKey } from "../core/problems.ts";
import { FootholdError } from "../core/errors.ts";
import type { StoredRow } from "../store/port.ts";
import { LIST_LIMIT_MAX } from "../store/port.ts";
import { PROBLEM_MARKS_MAX, type ProblemMark } from "../store/bulk-port.ts";
import type { DeskParts } from "./desk-parts.ts";
import { newBuildFor, type NewBuild } from "./new-build.ts";
import { checkTexts, personOf, REASON_CHARS_MAX, type Who } from "./requests.ts";

/** Cases with an open review that are looked at for one reading; of more, the newest. */
const PROBLEM_CASES_MAX = 50_000;
/** Groups of one reading. */
const GROUPS_MAX = 200;
/** Characters of the id of a group. */
const ID_CHARS = 12;
/** Longest name of an owner. */
const OWNER_CHARS_MAX = 200;

/** Which problems to look at. */
export interface ProblemFilter {
  readonly tenant?: string;
  readonly caseType?: string;
  /** What whoever asks may see; left out = every case. */
  readonly visible?: readonly VisibleCases[];
}

/** A group of cases with the same problem. */
export interface ProblemView extends ProblemGroup {
  /** The same as long as the cases have the same in common. */
  readonly problemId: string;
  /** What people said of it, and whose it is; null = nothing yet. */
  readonly mark: ProblemMark | null;
  /** A bug of ours that another build may have mended: a resume of all is worth a try. Null = nothing says so. */
  readonly newBuild: NewBuild | null;
}

/** Problems, the largest group first. */
export interface ProblemsView {
  readonly now: number;
  readonly problems: readonly ProblemView[];
  /** Cases that were looked at. */
  readonly cases: number;
  /** True where there are more cases or more groups than are told. */
  readonly isCapped: boolean;
}

/** Reads the problems that stand now. */
export async function listProblems(parts: DeskParts, filter: ProblemFilter): Promise<ProblemsView> {
  const { store } = parts;
  const { rows, isCapped } = await rowsInReview(parts, filter);
  const [now, holders] = await Promise.all([store.now(), store.listHolders()]);
  const groups = groupProblems(rows, now);
  const told = groups.slice(0, Math.min(GROUPS_MAX, PROBLEM_MARKS_MAX));
  const ids = told.map((group) => problemIdOf(parts, group));
  const marks = new Map((await store.bulk.listMarks(ids)).map((mark) => [mark.problemId, mark]));
  const problems = told.map((group) => {
    const problemId = problemIdOf(parts, group);
    const newBuild = newBuildFor(group, holders, now);
    return { ...group, problemId, mark: marks.get(problemId) ?? null, newBuild };
  });
  return { now, problems, cases: rows.length, isCapped: isCapped || groups.length > told.length };
}

/** The id of a group. */
export function problemIdOf({ ports }: Pick<DeskParts, "ports">, key: ProblemKey): string {
  return ports.digest(problemKeyText(key)).slice(0, ID_CHARS);
}

/** Every case with an open review, newest start first, up to a bound. */
export async function rowsInReview(
  { store }: Pick<DeskParts, "store">,
  filter: ProblemFilter,
): Promise<{ readonly rows: readonly StoredRow[]; readonly isCapped: boolean }> {
  const rows: StoredRow[] = [];
  let after: string | undefined;
  do {
    const page = await store.listCases({
      ...filter,
      withReview: true,
      limit: LIST_LIMIT_MAX,
      ...(after === undefined ? {} : { after }),
    });
    rows.push(...page.rows);
    after = page.next ?? undefined;
  } while (after !== undefined && rows.length < PROBLEM_CASES_MAX);
  return { rows, isCapped: after !== undefined };
}

/** What is said of a group of problems. */
export interface MarkRequest {
  readonly problemId: string;
  readonly note?: string | null | undefined;
  readonly owner?: string | null | undefined;
  readonly by: Who;
}

/** Replaces what is said of a group. Throws `INVALID_REQUEST`. */
export async function markProblem({ store }: DeskParts, request: MarkRequest): Promise<void> {
  const { problemId, note = null, owner = null } = request;
  if (!/^[0-9a-f]{12}$/.test(problemId)) {
    throw new FootholdError("INVALID_REQUEST", "A problem is named by its id, such as 1b2c3d4e5f60.");
  }
  checkTexts([
    ...(note === null ? [] : [{ path: "note", value: note, charsMax: REASON_CHARS_MAX, isProse: true }]),
    ...(owner === null ? [] : [{ path: "owner", value: owner, charsMax: OWNER_CHARS_MAX }]),
  ]);
  await store.bulk.mark({ problemId, note, owner, by: personOf(request.by).name });
}
