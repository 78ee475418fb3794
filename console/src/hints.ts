/** Hints of changes from the server: they only say that something is to be read anew. Hidden pages ask for none. */

import { watchChanges } from "../../src/client.ts";
import { basePath } from "./base.ts";

/** What a screen shows: lists and counts, or one case. */
export type Hints = { readonly of: "lists" } | { readonly of: "case"; readonly caseId: string };

/** How soon it is asked again after a stream ended, and after one was refused, in ms. */
const AGAIN_MS = 2_000;
const REFUSED_MS = 30_000;
/** What changed while a stream was being opened is not told by it, so that it is relied on only after this long, in ms. */
const SURE_AFTER_MS = 6_000;

/** A stream of hints. */
export interface HintStream {
  /** False where something may not be told, so that what is shown must be read now and then. */
  isTold(): boolean;
  stop(): void;
}

/** Follows hints until it is stopped. Where the server tells none, pages read now and then all the same. */
export function followHints(hints: Hints, onHint: () => void): HintStream {
  let ending = new AbortController();
  let toldSince = Infinity;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = async (): Promise<void> => {
    if (isStopped || document.hidden) return;
    let againMs = AGAIN_MS;
    const { signal } = ending;
    try {
      toldSince = performance.now();
      const caseIds = hints.of === "case" ? [hints.caseId] : [];
      for await (const { kind } of watchChanges({ baseUrl: basePath }, { caseIds, signal })) {
        if ((kind === "case") === (hints.of === "case")) onHint();
      }
    } catch {
      againMs = REFUSED_MS;
    }
    if (signal.aborted) return;
    toldSince = Infinity;
    timer = setTimeout(() => void follow(), againMs);
  };
  const cut = (): void => {
    clearTimeout(timer);
    ending.abort();
    toldSince = Infinity;
  };
  // A browser has few connections to one server: pages that nobody sees leave them to others.
  const onSeen = (): void => {
    cut();
    ending = new AbortController();
    void follow();
  };
  document.addEventListener("visibilitychange", onSeen);
  void follow();
  return {
    // Hints of lists may miss what begins and ends between two looks of the server.
    isTold: () => hints.of === "case" && performance.now() - toldSince > SURE_AFTER_MS,
    stop: () => {
      isStopped = true;
      cut();
      document.removeEventListener("visibilitychange", onSeen);
    },
  };
}
