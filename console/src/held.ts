/** Lists that follow what is read, but never move under a pointer or a focus: what is new waits until it is asked for. */

import { useCallback, useRef, useState, type RefObject } from "react";
import type { CaseLine } from "./api.ts";

/** One line of a list: what it is, and what it says. */
export interface HeldLine {
  readonly id: string;
  /** Another text = it says something else by now. */
  readonly says: string;
}

/** A case as a line. What time alone changes is left out. */
export function lineOfCase({ caseId, revision, reading, holding }: CaseLine): HeldLine {
  const { state, sentence, byAt } = reading;
  return { id: caseId, says: JSON.stringify([revision, state, sentence, byAt, holding?.holderId]) };
}

/** What is shown, and what waits. */
export interface HeldList<T> {
  readonly shown: T | null;
  /** Lines that differ by now; 0 = nothing waits. */
  readonly changed: number;
  /** Shows what waits. */
  readonly show: () => void;
  /** Goes on the element that must not move. */
  readonly area: RefObject<HTMLDivElement | null>;
}

/** How many lines differ, appeared, went, or stand in another order among those that stayed. */
export function countChanges(shown: readonly HeldLine[], fresh: readonly HeldLine[]): number {
  const before = new Map(shown.map((line) => [line.id, line]));
  const after = new Set(fresh.map(({ id }) => id));
  const stayedBefore = shown.filter(({ id }) => after.has(id));
  const stayed = fresh.filter(({ id }) => before.has(id));
  const differing = stayed.filter(
    (line, index) => before.get(line.id)?.says !== line.says || stayedBefore[index]?.id !== line.id,
  );
  return differing.length + (fresh.length - stayed.length) + (shown.length - stayedBefore.length);
}

/** Holds a list, while it is under a hand and while `isHeld`. Another `key` is another list and is shown at once. */
export function useHeld<T>(
  key: string,
  fresh: T | null,
  linesOf: (value: T) => readonly HeldLine[],
  { isHeld }: { readonly isHeld: boolean } = { isHeld: false },
): HeldList<T> {
  const area = useRef<HTMLDivElement>(null);
  const [kept, setKept] = useState<{ readonly key: string; readonly value: T } | null>(null);
  const current = kept?.key === key ? kept.value : null;
  const changed = fresh === null || current === null ? 0 : countChanges(linesOf(current), linesOf(fresh));
  if (fresh !== null && fresh !== current) {
    const isTouched = current !== null && changed > 0 && (isHeld || isUnderHand(area.current));
    // React renders again at once, before anything is painted.
    if (!isTouched) setKept({ key, value: fresh });
  }
  const show = useCallback(() => {
    if (fresh !== null) setKept({ key, value: fresh });
  }, [key, fresh]);
  return { shown: current ?? fresh, changed: current === null ? 0 : changed, show, area };
}

function isUnderHand(element: HTMLElement | null): boolean {
  if (element === null) return false;
  return element.matches(":hover") || element.contains(document.activeElement);
}
