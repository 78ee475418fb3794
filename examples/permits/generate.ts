import type { SeededRandom } from "../services/seeded-random.ts";
import { seededRandom } from "../services/seeded-random.ts";
import { csvField } from "./csv.ts";
import { logColumns } from "./log.ts";

/** Cases in one generated log, at most. */
export const generatedCasesMax = 10_000;

/** Corrections that one case goes through, at most; so a generated case has at most 18 activities. */
const correctionsMax = 4;

/** It holds a comma, so that every row has a quoted field. */
const department = "Permits, building and environment";

const start = "Application received";
const check = "T02 Check completeness";
const correct = "T03 Correct the entry";
const confirm = "T05 Print and send receipt";
const refuse = "T15 Print and send refusal";
const report = "T20 Print and send report";

/**
 * The CSV text of a made-up permit log with the shape of a real one: cases of one to 18 activities, some of
 * which (checks and corrections) repeat inside a case; some are printed and sent (T05, T15, T20); many cases
 * share a sequence. The same seed and count always give the same text.
 *
 * From six cases on, each of these is in it: a case of one activity, a repeated activity, T05, T15, T20, a
 * quoted field. Throws a RangeError when `caseCount` is not a whole number from 1 to 10,000.
 */
export function generatePermitLog(wanted: { readonly seed: number; readonly caseCount: number }): string {
  const { seed, caseCount } = wanted;
  if (!Number.isInteger(caseCount) || caseCount < 1 || caseCount > generatedCasesMax) {
    throw new RangeError(`caseCount must be a whole number from 1 to ${generatedCasesMax}, not ${caseCount}`);
  }
  const random = seededRandom(`permit log ${seed}`);
  const lines = [logColumns.join(",")];
  for (let index = 0; index < caseCount; index += 1) {
    lines.push(...caseLines(random, `permit-${1001 + index}`, activitiesOf(random, index)));
  }
  return `${lines.join("\n")}\n`;
}

/** The first six cases are chosen, so that a small log has all shapes; the others are drawn. */
function activitiesOf(random: SeededRandom, index: number): readonly string[] {
  switch (index) {
    case 0:
      return [start];
    case 1:
      return [start, ...corrections(2), "T04 Settle completeness", confirm];
    case 2:
      return [start, ...corrections(0), "T04 Settle completeness", confirm, ...refusal];
    case 3:
      return [start, ...corrections(1), "T04 Settle completeness", confirm, ...advice];
    case 4:
    case 5:
      return [start, ...corrections(0), "T04 Settle completeness", confirm, "T06 Decide on advice"];
    default:
      return drawnActivities(random);
  }
}

function drawnActivities(random: SeededRandom): readonly string[] {
  if (random.under(20) === 0) return [start];
  // Most cases need no correction, few need several: as in any office.
  const correctionCount = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 2, correctionsMax]);
  const head = [start, ...corrections(correctionCount)];
  if (random.under(10) === 0) return head;
  const settled = [...head, "T04 Settle completeness", ...(random.under(8) === 0 ? [] : [confirm])];
  return [
    ...settled,
    ...random.pick([["T06 Decide on advice"], ["T06 Decide on advice"], refusal, advice, []]),
  ];
}

const refusal: readonly string[] = [
  "T06 Decide on advice",
  "T11 Draft refusal",
  "T12 Check refusal",
  "T14 Settle refusal",
  refuse,
];

const advice: readonly string[] = [
  "T06 Decide on advice",
  "T07-1 Ask for advice, aspect 1",
  "T07-2 Ask for advice, aspect 2",
  "T17 Check report",
  "T19 Settle report",
  report,
];

function corrections(count: number): readonly string[] {
  return [check, ...Array.from({ length: count }, () => [correct, check]).flat()];
}

function caseLines(random: SeededRandom, caseId: string, activities: readonly string[]): readonly string[] {
  const channel = random.pick(["Internet", "Desk", "Post", "E-mail"]);
  let at = Date.UTC(2024, 0, 8, 9) + random.under(200) * 86_400_000 + random.under(28_800_000);
  return activities.map((activity) => {
    const performedBy = `Clerk ${1 + random.under(12)}`;
    const cells = [
      caseId,
      activity,
      timeText(at),
      performedBy,
      `Team ${1 + random.under(4)}`,
      channel,
      department,
    ];
    at += 60_000 + random.under(400_000_000);
    return cells.map(csvField).join(",");
  });
}

/** As in the logs that offices export: a blank, microseconds and an offset. */
function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "000+00:00");
}
