/**
 * A case that another one started tells it how it stands: that it is done, was canceled, waits for people, or does not any
 * more. The child's own row says what its parent was told last, so whoever finds a difference tells it, however often: the
 * parent knows what it was told already (R23). Where people are waited for, all that stand above learn it.
 */

import { isEnd } from "../core/child-standing.ts";
import { CHILD_DEPTH_MAX, newsOf, rowStanding, standingOfCase, tellingOf } from "../core/child-telling.ts";
import type { CaseState } from "../core/case-state.ts";
import { isFootholdError } from "../core/errors.ts";
import type { Entry } from "../core/journal.ts";
import type { Ports } from "../core/ports.ts";
import { rowOf } from "../core/row.ts";
import { isEnded } from "../core/moves.ts";
import type { ParentKnows } from "../store/child-port.ts";
import type { CaseChange, FoldedCase, Store } from "../store/port.ts";
import { preview } from "./advance.ts";
import type { OnReport } from "./report.ts";

/** How often a case that changes meanwhile is told of in one go; after that the sweep does. */
const TELLS_MAX = 4;

/** What telling needs. */
export interface TellingContext {
  readonly store: Store;
  readonly ports: Pick<Ports, "ids">;
}

/**
 * Tells the parent of a case how it stands, and all above what that makes of them: whoever began to tell may have been lost
 * between two of them. True where the parent had to be told.
 */
export async function tellParent(context: TellingContext, caseId: string): Promise<boolean> {
  return tell(context, caseId, true);
}

async function tell(context: TellingContext, caseId: string, isThorough: boolean): Promise<boolean> {
  const stored = await look(context, caseId);
  return stored !== null && tellUpwards(context, stored.state, { isThorough, level: 1 });
}

/**
 * Tells the parent, then all above: what one is told may change what it tells in turn. Each notes what it told, so that of each
 * a difference is found again. `isThorough`: also those above one to which nothing is new. True where the parent had to be told.
 */
async function tellUpwards(
  context: TellingContext,
  child: CaseState,
  { isThorough, level }: { readonly isThorough: boolean; readonly level: number },
): Promise<boolean> {
  if (child.parent === null || level > CHILD_DEPTH_MAX) return false;
  const isTelling = await beginToTell(context, child);
  if (!isTelling && !isThorough) return false;
  const told = await tellOne(context, child);
  const isNew = told?.isNew === true;
  if (told !== null && (isNew || isThorough))
    await tellUpwards(context, told.parent, { isThorough, level: level + 1 });
  // What was told before, perhaps not to all above, is noted by the sweep, which tells them.
  if (!isNew && !(isThorough && level === 1)) return false;
  const { state, summary } = rowOf(child);
  const known: ParentKnows = told === null ? { kind: "nothing" } : knownBy(told, child.caseId);
  const standing = rowStanding({ state, hasReview: summary.reviews.length > 0 });
  await context.store.children.noteTold(child.caseId, standing, known);
  return isNew;
}

/**
 * False where the parent knows. That a case is being told of is noted before: where the note after it is lost, the case may by
 * then stand again as its parent was told before, and nobody would find a difference. Whoever brings a case
 * back from its end is noted so by the store.
 */
async function beginToTell(context: TellingContext, child: CaseState): Promise<boolean> {
  const told = tellingOf(child);
  if (told === null || child.parent === null) return false;
  if (isEnd(told.standing)) return true;
  const parent = await look(context, child.parent.caseId);
  if (parent === null || newsOf(parent.state, told) === null) return false;
  await context.store.children.noteTold(child.caseId, "telling", { kind: "nothing" });
  return true;
}

/** The same by whoever ended or changed it, so that its parent goes on at once. Never rejects: the sweep tells what it could not. */
export async function tellParentAtOnce(
  context: TellingContext & { readonly onReport: OnReport },
  caseId: string,
): Promise<void> {
  try {
    await tell(context, caseId, false);
  } catch (error) {
    if (isFootholdError(error) && error.code === "DATABASE_UNAVAILABLE") return;
    context.onReport({ kind: "bug", caseId, error });
  }
}

/** What a case is now, read under its lock and left as it is. */
async function look({ store, ports }: TellingContext, caseId: string): Promise<FoldedCase | null> {
  const id = { commitId: ports.ids.unique(), sourceId: null };
  const reply = await store.changeCase(caseId, id, (stored): CaseChange<FoldedCase> => ({
    kind: "leave",
    reply: stored,
  }));
  return reply?.kind === "decided" ? reply.reply : null;
}

interface Told {
  /** As it is now. */
  readonly parent: CaseState;
  readonly isNew: boolean;
}

/** By what the parent knows how its child stands. */
function knownBy({ parent }: Told, caseId: string): ParentKnows {
  if (isEnded(parent)) return { kind: "ended" };
  const found = Object.values(parent.steps).find(({ child }) => child?.caseId === caseId);
  const toldRevision = found?.child?.toldRevision ?? 0;
  return toldRevision === 0
    ? { kind: "nothing" }
    : { kind: "told", sourceId: sourceOf(caseId, toldRevision) };
}

function sourceOf(caseId: string, childRevision: number): string {
  return `case ${caseId} at ${childRevision}`;
}

/**
 * Tells it again where it stands otherwise by the time that its parent has been told: who tells what it is since then may have
 * come before, and found that this is nothing new. Null where there is no parent.
 */
async function tellOne(context: TellingContext, child: CaseState): Promise<Told | null> {
  const first = await tellOnce(context, child);
  let [latest, told] = [child, first];
  for (let tells = 1; told?.isNew === true && tells < TELLS_MAX; tells += 1) {
    const standing = standingOfCase(latest);
    const now = isEnd(standing) ? null : await look(context, child.caseId);
    if (now === null || standingOfCase(now.state).kind === standing.kind) break;
    latest = now.state;
    told = await tellOnce(context, latest);
  }
  return first === null || told === null ? first : { ...told, isNew: first.isNew };
}

async function tellOnce(context: TellingContext, child: CaseState): Promise<Told | null> {
  const { store, ports } = context;
  const told = tellingOf(child);
  if (told === null || child.parent === null) return null;
  const commitId = ports.ids.unique();
  const sourceId = sourceOf(told.caseId, told.childRevision);
  const reply = await store.changeCase(child.parent.caseId, { commitId, sourceId }, (stored, now) =>
    toldChange(stored, now, commitId, told),
  );
  if (reply?.kind === "decided") return reply.reply;
  const knows = reply === null ? null : await look(context, child.parent.caseId);
  return knows === null ? null : { parent: knows.state, isNew: false };
}

function toldChange(
  { state }: FoldedCase,
  now: number,
  commitId: string,
  told: Extract<Entry, { kind: "childTold" }>,
): CaseChange<Told> {
  const news = newsOf(state, told);
  if (news === null) return { kind: "leave", reply: { parent: state, isNew: false } };
  const at = Math.max(now, state.changedAt);
  const parent = preview(state, [news], at);
  const reply = { parent, isNew: true };
  return { kind: "write", commitId, entries: [news], at, row: rowOf(parent), claim: "keep", reply };
}
