import { describe, expect, test } from "vitest";
import { Watch, type Sign } from "./watch.ts";

const at = (sign: number): readonly Sign[] => [{ id: "h", sign, holeMsMax: 1_000 }];

describe("a watch", () => {
  test("counts for how long it has itself seen a sign unchanged", () => {
    const watch = new Watch();
    watch.look(at(7), 100);
    expect(watch.unchangedMs("h")).toBe(0);
    watch.look(at(7), 600);
    watch.look(at(7), 1_100);
    expect(watch.unchangedMs("h")).toBe(1_000);
  });

  test("begins anew with every sign of life", () => {
    const watch = new Watch();
    watch.look(at(7), 0);
    watch.look(at(7), 900);
    watch.look(at(8), 1_000);
    expect(watch.unchangedMs("h")).toBe(0);
    watch.look(at(8), 1_400);
    expect(watch.unchangedMs("h")).toBe(400);
  });

  test("counts little of the time in which it did not look", () => {
    const watch = new Watch();
    watch.look(at(7), 0);
    watch.look(at(7), 3_600_000);
    expect(watch.unchangedMs("h")).toBe(1_000);
  });

  test("knows nothing of what was before a look that failed", () => {
    const watch = new Watch();
    watch.look(at(7), 0);
    watch.look(at(7), 900);
    watch.startAnew();
    watch.look(at(7), 1_000);
    expect(watch.unchangedMs("h")).toBe(0);
    watch.look(at(7), 1_500);
    expect(watch.unchangedMs("h")).toBe(500);
  });

  test("forgets what it no longer sees", () => {
    const watch = new Watch();
    watch.look(at(7), 0);
    watch.look([], 500);
    watch.look(at(7), 900);
    expect(watch.unchangedMs("h")).toBe(0);
    expect(watch.unchangedMs("another")).toBe(0);
  });
});
