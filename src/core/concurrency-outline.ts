/** How many cases of one key are worked on at once, as their case type says. */

/** What frees the place of a case: that no worker is at it any more, or that it is done or canceled. */
export type PlaceFreedBy = "rest" | "end";

/** How many cases of a key may be worked on at once. */
export interface ConcurrencyOutline {
  /** 1 to 1,000. */
  readonly limit: number;
  readonly freedBy: PlaceFreedBy;
}
