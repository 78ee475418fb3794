/**
 * Bounds the log: of what comes again and again, the first lines of each stretch are told, and of the others how many there
 * were. Pure but for what it remembers.
 */

import type { LogEntry, LogEvent, LogFacts } from "./log-events.ts";

/** Lines of one kind that are told in one stretch. */
export const REPEATS_TOLD = 5;
/** How long a stretch is, in ms. */
export const STRETCH_MS = 10_000;
/** Kinds that are told apart; what comes beyond them is counted together by its name. */
const KINDS_MAX = 1_000;

interface Kind {
  readonly event: LogEvent;
  readonly facts: LogFacts;
  readonly beganAt: number;
  count: number;
}

/** What is told now: the entry itself or not, after what was left out before. */
export interface Admission {
  readonly isTold: boolean;
  readonly over: readonly LogEntry[];
}

/** Remembers what was told lately. */
export class LogRepeats {
  readonly #kinds = new Map<string, Kind>();

  /** Takes an entry at a time, in ms by a clock that does not jump. */
  admit(entry: LogEntry, now: number): Admission {
    const over = this.over(now);
    const facts = kindOf(entry);
    const key = this.#kinds.size < KINDS_MAX ? JSON.stringify([entry.event, facts]) : entry.event;
    const kind = this.#kinds.get(key) ?? { event: entry.event, facts, beganAt: now, count: 0 };
    kind.count += 1;
    this.#kinds.set(key, kind);
    return { isTold: kind.count <= REPEATS_TOLD, over };
  }

  /** What was left out of stretches that are over by now; `Infinity` = of all of them. */
  over(now: number): readonly LogEntry[] {
    const ended: Kind[] = [];
    for (const [key, kind] of this.#kinds) {
      // They are in the order in which they began.
      if (now - kind.beganAt < STRETCH_MS) break;
      this.#kinds.delete(key);
      ended.push(kind);
    }
    return ended.flatMap(leftOut);
  }
}

/** What makes lines the same: names of definitions and kinds, never of a case. */
function kindOf({ facts: { destination, failureKind, during, source, why, owner } }: LogEntry): LogFacts {
  const kind = { destination, failureKind, during, source, why, owner };
  return Object.fromEntries(Object.entries(kind).filter(([, value]) => value !== undefined));
}

function leftOut({ event, facts, count }: Kind): readonly LogEntry[] {
  const more = count - REPEATS_TOLD;
  if (more <= 0) return [];
  const named = Object.values(facts).join(", ");
  const sentence = `${more} more of ${event}${named === "" ? "" : ` (${named})`} within ${STRETCH_MS / 1_000} s`;
  return [{ event: "repeated", sentence, facts: { ...facts, of: event, count: more } }];
}
