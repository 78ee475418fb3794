/** Everything about one case, as text for people. */

import type { CasePacket } from "./replies.ts";
import { SPOKEN_NAME } from "./spoken-name.ts";
import { formatDistance, formatTime } from "./times.ts";

type MoveView = CasePacket["moves"][number];
type PlanView = NonNullable<CasePacket["plan"]>;
type ConditionView = PlanView["steps"][number]["conditions"][number];
type RequestsView = NonNullable<CasePacket["attempts"][number]["requests"]>;

/** Entries of the history that are printed; `--json` has more. */
const HISTORY_LINES_MAX = 30;
/** Characters of an input, result or evidence that are printed; `--json` has all. */
const JSON_CHARS_MAX = 400;

/**
 * The lines of a case. The first one says it all: what stands, and who acts next by when. `repairId`: the repair under
 * which it is looked at, so that the commands printed can be run as they stand.
 */
export function caseLines(view: CasePacket, repairId: string | null): readonly string[] {
  const sections: readonly (readonly string[])[] = [
    headLines(view),
    section(
      "Needs a person",
      view.reviews.map((one) => `${one.owner}: ${one.sentence}${nextCheck(one.nextCheckAllowedAt)}`),
    ),
    section(
      "Waits",
      view.waits.map(
        ({ sentence, actsNext, dueAt, mayAnswer }) =>
          `${sentence} (next: ${actsNext}${by(dueAt, view.now)})${mayAnswer === null ? "" : ` ${mayAnswer}`}`,
      ),
    ),
    section(
      "Children",
      view.children.map(({ sentence }) => sentence),
    ),
    section("Waits for a second person", view.seconds.map(secondLine)),
    section("Last error", lastErrorLines(view)),
    section("Confirmed", view.confirmed.map(confirmedLine)),
    view.plan === null ? section("Plan", [view.definition.sentence]) : planLines(view.plan, view.now),
    section("Attempts", view.attempts.flatMap(attemptLines)),
    section("Events", view.events.map(eventLine)),
    section("Came during the repair, not applied yet", view.repair?.attached.map(eventLine) ?? []),
    section("Input", inputLines(view)),
    section(
      "You can",
      view.moves.filter(({ isAllowed }) => isAllowed).map((one) => moveLine(view.caseId, one, repairId)),
    ),
    section("Not now", refusedLines(view.moves)),
    historyLines(view),
    section("Asked of a second person", view.pastSeconds.map(secondLine)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function headLines(view: CasePacket): readonly string[] {
  const { reading, holding, businessKey, parent } = view;
  const next =
    reading.actsNext === "nobody" ? "" : ` Next: ${reading.actsNext}${by(reading.byAt, view.now)}.`;
  return [
    `${view.caseId}  ${reading.state}: ${reading.sentence}${next}`,
    `  type      ${view.caseType} version ${view.definitionVersion}, tenant ${view.tenant}`,
    ...(businessKey === null ? [] : [`  key       ${businessKey}`]),
    ...(parent === null ? [] : [`  parent    ${parent.caseId}, started by its step ${parent.step}`]),
    ...(view.search.length === 0 ? [] : [`  found by  ${view.search.map(sayFound).join(", ")}`]),
    `  since     ${formatTime(view.sinceAt)} (${formatDistance(view.sinceAt, view.now)})`,
    `  started   ${formatTime(view.startedAt)} by ${view.startedBy.name}`,
    ...(view.beginsAt > view.startedAt ? [`  begins    ${formatTime(view.beginsAt)}`] : []),
    ...(view.priority === "normal" ? [] : [`  priority  ${view.priority}`]),
    ...(holding === null ? [] : [`  claim     ${holding.sentence}`]),
    ...(view.requested.length === 0 ? [] : [`  requested ${view.requested.join(", ")}`]),
    ...(view.losses === 0 ? [] : [`  lost      ${view.losses} workers in a row while they worked on it`]),
  ];
}

function sayFound({ name, value }: CasePacket["search"][number]): string {
  return `${name}:${value}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function secondLine({ requestId, sentence }: CasePacket["seconds"][number]): string {
  return `${requestId}: ${sentence}`;
}

function lastErrorLines({ lastError }: CasePacket): readonly string[] {
  if (lastError === null) return [];
  const { failure, step, attempt, at } = lastError;
  return [
    `${step}, attempt ${attempt} at ${formatTime(at)}: ${failure.sentence}`,
    `kind ${failure.kind}, executed: ${failure.executed} (${failure.rule})`,
    ...failure.fields.map(({ path, message }) => `${path}: ${message}`),
  ];
}

function confirmedLine({
  step,
  at,
  how,
  standing,
  lapsedBecause,
  result,
  evidence,
}: CasePacket["confirmed"][number]): string {
  const stands =
    standing === "stands" ? "" : ` [${standing}${lapsedBecause === null ? "" : `: ${lapsedBecause}`}]`;
  const value = result.kind === "value" ? short(result.value) : `result unreadable: ${result.why}`;
  return `${step}  ${formatTime(at)} ${how}${stands}  ${value}  evidence ${short(evidence)}`;
}

function planLines(plan: PlanView, now: number): readonly string[] {
  const standsOn = plan.foothold.length === 0 ? "nothing yet" : plan.foothold.join(", ");
  return [
    `Plan ${plan.version} (picks up after: ${standsOn})`,
    ...plan.steps.flatMap(({ step, sentence, conditions }) => [
      `  ${step}: ${sentence}`,
      ...conditions.map((one) => `    ${conditionLine(one, now)}`),
    ]),
  ];
}

function conditionLine(
  { name, role, answer, why, askedAt, nextCheckAllowedAt }: ConditionView,
  now: number,
): string {
  const asked = askedAt === null ? "" : `, asked ${formatDistance(askedAt, now)}`;
  return `${role} "${name}": ${answer ?? "not asked yet"}${why === null ? "" : ` (${why})`}${asked}${nextCheck(nextCheckAllowedAt)}`;
}

function attemptLines(one: CasePacket["attempts"][number]): readonly string[] {
  const which = `${one.step} ${one.intentVersion}.${one.attempt}`;
  const line = `${which}  ${formatTime(one.openedAt)} by ${one.by}  executed: ${one.executed}  ${one.sentence}`;
  return one.requests === null ? [line] : [line, ...requestLines(one.requests)];
}

/** One request is what everybody expects; more, or none, is said, and so is what was found. */
function requestLines({ sent, isAtLeast, sentence, findings }: RequestsView): readonly string[] {
  const isAsExpected = sent === 1 && !isAtLeast;
  return [
    ...(isAsExpected ? [] : [`  ${sentence}`]),
    ...findings.map((finding) => `  ${finding.code}: ${finding.sentence}`),
  ];
}

function eventLine({ at, eventType, sourceId, payload }: CasePacket["events"][number]): string {
  return `${formatTime(at)}  ${eventType} (${sourceId})  ${short(payload)}`;
}

function inputLines({ input, originalInput }: CasePacket): readonly string[] {
  const isCorrected = JSON.stringify(input) !== JSON.stringify(originalInput);
  return [short(input), ...(isCorrected ? [`was ${short(originalInput)}`] : [])];
}

function moveLine(caseId: string, { move, step, credential }: MoveView, repairId: string | null): string {
  const under = repairId === null ? "" : ` --repair ${repairId}`;
  const cases = `${SPOKEN_NAME} cases`;
  switch (move) {
    case "approve":
      return `${cases} approve ${caseId} ${step ?? ""}${under}   (or reject)`;
    case "standIn":
      return `${cases} approve ${caseId} ${step ?? ""} --stand-in --note TEXT${under}   (or reject; in place of its owner)`;
    case "confirm":
      return `${cases} confirm ${caseId} ${step ?? ""} --result JSON --reason TEXT${under}   (it happened: nothing is sent)`;
    case "ruleOut":
      return `${cases} rule-out ${caseId} ${step ?? ""} --reason TEXT${under}   (it did not happen: it goes on)`;
    case "redo":
      return `${cases} redo ${caseId} ${step ?? ""} --reason TEXT${under}   (done again, as a new effect)`;
    case "correct":
      return `${cases} correct ${caseId} --input JSON --reason TEXT${under}`;
    case "force":
      return `${cases} resume ${caseId} --step ${step ?? ""} --force --reason TEXT${under}   (sent again exactly as it was rejected)`;
    case "check":
      return `${cases} check ${caseId} ${step ?? ""}${under}   (asked anew; nothing is sent)`;
    case "skip":
      return `${cases} skip ${caseId} ${step ?? ""} --result JSON --reason TEXT${under}   (left out)`;
    case "undo":
      return `${cases} undo ${caseId} ${step ?? ""} --reason TEXT${under}   (taken back, and not done again by itself)`;
    case "leaveOutside":
      return `${cases} leave-outside ${caseId} ${step ?? ""} --reason TEXT${under}   (what it did stays, or was undone by hand)`;
    case "restoreAccess":
      return `${SPOKEN_NAME} access restored ${credential?.destination ?? ""} --credential ${credential?.credentialId ?? ""}`;
    case "assign":
      return `${cases} assign ${caseId} WHO`;
    case "handOver":
      return `${cases} hand-over ${caseId} WHO --reason TEXT${under}`;
    case "open":
      return `${cases} open ${caseId}   (nobody else works on it meanwhile)`;
    case "takeOver":
      return `${cases} take-over ${caseId} --reason TEXT`;
    case "note":
      return `${cases} note ${caseId} TEXT`;
    case "resume":
    case "cancel":
    case "pause":
    case "close":
      return `${cases} ${move} ${caseId}${under}`;
  }
}

/** Moves refused for one reason share a line. */
function refusedLines(moves: readonly MoveView[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { isAllowed, move, code, why } of moves) {
    if (isAllowed) continue;
    const reason = [code, why].filter((part) => part !== null).join(" ");
    names.set(reason, [...(names.get(reason) ?? []), move]);
  }
  return [...names].map(([reason, refused]) => `${refused.join(", ")}: ${reason}`);
}

function historyLines({ history, historyLeftOut }: CasePacket): readonly string[] {
  const shown = history.slice(-HISTORY_LINES_MAX);
  const left = historyLeftOut + history.length - shown.length;
  return [
    "History",
    ...(left === 0 ? [] : [`  … ${left} earlier entries; --json shows more`]),
    ...shown.map(
      ({ revision, at, sentence }) => `  ${String(revision).padStart(4)}  ${formatTime(at)}  ${sentence}`,
    ),
  ];
}

function nextCheck(at: number | null): string {
  return at === null ? "" : `; next check allowed ${formatTime(at)}`;
}

function by(at: number | null, now: number): string {
  return at === null ? "" : ` by ${formatTime(at)} (${formatDistance(at, now)})`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= JSON_CHARS_MAX
    ? text
    : `${text.slice(0, JSON_CHARS_MAX)}… (${text.length} characters)`;
}
