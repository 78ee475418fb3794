/** The judgment at the end of a run, over all of its cases. */

import { tellEntry } from "../src/testing/tell-entry.ts";
import type { StoredCase } from "../src/store/port.ts";
import type { CaseShape } from "./case-shape.ts";
import { checkFamily, outOfTune } from "./family-rules.ts";
import type { FaultCounts } from "./faults.ts";
import { checkEnd, isSettled, type Ledgers } from "./invariants.ts";
import type { Violation } from "./journal-rules.ts";
import { isBehind } from "./key-watch.ts";
import { EPOCH_MS } from "./process.ts";
import { checkRepairs } from "./repair-invariants.ts";
import { countRoutes } from "./routes.ts";

/** True once every case has ended or stands in sight; null = it is not there. */
export function areSettled(cases: readonly (StoredCase | null)[]): boolean {
  const there = cases.filter((one) => one !== null);
  return (
    there.length === cases.length &&
    there.every((one) => isSettled(one) || isBehind(one, there, isSettled)) &&
    outOfTune(there).length === 0
  );
}

/** How long a case of a good world may not know how one below it stands, in virtual ms. */
const UNTOLD_MS_MAX = 8_000;

/** Watches from look to look how long cases do not know how those below them stand. */
export class TellingWatch {
  #since: ReadonlyMap<string, number> = new Map();

  look(cases: readonly (StoredCase | null)[], now: number): readonly Violation[] {
    const before = this.#since;
    const untold = outOfTune(cases.filter((one) => one !== null));
    this.#since = new Map(untold.map((caseId) => [caseId, before.get(caseId) ?? now]));
    const late = untold.filter((caseId) => now - (this.#since.get(caseId) ?? now) > UNTOLD_MS_MAX);
    return late.map((caseId) => ({ rule: "telling", what: `${caseId} is not told how one below it stands` }));
  }
}

/** What is judged. */
export interface Judged {
  readonly shapes: readonly CaseShape[];
  readonly ledgers: Ledgers;
  readonly cases: readonly StoredCase[];
  readonly counts: FaultCounts;
}

/** Tells and judges every case, and counts the routes that they took. */
export function judgeCases(
  { shapes, ledgers, cases, counts }: Judged,
  trace: (line: string) => void,
): readonly Violation[] {
  const violations = cases.flatMap((stored): readonly Violation[] => {
    const { row, journal } = stored;
    for (const { revision, at, entry } of journal)
      trace(`${row.caseId} ${revision} at ${at - EPOCH_MS}: ${tellEntry(entry) ?? entry.kind}`);
    countRoutes(journal, counts);
    for (const { entry } of journal) {
      if (entry.kind === "eventAttached") counts.hit("attachedEvent");
      if (entry.kind === "repairEnded" && entry.why === "silent") counts.hit("pageFreed");
    }
    const shape = shapes.find(({ caseType }) => caseType === row.caseType);
    return shape === undefined ? [] : [...checkEnd(shape, ledgers, stored, cases), ...checkRepairs(stored)];
  });
  return shapes.length === 1
    ? violations
    : [...violations, ...checkFamily(shapes, cases, ledgers.lostRevisions)];
}

/** A stack names the caller of the run too, which is no part of it. */
export function withoutStacks(name: string, value: unknown): unknown {
  return name === "stack" ? null : value;
}
