import { describe, expect, it } from "vitest";
import { destination, fact, outlineOf, probe } from "./case.fixture.ts";
import { reachedBy } from "./sends.ts";

const bank = destination({ name: "bank" });

describe("what a step reaches", () => {
  it.each([
    [
      "a send and what it asks before",
      { kind: "step", before: [fact("fits"), probe("open", { destination: bank })] },
      ["erp", "bank"],
    ],
    ["an each", { kind: "each" }, ["erp"]],
    [
      "a poll and what it requires",
      { kind: "poll", destination: bank, requires: [probe("open")] },
      ["bank", "crm"],
    ],
    ["an approval", { kind: "approval" }, []],
  ] as const)("%s", (_, draft, names) => {
    const reached = outlineOf({ name: "one", ...draft }).steps.flatMap(reachedBy);
    expect(reached.map(({ name }) => name)).toEqual(names);
  });
});
