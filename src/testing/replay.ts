/**
 * A case that ran, planned again by other code: what it sent then is compared with what this code would have done at the
 * same moment, knowing the same. Nothing is called but the author's pure functions; nothing is sent, asked or stored.
 */

import type { CaseState } from "../core/case-state.ts";
import type { Digest } from "../core/basis.ts";
import type { ExportedCase } from "../core/exported-case.ts";
import { foldEntries, foldJournal } from "../core/fold.ts";
import type { Entry, JournalEntry } from "../core/journal.ts";
import { canonicalJson } from "../core/json.ts";
import { diffJson, type JsonChange } from "../core/json-diff.ts";
import { planCase, type Plan } from "../core/plan.ts";
import type { PlannedStep } from "../core/planning.ts";
import { adoptNames, nameIn } from "../core/renames.ts";
import type { CaseType } from "../define/case-type.ts";
import { decodeRequest } from "../define/decode-request.ts";
import { answerFacts } from "../define/facts.ts";
import { makeRequest } from "../define/make-request.ts";
import { sayLapse } from "../desk/entry-words.ts";
import { systemPorts } from "../engine/system.ts";

/** One place where this code would have done something else. */
export interface ReplayDifference {
  /** Of the journal entry at which the case did what this code would not have done. */
  readonly revision: number;
  /** Epoch ms. */
  readonly at: number;
  readonly step: string;
  /**
   * `notSent`: the case sent the step then, and this code would not have. `request`: it would have sent something else.
   * `lapses`: what was confirmed by then would not stand. Each step is named once for each kind.
   */
  readonly kind: "notSent" | "request" | "lapses";
  readonly sentence: string;
  /** From what was sent to what this code would send; none where that is not the difference. */
  readonly changes: readonly JsonChange[];
}

/** What a replay found. */
export interface ReplayReport {
  readonly caseId: string;
  /** Entries that were gone through. */
  readonly entries: number;
  /** Intents that were compared. */
  readonly compared: number;
  /** In the order of the journal. */
  readonly differences: readonly ReplayDifference[];
  /** What this code would do next with the case as it was when it was exported, in words; empty where it was over. */
  readonly next: readonly string[];
}

/**
 * Replays an exported case (`readExportedCase`) against a case type of the same name. Prerequisites that ask the outside
 * count as they were answered then; one that was not asked is a difference. Throws `CORRUPT_JOURNAL` where the journal does
 * not fold, and an `Error` for a case of another type.
 */
export function replay(caseType: CaseType, exported: ExportedCase): ReplayReport {
  const { caseId, entries } = exported;
  const [first] = entries;
  const started = first?.entry.kind === "caseStarted" ? first.entry.caseType : null;
  if (started !== null && started !== caseType.outline.name) {
    throw new Error(
      `${caseId} is a case of ${started}, and it was to be replayed as ${caseType.outline.name}.`,
    );
  }
  const { digest } = systemPorts();
  let state = foldJournal(caseId, entries.slice(0, 1));
  let compared = 0;
  const found = new Map<string, ReplayDifference>();
  for (const one of entries.slice(1)) {
    if (one.entry.kind === "intentOpened") {
      compared += 1;
      const adopted = adoptNames(caseType.outline, state);
      const entry = { ...one.entry, step: nameIn(caseType.outline, one.entry.step) };
      for (const difference of compare({ caseType, state: adopted, digest }, one, entry)) {
        const key = JSON.stringify([difference.kind, difference.step]);
        if (!found.has(key)) found.set(key, difference);
      }
    }
    state = foldEntries(state, [one]);
  }
  return {
    caseId,
    entries: entries.length,
    compared,
    differences: [...found.values()],
    next: sayNext(
      planOf({ caseType, state: adoptNames(caseType.outline, state), digest }, exported.exportedAt),
      state,
    ),
  };
}

