import { createHash } from "node:crypto";
import type { Effect } from "../services/ledger-entries.ts";
import { effectRequest, inputOf } from "./effects.ts";
import type { BookedFault } from "./fault-book.ts";
import { killPoints } from "./fault-plan.ts";
import type { PermitActivity, PermitCase, PermitLog } from "./log.ts";
import { destinationOf } from "./log.ts";

/** What is known of one case when the run has ended, from the database. */
export interface EndedCase {
  readonly permitId: string;
  readonly caseId: string;
  /** Its stored state. */
  readonly state: string;
  /** Why it waits for a person; null = it does not. */
  readonly sentence: string | null;
  /** Attempts that were open when their worker's claim was freed, as the journal says. */
  readonly lostAttempts: readonly { readonly step: string; readonly attempt: number }[];
  /** Reports of workers whose claim had been freed, kept in the journal. */
  readonly lateReports: number;
}

/** A worker that was stopped and woken again. */
export interface EndedStop {
  readonly fault: BookedFault;
  readonly stoppedMs: number;
}

/** What the figures are computed from: the log, the destinations, the database, and whoever killed and stopped. */
export interface Evidence {
  readonly log: PermitLog;
  /** Of both services, in their true order. */
  readonly effects: readonly Effect[];
  readonly cases: readonly EndedCase[];
  readonly kills: readonly BookedFault[];
  readonly stops: readonly EndedStop[];
  readonly leaseMs: number;
  readonly seconds: number;
}

/** The figures of a run, in the order in which they are printed. */
export interface Figures {
  /** Cases in the log. */
  readonly cases: number;
  /** Cases that the database calls done. */
  readonly done: number;
  /** Activities in the log. */
  readonly steps: number;
  /** Effects in the ledger. */
  readonly effects: number;
  /** Effects beyond the first of their step. */
  readonly duplicateEffects: number;
  /** Steps without an effect at the right service. */
  readonly missing: number;
  /** Effects that came after one of a later step of their case. */
  readonly outOfOrder: number;
  /** Reports of workers that had lost their claim: refused as results, kept as evidence. */
  readonly lateRefused: number;
  /** Workers killed with the attempt of their step open; only those of which the journal knows that. */
  readonly killedWithIntentOpen: number;
  /** Workers stopped for longer than their lease with an attempt open; only where its claim was freed meanwhile. */
  readonly stoppedPastLease: number;
  readonly seconds: number;
  /** Effects that no step of the log calls for, or that do not say what the log says. */
  readonly unexpected: number;
  readonly inReview: number;
  /** Workers killed at each point, as they said before they died. */
  readonly killsByPoint: Readonly<Record<string, number>>;
}

/** Findings of one sort that are told, at most. */
const findingsMax = 5;

/** What a run came to. */
export interface Verdict {
  readonly figures: Figures;
  /** What is wrong, in words for people: the first few findings. Empty after a good run. */
  readonly findings: readonly string[];
}

/** Judges a run. Pure. */
export function judgeRun(evidence: Evidence): Verdict {
  const judged = judgeEffects(evidence.log, evidence.effects);
  return {
    figures: figuresOf(evidence, judged),
    findings: [...judged.findings, ...unfinished(evidence.cases)],
  };
}

/** The first cases that are not done; those that wait for people before all others. */
function unfinished(cases: readonly EndedCase[]): readonly string[] {
  const open = cases.filter(({ state }) => state !== "done");
  const sorted = open.toSorted(
    (one, other) => Number(other.sentence !== null) - Number(one.sentence !== null),
  );
  return sorted.slice(0, findingsMax).map(({ permitId, caseId, state, sentence }) => {
    const because = sentence === null ? "" : `: ${sentence}`;
    return `${permitId} (case ${caseId}) is ${state.replace("_", " ")}${because}`;
  });
}

