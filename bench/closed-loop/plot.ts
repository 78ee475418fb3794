/** The plot of the closed loop: a panel for each level, a bar for each contestant. */

import { ENTRANTS } from "./contestants.ts";
import { levelsOf, medianOf, namesOf, type Measured } from "./table.ts";

const WIDTH = 760;
const LEFT = 150;
const RIGHT = 90;
const BAR = 16;
const GAP = 6;
const HEAD = 34;
const OWN = "#0b6e4f";
const OTHER = "#8a94a6";
const BEST = "#c9a227";

/** An SVG of its own, readable on light and on dark ground. */
export function plotLoops(measured: Measured): string {
  const names = namesOf(measured);
  const levels = levelsOf(measured);
  const panelHeight = HEAD + names.length * (BAR + GAP) + GAP;
  const height = levels.length * panelHeight + 12;
  const panels = levels.flatMap((level, index) => panel(measured, level, index * panelHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    "<title>Cases of three instant steps in a second</title>",
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}

function panel(measured: Measured, level: number, top: number): readonly string[] {
  const rates = namesOf(measured).map((name) => ({
    name,
    rate: medianOf(measured, name, level)?.casesPerSecond ?? 0,
  }));
  const max = Math.max(1, ...rates.map(({ rate }) => rate));
  const title = `<text x="12" y="${top + 22}" font-weight="bold" fill="#1a1a1a">${level} in flight: cases in a second</text>`;
  const bars = rates.flatMap(({ name, rate }, index) => {
    const y = top + HEAD + index * (BAR + GAP);
    const width = Math.max(1, ((WIDTH - LEFT - RIGHT) * rate) / max);
    const color = name === "foothold" ? OWN : name === "limit" ? BEST : OTHER;
    return [
      `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end" fill="#1a1a1a">${ENTRANTS[name].label}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${color}"/>`,
      `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 12}" fill="#1a1a1a">${rate.toFixed(0)}</text>`,
    ];
  });
  return [title, ...bars];
}
