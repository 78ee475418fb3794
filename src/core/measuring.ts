/** What is counted and measured while things are done, by the names of {@link COUNTERS} and {@link HISTOGRAMS}. */

import type { CounterLabels, CounterName, HistogramLabels, HistogramName } from "./figures.ts";

/** Counts and measures. Must not throw, and changes nothing of what is done. */
export interface Measuring {
  /** So many more; one when left out. */
  count<Name extends CounterName>(
    name: Name,
    labels: Readonly<Record<CounterLabels[Name], string>>,
    more?: number,
  ): void;
  /** One more value, in the unit of the figure. */
  record<Name extends HistogramName>(
    name: Name,
    labels: Readonly<Record<HistogramLabels[Name], string>>,
    value: number,
  ): void;
}

/** Measures nothing. */
export const unmeasured: Measuring = { count: () => undefined, record: () => undefined };
