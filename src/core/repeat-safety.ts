/** What a destination's repeat safety means for what is sent there (DESIGN section 7). */

import type { RepeatSafety } from "./outline.ts";

/**
 * True where two requests of one intent version are one effect: the second is taken for the first, refused, or rolled
 * back. Elsewhere a second request is a second effect.
 */
export function isOneEffect({ by }: RepeatSafety): boolean {
  switch (by) {
    case "key":
    case "unique":
    case "if-match":
    case "fence":
    case "transaction":
      return true;
    case "lookup":
    case "none":
      return false;
  }
}

/**
 * True where a second request of what was done, and taken back since, does nothing when it arrives late. Where names are
 * unique, what is taken back frees its name for it.
 */
export function turnsAwayLate({ by }: RepeatSafety): boolean {
  switch (by) {
    case "key":
    case "if-match":
    case "fence":
    case "transaction":
      return true;
    case "unique":
    case "lookup":
    case "none":
      return false;
  }
}

/** True where an unknown outcome can only be told by asking, so that every step sent there must have a `check`. */
export function needsCheck({ by }: RepeatSafety): boolean {
  switch (by) {
    case "unique":
    case "if-match":
    case "fence":
    case "lookup":
      return true;
    case "key":
    case "transaction":
    case "none":
      return false;
  }
}
