import { expect, test } from "vitest";
import { laneCount, lanesOf } from "./lanes.ts";

function tell(edges: readonly { readonly lane: number; readonly from: string }[]): string {
  return edges.map((edge) => `${edge.from}@${edge.lane}`).join(" ");
}

function lanes(nodes: Parameters<typeof lanesOf>[0]): readonly string[] {
  return lanesOf(nodes).map(
    ({ lane, into, through, out }) => `${lane}: ${tell(into)} | ${tell(through)} | ${tell(out)}`,
  );
}

test("a case without branches is one line", () => {
  const nodes = [
    { name: "a", after: [] },
    { name: "b", after: ["a"] },
    { name: "c", after: ["b"] },
  ];
  expect(lanes(nodes)).toEqual(["0:  |  | a@0", "0: a@0 |  | b@0", "0: b@0 |  | "]);
  expect(laneCount(lanesOf(nodes))).toBe(1);
});

test("branches run side by side, pass each other by, and meet again at the step that follows both", () => {
  const nodes = [
    { name: "approve", after: [] },
    { name: "record", after: ["approve"] },
    { name: "reserve", after: ["approve"] },
    { name: "notify", after: ["record", "reserve"] },
  ];
  expect(lanes(nodes)).toEqual([
    "0:  |  | approve@0 approve@1",
    "0: approve@0 | approve@1 | record@0",
    "1: approve@1 | record@0 | reserve@1",
    "0: record@0 reserve@1 |  | ",
  ]);
  expect(laneCount(lanesOf(nodes))).toBe(2);
});

test("no two lines that are open at the same time share a lane, whatever the shape", () => {
  const nodes = Array.from({ length: 40 }, (_, index) => ({
    name: `s${index}`,
    after: [1, 3, 7]
      .map((back) => index - back * ((index % 3) + 1))
      .flatMap((at) => (at < 0 ? [] : [`s${at}`])),
  }));
  for (const { lane, into, through, out } of lanesOf(nodes)) {
    const below = [...through, ...out].map((edge) => edge.lane);
    expect(new Set(below).size).toBe(below.length);
    const above = [...through, ...into].map((edge) => edge.lane);
    expect(new Set(above).size).toBe(above.length);
    expect(through.map((edge) => edge.lane)).not.toContain(lane);
  }
  expect(lanesOf([])).toEqual([]);
  expect(laneCount([])).toBe(1);
});
