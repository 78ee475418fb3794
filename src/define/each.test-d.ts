import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { happened } from "./answers.ts";
import { defineCase } from "./builder.ts";
import { defineDestination } from "./destination.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });

const lines = defineCase("invoice", {
  version: 1,
  owner: "ops",
  input: z.object({ lines: z.array(z.object({ id: z.string(), due: z.date() })) }),
}).each("lines", {
  items: ({ input }) => {
    expectTypeOf(input.lines).toEqualTypeOf<{ id: string; due: string }[]>();
    return input.lines.map(({ id, due }) => ({ id, due: new Date(due) }));
  },
  key: (item) => {
    expectTypeOf(item).toEqualTypeOf<{ id: string; due: string }>();
    return item.id;
  },
  to: erp,
  request: ({ item, key }) => ({ item: item.id, key }),
  run: ({ request, item }) => {
    expectTypeOf(request).toEqualTypeOf<{ item: string; key: string }>();
    expectTypeOf(item.due).toEqualTypeOf<string>();
    return { bookedAt: new Date(0) };
  },
  undo: {
    run: ({ result, request }) => {
      expectTypeOf(result).toEqualTypeOf<{ bookedAt: string }>();
      expectTypeOf(request.key).toEqualTypeOf<string>();
    },
  },
});

describe("an each", () => {
  test("gives the results of its items by key, as they come back from JSON", () => {
    lines.step("close", {
      to: erp,
      run: ({ results }) => {
        expectTypeOf(results.lines).toEqualTypeOf<{ readonly [key: string]: { bookedAt: string } }>();
      },
    });
  });

  test("does not compile with a key that is no text, a check of another result, or a name given twice", () => {
    const all = { items: () => [{ id: 7 }], to: erp, run: () => ({ ok: true }) };
    // @ts-expect-error -- a key is a text
    lines.each("others", { ...all, key: (item) => item.id });
    lines.each("others", {
      items: () => [{ id: "7" }],
      key: (item) => item.id,
      to: erp,
      run: () => ({ ok: true }),
      // @ts-expect-error -- run gives something else
      check: () => happened({ ok: "yes" }, null),
    });
    // @ts-expect-error -- there is a step of this name
    lines.each("lines", { items: () => ["a"], key: (item) => item, to: erp, run: () => null });
  });

  test("that may be passed over may have no results", () => {
    lines
      .each("others", {
        when: { "has others": () => true },
        items: () => ["a"],
        key: (item) => item,
        to: erp,
        run: () => 1,
      })
      .step("close", {
        to: erp,
        run: ({ results }) => {
          expectTypeOf(results.others).toEqualTypeOf<{ readonly [key: string]: number } | undefined>();
        },
      });
  });
});