/** A replay as a few lines of text. */
export function formatReplay({ caseId, entries, compared, differences, next }: ReplayReport): string {
  const told = differences.map(
    ({ revision, step, sentence, changes }) =>
      `revision ${revision}, ${step}: ${sentence}` +
      changes
        .map(({ path, from, to }) => `\n  ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`)
        .join(""),
  );
  const head =
    differences.length === 0
      ? `${caseId}: ${compared} sends in ${entries} entries, and this code would have sent the same`
      : `${caseId}: ${compared} sends in ${entries} entries, and this code differs:`;
  return [head, ...told, ...next.map((line) => `next: ${line}`)].join("\n");
}

interface Replaying {
  readonly caseType: CaseType;
  readonly state: CaseState;
  readonly digest: Digest;
}

function planOf({ caseType, state, digest }: Replaying, now: number): Plan {
  return planCase({
    outline: caseType.outline,
    state,
    answers: answerFacts(caseType, state, now),
    busy: new Set(),
    now,
    digest,
  });
}

function compare(
  replaying: Replaying,
  { revision, at }: JournalEntry,
  intent: Extract<Entry, { kind: "intentOpened" }>,
): readonly ReplayDifference[] {
  const plan = planOf(replaying, at);
  const here = { revision, at, changes: [] };
  const lapses = plan.shifts.flatMap((shift): readonly ReplayDifference[] =>
    shift.kind === "stepLapsed"
      ? [
          {
            ...here,
            kind: "lapses",
            step: shift.step,
            sentence: `it would not stand: ${sayLapse(shift.because)}`,
          },
        ]
      : [],
  );
  if (lapses.length > 0) return lapses;
  const planned = plan.steps.find(({ target }) => target.name === intent.step);
  if (planned === undefined) {
    return [
      { ...here, kind: "notSent", step: intent.step, sentence: "it was sent, and now there is no such step" },
    ];
  }
  if (planned.act.kind !== "send") {
    const sentence = `it was sent, and now ${sayAct(planned)}`;
    return [{ ...here, kind: "notSent", step: intent.step, sentence }];
  }
  const changes = requestChanges(replaying, planned, intent);
  if (changes === null) return [];
  return [
    { ...here, kind: "request", step: intent.step, sentence: "it would have sent something else", changes },
  ];
}

/** Null where the request is the same, or where the case journaled none. */
function requestChanges(
  { caseType, state }: Replaying,
  { target }: PlannedStep,
  intent: Extract<Entry, { kind: "intentOpened" }>,
): readonly JsonChange[] | null {
  const sent = decodeRequest(intent);
  if (sent === undefined || target.kind !== "step") return null;
  const made = makeRequest(caseType, state, target);
  if (made.kind === "failed") return [{ path: "", kind: "removed", from: sent, to: null }];
  return canonicalJson(made.value) === intent.request ? null : diffJson(sent, made.value);
}

function sayAct({ act }: PlannedStep): string {
  switch (act.kind) {
    case "send":
      return "it would be sent";
    case "nothing":
      return act.why === "stands" ? "it would stand" : "something else would come first";
    case "fanOut":
      return "its items would be listed, and each begun";
    case "ask":
      return `${act.conditions.map((name) => JSON.stringify(name)).join(" and ")} would be asked first`;
    case "check":
    case "look":
      return "its destination would be asked first";
    case "refresh":
      return "its access would be refreshed first";
    case "confirm":
    case "record":
      return "it would be taken for done without a send";
    case "wait":
      return "it would wait";
    case "review":
      return `it would go to ${act.review.owner}: ${act.review.sentence}`;
  }
}

function sayNext({ steps, shifts, strays }: Plan, state: CaseState): readonly string[] {
  // A case that is over is not picked up again, whatever a plan of it says.
  if (state.rest.kind === "done" || state.rest.kind === "canceled") return [];
  const lapsed = shifts.flatMap((shift) =>
    shift.kind === "stepLapsed" ? [`${shift.step}: it would not stand: ${sayLapse(shift.because)}`] : [],
  );
  const vanished = strays.map(
    ({ review }) => `${review.step}: it would go to ${review.owner}: ${review.sentence}`,
  );
  const open = steps
    .filter(({ act }) => act.kind !== "nothing")
    .map((planned) => `${planned.target.name}: ${sayAct(planned)}`);
  return [...lapsed, ...vanished, ...open];
}