function figuresOf(evidence: Evidence, judged: Judged): Figures {
  const { log, effects, cases, kills, stops, leaseMs, seconds } = evidence;
  const { unexpected, duplicateEffects, missing, outOfOrder } = judged;
  const lost = new Set(
    cases.flatMap(({ caseId, lostAttempts }) =>
      lostAttempts.map(({ step, attempt }) => attemptKey(caseId, step, attempt)),
    ),
  );
  // A fault that did not hit what it was meant for proves nothing and does not count.
  const hasHit = ({ caseId, step, attempt }: BookedFault): boolean =>
    lost.has(attemptKey(caseId, step, attempt));
  return {
    cases: log.cases.length,
    done: cases.filter(({ state }) => state === "done").length,
    steps: log.activityCount,
    effects: effects.length,
    duplicateEffects,
    missing,
    outOfOrder,
    lateRefused: cases.reduce((sum, { lateReports }) => sum + lateReports, 0),
    killedWithIntentOpen: kills.filter((kill) => kill.point !== "beforeIntent" && hasHit(kill)).length,
    stoppedPastLease: stops.filter(({ fault, stoppedMs }) => stoppedMs > leaseMs && hasHit(fault)).length,
    seconds: Math.round(seconds * 100) / 100,
    unexpected,
    inReview: cases.filter(({ state }) => state === "in_review").length,
    killsByPoint: Object.fromEntries(
      killPoints.map((point) => [point, kills.filter((kill) => kill.point === point).length]),
    ),
  };
}

/** True when every case is done and every step took effect once, in order and as the log says. */
export function isGood(figures: Figures): boolean {
  const { cases, done, steps, effects, duplicateEffects, missing, outOfOrder, unexpected } = figures;
  const faults = duplicateEffects + missing + outOfOrder + unexpected;
  return done === cases && effects === steps && faults === 0;
}

interface Judged extends Pick<Figures, "duplicateEffects" | "missing" | "outOfOrder" | "unexpected"> {
  /** What is wrong, in words, at most {@link findingsMax}. */
  readonly findings: readonly string[];
}

function judgeEffects(log: PermitLog, effects: readonly Effect[]): Judged {
  const wanted = wantedEffects(log);
  const firsts = new Map<string, Effect>();
  const reached = new Map<string, number>();
  const counts = { duplicateEffects: 0, outOfOrder: 0, unexpected: 0 };
  const findings: string[] = [];
  const find = (count: keyof typeof counts, text: string): void => {
    counts[count] += 1;
    if (findings.length < findingsMax) findings.push(text);
  };
  for (const effect of effects) {
    const { caseId, activity, occurrence } = effect.step;
    const key = stepKey(caseId, activity, occurrence);
    const name = `${caseId}, ${activity} #${occurrence}`;
    const want = wanted.get(key);
    const first = firsts.get(key);
    if (want?.service !== effect.service || want.bodyHash !== effect.bodyHash) {
      find("unexpected", `${name}: ${effect.service} ${effect.id} is not what the log says`);
    } else if (first === undefined) {
      firsts.set(key, effect);
      const furthest = reached.get(caseId) ?? 0;
      if (want.position < furthest) find("outOfOrder", `${name} came after step ${furthest}`);
      reached.set(caseId, Math.max(furthest, want.position));
    } else {
      const keys = `keys ${first.key ?? "none"} and ${effect.key ?? "none"}`;
      find("duplicateEffects", `${name} took effect twice: ${first.id} and ${effect.id}, ${keys}`);
    }
  }
  return { ...counts, missing: wanted.size - firsts.size, findings };
}

interface WantedEffect {
  readonly service: string;
  readonly bodyHash: string;
  readonly position: number;
}

function wantedEffects(log: PermitLog): ReadonlyMap<string, WantedEffect> {
  return new Map(
    log.cases.flatMap((permit) => permit.activities.map((activity) => wantedEffect(permit, activity))),
  );
}

function wantedEffect(permit: PermitCase, activity: PermitActivity): readonly [string, WantedEffect] {
  const { body } = effectRequest(inputOf(permit), activity);
  const bodyHash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  const service = destinationOf(activity.activity);
  const { position } = activity;
  return [stepKey(permit.caseId, activity.activity, activity.occurrence), { service, bodyHash, position }];
}

function attemptKey(caseId: string, step: string, attempt: number): string {
  return JSON.stringify([caseId, step, attempt]);
}

function stepKey(caseId: string, activity: string, occurrence: number): string {
  return JSON.stringify([caseId, activity, occurrence]);
}
