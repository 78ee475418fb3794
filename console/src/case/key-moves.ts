/** Which moves stand beside the path, and which at the key of an `each` that they act on. Pure. */

import type { CaseView, MoveView } from "../api.ts";
import type { PathStep } from "./path-steps.ts";

/** Keys that wait for a person and have their moves beside the path; where there are more, each has its own at itself. */
const KEYS_BESIDE_MAX = 3;

/** The moves of a case by where they stand. */
export interface PlacedMoves {
  readonly beside: readonly MoveView[];
  /** By the name of the key's step. */
  readonly atKeys: ReadonlyMap<string, readonly MoveView[]>;
}

/** Hundreds of keys have hundreds of buttons: beside the path are those of the few that wait for a person. */
export function placeMoves({ moves }: Pick<CaseView, "moves">, path: readonly PathStep[]): PlacedMoves {
  const parts = path.flatMap((step) => step.parts);
  const waiting = parts.filter(({ review }) => review !== null).map(({ name }) => name);
  const near = new Set(waiting.length <= KEYS_BESIDE_MAX ? waiting : []);
  const keys = new Set(parts.map(({ name }) => name).filter((name) => !near.has(name)));
  const beside: MoveView[] = [];
  const atKeys = new Map<string, MoveView[]>();
  for (const one of moves) {
    const { step } = one;
    if (step === null || !keys.has(step)) beside.push(one);
    else atKeys.set(step, [...(atKeys.get(step) ?? []), one]);
  }
  return { beside, atKeys };
}
