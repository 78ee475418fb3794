import { describe, expect, test } from "vitest";
import { systemPorts } from "../engine/system.ts";
import { memoryStore } from "../store/memory/store.ts";
import { Refusals, type NewRefusal } from "./refusals.ts";

const FLOOD = 5_000;

describe("a flood that anybody can make", () => {
  test("of bodies that are too large is counted whole, and only some of it is stored one by one", async () => {
    const { inbox } = memoryStore();
    const { clock, ids } = systemPorts();
    const refusals = new Refusals(inbox, clock, ids);
    const lost: NewRefusal = {
      tenant: "default",
      source: "shop",
      at: 1,
      reason: "tooLarge",
      bodyBytes: 999_999_999,
      headers: [["x-github-delivery", "d-1"]],
      isLost: true,
    };
    for (let times = 0; times < FLOOD; times += 1) refusals.note(lost);
    await refusals.settled();
    const stored = await inbox.listRefusals(FLOOD);
    expect(stored.length).toBeLessThanOrEqual(201);
    expect(stored.reduce((sum, { count }) => sum + count, 0)).toBe(FLOOD);
    expect(stored.every(({ isLost }) => isLost)).toBe(true);
  });
});
