/** Reads something again and again while the page is seen, and keeps what was read last when a read fails. */

import { useCallback, useEffect, useRef, useState } from "react";
import { asRefusal, type Refusal } from "./api.ts";
import { followHints, type Hints } from "./hints.ts";
import { useSettings } from "./settings.ts";

/** What was read. */
export interface Polled<T> {
  /** Null until the first answer for this key. */
  readonly data: T | null;
  /** Why the last read failed; null once one succeeds. */
  readonly error: Refusal | null;
  /** Reads now, and every second for a while: what an act brings about is seen as it happens. */
  readonly refresh: () => void;
}

/** How what is shown is kept fresh. */
export interface Freshness {
  /** How often it is read where the server tells no changes, in ms. Default 5,000. */
  readonly everyMs?: number;
  /** What the server is asked to tell changes of; left out = none. */
  readonly hints?: Hints;
}

const POLL_MS = 5_000;
/** How often it is read all the same while changes are told: what time alone changes is not, in ms. */
const TOLD_MS = 20_000;
/** Between two reads that hints ask for, at least, in ms. */
const GAP_MS = 400;
/** How often it is read after an act, in ms, and how many times. */
const SOON_MS = 1_000;
const SOON_READS = 10;

interface Held<T> {
  readonly key: string;
  readonly data: T | null;
  readonly error: Refusal | null;
}

/**
 * Reads by `load` at once, when changes are told, and now and then. Another `key` means another thing: what was read for the
 * one before is dropped. Hidden pages and pages that are not live read only when asked.
 */
export function usePolled<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs = POLL_MS, hints }: Freshness = {},
): Polled<T> {
  const [held, setHeld] = useState<Held<T>>({ key, data: null, error: null });
  const [asked, setAsked] = useState(0);
  const loader = useRef(load);
  const soonReads = useRef(0);
  const { isLive } = useSettings();
  const hinted = hints === undefined ? null : JSON.stringify(hints);
  useEffect(() => {
    loader.current = load;
  });
  useEffect(() => {
    const reader = createReader({
      read: async (signal) => {
        try {
          const data = await loader.current(signal);
          if (!signal.aborted) setHeld({ key, data, error: null });
        } catch (error) {
          if (signal.aborted) return;
          setHeld((was) => ({ key, data: was.key === key ? was.data : null, error: asRefusal(error) }));
        }
      },
      nextMs: (isTold) => {
        const isSoon = soonReads.current > 0;
        soonReads.current = Math.max(0, soonReads.current - 1);
        if (isSoon) return Math.min(SOON_MS, everyMs);
        if (!isLive) return null;
        return isTold ? Math.max(TOLD_MS, everyMs) : everyMs;
      },
      isLive,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was written a few lines above
      hints: hinted === null ? null : (JSON.parse(hinted) as Hints),
    });
    return () => reader.stop();
  }, [key, everyMs, hinted, asked, isLive]);
  const refresh = useCallback(() => {
    soonReads.current = SOON_READS;
    setAsked((count) => count + 1);
  }, []);
  const isCurrent = held.key === key;
  return { data: isCurrent ? held.data : null, error: isCurrent ? held.error : null, refresh };
}

interface ReaderParts {
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** When to read again by itself; null = not at all. */
  readonly nextMs: (isTold: boolean) => number | null;
  readonly isLive: boolean;
  readonly hints: Hints | null;
}

/** Reads one at a time; a hint that comes during a read leads to another one. */
function createReader({ read, nextMs, isLive, hints }: ReaderParts): { stop(): void } {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  let isDue = false;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    if (document.hidden || ending.signal.aborted) return;
    isDue = isReading;
    if (isReading) return;
    isReading = true;
    await read(ending.signal);
    isReading = false;
    if (ending.signal.aborted) return;
    const waitMs = isDue ? GAP_MS : nextMs(stream?.isTold() ?? false);
    if (waitMs !== null) timer = setTimeout(() => void run(), waitMs);
  };
  const onSeen = (): void => {
    if (isLive) void run();
  };
  document.addEventListener("visibilitychange", onSeen);
  const stream = isLive && hints !== null ? followHints(hints, () => void run()) : null;
  void run();
  return {
    stop: () => {
      ending.abort();
      clearTimeout(timer);
      stream?.stop();
      document.removeEventListener("visibilitychange", onSeen);
    },
  };
}
