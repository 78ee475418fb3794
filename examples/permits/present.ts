import { isGood, type Figures } from "./figures.ts";
import type { Progress, RunOutcome } from "./permit-run.ts";

const barCharsMax = 30;

/** One line that shows how far a run is. */
export function progressLine({ cases, started, done, inReview }: Progress): string {
  if (started < cases) return `starting cases: ${started} of ${cases}`;
  const filled = Math.round((done / Math.max(1, cases)) * barCharsMax);
  const bar = `${"#".repeat(filled)}${".".repeat(barCharsMax - filled)}`;
  const review = inReview === 0 ? "" : `, ${inReview} in review`;
  return `[${bar}] ${done} of ${cases} cases done${review}`;
}

/** The figures as a table, and what they come to in one sentence. */
export function reportText({ figures, gaveUp }: RunOutcome): string {
  const rows = rowsOf(figures);
  const width = Math.max(...rows.map(([label]) => label.length));
  const table = rows.map(([label, figure]) => `  ${label.padEnd(width)}  ${figure}`).join("\n");
  return `${table}\n\n${verdict(figures, gaveUp)}\n`;
}

function rowsOf(figures: Figures): readonly (readonly [string, string])[] {
  const kills = Object.entries(figures.killsByPoint);
  const killCount = kills.reduce((sum, [, count]) => sum + count, 0);
  const places = kills.map(([point, count]) => `${point} ${count}`).join(", ");
  return [
    ["cases in the log", String(figures.cases)],
    ["cases done", String(figures.done)],
    ["cases in review", String(figures.inReview)],
    ["steps in the log", String(figures.steps)],
    ["effects at the destinations", String(figures.effects)],
    ["effects beyond the first of a step", String(figures.duplicateEffects)],
    ["steps without an effect", String(figures.missing)],
    ["effects out of order", String(figures.outOfOrder)],
    ["effects that the log does not call for", String(figures.unexpected)],
    ["reports of late workers, refused", String(figures.lateRefused)],
    ["workers killed", killCount === 0 ? "0" : `${killCount} (${places})`],
    ["  with an intent open", String(figures.killedWithIntentOpen)],
    ["workers stopped past their lease", String(figures.stoppedPastLease)],
    ["seconds", figures.seconds.toFixed(2)],
  ];
}

function verdict(figures: Figures, gaveUp: string | null): string {
  if (gaveUp !== null) return `The run was given up: ${gaveUp}. The figures say how far it came.`;
  if (isGood(figures)) {
    return `Every case is done, and each of the ${figures.steps} steps took effect once, in order.`;
  }
  return "Not every step took effect once and in order, or not every case is done: see the figures above.";
}
