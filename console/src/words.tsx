/** States and signs: a state is told by a word and a shape, never by color alone. */

import type { JSX } from "react";
import type { ReadableState } from "./api.ts";

/** How a state looks: what is meant by its color. */
export type Tone = "need" | "lost" | "wait" | "run" | "done" | "off";

const looks: Readonly<Record<ReadableState, { readonly sign: string; readonly tone: Tone }>> = {
  Running: { sign: "▶", tone: "run" },
  "Will retry": { sign: "↻", tone: "wait" },
  "Waiting for event": { sign: "◷", tone: "wait" },
  "Waiting for child": { sign: "◷", tone: "wait" },
  "Waiting for approval": { sign: "◷", tone: "need" },
  "Waiting until": { sign: "◷", tone: "wait" },
  "Held back": { sign: "⋯", tone: "wait" },
  Paused: { sign: "‖", tone: "off" },
  "Worker lost": { sign: "⚠", tone: "lost" },
  "Outcome unknown": { sign: "?", tone: "lost" },
  "Needs correction": { sign: "✎", tone: "need" },
  "Needs access": { sign: "⊘", tone: "need" },
  "Needs review": { sign: "!", tone: "need" },
  "Being repaired": { sign: "✋", tone: "run" },
  Undoing: { sign: "↶", tone: "run" },
  Done: { sign: "✓", tone: "done" },
  "Done after repair": { sign: "✓", tone: "done" },
  Canceled: { sign: "×", tone: "off" },
};

/** What states of one color have in common, in the order in which they matter. */
export const TONE_WORDS: readonly (readonly [tone: Tone, words: string])[] = [
  ["need", "wait for people"],
  ["lost", "in doubt, or lost their worker"],
  ["off", "paused"],
  ["wait", "go on by themselves"],
  ["run", "worked on"],
];

const unknownLook = { sign: "•", tone: "off" } as const;

/** Every state that people read, for filters. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record above has exactly these keys
export const READABLE_STATES = Object.keys(looks) as readonly ReadableState[];

/** A state of a server that is newer than this page still has a look. */
function lookOf(state: string): { readonly sign: string; readonly tone: Tone } {
  return (
    new Map<string, { readonly sign: string; readonly tone: Tone }>(Object.entries(looks)).get(state) ??
    unknownLook
  );
}

/** The tone of a state. */
export function toneOf(state: ReadableState): Tone {
  return lookOf(state).tone;
}

/** The sign of a state. */
export function signOf(state: ReadableState): string {
  return lookOf(state).sign;
}

/** The state as a badge. */
export function StateBadge({ state }: { readonly state: ReadableState }): JSX.Element {
  const { sign, tone } = lookOf(state);
  return (
    <span className={`badge tone-${tone}`}>
      <span aria-hidden="true" className="sign">
        {sign}
      </span>
      {state}
    </span>
  );
}

/** How much harm a state may do while it stands: the lowest is shown first. */
export function urgencyOf(state: ReadableState): number {
  if (state === "Outcome unknown") return 0;
  if (state === "Worker lost") return 1;
  return 2;
}

/** "1 case", "3 cases". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
