/** What `foothold top` shows: what was read of the house, and what the person at the keys chose. Pure. */

import type { Reply } from "./replies.ts";

/** Cases that need people, as far as they are read at a time. */
export const NEEDS_MAX = 200;

/** What was read at one moment. A part is null where whoever asks may not see it. */
export interface TopSnapshot {
  readonly overview: Reply<"showOverview">;
  readonly history: Reply<"showHistory">;
  /** Those that wait longest first, of the {@link NEEDS_MAX} that began last. */
  readonly needs: Reply<"listCases">;
  readonly workers: Reply<"listWorkers"> | null;
  readonly destinations: Reply<"showTraffic">["destinations"] | null;
  readonly work: Reply<"countWork">["counts"] | null;
}

/** Whatever a frame is made of. */
export interface TopView {
  /** Who is asked, in words. */
  readonly place: string;
  /** Null = nothing has been read yet. */
  readonly snapshot: TopSnapshot | null;
  /** Why nothing newer was read; null = it was. */
  readonly gone: { readonly sentence: string; readonly sinceAt: number } | null;
  /** The case that is chosen; null = the first. */
  readonly chosen: string | null;
  /** True where what stands with the chosen case is shown. */
  readonly isOpen: boolean;
  readonly isPaused: boolean;
}

/** Nothing read yet. */
export function emptyView(place: string): TopView {
  return { place, snapshot: null, gone: null, chosen: null, isOpen: false, isPaused: false };
}

/** Something was read. */
export function withSnapshot(view: TopView, snapshot: TopSnapshot): TopView {
  return { ...view, snapshot, gone: null };
}

/** Nothing could be read: what was is shown on. */
export function withoutAnswer(view: TopView, sentence: string, at: number): TopView {
  return { ...view, gone: { sentence, sinceAt: view.gone?.sinceAt ?? at } };
}

/** Where the chosen case stands in the list; 0 where it is gone from it. */
export function chosenIndex({ chosen, snapshot }: TopView): number {
  const cases = snapshot?.needs.cases ?? [];
  return Math.max(
    0,
    cases.findIndex(({ caseId }) => caseId === chosen),
  );
}

/** What a key does; null = it ends. Keys are as a terminal in raw mode sends them. */
export function afterKey(view: TopView, key: string): TopView | null {
  switch (key) {
    case "q":
    case "Q":
    case "\u0003":
    case "\u0004":
      return null;
    case "p":
    case "P":
      return { ...view, isPaused: !view.isPaused };
    case "\u001b[A":
    case "\u001bOA":
    case "k":
      return moved(view, -1);
    case "\u001b[B":
    case "\u001bOB":
    case "j":
      return moved(view, 1);
    case "\r":
    case "\n":
      return { ...moved(view, 0), isOpen: !view.isOpen };
    case "\u001b":
      return { ...view, isOpen: false };
    default:
      return view;
  }
}

/** By the case, not by the line: a list that is read anew may have others above it. */
function moved(view: TopView, by: number): TopView {
  const cases = view.snapshot?.needs.cases ?? [];
  const index = Math.min(cases.length - 1, Math.max(0, chosenIndex(view) + by));
  return { ...view, chosen: cases[index]?.caseId ?? null };
}

/** Keys in what a terminal sent at once: letters, and the sequences of arrows. */
export function keysIn(text: string): readonly string[] {
  return text.match(/\p{Cc}[[O][A-Z]|[^]/gu) ?? [];
}
