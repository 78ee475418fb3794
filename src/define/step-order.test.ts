import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderSteps, type Link } from "./step-order.ts";

describe("the order of steps", () => {
  test("is as written where `after` allows it", () => {
    const order = orderSteps([
      { name: "a", after: [] },
      { name: "b", after: ["d"] },
      { name: "c", after: ["a"] },
      { name: "d", after: [] },
    ]);
    expect(order).toMatchObject({ kind: "ordered", names: ["a", "c", "d", "b"] });
  });

  test("knows what a step follows through others", () => {
    const order = orderSteps([
      { name: "a", after: [] },
      { name: "b", after: ["a"] },
      { name: "x", after: [] },
      { name: "c", after: ["b"] },
    ]);
    expect(order.kind === "ordered" && order.closures.get("c")).toEqual(["a", "b"]);
  });

  test.each<[string, Link[], string[]]>([
    ["a step that follows itself", [{ name: "a", after: ["a"] }], ["a"]],
    [
      "a circle, without the steps that lead into it or out of it",
      [
        { name: "start", after: [] },
        { name: "in", after: ["a", "start"] },
        { name: "a", after: ["b"] },
        { name: "b", after: ["c", "start"] },
        { name: "c", after: ["a"] },
      ],
      ["a", "b", "c"],
    ],
  ])("names %s", (_, links, names) => {
    expect(orderSteps(links)).toEqual({ kind: "cycle", names });
  });

  /** Steps s0, s1, …: each follows any of those before it, then all are shuffled. */
  const graphs = fc
    .array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
    .map((all) =>
      all.map((after, index) => ({
        name: `s${index}`,
        after: [...new Set(after.filter((one) => one < index).map((one) => `s${one}`))],
      })),
    )
    .chain((links) => fc.shuffledSubarray(links, { minLength: links.length }));

  test("puts every step after all that its closure names, and the closure is all that it follows", () => {
    fc.assert(
      fc.property(graphs, (links) => {
        const order = orderSteps(links);
        if (order.kind !== "ordered") throw new Error("a graph without circles has an order");
        expect(order.names.toSorted()).toEqual(links.map(({ name }) => name).toSorted());
        for (const { name, after } of links) {
          const closure = order.closures.get(name) ?? [];
          const followed = new Set(after.flatMap((one) => [one, ...(order.closures.get(one) ?? [])]));
          expect(new Set(closure)).toEqual(followed);
          expect(closure).toEqual(order.names.filter((one) => followed.has(one)));
          expect(closure.every((one) => order.names.indexOf(one) < order.names.indexOf(name))).toBe(true);
        }
      }),
    );
  });
});
