/** Lays numbers over time out as stacked columns. Pure. */

/** What is drawn of one moment: a part for each series, from the bottom up. */
export interface Moment {
  readonly at: number;
  readonly parts: readonly number[];
}

/** A rectangle in the unit square, with the origin in the upper left corner. */
interface Box {
  readonly series: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A picture. */
export interface Columns {
  readonly fromAt: number;
  readonly toAt: number;
  /** What the full height stands for; at least 1. */
  readonly most: number;
  /** For each moment its boxes; none for a part of nothing. */
  readonly boxes: readonly (readonly Box[])[];
}

/** The span of a picture. */
export interface Span {
  readonly sinceAt: number;
  readonly toAt: number;
  /** How far apart moments are. */
  readonly everyMs: number;
}

/** What is more than nothing is never lower than this share of the height. */
const SHARE_MIN = 0.02;
/** A picture never has fewer columns than this many would fill. */
const COLUMNS_MIN = 12;

/** Columns end at their moment. A house that is younger than the span is drawn from its first moment. */
export function columnsOf(moments: readonly Moment[], { sinceAt, toAt, everyMs }: Span): Columns {
  const first = moments[0]?.at ?? toAt;
  const fromAt = Math.max(sinceAt, Math.min(first - everyMs, toAt - COLUMNS_MIN * everyMs));
  const lengthMs = Math.max(1, toAt - fromAt);
  const most = Math.max(1, ...moments.map(({ parts }) => sum(parts)));
  const width = Math.min(1, everyMs / lengthMs);
  const boxes = moments.map(({ at, parts }) => {
    const x = Math.max(0, (at - fromAt) / lengthMs - width);
    let top = 1;
    return parts.flatMap((part, series): readonly Box[] => {
      if (part === 0) return [];
      const height = Math.max(SHARE_MIN, part / most);
      top = Math.max(0, top - height);
      return [{ series, x, y: top, width, height }];
    });
  });
  return { fromAt, toAt, most, boxes };
}

function sum(parts: readonly number[]): number {
  return parts.reduce((all, part) => all + part, 0);
}
