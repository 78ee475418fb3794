import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { fakeDestination } from "./fake-destination.ts";
import { refuseFaulty } from "./rehearsal-options.ts";
import { formatRehearsal } from "./rehearsal-report.ts";
import { defineRehearsal, rehearse, type RehearsalOptions, type RehearsalProgress } from "./rehearse.ts";

const input = { item: "desk" };
const head = { version: 1, owner: "sales", input: z.object({ item: z.string() }) };
const shop = fakeDestination<{ readonly item: string }>("shop", {
  idempotency: { by: "key", window: "24h" },
});

const ordering = defineCase("ordering", { ...head, events: { shipped: z.unknown() } })
  .approval("approve", { by: "boss" })
  .step("order", {
    to: shop.destination,
    request: (facts) => facts.input,
    run: ({ request, ...given }) => shop.send(request, given),
  });

const label = defineCase("label", head).sleep("rest", { for: "1d" });

/** As plain JavaScript may give them. */
function faultsOf(options: unknown, caseType: unknown = ordering): string {
  try {
    refuseFaulty(caseType, options);
    return "none";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("options of a rehearsal", () => {
  test.each([
    ["nothing", undefined, "give an object with input, children"],
    ["no input", {}, "input: is missing: say what a case starts with"],
    ["a misspelled option", { input, aprovals: {} }, "aprovals: there is no such option; there are input"],
    [
      "an approval that is none",
      { input, approvals: { order: 1 } },
      "approvals.order: order is not an approval of ordering; there are approve",
    ],
    ["approvals that are no object", { input, approvals: ["approve"] }, "approvals: must be an object"],
    [
      "a correction for a step that sends nothing",
      { input, corrected: { approve: input } },
      "corrected.approve: approve is not a step of ordering that sends; there are order",
    ],
    ["events that are no list", { input, events: {} }, "events: must be a list of events, not an object"],
    [
      "an event that it does not take",
      { input, events: [{ eventType: "sent", payload: 1 }] },
      "events[0].eventType: sent is not an event of ordering; there are shipped",
    ],
    [
      "an event after a step that is none",
      { input, events: [{ eventType: "shipped", payload: 1, after: "oder" }] },
      "events[0].after: oder is not a step of ordering",
    ],
    ["a correction without its input", { input, correct: { after: "order" } }, "correct.input: is missing"],
    ["a correction after nothing", { input, correct: { input } }, "correct.after: is missing"],
    ["effects that are no function", { input, effects: [] }, "effects: must be a function, not an array"],
    ["children that are no list", { input, children: label }, "children: must be a list such as"],
    [
      "a child that is no case type",
      { input, children: [{ of: "label" }] },
      "children[0].of: must be a case",
    ],
    [
      "a child that nothing starts",
      { input, children: [{ of: label }] },
      "children[0].of: nothing here starts a case of label",
    ],
  ])("are refused with %s", (_, options, fault) => {
    expect(faultsOf(options)).toContain(fault);
  });

  test("are refused with all their faults at once", () => {
    const told = faultsOf({ approvals: { no: 1 }, corrected: { no: 1 } });
    expect(told).toMatch(/^The rehearsal of ordering has 3 faults; correct:\n- input: .*\n- approvals\.no: /);
  });

  test("are taken when they fit", () => {
    const events = [{ eventType: "shipped", payload: 1, after: "order" }];
    expect(faultsOf({ input, approvals: { approve: null }, events, corrected: { order: input } })).toBe(
      "none",
    );
  });

  test("need a case type in front", () => {
    expect(faultsOf({ input }, "ordering")).toContain("give a case type of defineCase first, not a text");
  });
});

const mail = defineDestination("mail", { idempotency: { by: "key", window: "24h" } });
const mailing = defineCase("mailing", head).step("send", {
  to: mail,
  request: (facts) => facts.input,
  run: async () => ({ ok: true }),
});

function broken(): never {
  throw new Error("staging is down");
}

describe("a function of the rehearsal's author", () => {
  test.each<[string, Partial<RehearsalOptions<{ item: string }>>]>([
    ["input", { input: broken }],
    ["prepare", { prepare: broken }],
    ["effects", { effects: broken }],
    ["finish", { finish: broken }],
  ])("that throws is named: %s", async (name, own) => {
    await expect(rehearse(mailing, { input, ...own })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: `${name} of the rehearsal threw Error: staging is down.`,
    });
  });

  test("effects that lists what is no step that sends is refused", async () => {
    const listing = rehearse(mailing, { input, effects: () => [{ step: "sent" }] });
    await expect(listing).rejects.toThrow("lists one of sent, which is no step of mailing that sends");
  });

  test("effects that lists those of other cases is refused", async () => {
    const sent: { readonly step: string }[] = [];
    const kept = defineCase("kept", head).step("send", {
      to: mail,
      request: (facts) => facts.input,
      run: async () => {
        sent.push({ step: "send" });
      },
    });
    await expect(rehearse(kept, { input, effects: () => sent })).rejects.toThrow(
      "effects lists 1 of send after the first run and 2 after the second, and neither met a fault",
    );
  });
});

describe("a report", () => {
  test("says that a step makes several effects with one send", async () => {
    const twice = defineCase("twice", head).step("send", {
      to: shop.destination,
      request: (facts) => facts.input,
      run: async ({ request, idempotencyKey }) => {
        await shop.send(request, { idempotencyKey: `${idempotencyKey}-a` });
        return shop.send(request, { idempotencyKey: `${idempotencyKey}-b` });
      },
    });
    const report = await rehearse(twice, { input });
    expect(report.steps).toMatchObject([{ step: "send", effects: 2 }]);
    expect(formatRehearsal(report)).toContain("send makes 2 effects with one send: no crash between them");
  });

  test("says that a step was not reached, and does not call it safe", async () => {
    const passed = ordering.step("insure", {
      to: mail,
      when: { "it is dear": (facts) => facts.input.item === "gold" },
      request: (facts) => facts.input,
      run: async () => ({ ok: true }),
    });
    const text = formatRehearsal(await rehearse(passed, { input }));
    expect(text).toContain("every step that was reached is safe");
    expect(text).toContain("insure was not reached: rehearse it with an input that takes the case there");
  });
});

test("a rehearsal that would take too many runs is refused before it begins", async () => {
  const big = defineCase("big", { ...head, input: z.object({ items: z.array(z.string()) }) }).each("order", {
    items: ({ input: { items } }) => items,
    key: (item) => item,
    to: shop.destination,
    request: ({ item }) => ({ item }),
    run: ({ request, ...given }) => shop.send(request, given),
  });
  const told: number[] = [];
  const items = Array.from({ length: 70 }, (_, index) => `item${index}`);
  const rehearsing = defineRehearsal(big, { input: { items } }).run(({ run }) => told.push(run));
  await expect(rehearsing).rejects.toThrow(/would take 1\d{3} runs, more than 1000: give it an input/);
  expect(told).toEqual([1, 2]);
});

test("a rehearsal tells of each run as it begins", async () => {
  const told: RehearsalProgress[] = [];
  const report = await defineRehearsal(mailing, { input }).run((progress) => told.push(progress));
  expect(told.map(({ run }) => run)).toEqual(Array.from({ length: report.runs }, (_, index) => index + 1));
  expect(told[0]).toEqual({ run: 1, of: null, what: "without any fault" });
  expect(told.at(-1)).toMatchObject({ of: report.runs });
  expect(told[2]).toMatchObject({ of: report.runs, what: "crash beforeIntent of send" });
});
