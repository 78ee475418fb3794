/** The plot of an outage: requests in each second, and cases done, with the in-flight limit and without it. */

import type { OutagePlan, OutageResult } from "./outage.ts";

const WIDTH = 760;
const HEIGHT = 220;
const LEFT = 56;
const TOP = 28;
const GAP = 60;
const WITH = "#0b6e4f";
const WITHOUT = "#b3261e";

/** Two runs of one plan. */
export interface Compared {
  readonly plan: OutagePlan;
  readonly limited: OutageResult;
  readonly unlimited: OutageResult;
  /** Seconds that are drawn. */
  readonly untilS: number;
}

/** An SVG of its own, readable on light and on dark ground. */
export function plotOutage({ plan, limited, unlimited, untilS }: Compared): string {
  const requests = [limited, unlimited].map(({ seconds }) => seconds.map((one) => one.requests));
  const done = [limited, unlimited].map(({ seconds }) => summed(seconds.map((one) => one.done)));
  const height = TOP + 2 * HEIGHT + GAP + 44;
  const panels = [
    panel({ plan, untilS, top: TOP, title: "requests in each second", lines: requests }),
    panel({ plan, untilS, top: TOP + HEIGHT + GAP, title: "cases done", lines: done }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>An outage of ${plan.outageS} s, with the in-flight limit and without it</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...panels,
    `<text x="${LEFT}" y="${height - 10}" fill="${WITH}">with the in-flight limit</text>`,
    `<text x="${LEFT + 180}" y="${height - 10}" fill="${WITHOUT}">without it (dashed)</text>`,
    `<text x="${WIDTH - 12}" y="${height - 10}" text-anchor="end" fill="#444444">seconds; the outage is shaded</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function summed(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

interface Panel {
  readonly plan: OutagePlan;
  readonly untilS: number;
  readonly top: number;
  readonly title: string;
  /** With the limit, and without it. */
  readonly lines: readonly (readonly number[])[];
}

function panel({ plan, untilS, top, title, lines }: Panel): string {
  const max = Math.max(1, ...lines.flatMap((line) => line.slice(0, untilS)));
  const x = (s: number): number => LEFT + (s / untilS) * (WIDTH - LEFT - 12);
  const y = (value: number): number => top + HEIGHT - (value / max) * HEIGHT;
  const from = x(plan.calmS);
  const outageWidth = (x(plan.calmS + plan.outageS) - from).toFixed(1);
  const ticks = Array.from({ length: Math.floor(untilS / 20) + 1 }, (_, index) => index * 20);
  const path = (line: readonly number[]): string =>
    line
      .slice(0, untilS)
      .map((value, s) => `${s === 0 ? "M" : "L"}${x(s + 0.5).toFixed(1)} ${y(value).toFixed(1)}`)
      .join("");
  return [
    `<rect x="${from.toFixed(1)}" y="${top}" width="${outageWidth}" height="${HEIGHT}" fill="#e8e8e8"/>`,
    `<text x="${LEFT}" y="${top - 8}" fill="#222222">${title}</text>`,
    `<path d="M${LEFT} ${top}V${top + HEIGHT}H${WIDTH - 12}" fill="none" stroke="#888888"/>`,
    `<text x="${LEFT - 6}" y="${top + 10}" text-anchor="end" fill="#444444">${max}</text>`,
    `<text x="${LEFT - 6}" y="${top + HEIGHT}" text-anchor="end" fill="#444444">0</text>`,
    ...ticks.map(
      (s) =>
        `<text x="${x(s).toFixed(1)}" y="${top + HEIGHT + 16}" text-anchor="middle" fill="#444444">${s}</text>`,
    ),
    `<path d="${path(lines[1] ?? [])}" fill="none" stroke="${WITHOUT}" stroke-width="1.5" stroke-dasharray="4 2"/>`,
    `<path d="${path(lines[0] ?? [])}" fill="none" stroke="${WITH}" stroke-width="2"/>`,
  ].join("\n");
}
