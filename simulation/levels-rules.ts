/**
 * What must hold of an order with its shipments and their labels: once it is canceled, each effect of each level is taken
 * back or has its word, and nothing below it goes on. Until then all of it has somebody who acts next, and by when.
 */

import type { StoredCase, StoredRow } from "../src/store/port.ts";
import { isSpokenOf } from "./cancel-rules.ts";
import { REQUEST_AGE_MS, SEND_DEADLINE_MS, undoneName, type CaseShape } from "./case-shape.ts";
import type { Effect } from "./destination.ts";
import type { Violation } from "./journal-rules.ts";
import type { Judged } from "./judging.ts";
import type { CaseWatch } from "./world.ts";

/** How long a case of a good world may not show that one below it waits for people, in virtual ms. */
const UNSEEN_MS_MAX = 8_000;

/** What an order is judged by. */
interface Site {
  readonly shapes: readonly CaseShape[];
  readonly family: Family;
}

type Family = ReadonlyMap<string, StoredCase>;

function familyOf(cases: readonly StoredCase[]): Family {
  return new Map(cases.map((one) => [one.row.caseId, one]));
}

function isOrder({ state }: StoredCase): boolean {
  return state.parent === null;
}

/** True once the order has been canceled for so long that what is still on its way would be there. `now` in epoch ms. */
export function isOver(cases: readonly StoredCase[], now: number): boolean {
  return cases
    .filter(isOrder)
    .every(({ row }) => row.state === "canceled" && now - row.changedAt > REQUEST_AGE_MS + SEND_DEADLINE_MS);
}

/** Judges an order after its run, by the ledgers of the destinations and the records of all of its cases. */
export function checkLevels({ shapes, ledgers, cases }: Judged): readonly Violation[] {
  const site = { shapes, family: familyOf(cases) };
  const effects = [...ledgers.destinations.values()].flatMap((one) => one.effects);
  return cases.filter(isOrder).flatMap((order): readonly Violation[] => {
    const { caseId, state } = order.row;
    const end = endOf(order);
    if (end === null) return [{ rule: "stuck", what: `${caseId} was to be canceled and is ${state}` }];
    const below = cases.filter((one) => !isOrder(one));
    return [
      ...below.flatMap((one) => checkBelow(site, one, end)),
      ...effects.flatMap((effect) => checkOutside(site, effect)),
    ];
  });
}

/** When a case was canceled, and by which entry; null = it is not. */
function endOf({ row, journal }: StoredCase): { readonly at: number; readonly revision: number } | null {
  return row.state === "canceled"
    ? (journal.findLast(({ entry }) => entry.kind === "canceled") ?? null)
    : null;
}

/** None goes on once the order is canceled, nor after its own end. */
function checkBelow(site: Site, stored: StoredCase, orderEnd: { readonly at: number }): readonly Violation[] {
  const { caseId, caseType, state } = stored.row;
  const violate = (what: string): Violation => ({ rule: "goes on", what: `${caseType} ${caseId} ${what}` });
  const end = endOf(stored);
  if (end === null && state === "done" && isLetGo(site, stored)) return [];
  if (end === null) return [violate(`is ${state}, and the order is canceled`)];
  if (end.at > orderEnd.at) return [violate("was canceled after the order")];
  return stored.journal.flatMap(({ revision, entry }): readonly Violation[] => {
    const isBegun = entry.kind === "intentOpened" || entry.kind === "attemptOpened";
    return isBegun && revision > end.revision ? [violate(`begins ${entry.step} after its end`)] : [];
  });
}

/** True of a case that came to its end, and of which a case above has the word: what it did stays there, or stands beside. */
function isLetGo({ shapes, family }: Site, { state: { parent } }: StoredCase): boolean {
  const above = parent === null ? undefined : family.get(parent.caseId);
  const shape = shapes.find(({ caseType }) => caseType === above?.row.caseType);
  if (parent === null || above === undefined || shape === undefined) return false;
  return isSpokenOf(shape, above, parent) || isLetGo({ shapes, family }, above);
}

/** Taken back there, or in the record of its case or of one above. */
function checkOutside({ shapes, family }: Site, effect: Effect): readonly Violation[] {
  const { caseId, step, undoes } = effect.request;
  if (undoes !== null || effect.isUndone || undoneName(step) !== step) return [];
  const stored = family.get(caseId);
  const shape = shapes.find(({ caseType }) => caseType === stored?.row.caseType);
  if (stored === undefined || shape === undefined)
    return [{ rule: "outside", what: `${effect.id} is of ${caseId}, which is no case of the order` }];
  if (isSpokenOf(shape, stored, effect.request) || isLetGo({ shapes, family }, stored)) return [];
  const { caseType } = stored.row;
  const what = `the order is canceled, and ${effect.id} of ${step} of ${caseType} ${caseId} is there without a word`;
  return [{ rule: "outside", what }];
}

/** Watches who acts next, from look to look. */
export class LevelsWatch implements CaseWatch {
  #since: ReadonlyMap<string, number> = new Map();

  noteClaims(): readonly Violation[] {
    return [];
  }

  noteFailover(): void {
    // What it knows is of the journals.
  }

  look(
    cases: readonly StoredCase[],
    { now, isCalm }: { readonly now: number; readonly isCalm: boolean },
  ): readonly Violation[] {
    const nobodys = cases.flatMap(({ row }): readonly Violation[] => {
      const why = nobodyActs(row);
      return why === null ? [] : [{ rule: "owned", what: `${row.caseId} is ${row.state}, and ${why}` }];
    });
    const before = this.#since;
    const unseen = isCalm ? unseenFrom(cases) : [];
    this.#since = new Map(unseen.map((caseId) => [caseId, before.get(caseId) ?? now]));
    const late = unseen.filter((caseId) => now - (this.#since.get(caseId) ?? now) > UNSEEN_MS_MAX);
    return [
      ...nobodys,
      ...late.map((caseId) => ({
        rule: "seen",
        what: `${caseId} does not show that one below waits for people`,
      })),
    ];
  }
}

/** Why nobody is to act on a case, and at no time; null = somebody is. */
function nobodyActs({ state, dueAt, claim, summary: { waits, reviews } }: StoredRow): string | null {
  switch (state) {
    case "ready":
      return dueAt === null ? "it is never due" : null;
    case "claimed":
      return claim === null ? "nobody holds it" : null;
    case "waiting": {
      const endless = waits.find(({ kind, dueAt: until }) => until === null && kind !== "child");
      if (endless !== undefined) return `${endless.step} waits without a time`;
      return waits.length === 0 && dueAt === null ? "it waits for nothing" : null;
    }
    case "in_review":
      return reviews.length === 0 || reviews.some(({ owner }) => owner === "") ? "it is nobody's" : null;
    case "paused":
    case "done":
    case "canceled":
      return null;
  }
}

/** The cases that wait for one below them and do not say truly whether that one waits for people. */
function unseenFrom(cases: readonly StoredCase[]): readonly string[] {
  const family = familyOf(cases);
  const isUnseen = ({ row }: StoredCase): boolean =>
    row.summary.waits.some(
      (wait) => wait.kind === "child" && wait.needsPeople !== needsPeople(family, family.get(wait.caseId)),
    );
  return cases.filter(isUnseen).map(({ row }) => row.caseId);
}

function needsPeople(family: Family, stored: StoredCase | undefined): boolean {
  if (stored === undefined || stored.row.state === "done" || stored.row.state === "canceled") return false;
  const steps = Object.values(stored.state.steps);
  return steps.some(
    ({ review, child }) =>
      review !== null || (child !== null && needsPeople(family, family.get(child.caseId))),
  );
}
