import { describe, expect, test } from "vitest";
import { columnsOf } from "./columns.ts";

const span = { sinceAt: 0, toAt: 100, everyMs: 10 };

describe("columns", () => {
  test("end at their moment, and stack their parts from the bottom up", () => {
    const { most, boxes } = columnsOf(
      [
        { at: 10, parts: [1, 3] },
        { at: 100, parts: [0, 2] },
      ],
      { ...span, sinceAt: 0 },
    );
    expect(most).toBe(4);
    expect(boxes).toEqual([
      [
        { series: 0, x: 0, y: 0.75, width: 0.1, height: 0.25 },
        { series: 1, x: 0, y: 0, width: 0.1, height: 0.75 },
      ],
      [{ series: 1, x: 0.9, y: 0.5, width: 0.1, height: 0.5 }],
    ]);
  });

  test("leave gaps where nothing was sampled", () => {
    const { boxes } = columnsOf(
      [10, 50, 100].map((at) => ({ at, parts: [1] })),
      span,
    );
    expect(boxes.flat().map(({ x }) => x)).toEqual([0, 0.4, 0.9]);
  });

  test("begin at the first moment of a house that is younger than the span, but never with a few columns alone", () => {
    const young = columnsOf([{ at: 1_000, parts: [1] }], { sinceAt: 0, toAt: 1_000, everyMs: 10 });
    expect(young.fromAt).toBe(880);
    const older = columnsOf([{ at: 500, parts: [1] }], { sinceAt: 0, toAt: 1_000, everyMs: 10 });
    expect(older.fromAt).toBe(490);
    expect(columnsOf([], span)).toEqual({ fromAt: 0, toAt: 100, most: 1, boxes: [] });
  });

  test("show what is more than nothing, however much more there is elsewhere", () => {
    const { boxes } = columnsOf(
      [
        { at: 10, parts: [1] },
        { at: 20, parts: [1_000_000] },
      ],
      span,
    );
    expect(boxes[0]?.[0]?.height).toBe(0.02);
  });
});
