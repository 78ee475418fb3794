import { describe, expect, test } from "vitest";
import { z } from "zod";
import { awaitedSchema } from "./awaited-event.ts";
import { defineCase } from "./builder.ts";

const order = defineCase("order", {
  version: 1,
  owner: "sales",
  input: z.object({}),
  events: { paid: z.object({ cents: z.number() }), refused: z.string(), other: z.null() },
});

const either = awaitedSchema(
  { eventType: "paid", orTypes: ["refused"] },
  order.waitForEvent("one", {
    event: ["paid", "refused"],
    timeout: "1d",
  }).events,
);

describe("what a person says that a wait gave", () => {
  test.each([
    ["the event and its payload", { event: "paid", payload: { cents: 3 } }, []],
    ["the payload of the other event", { event: "refused", payload: "no" }, []],
    ["a payload of another event", { event: "refused", payload: { cents: 3 } }, ["payload"]],
    ["a payload that is not the event's", { event: "paid", payload: { cents: "3" } }, ["payload.cents"]],
    ["an event that it does not wait for", { event: "other", payload: null }, ["event"]],
    ["a payload alone", { cents: 3 }, ["event"]],
    ["nothing", null, ["event"]],
  ])("%s", async (_, value, faults) => {
    const read = await either?.(value);
    expect(read?.kind === "invalid" ? read.faults.map(({ path }) => path) : [read]).toEqual(
      faults.length === 0 ? [{ kind: "valid", value }] : faults,
    );
  });

  test("of a single event is its payload", () => {
    const { events } = order.sleep("rest", { for: "1s" });
    expect(awaitedSchema({ eventType: "paid" }, events)).toBe(events["paid"]);
    expect(awaitedSchema({ eventType: "gone" }, events)).toBeNull();
  });
});
